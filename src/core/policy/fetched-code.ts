import type { EffectKind } from '../../protocol/tool.ts';
import { mayMatch } from '../commands/own-files.ts';
import { isTaskFile, normalize, TASK_FILES } from '../commands/place.ts';
import { fetchedBy, findProgram, findSpec } from '../commands/programs/find-program.ts';
import { type Effect, effect, type Part, runsUnseen } from '../commands/verdict.ts';

/** Effects whose path is a file that holds something else afterwards. */
const WRITES: ReadonlySet<EffectKind> = new Set(['adds', 'changes', 'privileged', 'wrecks', 'plants', 'destroys']);

/** What was fetched, into a file, a variable or an archive, and is run later in the same line was seen by nobody. */
export function classifyFetched(parts: readonly Part[]): readonly Effect[] {
  const line = new FetchingLine();
  return parts.flatMap((part, at) => line.take(part, parts[at - 1]));
}

class FetchingLine {
  readonly #files = new Set<string>();
  /** What archives that were fetched are called, where they were unpacked: their folder has that name. */
  readonly #unpacked = new Set<string>();
  #hasFetched = false;
  /** Something was fetched that may have gone where no name leads: a pipe, a variable. */
  #hasPrinted = false;
  /** A fetched file that a later command reads, and may print to what runs it. */
  #seen: string | undefined;

