import { resolve } from 'node:path';
import type { Completion } from '../../core/completion/completion.ts';
import { type CursorContext, findValueHead } from '../../core/completion/cursor-context.ts';
import { quoteName } from '../../core/completion/quote-name.ts';
import { takeBestFits } from '../../core/completion/rank-match.ts';
import type { CursorWord } from '../../core/completion/scan-line.ts';
import { fillSlot, findSlot, readWord } from '../../core/completion/word-slot.ts';
import { expandGlob } from './globs.ts';
import { type LiveNames, readVariable } from './live-names.ts';
import { listPaths, type PathsRequest } from './paths.ts';
import { listUsers } from './system-names.ts';

/** Where in the word the path begins, and what of it is wanted. */
export interface PathWordRequest extends Pick<PathsRequest, 'only'> {
  readonly from: number;
}

/** A glob that stands for more than this is left as it is. */
const MOST_EXPANDED = 1000;

/** Whether the word says by its beginning that it is a path. */
export function isPathLike({ raw }: CursorWord): boolean {
  return /^["']?(?:~|\/|\.{1,2}(?:\/|$)|\$\{?\w+\}?\/)/.test(raw);
}

/** Completes the last name of the path that ends at the cursor. */
export async function completePath(
  word: CursorWord,
  live: LiveNames,
  request: PathWordRequest,
): Promise<readonly Completion[]> {
  const path = word.raw.slice(request.from);
  if (/^~[^/"'\\]*$/.test(path)) return completeHome(word, request.from);
  const slash = path.lastIndexOf('/') + 1;
  const folder = await findFolder(path.slice(0, slash), live);
  if (folder === null) return [];
  const slot = findSlot(word, request.from + slash);
  const { only } = request;
  const names = await listPaths({ folder, typed: slot.typed, ...(only === undefined ? {} : { only }) });
  const needsPlace = slash === 0 && request.from === 0 && slot.before === '' && slot.quote === 'none';
  return names.map((name) => {
    const completion = fillSlot(slot, name);
    return needsPlace ? withPlace(completion) : completion;
  });
}

/** A name that begins with a dash would be read as an option. */
export function withPlace(completion: Completion): Completion {
  return completion.value?.startsWith('-') === true ? { ...completion, text: `./${completion.text}` } : completion;
}

/** All the paths a glob stands for, to go in its place; null where the word is none or stands for nothing. */
export async function completeGlob(context: CursorContext, live: LiveNames): Promise<readonly Completion[] | null> {
  const { word, place } = context;
  const from = findValueHead(context).length;
  const pattern = word.raw.slice(from);
  if (place === 'command' || word.quote !== 'none' || !/[*?[]/.test(pattern.replace(/\\./g, ''))) return null;
  if (/["'\\$`{]/.test(pattern)) return null;
  const home = /^~\//.test(pattern) ? `${live.home}/` : '';
  const found = await expandGlob(home + pattern.slice(home === '' ? 0 : 2), live.cwd);
  if (found.length === 0 || found.length > MOST_EXPANDED || (found.length > 1 && from > 0)) return null;
  const shown = found.map((path) => (home === '' ? path : `~/${path.slice(home.length)}`));
  return [{ start: word.start + from, text: shown.map(quotePath).join(' '), label: `${found.length} paths` }];
}

function quotePath(path: string): string {
  if (path.startsWith('~/')) return `~/${quoteName(path.slice(2), 'none')}`;
  return quoteName(path.startsWith('-') ? `./${path}` : path, 'none');
}

async function completeHome(word: CursorWord, from: number): Promise<readonly Completion[]> {
  const typed = word.raw.slice(from + 1);
  const users = takeBestFits(await listUsers(), typed, ({ name }) => name);
  const start = word.start + from;
  const own = { start, text: '~/', label: '~/', suffix: '' };
  if (typed === '') return [own];
  return users.map(({ name, home }) => {
    const text = `~${quoteName(name, 'none')}/`;
    return { start, text, value: `~${name}/`, label: text, description: home, suffix: '' };
  });
}

/** The folder that the beginning of a path means; null where only the shell could tell. */
export async function findFolder(raw: string, live: LiveNames): Promise<string | null> {
  if (raw === '') return live.cwd;
  if (/\$\(|`/.test(raw)) return null;
  const tilde = /^~([^/"'\\]*)\//.exec(raw);
  if (tilde !== null) {
    const home = tilde[1] === '' ? live.home : (await listUsers()).find(({ name }) => name === tilde[1])?.home;
    return home === undefined ? null : resolve(home, `./${readWord(raw.slice(tilde[0].length))}`);
  }
  const expanded = raw.includes("'") ? readWord(raw) : await expandVariables(readWord(raw), live);
  return expanded === null ? null : resolve(live.cwd, expanded);
}

async function expandVariables(path: string, live: LiveNames): Promise<string | null> {
  let expanded = '';
  let at = 0;
  for (const match of path.matchAll(/\$(?:(\w+)|\{(\w+)\})/g)) {
    const value = await readVariable(match[1] ?? match[2] ?? '', live);
    if (value === undefined) return null;
    expanded += path.slice(at, match.index) + value;
    at = match.index + match[0].length;
  }
  return expanded + path.slice(at);
}
