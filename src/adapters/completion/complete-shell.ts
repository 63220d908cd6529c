import { resolve } from 'node:path';
import { type Completion, takeBestFits } from '../../core/completion/completion.ts';
import {
  type CursorContext,
  expandAlias,
  findCursorContext,
  restOfCommand,
} from '../../core/completion/cursor-context.ts';
import { CLOSING, fillSlot, findSlot, OPENING, readWord, scanLine } from '../../core/completion/scan-line.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { isDirectory } from '../system/file-status.ts';
import type { HelperMatch, HelperRequest } from './helper-protocol.ts';
import type { HelperShell } from './helper-shell.ts';
import type { LiveNames } from './live-names.ts';
import { type OptionTexts, optionName } from './option-texts.ts';
import { completeByOurselves } from './own-answer.ts';
import { findFolder, withPlace } from './path-words.ts';

/** The sources of completions beside aish's own tables. */
interface CompletionSources {
  readonly helper: HelperShell | null;
  readonly optionTexts?: Pick<OptionTexts, 'list'> | null;
}

interface ShellLine {
  readonly text: string;
  readonly cursor: number;
  readonly signal: AbortSignal;
}

/**
 * Completes a line of the shell: at once where files and tables of our own tell all, else as the user's own completion does, and by
 * ourselves after all where that is not there, knows nothing, or takes too long.
 */
export async function completeShell(
  { text, cursor, signal }: ShellLine,
  live: LiveNames,
  asked: CompletionSources,
): Promise<readonly Completion[]> {
  const context = findCursorContext(text, cursor);
  if (context === null) return [];
  const expanded = expandAlias(text, context, live.aliases);
  if (expanded === null) return completeAt({ text, cursor, signal }, { ...asked, context, live });
  const found = await completeAt({ ...expanded, signal }, { ...asked, context: expanded.context, live });
  return found.map((one) => ({ ...one, start: one.start - expanded.shift }));
}

interface Answering extends CompletionSources {
  readonly context: CursorContext;
  readonly live: LiveNames;
}

async function completeAt(line: ShellLine, answering: Answering): Promise<readonly Completion[]> {
  const { text, cursor, signal } = line;
  const { context, live, helper } = answering;
  const owning = completeByOurselves(context, live);
  const asksHelper = helper !== null && context.place === 'argument' && context.words.length > 0;
  const own = await owning;
  if (own.isFinal || !asksHelper) return own.completions;
  const isAlone = own.completions.length === 0;
  const rest = context.word.quote === 'none' ? restOfCommand(text, cursor) : '';
  const requestAt = (end: number): HelperRequest => {
    return { line: text.slice(context.start, end), rest, cwd: live.cwd, exportsFile: live.exportsFile };
  };
  const ask = (end: number) => helper.ask(requestAt(end), { signal, isAlone });
  const matches = await ask(cursor);
  const offered = matches === null ? [] : await fromHelper(matches, context, live);
  const options = await listOptions([...offered, ...own.completions], {
    ...answering,
    request: requestAt(cursor),
    signal,
  });
  if (matches !== null) return describe(offered, [...options, ...own.completions]);
  if (options.length > 0) return joinOptions(options, own.completions);
  if (own.completions.length > 0 || signal.aborted) return own.completions;
  return askLoosely(context, { ask, live });
}

interface Describing extends Answering {
  readonly request: HelperRequest;
  readonly signal: AbortSignal;
}

