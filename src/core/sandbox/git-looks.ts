import type { Judgement } from '../gate/verdict.ts';

/** What a line of git commands may tell of a file that git knows: nothing, whether it changed, or what is in it. */
export type GitLook = 'nothing' | 'changes' | 'content';

/** Subcommands that print what is in files, as they are or as they were. */
const SHOW: ReadonlySet<string> = new Set(
  'show diff cat-file grep blame annotate archive format-patch range-diff whatchanged diff-pairs'.split(' '),
);
/** Subcommands that look at the work tree. */
const COMPARE: ReadonlySet<string> = new Set('status ls-files describe diff-files diff-index commit'.split(' '));
/** Subcommands that print what is in files where an option says so. */
const MAY_SHOW: ReadonlySet<string> = new Set('log reflog stash diff-tree diff-index diff-files'.split(' '));
const PATCH =
  /^(?:-[a-zA-Z]*[pu](?!\w*=)[a-zA-Z]*\d*|-U\d*|-[SGL].*|--patch.*|--unified.*|--cc|-c|--word-diff.*|--binary|--full-diff|--ext-diff|-W)$/;
/** These make a comparison say which files differ, and not in what. */
const NAMES_ALONE =
  /^--(?:stat|shortstat|numstat|dirstat|name-only|name-status|summary|no-patch|quiet|raw|compact-summary)\b|^-s$/;
/** Options of git itself whose value is a word of its own. */
const WITH_VALUE: ReadonlySet<string> = new Set('-C -c --git-dir --work-tree --namespace --exec-path'.split(' '));
/** What takes the output of git as its input, and reads no file where it is given none. */
const FILTERS: ReadonlySet<string> = new Set('head tail wc sort uniq cat nl'.split(' '));

/** What the git commands of a line look at, of the files `tracked`, which are given by their path in the project. */
export function gitLookOf({ parts }: Pick<Judgement, 'parts'>, tracked: readonly string[]): GitLook {
  const looks = parts.map(({ words }) => lookOf(words, tracked));
  if (looks.includes('content')) return 'content';
  return looks.includes('changes') ? 'changes' : 'nothing';
}

/** True where nothing but git and what filters its output runs, so that no other program sees what git is shown. */
export function isGitAlone({ parts }: Pick<Judgement, 'parts'>): boolean {
  return parts.every(({ words: [program, ...rest] }) => {
    if (program === 'git') return true;
    const isFilter = program !== undefined && program !== null && FILTERS.has(program);
    return isFilter && rest.every((word) => word !== null && /^-[^/]*$|^\d+$/.test(word));
  });
}

function lookOf(words: readonly (string | null)[], tracked: readonly string[]): GitLook {
  const at = words.indexOf('git');
  if (at === -1) return 'nothing';
  const [subcommand, ...rest] = withoutGlobal(words.slice(at + 1));
  if (subcommand === undefined) return 'nothing';
  if (subcommand === null || rest.includes(null)) return 'content';
  const given = rest.filter((word) => word !== null);
  const options = given.filter((word) => word.startsWith('-'));
  if (!mayReach(subcommand, given, tracked)) return 'nothing';
  const isPatch = options.some((word) => PATCH.test(word));
  const shows = SHOW.has(subcommand) || (MAY_SHOW.has(subcommand) && isPatch) || given[0] === 'show';
  const tellsNames = options.some((word) => NAMES_ALONE.test(word)) && !isPatch;
  if (shows && !(tellsNames && subcommand !== 'cat-file' && subcommand !== 'grep')) return 'content';
  return shows || COMPARE.has(subcommand) ? 'changes' : 'nothing';
}

function withoutGlobal(words: readonly (string | null)[]): readonly (string | null)[] {
  let at = 0;
  while (words[at]?.startsWith('-') === true) at += WITH_VALUE.has(words[at] ?? '') ? 2 : 1;
  return words.slice(at);
}

/** Whether the paths that a command names, where it names some for certain, hold one of the files. */
function mayReach(subcommand: string, given: readonly string[], tracked: readonly string[]): boolean {
  const paths = pathsOf(subcommand, given);
  if (paths.length === 0) return tracked.length > 0;
  return paths.some((path) => /[*?[:]|^\.{0,2}$|^\.\.?\/|^\//.test(path) || tracked.some((one) => isAt(one, path)));
}

function pathsOf(subcommand: string, given: readonly string[]): readonly string[] {
  const end = given.indexOf('--');
  if (end !== -1) return given.slice(end + 1);
  const operands = given.filter((word) => !word.startsWith('-'));
  if (subcommand === 'blame' || subcommand === 'annotate') return operands.slice(-1);
  const named = operands.flatMap((word) => /^[^:]+:([^:]+)$/.exec(word)?.[1] ?? []);
  return (subcommand === 'show' || subcommand === 'cat-file') && named.length === operands.length ? named : [];
}

/** The path may be told from a folder of the project. */
function isAt(tracked: string, path: string): boolean {
  const plain = path.replace(/\/+$/, '');
  return (
    tracked === plain ||
    tracked.startsWith(`${plain}/`) ||
    tracked.endsWith(`/${plain}`) ||
    tracked.includes(`/${plain}/`)
  );
}
