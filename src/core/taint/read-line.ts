import type { Argument } from '../gate/argument.ts';
import { find } from '../gate/findings.ts';
import { judgeLine, type LineGround } from '../gate/judge-line.ts';
import { normalize } from '../gate/place.ts';
import type { Scope, WatchedCall, Watcher } from '../gate/scope.ts';
import { type Finding, isWithin, type Judgement } from '../gate/verdict.ts';

/** What the text of a line tells of what it reads, writes and starts. */
export interface LineReading {
  readonly judgement: Judgement;
  /** Paths that its words and redirections may be, absolute. A pattern stands for the folder before it. */
  readonly paths: readonly string[];
  /** Those among them that something may be read of: not what is only written, or named to be deleted. */
  readonly reads: readonly string[];
  /** Folders before patterns: any of what lies there may be meant. */
  readonly patterns: readonly string[];
  /** Directories in which something runs, and so may read whatever lies around. */
  readonly around: readonly string[];
  /** Those among them in which a program runs that reads. */
  readonly readsAround: readonly string[];
  /** Something goes down into folders, those that are fetched too. */
  readonly isDeep: boolean;
  /** Program and first words of every command, as far as they are known. */
  readonly commands: readonly string[];
  /** What opens connections: addresses where there are any, else the beginning of the command. */
  readonly connections: readonly string[];
  /** What nobody can tell the doings of. */
  readonly unknown: readonly string[];
  /** Runs code of the project. */
  readonly hasTask: boolean;
  /** Runs code that the line does not show. */
  readonly runs: boolean;
}

/** What these print is their words, or nothing: they read no file that they are given. */
const TELLS_ITS_WORDS: ReadonlySet<string> = new Set(
  'echo printf true false : test [ [[ pwd date export local declare typeset readonly unset set shopt alias read mkdir rmdir touch exit return break continue shift cd pushd popd sleep wait kill seq yes trap umask basename dirname which command type hash'.split(
    ' ',
  ),
);

/** What these print, if anything, is names: nothing of the files that they are given. */
const TELLS_NAMES: ReadonlySet<string> = new Set('rm unlink chmod chown chgrp truncate shred tee mkfifo'.split(' '));

/** By these options, or shorter ones of the same letters, they say the names that they have found. */
const SAYS_NAMES = /^-(?:[a-zA-Z]*[vci]|-[vci])/;

/** By these a file that was only opened for writing is read as well. */
const READS_BACK = /\/dev\/(?:fd|std)|\/proc\b|\bexec\b[^;|\n]*>/;
const OPEN_FILES = /^\/(?:dev(?:\/(?:fd|std).*)?|proc(?:\/.*)?)$/;

/** What these print comes from somewhere else than from files: programs of others, other people, the clipboard. */
const TELLS_OF_OTHERS =
  /^(?:journalctl|dmesg|last|lastlog|mail|mailx|mutt|xclip|xsel|wl-paste|pbpaste|tmux|screen|sqlite3|duckdb|psql|mysql|mariadb|mongosh|redis-cli|gpg|lpstat|strace|ltrace|tcpdump|write|wall)$/;
const TELLS_BY_SUBCOMMAND = /^(?:docker|podman|nerdctl|kubectl|oc|helm|nomad|heroku|fly|vercel)$/;

/** What people look at and edit with: what it leaves on the screen is for them. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(
  'vim vi nvim view nano emacs micro hx code less more most man info htop top btop fg'.split(' '),
);

const GOES_DOWN = /^(?:find|tree|du|fd|fdfind|ack|ag|cloc|tokei|scc)$/;
const RECURSIVE = /^-(?:-recursive|-dereference-recursive|[a-zA-Z]*[rR])/;

const RUNS = find('runs').reason;
const TASK = find('task').reason;
const LONGEST = 40;

/** Reads a line as the gate does, for where its text comes from and where it leads. */
export function readLine(line: string, ground: LineGround): LineReading {
  const watch = new LineWatch(ground.redefined);
  const judgement = judgeLine(line, ground, watch);
  const isReadBack = READS_BACK.test(line) || [...watch.reads].some((path) => OPEN_FILES.test(path));
  if (isReadBack) for (const path of watch.opened) watch.reads.add(path);
  // Words that braces were made into would read as nobody wrote them.
  const isAsWritten = watch.unknown.length > 0 && watch.isBraced && judgement.parts.length === 1;
  const isUntold = judgement.class === 'unparseable' && watch.unknown.length === 0;
  return {
    judgement,
    paths: [...watch.paths, ...(watch.isFed ? watch.told : [])],
    reads: [...watch.reads, ...(watch.isFed ? watch.told : [])],
    patterns: [...watch.patterns],
    around: [...watch.around],
    readsAround: [...watch.readsAround],
    isDeep: watch.isDeep,
    commands: watch.commands,
    connections: [...watch.connections],
    unknown: isUntold || isAsWritten ? [shorten(line.trim())] : [...watch.unknown],
    hasTask: watch.hasTask,
    runs: watch.runs,
  };
}