/** Options with their descriptions, where an option is typed and nobody has described those that are known; else none. */
async function listOptions(
  known: readonly Completion[],
  { context, live, optionTexts, request, signal }: Describing,
): Promise<readonly Completion[]> {
  const { word, words } = context;
  const isOption =
    word.quote === 'none' && /^-[^=\\'"$]*$/.test(word.raw) && words.every(({ value }) => value !== '--');
  if (!isOption || optionTexts === null || optionTexts === undefined) return [];
  const bare = known.filter(({ description }) => description === undefined);
  // Letters behind one dash are options as they stand, each of its own.
  const isCluster = /^-[A-Za-z\d]+$/.test(word.raw);
  if (known.length > 0 ? bare.length === 0 : isCluster) return [];
  const values = words.map(({ value }) => value);
  const matches = await optionTexts.list(request, { words: values, known: bare.map(nameOf), signal });
  return fromHelper(matches, context, live);
}

/** Options with descriptions first, then those that only our own tables have. */
function joinOptions(described: readonly Completion[], own: readonly Completion[]): readonly Completion[] {
  const names = new Set(described.map(nameOf));
  return [...described, ...own.filter((one) => !names.has(nameOf(one)))];
}

interface Asking {
  readonly ask: (end: number) => ReturnType<HelperShell['ask']>;
  readonly live: LiveNames;
}

/** Nothing begins as typed: asks for all there is in that place, and takes what fits best. */
async function askLoosely(context: CursorContext, { ask, live }: Asking): Promise<readonly Completion[]> {
  const { word, words } = context;
  // Letters behind one dash are options as they stand, each of its own.
  if (words.some(({ value }) => value === '--') || /^-[A-Za-z\d]+$/.test(word.raw)) return [];
  const dashes = /^-*/.exec(word.raw)?.[0].length ?? 0;
  if (word.raw.length <= dashes || word.quote !== 'none' || /[/=:\\"'$]/.test(word.raw)) return [];
  const matches = await ask(word.start + dashes);
  if (matches === null) return [];
  const all = (await fromHelper(matches, context, live)).filter(({ start }) => start === word.start);
  return takeBestFits(all, word.value, (one) => one.value ?? one.text);
}

/** The helper says what there is; where it has no words for it, ours stand beside it. */
function describe(completions: readonly Completion[], own: readonly Completion[]): readonly Completion[] {
  const described = own.filter(({ description }) => description !== undefined);
  const descriptions = new Map(described.map((one) => [nameOf(one), one.description]));
  return completions.map((completion) => {
    const description = completion.description ?? descriptions.get(nameOf(completion));
    return description === undefined ? completion : { ...completion, description };
  });
}

/** The name in a completion, with or without the sign before its value. */
function nameOf({ value, text }: Completion): string {
  return optionName(value ?? text);
}

/** Turns what the user's completion offers into completions of the word at the cursor. */
export async function fromHelper(
  matches: readonly HelperMatch[],
  context: CursorContext,
  live: LiveNames,
): Promise<readonly Completion[]> {
  const found = await Promise.all(matches.map((match) => toCompletion(match, context, live)));
  return found.filter((completion) => completion !== null);
}

async function toCompletion(match: HelperMatch, context: CursorContext, live: LiveNames): Promise<Completion | null> {
  const { word } = context;
  const from = context.start + match.start - word.start;
  if (from < 0 || from > word.raw.length) return null;
  if (match.isPath) return pathCompletion(match, { context, from, live });
  const slot = findSlot(word, from);
  const candidate = {
    value: match.text,
    ...omitUndefined({ suffix: match.suffix, description: match.description }),
  };
  if (match.isQuoted && isInert(match.text)) {
    const closing = match.suffix === '' ? '' : CLOSING[slot.quote];
    return fillSlot(slot, { ...candidate, text: `${slot.before}${match.text}${closing}` });
  }
  return fillSlot(slot, candidate);
}

interface PathContext {
  readonly context: CursorContext;
  readonly from: number;
  readonly live: LiveNames;
}

/** Only the name goes in anew where the folders are those typed already: they stay as the user wrote them. */
async function pathCompletion(match: HelperMatch, { context, from, live }: PathContext): Promise<Completion> {
  const { word } = context;
  const text = match.isQuoted ? readWord(OPENING[word.quote] + match.text) : match.text;
  const path = text.replace(/(?<!\/)\/+$/, '');
  const slash = path.lastIndexOf('/') + 1;
  const typedSlash = word.raw.slice(from).lastIndexOf('/') + 1;
  const typedFolder = word.raw.slice(from, from + typedSlash);
  const folder = (await findFolder(typedFolder, live)) ?? live.cwd;
  const isSame = readWord(typedFolder) === path.slice(0, slash);
  const name = isSame ? path.slice(slash) : path;
  const place = isSame ? resolve(folder, `./${name}`) : resolve(live.cwd, path);
  const isFolder = text !== path || (await isDirectory(place));
  const slot = findSlot(word, isSame ? from + typedSlash : from);
  const label = `${path.slice(slash)}${isFolder ? '/' : ''}`;
  const { description, suffix } = match;
  const [value, behind] = isFolder ? [`${name}/`, ''] : [name, suffix];
  const completion = fillSlot(slot, { value, label, ...omitUndefined({ suffix: behind, description }) });
  return slot.start === word.start && slot.quote === 'none' ? withPlace(completion) : completion;
}

/**
 * Whether a text that claims to be ready for the line is one word there and does nothing: names of branches and the like may hold text that
 * the shell would run.
 */
function isInert(text: string): boolean {
  if (/[\x00-\x1f\x7f]/.test(text)) return false;
  const bare = text.replace(/\\[^\n]/g, '').replace(/'[^']*'/g, '');
  if (/[`$;&|<>()"'*?!\\\s[\]{}#]/.test(bare)) return false;
  const scanned = scanLine(text, text.length);
  return scanned !== null && scanned.words.length === 0;
}
