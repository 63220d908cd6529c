import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** What a word is to the shell when it stands first on a line. */
export type WordKind = 'alias' | 'function' | 'builtin' | 'keyword' | 'file';

/** In the order in which the shell itself looks. */
const NAMED_KINDS = ['alias', 'keyword', 'function', 'builtin'] as const;

interface Names {
  readonly kinds: ReadonlyMap<string, WordKind>;
  readonly folders: readonly string[];
}

interface Folder {
  readonly changed: number;
  readonly names: ReadonlySet<string>;
}

/**
 * Answers, without asking the shell, whether it would know a word. The shell writes its names to a file at every prompt; it is read when a
 * word is asked for, and only once per prompt. Folders of the PATH are listed once and again when they change.
 */
export class Lookup {
  readonly #file: string;
  readonly #folders = new Map<string, Folder>();
  #names: Names;
  #stale = false;
  #text = '';

  constructor(options: { file: string; path: string }) {
    this.#file = options.file;
    this.#names = { kinds: new Map(), folders: toFolders(options.path) };
  }

  /** The shell has written its names anew. */
  refresh(): void {
    this.#stale = true;
  }

  find(word: string, options: { cwd: string; home: string | undefined }): WordKind | null {
    if (this.#stale) this.#read();
    const named = this.#names.kinds.get(word);
    if (named !== undefined) return named;
    if (word === '' || /[\0\n]/.test(word)) return null;
    if (word.includes('/')) return isExecutable(toPath(word, options)) ? 'file' : null;
    return this.#isInPath(word, options.cwd) ? 'file' : null;
  }

  #isInPath(word: string, cwd: string): boolean {
    return this.#names.folders.some((folder) => {
      const place = isAbsolute(folder) ? folder : join(cwd, folder);
      return this.#list(place).has(word) && isExecutable(join(place, word));
    });
  }

  #list(folder: string): ReadonlySet<string> {
    const changed = changeTime(folder);
    const known = this.#folders.get(folder);
    if (known !== undefined && known.changed === changed) return known.names;
    const names = new Set(changed === 0 ? [] : listNames(folder));
    this.#folders.set(folder, { changed, names });
    return names;
  }

  #read(): void {
    this.#stale = false;
    const text = readText(this.#file);
    if (text === null || text === this.#text) return;
    this.#text = text;
    this.#names = parseNames(text);
  }
}

/** Sections `= kind`, one name a line; the last section is the PATH. */
function parseNames(text: string): Names {
  const sections = new Map<string, string[]>();
  let section: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('= ')) {
      section = [];
      sections.set(line.slice(2), section);
    } else if (line !== '' && !line.startsWith('__aish_')) section.push(line);
  }
  const kinds = new Map<string, WordKind>();
  for (const kind of NAMED_KINDS) {
    for (const name of sections.get(kind) ?? []) if (!kinds.has(name)) kinds.set(name, kind);
  }
  return { kinds, folders: toFolders(sections.get('path')?.[0] ?? '') };
}

function toFolders(path: string): readonly string[] {
  return path === '' ? [] : path.split(':').map((folder) => (folder === '' ? '.' : folder));
}

function toPath(word: string, { cwd, home }: { cwd: string; home: string | undefined }): string {
  if (word.startsWith('~/') && home !== undefined) return join(home, word.slice(2));
  return isAbsolute(word) ? word : join(cwd, word);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** 0 for a folder that is not there or not ours to see. */
function changeTime(folder: string): number {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
