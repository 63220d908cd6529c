import { type Argument, type Feed, wider } from '../commands/argument.ts';
import { isChosen, type TreeRead, treeReadOf } from '../commands/parse.ts';
import { pathTextsOf } from '../commands/path-use.ts';
import { climbOf, normalize } from '../commands/place.ts';
import { findCall, findProgram, type KnownCall } from '../commands/programs/find-program.ts';
import {
  type Classification,
  isWithin,
  runsUnseen,
  type TracedCall,
  type TracedPath,
  type TracedRedirection,
  type TraceEntry,
} from '../commands/verdict.ts';
import type { LineContext } from '../policy/classify-line.ts';
import { gitLookOf } from '../sandbox/git-reads.ts';

/** Determines from a classification where a line's text comes from and where it goes. */
export function readLine(classification: Classification, context: LineContext): LineReading {
  return new TraceReader(classification, context);
}

/** The paths that a line reads and writes, and the programs it starts, by its text. */
export type LineReading = Readonly<TraceReader>;

/** With these options, or shorter ones with the same letters, a program prints the names it finds. */
const SAYS_NAMES = /^-(?:[a-zA-Z]*[vci]|-[vci])/;

/** With these a file opened only for writing can be read as well. */
const READS_BACK = /\/dev\/(?:fd|std)|\/proc\b|\bexec\b(?:(?!\bexec\b)[^;|\n>])*>/;
const OTHERWISE = /^\/proc\/(?:self|thread-self|\d+)\/(?:cwd|root|task|map_files)(?:\/|$)/;
const OPEN_FILES = /^\/(?:dev(?:\/(?:fd|std).*)?|proc(?:\/.*)?)$/;

const LONGEST = 40;

type Place = Pick<TraceEntry, 'cwd'>;

/** Collects facts about the origin of text from a trace. */
class TraceReader {
  readonly classification: Classification;
  /** Absolute paths that its words and redirections may name. For a pattern, the folder before it. */
  readonly paths = new Set<string>();
  /** The paths that may be read: not those that are only written or deleted. */
  readonly reads = new Set<string>();
  /** Folders before patterns, which may match anything in them. */
  readonly patterns = new Set<string>();
  /** The absolute patterns whose matches are read. */
  readonly globs = new Set<string>();
  /** Directories in which a program runs and may read any file. */
  readonly around = new Set<string>();
  /** The directories in which a reading program runs. */
  readonly readsAround = new Set<string>();
  /** Connections: by address if there is one, else by the beginning of the command. */
  readonly connections = new Set<string>();
  /** The program and first words of every command, as far as known. */
  readonly commands: string[] = [];
  /** Commands with unknown effects. */
  readonly unknown: string[] = [];
  /** A program recurses into folders, including fetched ones. */
  isDeep = false;
  /** How the recursion reads: all files, and through links if `follows`. */
  tree: TreeRead = 'none';
  /** The line reads files of the project through git. */
  showsHistory = false;
  /** The line prints only names of files. */
  isListing = true;
  /** The line runs code of the project. */
  hasTask = false;
  /** The line runs code that it does not show. */
  runs = false;
  /** Words that are only printed may name files for the program that reads them. */
  readonly #told: string[] = [];
  #isFed = false;
  #isBraced = false;
  /** Files that redirections open only for writing. */
  readonly #opened = new Set<string>();
  /** Names with another meaning in the shell, or redefined by the line. */
  readonly #renamed: Set<string>;
  #isAnyRenamed = false;
  readonly #home: string;

  constructor(classification: Classification, { redefined = new Set(), home }: LineContext) {
    this.classification = classification;
    this.#renamed = new Set(redefined);
    this.#home = home;
    this.#read(classification.trace);
    this.#conclude(classification);
  }

  /** Adds what only the whole line tells. */
  #conclude(classification: Classification): void {
    const { line, parts, class: kind } = classification;
    if (READS_BACK.test(line) || [...this.reads].some((path) => OPEN_FILES.test(path))) this.#name(this.#opened, true);
    // These paths depend on the reading process, which is a different one here.
    const other = [...this.reads].find((path) => OTHERWISE.test(path));
    if (this.#isFed) this.#name(this.#told, true);
    // Words from a brace expansion differ from the text as typed.
    const isAsWritten = this.unknown.length > 0 && this.#isBraced && parts.length === 1;
    if (isAsWritten || (kind === 'unparseable' && this.unknown.length === 0)) this.unknown.splice(0, Infinity, shorten(line.trim()));
    else if (other !== undefined) this.unknown.push(other);
    this.showsHistory &&= gitLookOf(classification, null) === 'content';
    this.isListing &&= !line.includes('<');
  }