  take(part: Part, before: Part | undefined): readonly Effect[] {
    const { words, effects, cwd } = part;
    const fetched = fetchedBy(words);
    const fetches = fetched !== undefined;
    // Nothing of a line is looked at before it fetches something.
    if (!fetches && !this.#hasFetched) return [];
    const named = words.flatMap((word) => (word === null ? [] : [word]));
    const paths = effects.flatMap(({ path }) => path ?? []);
    const handled = [...named, ...paths].find((word) => isAmong(this.#files, word, cwd));
    this.#seen ??= handled;
    const file = this.#runBy(part, before, handled, named);
    const [name = ''] = named;
    if (findProgram(name)?.unpacks !== undefined && (handled !== undefined || (this.#hasPrinted && before?.words.includes(null) !== true)))
      for (const one of handled === undefined ? this.#files : [handled]) this.#unpacked.add(stemOf(one));
    this.#hasPrinted ||= fetched === 'output';
    this.#hasFetched ||= fetches;
    const written = effects.flatMap((one) => (WRITES.has(one.kind) ? (one.path ?? []) : []));
    // A program that nobody knows may write what it reads to any file that it names.
    const mayWrite = fetches || (this.#hasPrinted && findSpec(name) === undefined);
    const added = [...(this.#hasFetched ? written : []), ...(mayWrite ? named.slice(1) : [])];
    for (const word of added) if (!word.startsWith('-')) addFile(this.#files, word, cwd);
    return file === undefined ? [] : [effect('remote code', file)];
  }

  /** What of the fetched this command runs. */
  #runBy({ effects, cwd }: Part, before: Part | undefined, handled: string | undefined, named: readonly string[]): string | undefined {
    if (effects.some(runsUnnamed) && this.#isFed(before)) return this.#seen ?? 'the downloaded file';
    if (!effects.some(runsCode)) return undefined;
    if (handled !== undefined) return handled;
    const [taskFile] = effects.some(runsUnseen) ? [...this.#files].filter(isTaskFile) : [];
    const shown = named
      .slice(1)
      .flatMap((word) => (/\s|["'(]/.test(word) ? word.split(/[^\w./+@~-]+/) : []))
      .find((token) => /[./]/.test(token) && isAmong(this.#files, token, cwd));
    const script = effects.flatMap(({ kind, because, path }) =>
      kind === 'runs' && (because === 'script' || because === 'path') ? (path ?? []) : [],
    )[0];
    return taskFile ?? shown ?? (script !== undefined && this.#isUnpacked(script) ? script : undefined);
  }

  /** Whether the text that runs comes from what was fetched: by way of what hands it on, and not from another program. */
  #isFed(before: Part | undefined): boolean {
    const isHandedOn = before === undefined || passesOn(before) || this.#seen !== undefined;
    return isHandedOn && (this.#hasPrinted || this.#seen !== undefined);
  }

  #isUnpacked(script: string): boolean {
    const folders = script.split('/');
    return [...this.#unpacked].some((stem) =>
      folders.some((folder) => folder.startsWith(stem) && /^($|[-._\d])/.test(folder.slice(stem.length))),
    );
  }
}

/** Whether what a command prints may be what was fetched, and is nothing that it makes itself. */
function passesOn({ words }: Part): boolean {
  const [name] = words;
  if (name === undefined || name === null) return true;
  const { passesOn, prints, inner, fetches } = findSpec(name) ?? {};
  const runsAnother = inner?.after !== undefined;
  return passesOn !== undefined || runsAnother || fetches === 'output' || HANDS_ON.has(prints ?? '');
}

const HANDS_ON: ReadonlySet<string> = new Set(['nothing', 'words', 'names', 'screen']);

/** The endings of an archive behind its own name. */
const ARCHIVE_ENDINGS = new RegExp(
  [
    String.raw`(?<!\.(?:tar|tgz|tbz2?|txz|zip|gz|xz|bz2|zst|lz4|lzma|7z|rar|cpio|[jw]ar|Z))(\.(tar|tgz|tbz2?|txz|zip|gz|xz`,
    '|bz2|zst|lz4|lzma|7z|rar|cpio|[jw]ar|Z))+$',
  ].join(''),
);

/** `a-1.2.tar.gz` unpacks into something called `a`, mostly. */
function stemOf(archive: string): string {
  const name = archive.split('/').at(-1) ?? archive;
  return name.replace(ARCHIVE_ENDINGS, '');
}

function runsCode({ kind }: Effect): boolean {
  return kind === 'runs' || kind === 'remote code';
}

/** `sh < a.sh`, `cat a.sh | sh`, `eval "$(cat a.sh)"`, `$x`, `sh /dev/stdin`, `find -exec sh {} +`. */
function runsUnnamed({ kind, because, path }: Effect): boolean {
  if (kind === 'unclear') return because === 'input-script' || because === 'printed-script';
  return kind === 'runs' && because === 'script' && (path == null || /^\/(dev|proc)\//.test(path));
}

/** The names that a word is a file by: as it is written, and from the root where the directory is known. */
function namesOf(word: string, cwd: string | null | undefined): readonly string[] {
  const written = word.replace(/^\.\//, '');
  if (word.startsWith('/')) return [normalize(word)];
  return cwd == null ? [written] : [written, normalize(`${cwd}/${written}`)];
}

/** Of so many files a pattern is held to match one. */
const MOST_COMPARED = 128;

/** A pattern is any of the files that it may match. */
function isAmong(files: ReadonlySet<string>, word: string, cwd: string | null | undefined): boolean {
  if (files.size === 0) return false;
  const names = namesOf(word, cwd);
  if (names.some((name) => files.has(name)) || files.has(inAnyFolder(word))) return true;
  if (!/[*?[]/.test(word)) return false;
  return files.size > MOST_COMPARED || [...files].some((file) => names.some((name) => mayMatch(name, file)));
}

/** `curl -O`, `wget -P /tmp`: an address gives its last part as a name, in a folder that an option may name. */
function inAnyFolder(word: string): string {
  return `//${word.split('/').at(-1) ?? ''}`;
}

/** A file by its own name, or by the end of the address it comes from: `x.example/install.sh` is one without `https://`. */
function addFile(fetched: Set<string>, word: string, cwd: string | null | undefined): void {
  for (const name of namesOf(word, cwd)) fetched.add(name);
  const end = word
    .replace(/[?#].*$/s, '')
    .split(/[/:]/)
    .at(-1);
  if (end === undefined || end === '') return;
  for (const name of namesOf(end, cwd)) fetched.add(name);
  if (!word.includes('://')) return;
  for (const name of new Set([end, decoded(end)])) {
    fetched.add(inAnyFolder(name));
    fetched.add(name);
  }
}

/** `a%20b.sh` of an address is the file `a b.sh`. */
function decoded(text: string): string {
  return text.replace(/%([2-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/**
 * Paths of the files whose code a line would run: the scripts that the line names. Where a program gets its code as input, these are
 * all files that the line names, and where it runs a task of the project, also those that declare tasks. Some may not exist.
 */
export function codeFilesOf(parts: readonly Part[]): readonly string[] {
  const isFed = parts.some(({ effects }) => effects.some(takesInput));
  return parts.flatMap(({ words, effects, cwd }) => {
    const isTask = effects.some(runsTask);
    const scripts = effects.flatMap(({ kind, path }) => (kind === 'runs' ? (path ?? []) : []));
    const fed = isFed ? effects.flatMap(({ path }) => path ?? []) : [];
    const named = isFed || isTask ? words.slice(1).flatMap((word) => word ?? []) : [];
    const files = [...scripts, ...fed, ...named, ...(isTask ? TASK_FILES : [])];
    return files.flatMap((file) => toAbsolute(file, cwd) ?? []);
  });
}

/** `sh < a.sh`, `cat a.sh | sh`, `eval "$(cat a.sh)"`. */
function takesInput({ kind, because }: Effect): boolean {
  return kind === 'unclear' && (because === 'input-script' || because === 'printed-script');
}

/** `make`, `npm test`: the text of the line does not name what runs. */
function runsTask({ kind, path }: Effect): boolean {
  return kind === 'task' || (kind === 'runs' && path == null);
}

function toAbsolute(file: string, cwd: string | null | undefined): string | null {
  if (file.startsWith('/')) return normalize(file);
  return cwd == null || file === '' || file.startsWith('-') ? null : normalize(`${cwd}/${file}`);
}
