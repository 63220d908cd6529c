import type { Judgement } from '../gate/verdict.ts';

/** What a line of git commands may tell of a file that git knows: nothing, whether it changed, or what is in it. */
export type GitLook = 'nothing' | 'changes' | 'content';

type Words = readonly string[];

/** A git command after its own options: which words are options, which come before a `--`, and which behind it. */
interface GitCommand {
  readonly options: Words;
  readonly operands: Words;
  /** Null where there is no `--`. */
  readonly paths: Words | null;
}

/** Options of git itself that change nothing about what it prints of files. */
const PLAIN_GLOBAL = /^(?:--no-pager|-P|-p|--paginate|--no-optional-locks|--literal-pathspecs)$/;
const PLAIN_SETTING = /^(?:color\.[\w.]+|core\.quote[pP]ath)=\w+$/;
/** Programs that take the word `git` for a text or a name, and run nothing. */
const READERS: ReadonlySet<string> = new Set(
  'echo printf grep egrep fgrep rg ls cat head tail wc sort uniq cut tr test [ which type hash cd man stat file diff'.split(
    ' ',
  ),
);
/** What prints names, messages and settings; `TELLING` says where a word of these asks for more. */
const TELL_NAMES: ReadonlySet<string> = new Set(
  (
    'remote rev-parse branch tag for-each-ref show-ref symbolic-ref merge-base name-rev rev-list ls-tree worktree ' +
    'count-objects version help shortlog check-ignore check-attr var cherry show-branch ls-remote --version --help'
  ).split(' '),
);
const TELLING = /raw|contents|stdin/;
const CONFIG =
  /^(?:-l|-z|--(?:list|get|get-all|get-regexp|get-urlmatch|global|local|system|worktree|show-origin|show-scope|name-only|null|bool|int|path|type=\w+|includes|no-includes))$/;
const STATUS =
  /^(?:-[sbz]+|-u(?:no|normal|all)?|--(?:short|branch|long|show-stash|(?:no-)?ahead-behind|(?:no-)?renames|no-column|null|porcelain(?:=v?[12])?|untracked-files(?:=\w+)?|ignored(?:=\w+)?|ignore-submodules(?:=\w+)?))$/;
const LS_FILES =
  /^(?:-[cdmoistuvzk]+|--(?:cached|deleted|modified|others|ignored|stage|unmerged|killed|exclude-standard|directory|full-name|error-unmatch|deduplicate|eol|no-empty-directory))$/;
const DESCRIBE =
  /^--(?:dirty|tags|all|always|long|broken|abbrev|match|exclude|contains|candidates|exact-match|first-parent)(?:=.*)?$/;
const BLAME = /^(?:-[wlstefncbMC]+|-L.*|--(?:date=.*|since=.*|show-name|show-email|porcelain|line-porcelain|root))$/;
const GREP = /^-(?:[niwlcEFPvhHoqL]+|[ABC]?\d+)$/;
/** These make a comparison say which files differ, and not in what. */
const NAMES_ALONE =
  /^(?:-s|--(?:stat|shortstat|numstat|dirstat|name-only|name-status|summary|no-patch|quiet|raw|compact-summary)(?:=.*)?)$/;
/** What may stand beside them. */
const COMPARISON =
  /^(?:-[zrM]|--(?:exit-code|cached|staged|color|no-color|no-renames|find-renames|no-ext-diff|abbrev|diff-filter|relative)(?:=.*)?)$/;
const HISTORY =
  /^(?:-\d+|-n\d*|-[giEFP]|--(?:oneline|graph|all|decorate|no-decorate|author|committer|since|until|before|after|grep|all-match|invert-grep|no-merges|merges|first-parent|reverse|abbrev-commit|no-abbrev-commit|date|max-count|skip|format|pretty|branches|tags|remotes|left-right|left-only|right-only|cherry|cherry-mark|cherry-pick|topo-order|date-order|author-date-order|parents|children|boundary|relative-date|show-signature|walk-reflogs|source|simplify-by-decoration|full-history|no-notes|regexp-ignore-case)(?:=.*)?)$/;
/** These print what is in files, and of no other file than of those that the command is held to. */
const PATCH =
  /^(?:-[pubwWcm]|-U\d+|--cc|--(?:patch|unified|patch-with-stat|word-diff|color-words|ignore-all-space|ignore-space-change|ignore-blank-lines|minimal|patience|histogram|function-context|no-prefix|check)(?:=\w+)?)$/;
const HISTORIES: ReadonlySet<string> = new Set(['log', 'reflog', 'whatchanged']);
const COMPARISONS: ReadonlySet<string> = new Set('diff diff-files diff-index diff-tree'.split(' '));

/** What takes the output of git as its input, and reads no file where it is given none. */
const FILTERS: ReadonlySet<string> = new Set('head tail wc sort uniq cat nl'.split(' '));

