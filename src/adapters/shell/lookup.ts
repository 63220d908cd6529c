import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { readAbbreviations } from '../../core/commands/fish-line.ts';
import { isHarmlessAlias, readQuotedMeaning } from '../../core/commands/programs/find-program.ts';
import { attempt } from '../../core/text/attempt.ts';
import type { WordKind } from '../../protocol/query.ts';
import { isExecutable } from '../system/file-status.ts';
import { nextTurn } from '../system/patience.ts';
import { Remembered } from './remembered.ts';

/** In the order in which the shell itself looks. */
const NAMED_KINDS = ['alias', 'keyword', 'function', 'builtin'] as const;

/** So many programs are looked at one by one. */
const FEW_PROGRAMS = 200;

interface Names {
  readonly kinds: ReadonlyMap<string, WordKind>;
  /** Aliases and functions. */
  readonly redefined: ReadonlySet<string>;
  /** The text of aliases, by their names. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The text of the shell's own abbreviations, by their names. */
  readonly abbreviations: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
  readonly options: readonly string[];
  readonly folders: readonly string[];
  readonly directories: ShellDirectories;
}

interface Folder {
  readonly changed: number;
  readonly names: ReadonlySet<string>;
}

/**
 * Answers from memory, without asking the shell or the disk, whether the shell would know a word. The shell writes its names to a file at
 * every prompt; it is read then, behind the prompt, as are the folders of the PATH that changed.
 */
export class Lookup {
  readonly #file: string;
  readonly #folders = new Remembered<Folder>(readFolder);
  readonly #executables = new Remembered<boolean>(isExecutable);
  #names: Names;
  #reading: Promise<void> | null = null;
  /** The same, to its end, however long others wait for it. */
  #writing: Promise<void> | null = null;
  /** How many decisions wait for the names, and what has the next look come at once. */
  #awaited = 0;
  #hurry = (): void => {};
  #text = '';
  #news = 0;
  /** The prompt whose names count. */
  #latest = '';
  /** The newest prompt whose names were read. */
  #written = '';

  /** Holds the exported variables as lines of the shell, as of the last prompt. */
  readonly exportsFile: string;
  /** The content of that file at a prompt. */
  #printed: { readonly prompt: string; readonly exports: string } | null = null;

