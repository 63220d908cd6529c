import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type Candidate,
  type Completion,
  compareNames,
  fitOf,
  takeBestFits,
} from '../../core/completion/completion.ts';
import { type CursorContext, findValueHead } from '../../core/completion/cursor-context.ts';
import { type CursorWord, fillSlot, findSlot, quoteName, readWord } from '../../core/completion/scan-line.ts';
import { isHidden } from '../../core/text/hidden-character.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { isDirectory, mayRun } from '../system/file-status.ts';
import { nextTurn } from '../system/patience.ts';
import { expandGlob, tryRead } from './known-names.ts';
import { type LiveNames, readVariable } from './live-names.ts';

/** The position of the path in the word, and the wanted kinds of files. */
interface PathWordRequest extends Pick<PathsRequest, 'only'> {
  readonly from: number;
  /** Other folders where a relative path may begin. */
  readonly searched?: readonly string[];
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
  if (/^~[^/"'\\]*$/.test(path)) return completeHome(word, live, request.from);
  const slash = path.lastIndexOf('/') + 1;
  const folder = await findFolder(path.slice(0, slash), live);
  if (folder === null) return [];
  const slot = findSlot(word, request.from + slash);
  const { only, searched = [] } = request;
  const others = searched.map((each) => resolve(live.cwd, each, readWord(path.slice(0, slash))));
  const places = [...new Set([folder, ...others])];
  const listed = await Promise.all(
    places.map((place) => listPaths({ folder: place, typed: slot.typed, ...omitUndefined({ only }) })),
  );
  const found = new Map(listed.flat().map((name) => [name.value, name]));
  const names =
    listed.length === 1 ? listed.flat() : takeBestFits([...found.values()], slot.typed, ({ value }) => value);
  if (names.length === 0 && slash > 0 && !(await isDirectory(folder))) return completePartial(word, live, request);
  const needsPlace = slash === 0 && request.from === 0 && slot.before === '' && slot.quote === 'none';
  return names.map((name) => {
    const completion = fillSlot(slot, name);
    return needsPlace ? withPlace(completion) : completion;
  });
}

/** So many folders may begin as the parts of a path do. */
const MOST_PARTIAL = 50;

/** `/u/lo/b`: a path of which each part is a beginning, where just one folder leads to what is wanted. */
async function completePartial(
  word: CursorWord,
  live: LiveNames,
  { from, only }: PathWordRequest,
): Promise<readonly Completion[]> {
  const head = /^(?:~?\/)?/.exec(word.raw.slice(from))?.[0] ?? '';
  const slot = findSlot(word, from + head.length);
  const parts = slot.typed.split('/');
  const typed = parts.pop() ?? '';
  if (word.raw.includes('$') || parts.includes('')) return [];
  const root = (await findFolder(head, live)) ?? live.cwd;
  let begun = [''];
  for (const part of parts)
    begun = (await Promise.all(begun.map((path) => findBegun(root, path, part)))).flat().slice(0, MOST_PARTIAL);
  const listed = await Promise.all(
    begun.map(async (path) => {
      const names = await listPaths({ folder: join(root, path), typed, ...omitUndefined({ only }) });
      return names
        .filter(({ value }) => value.startsWith(typed))
        .map((name) => ({ ...name, value: `${path}${name.value}` }));
    }),
  );
  const leading = listed.filter((names) => names.length > 0);
  return leading.length === 1 ? leading.flat().map((name) => fillSlot(slot, name)) : [];
}

/** The folder of that name, else the folders whose names begin so. */
async function findBegun(root: string, path: string, part: string): Promise<readonly string[]> {
  if (part === '..' || part === '.' || (await isDirectory(join(root, path, part)))) return [`${path}${part}/`];
  const found = await listPaths({ folder: join(root, path), typed: part, only: 'folder' });
  return found.filter(({ value }) => value.startsWith(part)).map(({ value }) => `${path}${value}`);
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

async function completeHome(
  word: CursorWord,
  { directories }: LiveNames,
  from: number,
): Promise<readonly Completion[]> {
  const typed = word.raw.slice(from + 1);
  const named = Array.from(directories.named, ([name, home]) => ({ name, home }));
  const users = takeBestFits([...named, ...(await listUsers())], typed, ({ name }) => name);
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
    const name = tilde[1] ?? '';
    const named = name === '' ? live.home : live.directories.named.get(name);
    const home = named ?? (await listUsers()).find((user) => user.name === name)?.home;
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

interface PathsRequest {
  readonly folder: string;
  /** The beginning of the name as typed; names that begin with a dot only count when it does. */
  readonly typed: string;
  /** Folders lead to what is wanted, so they always count. */
  readonly only?: 'folder' | 'program';
}

const MOST_NAMES = 2000;
/** So many that fit are put in order; of a folder that has more, the ones it names first. */
const MOST_SORTED = 4000;
/** So many names are looked at before keys get their turn. */
const SLICE = 4000;
/** So many names are looked at closely, to mark programs. */
const FEW_NAMES = 300;

type Kind = 'folder' | 'link' | 'program' | 'file';

const MARKS: Readonly<Record<Kind, string>> = { folder: '/', link: '@', program: '*', file: '' };

/** Names in a folder that fit what is typed, with the marks that `ls -F` gives them; none where there is no such folder. */
export async function listPaths({ folder, typed, only }: PathsRequest): Promise<readonly Candidate[]> {
  const parent = typed === '..' ? [toCandidate('..', 'folder')] : [];
  const names = await takeFitting(await tryList(folder), typed);
  names.sort(compareNames);
  const best = takeBestFits(names, typed, (name) => name).slice(0, MOST_NAMES);
  const kinds = await listKinds(folder, best, only);
  const found = best.flatMap((name, at) => {
    const kind = kinds[at] ?? 'file';
    return only === undefined || kind === 'folder' || kind === only ? [toCandidate(name, kind)] : [];
  });
  return [...parent, ...found];
}

/** The names that fit best, a few thousand at most. A folder may have hundreds of thousands, and keys are pressed meanwhile. */
async function takeFitting(names: readonly string[], typed: string): Promise<string[]> {
  const begun = await takeWhere(names, (name) => (isWanted(name, typed) && name.startsWith(typed) ? 0 : null));
  return begun.length > 0 ? begun : takeWhere(names, (name) => (isWanted(name, typed) ? fitOf(name, typed) : null));
}

async function takeWhere(names: readonly string[], fitFor: (name: string) => number | null): Promise<string[]> {
  const levels: string[][] = [];
  for (let at = 0; at < names.length; at += SLICE) {
    if (at > 0) await nextTurn();
    for (const name of names.slice(at, at + SLICE)) {
      const fit = fitFor(name);
      if (fit === null) continue;
      levels[fit] ??= [];
      const level = levels[fit];
      if (level.length < MOST_SORTED) level.push(name);
    }
  }
  return levels.find((level) => level !== undefined) ?? [];
}

function toCandidate(name: string, kind: Kind): Candidate {
  const label = `${showName(name)}${MARKS[kind]}`;
  return kind === 'folder' ? { value: `${name}/`, label, suffix: '' } : { value: name, label };
}

/** A name that holds hidden characters shows a question mark for each, as `ls` does at a terminal. */
function showName(name: string): string {
  return [...name].map((character) => (isHidden(character.codePointAt(0) ?? 0) ? '?' : character)).join('');
}

/** Hidden names only if the user typed a dot. */
function isWanted(name: string, typed: string): boolean {
  return typed.startsWith('.') || !name.startsWith('.');
}

/** The kinds of a few names by a look at each, those of many by the list of the folder, which tells no programs. */
async function listKinds(
  folder: string,
  names: readonly string[],
  only: PathsRequest['only'],
): Promise<readonly Kind[]> {
  // The mark of a program is for the menu.
  const marksPrograms = only === 'program' || names.length > 1;
  if (names.length <= FEW_NAMES || only === 'program')
    return Promise.all(names.map((name) => kindOf(toPath(folder, name), marksPrograms)));
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const listed = new Map(entries.map((entry) => [entry.name, entry]));
  return Promise.all(
    names.map(async (name) => {
      const entry = listed.get(name);
      if (entry === undefined || entry.isSymbolicLink()) return kindOf(toPath(folder, name), false);
      return entry.isDirectory() ? 'folder' : 'file';
    }),
  );
}

async function kindOf(path: string | Buffer, marksPrograms: boolean): Promise<Kind> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 'file';
  if (found.isDirectory()) return 'folder';
  if (found.isSymbolicLink()) return (await isDirectory(path)) ? 'folder' : 'link';
  return marksPrograms && found.isFile() && (await mayRun(path)) ? 'program' : 'file';
}

/** Half a surrogate pair stands for a byte that is no UTF-8. */
const BYTES = /[\udc80-\udcff]/;

function toPath(folder: string, name: string): string | Buffer {
  if (!BYTES.test(name)) return join(folder, name);
  const bytes = Array.from(name, (letter) => (BYTES.test(letter) ? Buffer.of(letter.charCodeAt(0) - 0xdc00) : letter));
  return Buffer.concat([Buffer.from(`${folder}/`), ...bytes.map((part) => Buffer.from(part))]);
}

async function tryList(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.some((name) => name.includes('\ufffd')) ? await listBytes(folder) : names;
  } catch {
    return [];
  }
}

/** Names of a folder with some that are no UTF-8: each such byte stands as half a surrogate pair, which becomes the byte again when it is quoted. */
async function listBytes(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { encoding: 'buffer' })).map((bytes) => {
    const name = bytes.toString();
    if (!name.includes('\ufffd')) return name;
    return bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
  });
}

