import { type Argument, literal, unknown } from '../commands/argument.ts';
import { type GitCall, isCommit, isCommitName, isHarmlessSetting, placeOf, readGit } from '../commands/custom/git.ts';
import { hasOption, type Invocation, longOptions, standsFor } from '../commands/parse.ts';
import { findProgram, findSpec } from '../commands/programs/find-program.ts';
import type { GitShows } from '../commands/spec.ts';
import type { Classification } from '../commands/verdict.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';

/** The information that a line of git commands may give about a tracked file: nothing, whether it changed, or its content. */
type GitLook = 'nothing' | 'changes' | 'content';

/** Files by their path in the project; null if they are not known, so that it may be any file. */
export type Names = readonly string[] | null;

/** The words of a git command; null for one that is not known. */
type Words = readonly (string | null)[];

/** The objects of a repository that a line may print: current ones, the history, every ref, or aish's checkpoints by name. */
type GitReach = 'now' | 'history' | 'everything' | 'checkpoints';

const REACHES: readonly GitReach[] = ['now', 'history', 'everything', 'checkpoints'];

/** These leave the branches, and go to refs and objects of any kind. */
const EVERYTHING = joinedRegExp(
  '',
  '^(?:--(?:all|glob|reflog|walk-reflogs|batch|batch-all-objects|batch-check|batch-command|stdin|alternate-refs',
  '|indexed-objects|exclude|no-walk|lost-found|unreachable)(?:=.*)?|-g)$',
);
/** A commit or another object by its number. */
const NUMBER = /(?:^|\W)[0-9a-fA-F]{4,40}(?:\W|$)/;
const NUMBERS = /(?<!\w|-)[0-9a-fA-F]{4,64}(?!\w)|(?<=-g)[0-9a-fA-F]{4,64}(?!\w)/g;
/** These options get the objects from elsewhere, go through all of them, or name fetched or unreachable ones. */
const ANY_OBJECT = /^--(?:batch\b.*|stdin|lost-found|unreachable)$|(?<!\w)[A-Z]+_HEAD(?!\w)/;
const CHECKPOINTS = /(?:^|[/.^:~])aish\//;

/** The view that the git commands of a line take of the files `tracked`, given by their paths in the project. */
export function gitLookOf({ parts }: Pick<Classification, 'parts'>, tracked: Names): GitLook {
  if (tracked?.length === 0) return 'nothing';
  const looks = gitCallsOf(parts).map(({ words }) => lookOf(words, tracked));
  if (looks.includes('content')) return 'content';
  return looks.includes('changes') ? 'changes' : 'nothing';
}

/** The folders in which the git commands of a line run, absolute; null for one that the text does not show. */
export function gitFoldersOf({ parts }: Pick<Classification, 'parts'>): readonly (string | null)[] {
  return gitCallsOf(parts).map(({ words, cwd }) => {
    const [own] = readWords(words.map((word) => (word === null ? unknown('a word') : literal(word))));
    return own === undefined || own.given.opaque.length > 0 ? null : placeOf(own.given, { cwd }).cwd;
  });
}

/** A git command among the parts of a line: what another program starts is a part of its own. */
interface GitPart {
  /** Behind the name. */
  readonly words: Words;
  readonly cwd: string | null;
}

function gitCallsOf(parts: Classification['parts']): readonly GitPart[] {
  return parts.flatMap(({ words: [name, ...words], cwd = null }) => (isGit(name) ? [{ words, cwd }] : []));
}

function readWords(words: readonly Argument[]): readonly GitCall[] {
  const git = findSpec('git');
  return git === undefined ? [] : readGit(git, words);
}

/** The part of the history that the git commands of a line reach. */
export function gitReachOf({ parts }: Pick<Classification, 'parts'>): GitReach {
  const found = gitCallsOf(parts).map(({ words }) => reachOf(words));
  return found.reduce<GitReach>((one, next) => (REACHES.indexOf(next) > REACHES.indexOf(one) ? next : one), 'now');
}