  constructor(options: { file: string; exports: string; path: string }) {
    this.#file = options.file;
    this.exportsFile = options.exports;
    this.#names = {
      kinds: new Map(),
      redefined: new Set(),
      aliases: new Map(),
      abbreviations: new Map(),
      variables: [],
      options: [],
      folders: toFolders(options.path),
      directories: NO_DIRECTORIES,
    };
  }

  /** Counts up whenever the answer to a word may be another than before. */
  get news(): number {
    return this.#news + this.#folders.news + this.#executables.news;
  }

  /** The shell writes its names anew, for its prompt of that number, and a command may have changed the programs in the folders. */
  refresh(prompt: string): void {
    this.#folders.expire();
    this.#executables.expire();
    this.#latest = prompt;
    const late = Promise.withResolvers<void>();
    this.#writing = this.#read(prompt, late.resolve);
    const reading = Promise.race([this.#writing, late.promise]).then(() => {
      if (this.#reading === reading) this.#reading = null;
    });
    this.#reading = reading;
  }

  /** As `settled`, but waits longer for a slow shell, and no longer than need be for a quick one: a decision needs its names. */
  async known(): Promise<void> {
    this.#awaited += 1;
    this.#hurry();
    try {
      await this.settled();
      for (let writing = this.#writing; writing !== null; writing = this.#writing) {
        await writing;
        if (writing === this.#writing) return;
      }
    } finally {
      this.#awaited -= 1;
    }
  }

  find(word: string, options: { cwd: string; home: string | undefined }): WordKind | null {
    const named = this.#names.kinds.get(word);
    if (named !== undefined) return named;
    if (word === '' || /[\0\n]/.test(word)) return null;
    if (word.includes('/')) return this.#executables.get(toPath(word, options), false) ? 'file' : null;
    return this.#isInPath(word, options.cwd) ? 'file' : null;
  }

  /** Settles when nothing is read any more, names of a prompt that came meanwhile included; null when nothing is read. */
  settled(): Promise<unknown> | null {
    const waits = [this.#reading, this.#folders.settled(), this.#executables.settled()].filter((wait) => wait !== null);
    return waits.length === 0 ? null : Promise.all(waits).then(() => this.settled());
  }

  /** The newest prompt of the shell: no line ran between two moments with the same one. Empty before the first. */
  get prompt(): string {
    return this.#latest;
  }

  /** Whether the names are those of the newest prompt: false before the first prompt, and if the shell could not write them. */
  get isCurrent(): boolean {
    return this.#latest !== '' && this.#written === this.#latest;
  }

  /** The exports at the newest prompt, as the shell printed them; empty if there are none to read. It writes them before its names. */
  get exports(): string {
    if (this.isCurrent && this.#printed?.prompt === this.#latest) return this.#printed.exports;
    // The shell may have ended.
    const exports = attempt(() => readFileSync(this.exportsFile, 'utf8'), '');
    this.#printed = this.isCurrent ? { prompt: this.#latest, exports } : null;
    return exports;
  }

  /** All words the shell would know and that are wanted, with what they are to it. */
  async list(isWanted: (word: string) => boolean, cwd: string): Promise<ReadonlyMap<string, WordKind>> {
    await this.#reading;
    const found = new Map([...this.#names.kinds].filter(([word]) => isWanted(word)));
    const places = this.#names.folders.map((folder) => (isAbsolute(folder) ? folder : join(cwd, folder)));
    for (const place of places) this.#folders.get(place, NO_FOLDER);
    await this.#folders.settled();
    const programs = new Map<string, string>();
    for (const place of places) {
      for (const name of this.#folders.get(place, NO_FOLDER).names)
        if (!found.has(name) && !programs.has(name) && isWanted(name)) programs.set(name, join(place, name));
    }
    // If there are very many, aish checks none of them, and files that are no programs are rare in these folders.
    const isFew = programs.size <= FEW_PROGRAMS;
    const checked = await Promise.all(
      [...programs].map(async ([name, path]) => (!isFew || (await isExecutable(path)) ? name : '')),
    );
    for (const name of checked) if (name !== '') found.set(name, 'file');
    return found;
  }

  /** The shell's meaning of a word, even if a program has that name; null for a word that is no name in the shell. */
  readonly kindOf = (word: string): WordKind | null => this.#names.kinds.get(word) ?? null;

  /** The folders of the shell's PATH. */
  get folders(): readonly string[] {
    return this.#names.folders;
  }

  /** Names that the user's shell gives a meaning of its own: its aliases and functions. */
  get redefined(): ReadonlySet<string> {
    return this.#names.redefined;
  }

  /** The texts of plain aliases. */
  get aliases(): ReadonlyMap<string, string> {
    return this.#names.aliases;
  }

  /** The texts of abbreviations of words in the place of a command. */
  get abbreviations(): ReadonlyMap<string, string> {
    return this.#names.abbreviations;
  }

  /** Names of the shell's variables, exported or not. */
  get variables(): readonly string[] {
    return this.#names.variables;
  }

  get directories(): ShellDirectories {
    return this.#names.directories;
  }

  /** The shell's active options; none before its first report. */
  get options(): readonly string[] {
    return this.#names.options;
  }

  #isInPath(word: string, cwd: string): boolean {
    return this.#names.folders.some((folder) => {
      const place = isAbsolute(folder) ? folder : join(cwd, folder);
      return this.#folders.get(place, NO_FOLDER).names.has(word) && this.#executables.get(join(place, word), true);
    });
  }

  async #read(prompt: string, onLate: () => void): Promise<void> {
    const text = await this.#readWhole(prompt, onLate);
    if (text === null) return;
    this.#written = prompt;
    if (text === this.#text) return;
    this.#text = text;
    this.#names = parseNames(text);
    this.#news += 1;
    for (const folder of this.#names.folders) if (isAbsolute(folder)) this.#folders.get(folder, NO_FOLDER);
  }

  /**
   * The shell begins to write when aish begins to wait, so an answer that is not from this prompt, or has no end, is read once more. It lies
   * in memory, where to read it takes less than to ask a thread for it.
   */
  async #readWhole(prompt: string, onLate: () => void): Promise<string | null> {
    const end = `\n= end\n${prompt}`;
    const startedAt = performance.now();
    for (let waited = 0; waited < LONGEST_MS; waited = performance.now() - startedAt) {
      await this.#pause(waited);
      const file = attempt(() => readFileSync(this.#file, 'utf8'), null);
      const [text = ''] = file?.split('\0', 1) ?? [];
      if (text.endsWith(end)) return text.slice(0, -end.length);
      // The file goes with the shell.
      if (file === null || this.#latest !== prompt) return null;
      if (waited > PATIENCE_MS) onLate();
    }
    return null;
  }

  #pause(waited: number): Promise<void> {
    // Timers count whole milliseconds.
    if (this.#awaited > 0 && waited < QUICK_MS) return nextTurn();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hurry = resolve;
    // No reason for the program to go on.
    setTimeout(resolve, waited > PATIENCE_MS ? LATE_ROUND_MS : ROUND_MS).unref();
    return promise;
  }
}

/** Most shells have written their names by then. */
const QUICK_MS = 4;

/** All callers, and decisions too, wait so long for the end of the shell's answer. */
const PATIENCE_MS = 1000;
const LONGEST_MS = 10_000;
const ROUND_MS = 1;
const LATE_ROUND_MS = 20;

const NO_FOLDER: Folder = { changed: 0, names: new Set() };

/** Sections `= kind`, one name a line. */
function parseNames(text: string): Names {
  const sections = new Map<string, string[]>();
  let section: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('= ')) {
      section = [];
      sections.set(line.slice(2), section);
    } else if (line !== '' && !line.startsWith('__aish_')) section.push(line);
  }
  setShippedApart(sections);
  const kinds = new Map<string, WordKind>();
  for (const kind of NAMED_KINDS) {
    for (const name of sections.get(kind) ?? []) if (!kinds.has(name)) kinds.set(name, kind);
  }
  const aliases = readAliases(sections);
  const named = findAliases(sections.get('alias') ?? [], aliases);
  const redefined = new Set([...named, ...(sections.get('function') ?? [])]);
  return {
    kinds,
    redefined,
    aliases,
    abbreviations: readAbbreviations(sections.get('abbreviation') ?? []),
    variables: sections.get('variable') ?? [],
    options: (sections.get('option') ?? []).flatMap((line) => line.split(':')).filter((name) => name !== ''),
    folders: toFolders(sections.get('path')?.[0] ?? ''),
    directories: {
      named: toNamed(sections.get('named') ?? []),
      searched: sections.get('cdpath') ?? [],
      stack: sections.get('cd-stack') ?? sections.get('stack') ?? [],
      isStackOfCd: sections.has('cd-stack'),
    },
  };
}

/** Names and paths, by turns. */
function toNamed(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(lines.flatMap((name, at) => (at % 2 === 0 ? [[name, lines[at + 1] ?? ''] as const] : [])));
}

/** Functions that come with fish count as its builtins, unless a user replaced them. */
function setShippedApart(sections: Map<string, string[]>): void {
  const replaced = new Set(sections.get('replaced'));
  const shipped = new Set((sections.get('shipped') ?? []).filter((name) => !replaced.has(name)));
  if (shipped.size === 0) return;
  const isShipped = (name: string): boolean => shipped.has(name) || name.startsWith('__fish_');
  const functions = sections.get('function') ?? [];
  sections.set(
    'function',
    functions.filter((name) => !isShipped(name)),
  );
  sections.set('builtin', [...(sections.get('builtin') ?? []), ...functions.filter(isShipped)]);
}

/** The text of aliases, if it is plain. Their meanings are in the same order as the names. */
function readAliases(sections: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string> {
  const meanings = sections.get('meaning') ?? [];
  const aliases = new Map<string, string>();
  for (const [at, name] of (sections.get('alias') ?? []).entries()) {
    const meaning = readQuotedMeaning(meanings[at] ?? '');
    if (meaning !== null && meaning !== '') aliases.set(name, meaning);
  }
  return aliases;
}

/** Aliases that lead elsewhere than to the program of their name. */
function findAliases(names: readonly string[], meanings: ReadonlyMap<string, string>): readonly string[] {
  return names.filter((name) => {
    const meaning = meanings.get(name);
    return meaning === undefined || !isHarmlessAlias(name, meaning);
  });
}

function toFolders(path: string): readonly string[] {
  return path === '' ? [] : path.split(':').map((folder) => (folder === '' ? '.' : folder));
}

function toPath(word: string, { cwd, home }: { cwd: string; home: string | undefined }): string {
  if (word.startsWith('~/') && home !== undefined) return join(home, word.slice(2));
  return isAbsolute(word) ? word : join(cwd, word);
}

/** The names in a folder; none for one that is not there or not ours to see. Listed anew only when it has changed. */
async function readFolder(folder: string, before: Folder | undefined): Promise<Folder> {
  try {
    const { mtimeMs } = await stat(folder);
    if (mtimeMs === before?.changed) return before;
    return { changed: mtimeMs, names: new Set(await readdir(folder)) };
  } catch {
    return NO_FOLDER;
  }
}

/** Directories that the shell itself names. */
export interface ShellDirectories {
  /** Those of `hash -d`, by their names. */
  readonly named: ReadonlyMap<string, string>;
  /** The directories in which `cd` looks for a relative path, beside the current one. */
  readonly searched: readonly string[];
  /** The stack of `pushd`, the newest first, without the current directory. */
  readonly stack: readonly string[];
  /** Whether `cd`, too, takes numbers of that stack, as in zsh. */
  readonly isStackOfCd: boolean;
}

export const NO_DIRECTORIES: ShellDirectories = { named: new Map(), searched: [], stack: [], isStackOfCd: false };