interface User {
  readonly name: string;
  readonly home: string;
}

const LONGEST_COMMAND = 120;

/** The users of this system, users before services. */
export async function listUsers(): Promise<readonly User[]> {
  const rows = (await tryRead('/etc/passwd')).split('\n').map((line) => line.split(':'));
  const users = rows.flatMap(([name = '', , id = '', , , home = '']) =>
    name === '' || name.startsWith('#') ? [] : [{ name, home, isUser: Number(id) >= 1000 || id === '0' }],
  );
  users.sort((one, other) => Number(other.isUser) - Number(one.isUser) || (one.name < other.name ? -1 : 1));
  return users.map(({ name, home }) => ({ name, home }));
}

/** The processes of this system with their command lines, the youngest first; this program's own are left out. */
export async function listProcesses(): Promise<readonly Candidate[]> {
  const pids = await listPids();
  const lines = await Promise.all(pids.map((pid) => readCommand(pid)));
  return pids.flatMap((pid, at) => {
    const line = lines[at] ?? '';
    return line === '' || pid === process.pid ? [] : [{ value: String(pid), description: line }];
  });
}

/** The names of the programs that run, each once. */
export async function listProcessNames(): Promise<readonly Candidate[]> {
  const pids = await listPids();
  const names = await Promise.all(pids.map(async (pid) => (await tryRead(`/proc/${pid}/comm`)).trim()));
  return [...new Set(names)]
    .filter((name) => name !== '')
    .sort()
    .map((value) => ({ value }));
}

async function listPids(): Promise<readonly number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.sort((one, other) => other - one);
}

/** The text that a process reports of itself must count as nothing but words. */
async function readCommand(pid: number): Promise<string> {
  const line = (await tryRead(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ').trim();
  return line.slice(0, LONGEST_COMMAND);
}
