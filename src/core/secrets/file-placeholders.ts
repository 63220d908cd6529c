import type { CommandRecord } from '../../protocol/command.ts';
import type { CommandClass, GrantedSecret, ToolCall } from '../../protocol/tool.ts';
import { formatWithheld } from './messages.ts';
import { formatPlaceholder, PLACEHOLDER } from './secret.ts';

/** A file as the model was shown it, and what stands behind each placeholder there. */
interface ShownFile {
  readonly original: string;
  readonly shown: string;
  readonly hidden: readonly HiddenPart[];
}

/** A part of a file that a placeholder stands for: the secret itself, or it in another form. */
interface HiddenPart {
  readonly name: string;
  /** Where the placeholder begins in the shown text. */
  readonly at: number;
  readonly text: string;
  /** Where that begins in the original. */
  readonly from: number;
}

/** A text with its placeholders replaced, and the names that the file itself did not hold. */
interface FilledText {
  readonly text: string;
  /** Names that were not in the file, to be had elsewhere. */
  readonly brought: readonly string[];
  /** Names that nobody knows. */
  readonly unknown: readonly string[];
}

type Find = (name: string) => string | null;

/** Finds what the placeholders of a shown text stand for in the original; null where the two cannot be laid beside each other. */
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
  /** What is shown behind the placeholder, up to the next one. */
  readonly between: string;
  readonly isLast: boolean;
}

/** Where ends what a placeholder stands for; below zero for nowhere. */
function endOfHidden(original: string, { from, placeholder, between, isLast }: Stretch): number {
  // One that the file itself has is what it is.
  if (original.startsWith(placeholder + between, from)) return from + placeholder.length;
  if (!isLast) return original.indexOf(between, from);
  return original.endsWith(between) && original.length - between.length >= from ? original.length - between.length : -1;
}

/** The text of a whole file with what its placeholders stood for where the file had them, and what is known of the others. */
export function fillText(text: string, file: ShownFile | null, find: Find): FilledText {
  return fill(text, file === null ? [] : file.hidden, file, find);
}

/** An edit for the original: the text there that the shown one stands for, and its replacement. */
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

/** Where a place of the shown text is in the original; one within a placeholder counts as before what it stands for. */
function toOriginal(at: number, { hidden }: ShownFile): number {
  const before = hidden.findLast((part) => part.at < at);
  if (before === undefined) return at;
  const end = before.at + formatPlaceholder(before.name).length;
  return at < end ? before.from : before.from + before.text.length + (at - end);
}

/** Each placeholder takes what stood behind the same words in the file, else the next of its name there, else what is known. */
function fill(text: string, parts: readonly HiddenPart[], file: ShownFile | null, find: Find): FilledText {
  const brought = new Set<string>();
  const unknown = new Set<string>();
  const left = [...parts];
  const filled = text.replace(PLACEHOLDER, (placeholder, name: string, at: number) => {
    const same = left.filter((part) => part.name === name);
    const words = lineBefore(text, at);
    const part = same.find((one) => file !== null && lineBefore(file.shown, one.at) === words) ?? same[0];
    // The last one may be meant several times.
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

/** The text of a call that names files: the line of a command, or the path that a tool of ours is given. */
export function namingText({ name, arguments: args }: Pick<ToolCall, 'name' | 'arguments'>): string {
  if (name === 'aish.exec') return typeof args.command === 'string' ? args.command : '';
  return typeof args.path === 'string' ? JSON.stringify(args.path) : '';
}

/** Most names in one line. */
const MOST = 4;

/** One line for the model where a command failed that might have needed what it was not given; empty where there is nothing to say. */
export function tellWithheld(
  { exit }: Pick<CommandRecord, 'exit'>,
  withheld: readonly string[],
  handed: readonly GrantedSecret[],
  kind: CommandClass | undefined,
): string {
  // What was put into its words it had, though not in its environment.
  const missed = withheld.filter((name) => !handed.some((secret) => secret.name === name));
  if (exit === 0 || missed.length === 0 || kind === 'read-only') return '';
  return formatWithheld([...missed.slice(0, MOST), ...(missed.length > MOST ? ['…'] : [])], missed[0] ?? '');
}

/** The names of what a call would be handed now, and was not when it was allowed; empty where all was. */
export function namesNotAllowed(secrets: readonly GrantedSecret[], allowed: readonly GrantedSecret[] = []): readonly string[] {
  const isNew = ({ name, to, rule }: GrantedSecret) =>
    rule === undefined && !allowed.some((known) => known.name === name && known.to === to);
  return [...new Set(secrets.filter(isNew).map(({ name }) => name))];
}