/** Takes down what goes by while a line is judged. */
class LineWatch implements Watcher {
  readonly paths = new Set<string>();
  readonly reads = new Set<string>();
  readonly readsAround = new Set<string>();
  readonly patterns = new Set<string>();
  readonly around = new Set<string>();
  readonly connections = new Set<string>();
  readonly unknown: string[] = [];
  readonly commands: string[] = [];
  /** What words that are only printed may name: a file for who is fed with them. */
  readonly told: string[] = [];
  isFed = false;
  isBraced = false;
  isDeep = false;
  hasTask = false;
  runs = false;
  /** Files that redirections open for writing alone. */
  readonly opened = new Set<string>();
  /** Names that stand for something else than the program: of the shell, and of the line. */
  readonly #renamed: Set<string>;

  constructor(redefined: ReadonlySet<string> = new Set()) {
    this.#renamed = new Set(redefined);
  }

  called({ name, words, scope }: WatchedCall): void {
    const base = name.slice(name.lastIndexOf('/') + 1);
    this.commands.push([base, ...words.slice(0, 2).map(({ value }) => value ?? '?')].join(' '));
    this.isBraced ||= words.some((word) => word.isBraced);
    if (base === 'alias' || base === 'hash') this.#rename(words);
    if (TELLS_ITS_WORDS.has(base)) {
      this.#printed(words, scope);
      return;
    }
    this.isFed ||= words.some((word) => word.isFed);
    this.isDeep ||=
      GOES_DOWN.test(base) ||
      (base === 'git' && words[0]?.value === 'grep') ||
      (/^[ef]?grep$/.test(base) && words.some(({ start }) => RECURSIVE.test(start)));
    this.isDeep ||= words.some((word) => word.isGlob && /[*?[].*\//s.test(word.value ?? word.text));
    const reads =
      !TELLS_NAMES.has(base) ||
      this.#renamed.has(base) ||
      words.some(({ start, value }) => SAYS_NAMES.test(start) || (value === null && start === ''));
    this.#name(
      words.flatMap((word) => pathsOf(word, scope)),
      reads,
    );
    for (const word of words.filter(({ isGlob }) => isGlob))
      for (const path of pathsOf(word, scope)) this.patterns.add(path);
    // The words of a message are no paths.
    const isMessage = base === 'git' && /^(?:commit|tag)$/.test(words[0]?.value ?? '');
    const isOpaque = !isMessage && words.some((word) => word.value === null && !word.isNumber && word.start === '');
    // A word nobody knows may be any path, and what xargs and find hand on lies around.
    if (isOpaque && !words.some((word) => word.isFed || word.isFound)) this.unknown.push(nameOf({ name, words }));
    if (scope.cwd === null) this.unknown.push(nameOf({ name, words }));
    else this.#runsIn(scope.cwd, reads);
    const isOfOthers = TELLS_OF_OTHERS.test(base) || (TELLS_BY_SUBCOMMAND.test(base) && words.length > 0);
    if (isOfOthers) this.unknown.push(nameOf({ name, words }));
  }

  /** Another meaning for a name; where it is not known which, for every name. */
  #rename(words: readonly Argument[]): void {
    const isKnown = words.every(({ value }) => value !== null);
    for (const name of isKnown ? words.map(({ start }) => start.replace(/=.*$/s, '')) : TELLS_NAMES)
      this.#renamed.add(name);
  }

