import { resolve } from 'node:path';
import type { Candidate, Completion } from '../../core/completion/completion.ts';
import type { CursorContext } from '../../core/completion/cursor-context.ts';
import { CLOSING, OPENING } from '../../core/completion/quote-name.ts';
import { scanLine } from '../../core/completion/scan-line.ts';
import { fillSlot, findSlot, readWord } from '../../core/completion/word-slot.ts';
import { isDirectory } from '../system/presence.ts';
import type { HelperMatch } from './helper-protocol.ts';
import type { LiveNames } from './live-names.ts';
import { findFolder, withPlace } from './path-words.ts';

/** Turns what the person's completion offers into completions of the word at the cursor. */
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
  const candidate = toCandidate(match, match.text);
  if (match.isQuoted && isInert(match.text)) {
    const closing = match.suffix === '' ? '' : CLOSING[slot.quote];
    return fillSlot(slot, { ...candidate, text: `${slot.before}${match.text}${closing}` });
  }
  return fillSlot(slot, candidate);
}

interface PathPlace {
  readonly context: CursorContext;
  readonly from: number;
  readonly live: LiveNames;
}

/** Only the name goes in anew where the folders are those typed already: they stay as the person wrote them. */
async function pathCompletion(match: HelperMatch, { context, from, live }: PathPlace): Promise<Completion> {
  const { word } = context;
  const text = match.isQuoted ? readWord(OPENING[word.quote] + match.text) : match.text;
  const path = text.replace(/\/+$/, '');
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
  const { description } = match;
  const described = description === undefined ? {} : { description };
  const candidate = isFolder
    ? { value: `${name}/`, label, suffix: '' }
    : { value: name, label, ...(match.suffix === undefined ? {} : { suffix: match.suffix }) };
  const completion = fillSlot(slot, { ...candidate, ...described });
  return slot.start === word.start && slot.quote === 'none' ? withPlace(completion) : completion;
}

function toCandidate({ suffix, description }: HelperMatch, value: string): Candidate {
  return {
    value,
    ...(suffix === undefined ? {} : { suffix }),
    ...(description === undefined ? {} : { description }),
  };
}

/**
 * Whether a text that is said to be written for the line is one word there and does nothing: names of branches and the like may hold
 * what the shell would run.
 */
function isInert(text: string): boolean {
  if (/[\x00-\x1f\x7f]/.test(text)) return false;
  const bare = text.replace(/\\[^\n]/g, '').replace(/'[^']*'/g, '');
  if (/[`$;&|<>()"'*?!\\\s[\]{}#]/.test(bare)) return false;
  const scanned = scanLine(text, text.length);
  return scanned !== null && scanned.words.length === 0;
}
