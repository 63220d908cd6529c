import type { CommandRecord } from '../../protocol/command.ts';
import type { CommandClass, GrantedSecret, ToolCall } from '../../protocol/tool.ts';
import { formatWithheld } from './messages.ts';
import { formatPlaceholder, PLACEHOLDER } from './secret.ts';

/** A file as the model has seen it, and the original text of each placeholder. */
interface ShownFile {
  readonly original: string;
  readonly shown: string;
  readonly hidden: readonly HiddenPart[];
}

/** The part of a file that a placeholder replaces: a secret, or an encoding of it. */
interface HiddenPart {
  readonly name: string;
  /** Position of the placeholder in the shown text. */
  readonly at: number;
  readonly text: string;
  /** Position of the secret in the original. */
  readonly from: number;
}

/** A text with its placeholders replaced, and the names that the file did not contain. */
interface FilledText {
  readonly text: string;
  /** Names missing from the file but known elsewhere. */
  readonly brought: readonly string[];
  /** Unknown names. */
  readonly unknown: readonly string[];
}

type Find = (name: string) => string | null;

/** Finds the original text of each placeholder in a shown text; null if the two texts cannot be aligned. */
export function alignFile(original: string, shown: string): ShownFile | null {
  const hidden: HiddenPart[] = [];
  const placeholders = [...shown.matchAll(PLACEHOLDER)];
  let from = placeholders[0]?.index ?? shown.length;
  if (!original.startsWith(shown.slice(0, from))) return null;
  for (const [number, found] of placeholders.entries()) {
    const at = found.index;
    const next = placeholders[number + 1]?.index ?? shown.length;
    const between = shown.slice(at + found[0].length, next);
    const end = endOfHidden(original, { from, placeholder: found[0], between, isLast: next === shown.length });
    if (end < 0) return null;
    hidden.push({ name: found[1] ?? '', at, text: original.slice(from, end), from });
    from = end + between.length;
  }
  return from === original.length ? { original, shown, hidden } : null;
}

interface Stretch {
  readonly from: number;
  readonly placeholder: string;
  /** The shown text after the placeholder, up to the next placeholder. */
  readonly between: string;
  readonly isLast: boolean;
}

/** The end of the text that a placeholder replaces; negative if not found. */
function endOfHidden(original: string, { from, placeholder, between, isLast }: Stretch): number {
  // A placeholder in the file itself stands for itself.
  if (original.startsWith(placeholder + between, from)) return from + placeholder.length;
  if (!isLast) return original.indexOf(between, from);
  return original.endsWith(between) && original.length - between.length >= from ? original.length - between.length : -1;
}

/** Fills the placeholders of a whole file from the original file, then from other known secrets. */
export function fillText(text: string, file: ShownFile | null, find: Find): FilledText {
  return fill(text, file === null ? [] : file.hidden, file, find);
}

/** Translates an edit to the original: the original text of the shown one, and its replacement. */
export function fillEdit(
  edit: { readonly old: string; readonly fresh: string },
  file: ShownFile | null,
  find: Find,
): { readonly old: string; readonly fresh: FilledText } {
  const found = file === null ? [] : placesOf(edit.old, file);
  const [place] = found;
  if (file === null || place === undefined || found.some(({ text }) => text !== place.text)) {
    const old = fill(edit.old, [], null, find);
    return { old: old.text, fresh: fill(edit.fresh, file?.hidden ?? [], file, find) };
  }
  const near = [...place.hidden, ...file.hidden.filter((part) => !place.hidden.includes(part))];
  return { old: place.text, fresh: fill(edit.fresh, near, file, find) };
}

function placesOf(old: string, file: ShownFile): { text: string; hidden: readonly HiddenPart[] }[] {
  const places: { text: string; hidden: readonly HiddenPart[] }[] = [];
  for (let at = file.shown.indexOf(old); at >= 0; at = file.shown.indexOf(old, at + old.length)) {
    const end = at + old.length;
    const hidden = file.hidden.filter((part) => part.at >= at && part.at < end);
    places.push({ text: file.original.slice(toOriginal(at, file), toOriginal(end, file)), hidden });
  }
  return places;
}

/** The position in the original for a position in the shown text; inside a placeholder, the position before the secret. */
function toOriginal(at: number, { hidden }: ShownFile): number {
  const before = hidden.findLast((part) => part.at < at);
  if (before === undefined) return at;
  const end = before.at + formatPlaceholder(before.name).length;
  return at < end ? before.from : before.from + before.text.length + (at - end);
}

/** Each placeholder gets the text that followed the same words in the file, else the next text of its name, else a known secret. */
function fill(text: string, parts: readonly HiddenPart[], file: ShownFile | null, find: Find): FilledText {
  const brought = new Set<string>();
  const unknown = new Set<string>();
  const left = [...parts];
  const filled = text.replace(PLACEHOLDER, (placeholder, name: string, at: number) => {
    const same = left.filter((part) => part.name === name);
    const words = lineBefore(text, at);
    const part = same.find((one) => file !== null && lineBefore(file.shown, one.at) === words) ?? same[0];
    // The last part may be used several times.
    if (part !== undefined && same.length > 1) left.splice(left.indexOf(part), 1);
    const value = part?.text ?? find(name);
    if (part === undefined) (value === null ? unknown : brought).add(name);
    return value ?? placeholder;
  });
  return { text: filled, brought: [...brought], unknown: [...unknown] };
}

function lineBefore(text: string, at: number): string {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
}

/** The text of a call that names files: a command line, or the path argument of a built-in tool. */
export function namingText({ name, arguments: args }: Pick<ToolCall, 'name' | 'arguments'>): string {
  if (name === 'aish.exec') return typeof args.command === 'string' ? args.command : '';
  return typeof args.path === 'string' ? JSON.stringify(args.path) : '';
}

/** The maximum number of names in one line. */
const MOST = 4;

/** A line for the model if a failed command may have needed withheld secrets; empty otherwise. */
export function tellWithheld(
  { exit }: Pick<CommandRecord, 'exit'>,
  withheld: readonly string[],
  handed: readonly GrantedSecret[],
  kind: CommandClass | undefined,
): string {
  // The command had secrets injected into its words, though not into its environment.
  const missed = withheld.filter((name) => !handed.some((secret) => secret.name === name));
  if (exit === 0 || missed.length === 0 || kind === 'read-only') return '';
  return formatWithheld([...missed.slice(0, MOST), ...(missed.length > MOST ? ['…'] : [])], missed[0] ?? '');
}

/** Names of secrets that a call would get now but not when it was approved; empty if there are none. */
export function namesNotAllowed(secrets: readonly GrantedSecret[], allowed: readonly GrantedSecret[] = []): readonly string[] {
  const isNew = ({ name, to, rule }: GrantedSecret) =>
    rule === undefined && !allowed.some((known) => known.name === name && known.to === to);
  return [...new Set(secrets.filter(isNew).map(({ name }) => name))];
}