function reachOf(words: Words): GitReach {
  const end = words.indexOf('--');
  const before = end < 0 ? words : words.slice(0, end);
  if (before.some((word) => word !== null && CHECKPOINTS.test(word))) return 'checkpoints';
  if (before.some((word) => word === null || EVERYTHING.test(word) || NUMBER.test(word))) return 'everything';
  const read = readWords(before.flatMap((word) => (word === null ? [] : [literal(word)])));
  const { shows, given } = read.at(-1) ?? {};
  if (shows?.of === 'objects') return 'everything';
  const revisions = given?.operands.slice(shows?.held === 'pattern' ? 1 : 0) ?? [];
  return shows?.of === 'now' && revisions.every(({ value }) => value === 'HEAD' || value === '@') ? 'now' : 'history';
}

/**
 * The objects that the git commands of a line name by other ways than by refs, which therefore may belong to no branch. The answer holds
 * the beginnings of their numbers. It is `any` if the numbers are not in the line or if all objects are gone through, and null for none.
 */
export function gitObjectsOf({ parts }: Pick<Classification, 'parts'>): readonly string[] | 'any' | null {
  const words = gitCallsOf(parts).flatMap((call) => call.words);
  if (words.some((word) => word === null || word === 'fsck' || ANY_OBJECT.test(word))) return 'any';
  const numbers = words.flatMap((word) => [...(word ?? '').matchAll(NUMBERS)].map(([number]) => number));
  return numbers.length === 0 ? null : numbers;
}

/** True for a word that runs git. */
export function isGit(word: string | null | undefined): boolean {
  return word === 'git' || word?.endsWith('/git') === true;
}

/** True where another program than git may open objects of a repository: it unpacks its input, or a file without an ending. */
export function mayOpenObjects({ parts }: Pick<Classification, 'parts'>): boolean {
  return parts.some(({ words: [name, ...words] }) => {
    const { inflates } = findProgram(name ?? '') ?? {};
    const options = words.flatMap((word) => (word?.startsWith('-') === true ? [word] : []));
    if (inflates === undefined || !(inflates === '' || options.some((word) => UNPACKS.test(word)))) return false;
    const files = words.filter((word) => word === '-' || word?.startsWith('-') !== true);
    return files.length === 0 || files.some((word) => word === null || !ENDING.test(word));
  });
}

const UNPACKS = /^-[a-z]*d|^--(?:de|un)/;
const ENDING = /\.(?!pack$)\w+$/;