  /** Reads the trace in execution order. */
  #read(trace: readonly TraceEntry[]): void {
    for (const entry of trace) this.#readEntry(entry);
  }

  #readEntry(entry: TraceEntry): void {
    switch (entry.type) {
      case 'call':
        this.#called(entry);
        this.#read(entry.inner);
        this.#classified(entry);
        return;
      case 'path':
        this.#used(entry);
        return;
      case 'redirection':
        this.#redirected(entry);
        return;
      case 'loop':
        // The values of a loop are used through its variable, which hides patterns.
        this.#name(this.#pathsOf(entry.word, entry), true);
        this.#expands(entry.word, entry);
    }
  }

  #called({ name, words, ...place }: TracedCall): void {
    const base = name.slice(name.lastIndexOf('/') + 1);
    this.commands.push([base, ...words.slice(0, 2).map(({ value }) => value ?? '?')].join(' '));
    this.#isBraced ||= words.some((word) => word.isBraced);
    if (base === 'alias' || base === 'hash') this.#rename(words);
    const known = findCall(name, words);
    const { prints, opensNothing } = known?.spec ?? {};
    this.isListing &&= opensNothing === true || prints === 'names' || prints === 'words';
    if (opensNothing === true && prints !== 'names') {
      this.#printed(words, place);
      return;
    }
    this.#isFed ||= words.some((word) => word.isFed);
    this.#goesDown(words, known);
    const reads =
      prints !== 'nothing' ||
      this.#isRenamed(base) ||
      words.some(({ start, value }) => SAYS_NAMES.test(start) || (value === null && start === ''));
    this.#name(
      words.flatMap((word) => this.#pathsOf(word, place)),
      reads,
    );
    for (const word of words) {
      this.#expands(word, place);
      if (reads) for (const path of this.#lookedUp(word, place)) this.reads.add(path);
    }
    // Words of a message are not paths.
    const isMessage =
      findProgram(base)
        ?.messages?.split(' ')
        .includes(words[0]?.value ?? '') === true;
    const isOpaque = !isMessage && words.some((word) => word.value === null && !word.isNumber && word.start === '');
    // An unknown word may be any path, and the results of xargs and find are anywhere below.
    if (isOpaque && !words.some((word) => word.isFed || word.isFound)) this.unknown.push(nameOf({ name, words }));
    // Words from a file may name anything.
    const feed = words.reduce((one, word) => wider(one, word.feed), undefined as Feed | undefined);
    if (feed === 'text') this.unknown.push(nameOf({ name, words }));
    if (place.cwd === null) this.unknown.push(nameOf({ name, words }));
    else this.#runsIn(place.cwd, reads);
    if (prints === 'untrusted') this.unknown.push(nameOf({ name, words }));
  }

  /** Records recursion into folders, or into names from the input, possibly through links. */
  #goesDown(words: readonly Argument[], known: KnownCall | null): void {
    const { prints, descends } = known?.spec ?? {};
    this.showsHistory ||= known?.spec.gitShows !== undefined;
    const tree = known === null ? 'none' : treeReadOf(descends, known.given, known.words);
    const isNames = prints === 'names' || prints === 'words';
    const isHanded = words.some((word) => word.isFed || word.isFound || word.feed !== undefined);
    if (isHanded && !isNames) this.tree = 'follows';
    else if (!isNames && tree !== 'none' && this.tree !== 'follows') this.tree = tree;
    const skips = descends?.skips !== undefined && known !== null && !isChosen(descends.skips, known.given);
    this.isDeep ||= tree !== 'none' && !skips;
    this.isDeep ||= words.some((word) => word.isGlob && /[*?[][^*?[/]*\//s.test(word.value ?? word.text));
  }

  /** A pattern represents all its matches. */
  #expands(word: Argument, place: Place): void {
    if (!word.isGlob) return;
    for (const path of this.#pathsOf(word, place)) this.patterns.add(path);
    const glob = word.pattern === undefined ? null : this.#absolute(word.pattern, place);
    if (glob !== null) this.globs.add(glob);
    else this.unknown.push(shorten(word.text));
  }

  #isRenamed(name: string): boolean {
    return this.#isAnyRenamed || this.#renamed.has(name);
  }

  /** Records another meaning of a name, or of all names if the name is unknown. */
  #rename(words: readonly Argument[]): void {
    const isKnown = words.every(({ value }) => value !== null);
    if (isKnown) for (const { start } of words) this.#renamed.add(start.replace(/=.*$/s, ''));
    this.#isAnyRenamed ||= !isKnown;
  }

  /** A pattern becomes the names of existing files. */
  #printed(words: readonly Argument[], place: Place): void {
    for (const word of words) {
      const paths = this.#pathsOf(word, place);
      if (!word.isGlob) this.#told.push(...paths);
      else this.#name(paths, true);
    }
  }

  #name(paths: Iterable<string>, isRead: boolean): void {
    for (const path of paths) {
      this.paths.add(path);
      if (isRead) this.reads.add(path);
    }
  }

  #runsIn(folder: string, isRead: boolean): void {
    this.around.add(folder);
    if (isRead) this.readsAround.add(folder);
  }

  #classified(call: TracedCall): void {
    const { effects: found } = call;
    this.hasTask ||= found.some(({ kind }) => kind === 'task');
    // The call reads something that the line does not name, or an option starts another program.
    if (found.some(({ kind }) => kind === 'beyond' || kind === 'starts')) this.unknown.push(nameOf(call));
    const isUnknown = found.some((one) => one.class === 'unparseable' || runsUnseen(one));
    // A full-screen program prints only what its user sees.
    if (isUnknown && findCall(call.name, call.words)?.spec.prints !== 'screen') {
      this.runs = true;
      this.unknown.push(nameOf(call));
    }
    const connects = found.some(({ class: kind }) => kind === 'network');
    if (!connects) return;
    const addresses = call.words.flatMap(({ value, start }) => addressOf(value ?? start) ?? []);
    for (const one of addresses.length > 0 ? addresses : [nameOf(call)]) this.connections.add(one);
  }

  /** The trace shows which files the options and scripts of a program read. */
  #used({ word, use, ...place }: TracedPath): void {
    if (use === 'list') this.unknown.push(shorten(word.text));
    if (use !== 'content' && use !== 'list') return;
    this.#name(this.#pathsOf(word, place), true);
    this.#expands(word, place);
  }

  #redirected({ operator, target, ...place }: TracedRedirection): void {
    if (target.value !== null && /^(\d+-?|-)$/.test(target.value)) return;
    const machine = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(target.value ?? target.start)?.[1];
    if (machine !== undefined) this.connections.add(machine === '' ? shorten(target.text) : machine);
    const paths = this.#pathsOf(target, place);
    // A file that is only written is not read, except through its descriptor.
    this.#name(paths, operator.includes('<'));
    for (const path of paths) this.#opened.add(path);
    if (operator.includes('<')) this.#expands(target, place);
    if (paths.length === 0 && operator.includes('<')) this.unknown.push(shorten(target.text));
  }

  /** The paths that a word may name: the word itself, text after `=` or `@`, and a value attached to a short option. */
  #pathsOf(word: Argument, place: Place): readonly string[] {
    const text = word.value ?? word.start;
    const candidates = text.startsWith('-') ? [] : [text];
    const value = /^(?:--?)?[\w.-]+=@?(.+)$/s.exec(text)?.[1] ?? /^(?:-\w)?@(.+)$/s.exec(text)?.[1];
    if (value !== undefined) candidates.push(value);
    const attached = /^-\w((?:~|\.{0,2})\/.*)$/s.exec(text)?.[1];
    if (attached !== undefined) candidates.push(attached);
    return candidates.flatMap((one) => this.#toPaths(one, word, place));
  }

  /** Other texts in the word, which are paths if such a file exists. */
  #lookedUp(word: Argument, place: Place): readonly string[] {
    return pathTextsOf(word).flatMap((one) => this.#toPaths(one, { isGlob: false }, place));
  }

  #absolute(path: string, { cwd }: Place): string | null {
    const home = path === '~' || path.startsWith('~/') ? this.#home + path.slice(1) : path;
    return home.startsWith('/') ? home : cwd === null ? null : `${cwd}/${home}`;
  }

  /** A path with `..` is also meant as typed, because the folder before it may be a link. */
  #toPaths(text: string, { isGlob }: Pick<Argument, 'isGlob'>, place: Place): readonly string[] {
    if (text === '' || addressOf(text) !== null || text.includes('\0')) return [];
    const known = isGlob ? text.replace(/(?<![^/])[^/*?[]*[*?[].*$/s, '') || '.' : text;
    const path = this.#absolute(known, place);
    if (path === null) return [];
    const climb = climbOf(path, null);
    return [normalize(path), ...(climb === null ? [] : [climb])];
  }
}

/** The origin of an address, or the host given to ssh and similar programs; null for any other word. */
function addressOf(word: string): string | null {
  const origin = /(?<![a-z0-9+.-])[0-9+.-]*([a-z][a-z0-9+.-]*:\/\/[^/\s?#]*)/i.exec(word)?.[1];
  if (origin !== undefined) return shorten(origin.replace(/\/\/[^@/]*@/, '//'));
  const machine = /^(?:[\w.-]+@)([\w.-]+)(?::|$)/.exec(word)?.[1];
  return machine === undefined ? null : shorten(machine);
}

/** The beginning of a command: its program, and its subcommands. */
function nameOf({ name, words }: Pick<TracedCall, 'name' | 'words'>): string {
  const rest = words.slice(0, 2).map(({ text }) => text);
  return shorten([name, ...rest].join(' '));
}

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Whether a line does more than reading and changing files. */
export function isGrave({ class: kind }: Pick<Classification, 'class'>): boolean {
  return !isWithin(kind, 'mutating');
}