  /** A pattern becomes the names that are there. */
  #printed(words: readonly Argument[], scope: Scope): void {
    for (const word of words) {
      const paths = pathsOf(word, scope);
      if (!word.isGlob) this.told.push(...paths);
      else this.#name(paths, true);
    }
  }

  #name(paths: readonly string[], isRead: boolean): void {
    for (const path of paths) {
      this.paths.add(path);
      if (isRead) this.reads.add(path);
    }
  }

  #runsIn(folder: string, isRead: boolean): void {
    this.around.add(folder);
    if (isRead) this.readsAround.add(folder);
  }

  judged(call: WatchedCall, found: readonly Finding[]): void {
    const base = call.name.slice(call.name.lastIndexOf('/') + 1);
    this.hasTask ||= found.some(({ reason }) => reason === TASK);
    const isUnknown = found.some(({ class: kind, reason }) => kind === 'unparseable' || reason.startsWith(RUNS));
    if (isUnknown && !FOR_PEOPLE.has(base)) {
      this.runs = true;
      this.unknown.push(nameOf(call));
    }
    const connects = found.some(({ class: kind, floor }) => kind === 'network' || floor === 'D4');
    if (!connects) return;
    const addresses = call.words.flatMap(({ value, start }) => addressOf(value ?? start) ?? []);
    for (const one of addresses.length > 0 ? addresses : [nameOf(call)]) this.connections.add(one);
  }

  used(): void {}

  redirected(operator: string, target: Argument, scope: Scope): void {
    if (target.value !== null && /^(\d+-?|-)$/.test(target.value)) return;
    const machine = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(target.value ?? target.start)?.[1];
    if (machine !== undefined) this.connections.add(machine === '' ? shorten(target.text) : machine);
    const paths = pathsOf(target, scope);
    // What is written to a file is not read from it, unless by the name of what is open.
    this.#name(paths, operator.includes('<'));
    for (const path of paths) this.opened.add(path);
    if (paths.length === 0 && operator.includes('<')) this.unknown.push(shorten(target.text));
  }

  matches(): null {
    return null;
  }
}

/** What a word may name: itself, what stands behind `=` or `@`, and a path that is written to a short option. */
function pathsOf(word: Argument, scope: Scope): readonly string[] {
  const text = word.value ?? word.start;
  const candidates = text.startsWith('-') ? [] : [text];
  const value = /^(?:--?)?[\w.-]+=@?(.+)$/s.exec(text)?.[1] ?? /^(?:-\w)?@(.+)$/s.exec(text)?.[1];
  if (value !== undefined) candidates.push(value);
  const attached = /^-\w((?:~|\.{0,2})\/.*)$/s.exec(text)?.[1];
  if (attached !== undefined) candidates.push(attached);
  return candidates.flatMap((one) => toPath(one, word, scope) ?? []);
}

function toPath(text: string, { isGlob }: Argument, { cwd, ground }: Scope): string | null {
  if (text === '' || addressOf(text) !== null || text.includes('\0')) return null;
  const known = isGlob ? text.replace(/[^/]*[*?[].*$/s, '') || '.' : text;
  const home = known === '~' || known.startsWith('~/') ? ground.home + known.slice(1) : known;
  if (home.startsWith('/')) return normalize(home);
  return cwd === null ? null : normalize(`${cwd}/${home}`);
}

/** The origin of an address, or the machine that ssh and its like are given; null for what is none. */
function addressOf(word: string): string | null {
  const origin = /[a-z][a-z0-9+.-]*:\/\/[^/\s?#]*/i.exec(word)?.[0];
  if (origin !== undefined) return shorten(origin.replace(/\/\/[^@/]*@/, '//'));
  const machine = /^(?:[\w.-]+@)([\w.-]+)(?::|$)/.exec(word)?.[1];
  return machine === undefined ? null : shorten(machine);
}

/** The beginning of a command: its program, and the words that name what it does. */
function nameOf({ name, words }: Pick<WatchedCall, 'name' | 'words'>): string {
  const rest = words.slice(0, 2).map(({ text }) => text);
  return shorten([name, ...rest].join(' '));
}

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** True for a line that does more than to read and to change files. */
export function isGrave({ class: kind }: Pick<Judgement, 'class'>): boolean {
  return !isWithin(kind, 'mutating');
}
