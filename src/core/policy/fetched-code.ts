import type { EffectKind } from '../../protocol/tool.ts';
import { isTaskFile, normalize, TASK_FILES } from '../commands/place.ts';
import { fetchedBy, findProgram, findSpec } from '../commands/programs/find-program.ts';
import { type Effect, effect, type Part, runsUnseen } from '../commands/verdict.ts';
import { mayExpandTo } from '../text/glob.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';

/** Effects after which the file at the path has other content. */
const WRITES: ReadonlySet<EffectKind> = new Set(['adds', 'changes', 'privileged', 'wrecks', 'plants', 'destroys']);

/** Denies code that a line fetches into a file, a variable or an archive and then runs, because nobody has seen it. */
export function classifyFetched(parts: readonly Part[]): readonly Effect[] {
  const line = new FetchingLine();
  return parts.flatMap((part, at) => line.take(part, parts[at - 1]));
}

class FetchingLine {
  readonly #files = new Set<string>();
  /** Names of fetched archives that were unpacked: their folder has the same name. */
  readonly #unpacked = new Set<string>();
  #hasFetched = false;
  /** Fetched data may have gone to a pipe or a variable, which has no file name. */
  #hasPrinted = false;
  /** A fetched file that a later command reads, and may print for another one to run. */
  #seen: string | undefined;

  take(part: Part, before: Part | undefined): readonly Effect[] {
    const { words, effects, cwd } = part;
    const fetched = fetchedBy(words);
    const fetches = fetched !== undefined;
    // Commands before the first fetch are irrelevant.
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
    // An unknown program may write its input to any file it names.
    const mayWrite = fetches || (this.#hasPrinted && findSpec(name) === undefined);
    const added = [...(this.#hasFetched ? written : []), ...(mayWrite ? named.slice(1) : [])];
    for (const word of added) if (!word.startsWith('-')) addFile(this.#files, word, cwd);
    return file === undefined ? [] : [effect('remote code', file)];
  }

  /** The fetched file that this command runs. */
  #runBy({ effects, cwd }: Part, before: Part | undefined, handled: string | undefined, named: readonly string[]): string | undefined {
    if (effects.some(runsUnnamed) && this.#isFed(before)) return this.#seen ?? 'the downloaded file';
    if (!effects.some(({ kind }) => kind === 'runs' || kind === 'remote code')) return undefined;
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

  /** Whether the code that runs comes from fetched data, through programs that pass their input on. */
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

/** Whether a command may print fetched data, and not only data of its own. */
function passesOn({ words }: Part): boolean {
  const [name] = words;
  if (name === undefined || name === null) return true;
  const { passesOn, prints, inner, fetches } = findSpec(name) ?? {};
  const runsAnother = inner?.after !== undefined;
  return passesOn !== undefined || runsAnother || fetches === 'output' || HANDS_ON.has(prints ?? '');
}

const HANDS_ON: ReadonlySet<string> = new Set(['nothing', 'words', 'names', 'screen']);

/** File extensions of archives. */
const ARCHIVE_ENDINGS = joinedRegExp(
  '',
  String.raw`(?<!\.(?:tar|tgz|tbz2?|txz|zip|gz|xz|bz2|zst|lz4|lzma|7z|rar|cpio|[jw]ar|Z))(\.(tar|tgz|tbz2?|txz|zip|gz|xz`,
  '|bz2|zst|lz4|lzma|7z|rar|cpio|[jw]ar|Z))+$',
);

/** `a-1.2.tar.gz` usually unpacks into a folder whose name starts with `a`. */
function stemOf(archive: string): string {
  const name = archive.split('/').at(-1) ?? archive;
  return name.replace(ARCHIVE_ENDINGS, '');
}

/** `sh < a.sh`, `cat a.sh | sh`, `eval "$(cat a.sh)"`, `$x`, `sh /dev/stdin`, `find -exec sh {} +`. */
function runsUnnamed({ kind, because, path }: Effect): boolean {
  const isPlace = path == null || /^\/(dev|proc)\//.test(path);
  return takesInput({ kind, because }) || (kind === 'runs' && because === 'script' && isPlace);
}

/** The names of a file: as typed, and the absolute path if the directory is known. */
function namesOf(word: string, cwd: string | null | undefined): readonly string[] {
  const written = word.replace(/^\.\//, '');
  if (word.startsWith('/')) return [normalize(word)];
  return cwd == null ? [written] : [written, normalize(`${cwd}/${written}`)];
}

/** A pattern that could match more files counts as a match. */
const MOST_COMPARED = 128;

/** Whether a name or pattern may match one of the files. */
function isAmong(files: ReadonlySet<string>, word: string, cwd: string | null | undefined): boolean {
  if (files.size === 0) return false;
  const names = namesOf(word, cwd);
  if (names.some((name) => files.has(name)) || files.has(inAnyFolder(word))) return true;
  if (!/[*?[]/.test(word)) return false;
  return files.size > MOST_COMPARED || names.some((name) => [...files].some(mayExpandTo(name)));
}

/** `curl -O`, `wget -P /tmp`: the last part of an address becomes the file name, in a folder that an option may name. */
function inAnyFolder(word: string): string {
  return `//${word.split('/').at(-1) ?? ''}`;
}

/** Adds a file by its name, or by the end of its address: `x.example/install.sh` is an address without `https://`. */
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

/** `a%20b.sh` in an address is the file `a b.sh`. */
function decoded(text: string): string {
  return text.replace(/%([2-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/**
 * Paths of the files whose code a line would run: the scripts that it names. For code from an input, all files that the line names; for a
 * task of the project, also the files that declare tasks. Some may not exist.
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
function takesInput({ kind, because }: Pick<Effect, 'kind' | 'because'>): boolean {
  return kind === 'unclear' && (because === 'input-script' || because === 'printed-script');
}

/** `make`, `npm test`: the line does not show what runs. */
function runsTask({ kind, path }: Effect): boolean {
  return kind === 'task' || (kind === 'runs' && path == null);
}

function toAbsolute(file: string, cwd: string | null | undefined): string | null {
  if (file.startsWith('/')) return normalize(file);
  return cwd == null || file === '' || file.startsWith('-') ? null : normalize(`${cwd}/${file}`);
}