/** What the git commands of a line look at, of the files `tracked`, which are given by their path in the project. */
export function gitLookOf({ parts }: Pick<Judgement, 'parts'>, tracked: readonly string[]): GitLook {
  if (tracked.length === 0) return 'nothing';
  const looks = parts.map(({ words }) => lookOf(words, tracked));
  if (looks.includes('content')) return 'content';
  return looks.includes('changes') ? 'changes' : 'nothing';
}

/** True for a word that runs git. */
export function isGit(word: string | null | undefined): boolean {
  return word === 'git' || word?.endsWith('/git') === true;
}

/**
 * True where nothing but git and what filters its output runs, so that no other program sees what git is shown: the shell itself reads no file
 * either, and every word stands in the line as it is.
 */
export function isGitAlone(line: string, { parts }: Pick<Judgement, 'parts'>): boolean {
  const quiet = line.replace(/(?:^|\s)(?:2>&1|[12&]?>\s*\/dev\/null)(?=[\s;|&)]|$)/g, ' ');
  if (/[$`<>(){}*?\\!]|(?<![\w^~@])~/.test(quiet)) return false;
  // A word that governs others, such as `while`, begins a command of its own here.
  const commands = quiet.split(/[|;&\n]+/).map((one) => one.trim().split(/\s+/)[0] ?? '');
  if (!commands.every((program) => program === '' || program === 'git' || FILTERS.has(program))) return false;
  return parts.every(({ words: [program, ...rest] }) => {
    if (program === 'git') return true;
    if (program === undefined || program === null || !FILTERS.has(program)) return false;
    return rest.every((word, at) => word !== null && isFilterWord(program, word, rest[at - 1]));
  });
}

/** Only what surely names no file: a number may be a name where no option takes it. */
function isFilterWord(program: string, word: string, before: string | null | undefined): boolean {
  if (/^-[a-zA-Z]*\d*$/.test(word) && word !== '-') return true;
  const takesNumber =
    program === 'sort' ? before === '-k' : /^(?:head|tail)$/.test(program) && /^-[nc]$/.test(before ?? '');
  return takesNumber && /^\d+$/.test(word);
}

function lookOf(words: readonly (string | null)[], tracked: Words): GitLook {
  const at = words.findIndex(isGit);
  if (at === -1) return 'nothing';
  // What starts git for another may give it words that are not in the line.
  const [first, second] = words;
  if (at > 0) return READERS.has(first ?? '') || (first === 'command' && second === '-v') ? 'nothing' : 'content';
  const known = words.filter((word) => word !== null);
  const plain = known.length < words.length ? null : withoutGlobal(known.slice(1));
  if (plain === null) return 'content';
  const [subcommand, ...rest] = plain;
  return subcommand === undefined ? 'nothing' : lookOfCommand(subcommand, rest, tracked);
}

/** The words behind the options of git itself; null where one of these may change what is printed. */
function withoutGlobal(words: Words): Words | null {
  let at = 0;
  for (let word = words[at]; word?.startsWith('-') === true; word = words[at]) {
    if (/^(?:--version|--help)$/.test(word)) break;
    const isPair = word === '-C' || (word === '-c' && PLAIN_SETTING.test(words[at + 1] ?? ''));
    if (!isPair && !PLAIN_GLOBAL.test(word)) return null;
    at += isPair ? 2 : 1;
  }
  return words.slice(at);
}

/** What a subcommand tells; what is not known to tell less may print what is in any file. */
function lookOfCommand(subcommand: string, given: Words, tracked: Words): GitLook {
  const command = toCommand(given);
  const { options } = command;
  const only = (...allowed: readonly RegExp[]): boolean => options.every((one) => allowed.some((it) => it.test(one)));
  if (TELL_NAMES.has(subcommand)) return given.some((word) => TELLING.test(word)) ? 'content' : 'nothing';
  if (subcommand === 'config') return only(CONFIG) ? 'nothing' : 'content';
  if (subcommand === 'ls-files') return only(LS_FILES) ? 'changes' : 'content';
  if (subcommand === 'describe') return only(DESCRIBE) ? 'changes' : 'content';
  if (subcommand === 'status') {
    if (!only(STATUS)) return 'content';
    return isHeld(command.paths, tracked) ? 'nothing' : 'changes';
  }
  if (subcommand === 'stash') return lookOfStash(command, only(NAMES_ALONE, COMPARISON, HISTORY));
  if (subcommand === 'blame' || subcommand === 'annotate') {
    const named = [...command.operands, ...(command.paths ?? [])];
    return only(BLAME) && isHeld(named, tracked) ? 'nothing' : 'content';
  }
  if (subcommand === 'grep') {
    const isPlain = only(GREP) && command.operands.length === 1;
    return isPlain && isHeld(command.paths, tracked) ? 'nothing' : 'content';
  }
  if (subcommand === 'cat-file') return lookOfCatFile(command, tracked);
  return lookOfDifference(subcommand, command, tracked);
}

function lookOfDifference(subcommand: string, command: GitCommand, tracked: Words): GitLook {
  const { options, operands, paths } = command;
  const only = (...allowed: readonly RegExp[]): boolean => options.every((one) => allowed.some((it) => it.test(one)));
  const areCommits = operands.every(isCommit);
  const isKnown = HISTORIES.has(subcommand) || COMPARISONS.has(subcommand) || subcommand === 'show';
  if (!isKnown) return 'content';
  // Without a commit for certain, a file may be printed whole, or compared with one of those that are named.
  const mayPatch = only(NAMES_ALONE, COMPARISON, HISTORY, PATCH) && (areCommits || HISTORIES.has(subcommand));
  if (mayPatch && isHeld(paths, tracked)) return 'nothing';
  if (HISTORIES.has(subcommand) && subcommand !== 'whatchanged')
    return only(NAMES_ALONE, COMPARISON, HISTORY, /^--follow$/) ? 'nothing' : 'content';
  const namesAlone = options.some((one) => NAMES_ALONE.test(one));
  if (subcommand === 'show') {
    if (!only(NAMES_ALONE, COMPARISON, HISTORY)) return 'content';
    return operands.every((one) => isHarmlessFile(one, tracked) || (namesAlone && isCommit(one))) &&
      (operands.length > 0 || namesAlone)
      ? 'nothing'
      : 'content';
  }
  if (!COMPARISONS.has(subcommand)) return 'content';
  // The others of these print names where nothing else is asked for.
  const isNames = only(NAMES_ALONE, COMPARISON) && (namesAlone || subcommand !== 'diff');
  return isNames ? 'changes' : 'content';
}

function lookOfStash({ options, operands: [verb] }: GitCommand, isPlain: boolean): GitLook {
  if (!isPlain) return 'content';
  if (verb === 'list') return 'nothing';
  return verb === 'show' && options.some((one) => NAMES_ALONE.test(one)) ? 'nothing' : 'content';
}

function lookOfCatFile({ options, operands, paths }: GitCommand, tracked: Words): GitLook {
  const [option] = options;
  if (options.length !== 1 || option === undefined || paths !== null) return 'content';
  if (/^-[tse]$/.test(option)) return 'nothing';
  const isPlain = option === '-p' && operands.length === 1;
  return isPlain && operands.every((one) => isHarmlessFile(one, tracked)) ? 'nothing' : 'content';
}

function toCommand(given: Words): GitCommand {
  const end = given.indexOf('--');
  const before = end === -1 ? given : given.slice(0, end);
  return {
    options: before.filter((word) => word.startsWith('-')),
    operands: before.filter((word) => !word.startsWith('-')),
    paths: end === -1 ? null : given.slice(end + 1),
  };
}

/** Names commits for certain, be it a range: digits of a hash may be those of a file. */
function isCommit(word: string): boolean {
  return word.split(/\.{2,3}/).every((one) => one === '' || isCommitName(one)) && word !== '' && !/^\.+$/.test(word);
}

function isCommitName(name: string): boolean {
  const found =
    /^\^?(@|[a-zA-Z][\w./-]*)((?:@\{\w*\})?(?:[~^]\d*)*)$/.exec(name) ?? /^\^?(\w+)((?:[~^]\d*)+)$/.exec(name);
  if (found === null) return false;
  const [, base = '', suffix = ''] = found;
  // What has ancestors is a commit.
  return /[~^]/.test(suffix) || !/(?:^|-g)[0-9a-fA-F]{4,}$/.test(base);
}

/** A file of a commit, by its path, which is none of those. */
function isHarmlessFile(word: string, tracked: Words): boolean {
  const [, revision = '', path] = /^([^:]*):([^:]+)$/.exec(word) ?? [];
  if (path === undefined) return false;
  return (revision === '' || /^[0-9a-f]+$/.test(revision) || isCommitName(revision)) && isHeld([path], tracked);
}

/** True where paths are named and none of them, as far as their letters tell, holds one of the files. */
function isHeld(paths: Words | null, tracked: Words): boolean {
  return paths !== null && paths.length > 0 && !paths.some((path) => mayReach(path, tracked));
}

/** Patterns, what leads upwards, and what git reads in its own way may reach anything. */
function mayReach(path: string, tracked: Words): boolean {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  if (/[*?[\\]|^:|^\//.test(path) || steps.length === 0 || steps.includes('..')) return true;
  const plain = steps.join('/').toLowerCase();
  return tracked.some((one) => isAt(one.toLowerCase(), plain));
}

/** The path may be told from a folder of the project. */
function isAt(tracked: string, plain: string): boolean {
  return `/${tracked}/`.includes(`/${plain}/`);
}