/** True where only git and filters of its output run, so that no other program, nor the shell itself, sees what git is shown. */
export function isGitAlone({ line, parts }: Pick<Classification, 'line' | 'parts'>): boolean {
  const quiet = line.replace(/(?:^|\s)(?:2>&1|[12&]?>\s*\/dev\/null)(?=[\s;|&)]|$)/g, ' ');
  if (/[$`<>(){}*?\\!]|(?<![\w^~@])~/.test(quiet)) return false;
  // A word that governs others, such as `while`, begins a command of its own here.
  const commands = quiet.split(/[|;&\n]+/).map((one) => one.trim().split(/\s+/)[0] ?? '');
  if (!commands.every((program) => program === '' || program === 'git' || filtersOf(program) !== undefined)) return false;
  return parts.every(({ words: [program, ...rest] }) => {
    if (program === 'git') return true;
    const numbered = filtersOf(program);
    return numbered !== undefined && rest.every((word, at) => word !== null && isFilterWord(numbered, word, rest[at - 1]));
  });
}

/** Only what surely names no file: a number may be a name where no option takes it. */
function isFilterWord(numbered: string, word: string, before: string | null | undefined): boolean {
  if (/^-[a-zA-Z]*\d*$/.test(word) && word !== '-') return true;
  return /^-\w$/.test(before ?? '') && numbered.includes(before?.charAt(1) ?? '-') && /^\d+$/.test(word);
}

function filtersOf(program: string | null | undefined): string | undefined {
  return findProgram(program ?? '')?.filters;
}

function lookOf(words: Words, tracked: Names): GitLook {
  const known = words.flatMap((word) => (word === null ? [] : [literal(word)]));
  const read = known.length < words.length ? [] : readWords(known);
  const [own, last] = [read[0], read.at(-1)];
  if (last?.shows === undefined || !read.every(isSure)) return 'content';
  const settings = own?.given.options.filter(({ name }) => name === 'c') ?? [];
  if (!settings.every(({ value }) => isPlainSetting(value?.value ?? ''))) return 'content';
  // Without a subcommand git prints its help; of one that it does not have, an alias may make any other.
  if (read.length === 1) return last.given.operands.length === 0 ? 'nothing' : 'content';
  if (known.some(({ start }) => FORMAT.test(start))) return 'content';
  return lookOfCall(last.shows, last.given, tracked);
}

/** True for a setting that starts nothing and names no file, which git might print. */
function isPlainSetting(text: string): boolean {
  return isHarmlessSetting(text) && !/^\w+\.\w*file=/i.test(text);
}

/** Formats of lists of names that print a file or an annotation, which may be sorted by these, too. */
const FORMAT = /%\(\*?(?:raw|contents)|^(?:--so\w*=)?-?\*?(?:raw|contents)(?::|$)/;

function isSure({ spec, given, shows }: GitCall): boolean {
  const unsure = shows?.unsure?.split(' ') ?? [];
  const known = longOptions(spec.options);
  const isKnown = given.options.every(({ name }) => !unsure.some(standsFor(name, known)));
  return isKnown && given.strange.length === 0 && given.opaque.length === 0;
}

function lookOfCall(shows: GitShows, given: Invocation, tracked: Names): GitLook {
  const words = given.operands.map(({ start }) => start);
  const count = words.length - (given.dashed ?? 0);
  const [operands, paths] = [words.slice(0, count), words.slice(count)];
  const asksNames = hasOption(given, shows.names ?? '');
  const asksContent = hasOption(given, shows.content ?? '');
  const isFree = (shows.asked === true && !asksContent) || !hasOption(given, shows.unheld ?? '');
  if (isFree && holds(shows, operands) && isHeld(shows.held === 'operands' ? words : paths, tracked)) return 'nothing';
  if (asksContent) return 'content';
  const isNames = shows.asked === true || asksNames;
  if (shows.objects === 'always' || (shows.objects === 'default' && !isNames)) {
    const isKnown = operands.every((one) => isHarmlessFile(one, tracked) || (asksNames && isCommit(one)));
    return isKnown && (operands.length > 0 || asksNames) ? 'nothing' : 'content';
  }
  if (!isNames) return 'content';
  return shows.worktree === true ? 'changes' : 'nothing';
}

/** Whether the operands before the paths leave it to the paths which files are printed. */
function holds({ held }: GitShows, operands: readonly string[]): boolean {
  if (held === 'commits') return operands.every(isCommit);
  return held === 'pattern' ? operands.length === 1 : held !== undefined;
}

/** A file of a commit, by its path, which is none of those. */
function isHarmlessFile(word: string, tracked: Names): boolean {
  const [, revision = '', path] = /^([^:]*):([^:]+)$/.exec(word) ?? [];
  if (path === undefined) return false;
  return (revision === '' || /^[0-9a-f]+$/.test(revision) || isCommitName(revision)) && isHeld([path], tracked);
}

/** True where paths are named and none of them, as far as their letters tell, holds one of the files. */
function isHeld(paths: readonly string[], tracked: Names): boolean {
  return paths.length > 0 && !paths.some((path) => mayReach(path, tracked));
}

/** Patterns, what leads upwards, and what git reads in its own way may reach anything. */
function mayReach(path: string, tracked: Names): boolean {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  if (/[*?[\\]|^:|^\//.test(path) || steps.length === 0 || steps.includes('..')) return true;
  const plain = steps.join('/').toLowerCase();
  return tracked === null || tracked.some((one) => isAt(one.toLowerCase(), plain));
}

/** The path may begin at a folder of the project. */
function isAt(tracked: string, plain: string): boolean {
  return `/${tracked}/`.includes(`/${plain}/`);
}
