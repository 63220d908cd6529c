import type { WordKind } from '../argument.ts';
import { hasOption, type Invocation, isGiven, joinOptions, optionNames } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { type Call, type CommandSpec, type GitShows, type SpecTable, variants } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

/** Prints names and messages with any options; standard input may name anything. */
const MESSAGES: GitShows = { asked: true, unsure: 'stdin annotate-stdin' };
/** Prints only names. */
export const NAMES: GitShows = { ...MESSAGES, lists: true };

/** Options that make a comparison print names, numbers, or nothing. */
const IN_PLACE = '-s stat? numstat shortstat name-only name-status no-patch summary dirstat? raw quiet compact-summary';
/** Options that select commits and files, or format commits. */
const CHOICE = `-Pn:iEFgzM::r all branches? tags? remotes? oneline graph decorate? no-decorate abbrev-commit no-abbrev-commit author=
    committer= grep= all-match invert-grep regexp-ignore-case since= after= until= before= max-count= skip= reverse merges no-merges
    first-parent follow full-history date-order topo-order author-date-order date= relative-date format= pretty? left-right cherry-pick
    cherry-mark boundary simplify-by-decoration no-notes walk-reflogs source parents children left-only right-only cherry abbrev? color?
    no-color cached staged diff-filter= find-renames? no-renames exit-code no-ext-diff relative?`;
/** Options that print differences. */
const PATCH = `-puU::wbmcW patch unified? patch-with-stat word-diff? color-words? ignore-space-change ignore-all-space ignore-blank-lines
    minimal patience histogram check function-context cc no-prefix`;
/** Options that may print other files, or search their content. */
const OTHERS = `-S:G:L:C::B::DRal:qtO:X:: word-diff-regex= ignore-space-at-eol merge-base find-copies? diff-algorithm= full-index binary
    no-index no-textconv no-pager notes? mailmap no-mailmap use-mailmap not ignore-missing stdin dense sparse show-pulls ancestry-path?
    submodule? ignore-submodules? text exclude= glob= since-as-filter= pickaxe-regex pickaxe-all inter-hunk-context= porcelain? short long
    branch show-stash ahead-behind no-ahead-behind untracked-files? ignored? column? null root diff-merges= no-diff-merges
    combined-all-paths no-commit-id color-moved? color-moved-ws= no-color-moved ws-error-highlight= objects disk-usage? anchored=
    full-diff line-prefix= src-prefix= dst-prefix= count output= output-indicator-new= output-indicator-old= output-indicator-context=
    ext-diff textconv open-files-in-pager? clear-decorations decorate-refs= decorate-refs-exclude= no-source no-use-mailmap no-quiet
    no-walk? find-object= ignore-cr-at-eol ignore-matching-lines= indent-heuristic no-indent-heuristic ita-invisible-in-index
    ita-visible-in-index rotate-to= skip-to= stat-count= stat-graph-width= stat-name-width= stat-width= dirstat-by-file? cumulative
    break-rewrites? find-copies-harder patch-with-raw rename-empty no-rename-empty irreversible-delete no-summary numbered email group=
    no-graph show-linear-break? encoding= expand-tabs? no-expand-tabs show-notes? min-parents= max-parents= no-min-parents no-max-parents
    exclude-first-parent-only in-commit-order single-worktree alternate-refs exclude-hidden= reflog use-bitmap-index objects-edge header
    timestamp commit-header no-commit-header unpacked filter= no-filter missing= remove-empty basic-regexp extended-regexp fixed-strings
    perl-regexp bisect bisect-vars bisect-all log-size dd remerge-diff max-age= min-age= no-color-moved-ws creation-factor= no-dual-color
    simplify-merges do-walk no-relative no-function-context no-exit-code exclude-promisor-objects indexed-objects m`;

/** Prints differences. */
export const DIFFERENCES: GitShows = {
  names: optionNames({ options: IN_PLACE }),
  content: optionNames({ options: PATCH }),
  unsure: optionNames({ options: OTHERS }),
  lists: optionNames({ options: IN_PLACE }),
  texts: 'L binary dd diff-merges remerge-diff notes show-notes line-prefix email header',
  unheld: 'follow',
};

const ALL = joinOptions(IN_PLACE, CHOICE, PATCH, OTHERS);

/** Read-only git commands: without helpers of the repository, as aish calls git, they only print. */
export const READS: CommandSpec = {
  digits: true,
  options: ALL,
  operands: 'content',
  descends: { with: 'no-index' },
  on: { output: 'replace', 'O L': 'content', 'ext-diff textconv open-files-in-pager': 'starts' },
};

const LOG: CommandSpec = {
  ...READS,
  yields: kindOfLog,
  gitShows: { ...DIFFERENCES, asked: true, held: 'any', lists: true, commits: true },
};

/** Names of commits that are not file names. */
const KNOWN_COMMIT = /^(HEAD|@|((origin|upstream)\/)?(main|master|develop|trunk|HEAD)|v?\d+(\.\d+)+)([~^]\d*)*$/;

/** Options that select commits, and print neither paths nor text. */
const CHOOSES = `n max-count skip all branches tags remotes reverse merges no-merges first-parent since until after before author
    grep max-parents min-parents`.split(/\s+/);

/** Commits, or their number, without options that print paths or text. */
function kindOfRevisions({ options }: Invocation): WordKind | null {
  if (hasOption({ options }, 'count')) return options.some(({ name }) => /^(left-right|cherry)/.test(name)) ? null : 'number';
  return options.every(({ name }) => CHOOSES.includes(name)) ? 'hash' : null;
}

/** Formats that print only hashes, and full ref names, which begin with `refs/`. */
const NAMED = /^(?:t?format:)?(?:%[HhTtPpn ]|%\((?:refname|objectname(?::short)?|objecttype)\)|[ ,:|])+$/;

function formatsOf({ options }: Invocation): readonly (string | null | undefined)[] {
  return options.flatMap(({ name, value }) => (name === 'format' || name === 'pretty' ? [value?.value] : []));
}

/** Commits in a format with nothing else. */
function kindOfLog(given: Invocation): WordKind | null {
  const formats = formatsOf(given);
  const isPlain = given.options.every(({ name }) => [...CHOOSES, 'format', 'pretty', 's', 'no-patch'].includes(name));
  return isPlain && formats.length > 0 && formats.every((format) => NAMED.test(format ?? '!')) ? 'hash' : null;
}

/** Full ref names, or those below a prefix; a short ref name may look like an option. */
function kindOfRefs(given: Invocation): WordKind | null {
  const isPlain = given.options.every(({ name }) => /^(?:format|sort|count|points-at|contains|merged|exclude)$/.test(name));
  const formats = formatsOf(given);
  const isBelow = given.operands.length > 0 && given.operands.every(({ start }) => /^refs\/[a-z]+\/\w/.test(start));
  const isNamed = formats.every((format) => NAMED.test(isBelow ? (format ?? '!').replace('refname:short', 'refname') : (format ?? '!')));
  return isPlain && isNamed ? 'hash' : null;
}

/** Tags by patterns that never look like an option. */
export function kindOfTags({ options, operands }: Invocation): WordKind | null {
  const isPlain = options.every(({ name }) => /^(?:l|list|sort|merged|no-merged|contains|no-contains|points-at)$/.test(name));
  const isList = hasOption({ options }, 'l list');
  return isPlain && isList && operands.length > 0 && operands.every(({ start }) => /^\w/.test(start)) ? 'hash' : null;
}

/** A tag by a pattern that never looks like an option, or with its prefix. */
function kindOfDescribed({ options }: Invocation): WordKind | null {
  const isPlain = options.every(({ name }) =>
    /^(?:all|tags|always|abbrev|long|match|exclude|first-parent|candidates|exact-match)$/.test(name),
  );
  const matches = options.flatMap(({ name, value }) => (name === 'match' ? [value?.start ?? ''] : []));
  const isKnown = matches.length > 0 ? matches.every((one) => /^\w/.test(one)) : hasOption({ options }, 'all');
  return isPlain && isKnown ? 'hash' : null;
}

/** Read-only git commands, each with its read-only options. */
export const LOOKS: SpecTable = {
  log: LOG,
  // It prints file names.
  whatchanged: { ...LOG, yields: () => null },
  reflog: {
    ...LOG,
    sub: { 'show list exists': LOG, 'expire delete drop write': { any: true, effect: 'destroys', detail: 'the reflog' } },
    custom: ({ operands }) => (operands[0]?.value === null ? [effect('unclear', 'a command of the reflog')] : []),
  },
  show: { ...READS, gitShows: { ...DIFFERENCES, held: 'commits', objects: 'always', commits: true } },
  diff: { ...READS, gitShows: { ...DIFFERENCES, worktree: true, held: 'commits', of: 'now' } },
  'diff-tree diff-index diff-files': {
    ...READS,
    gitShows: { ...DIFFERENCES, asked: true, lists: true, worktree: true, held: 'commits', of: 'now' },
  },
  shortlog: {
    ...READS,
    options: ALL.replace('n:', 'ne').replace('committer=', 'committer'),
    gitShows: MESSAGES,
  },
  'rev-list': { ...READS, yields: kindOfRevisions, gitShows: { ...NAMES, texts: 'oneline header' } },
  'range-diff': { ...READS, gitShows: {} },
  status: {
    options: `-sbvu::Mz short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? column? no-column
      ahead-behind no-ahead-behind renames no-renames find-renames?`,
    operands: 'name',
    gitShows: { asked: true, worktree: true, held: 'any', unsure: 'v verbose', of: 'now', lists: true, texts: 'v verbose' },
  },
  'blame annotate': {
    digits: true,
    operands: 'content',
    options: `-bltfnspwceL:M::C::hS: root show-stats porcelain line-porcelain incremental contents= date= progress no-progress score-debug
      abbrev? ignore-rev= ignore-revs-file= reverse first-parent color-lines color-by-age show-name show-number show-email since=
      ignore-whitespace`,
    on: { 'contents ignore-revs-file S': 'content' },
    gitShows: { held: 'operands', unsure: 'contents ignore-rev ignore-revs-file S' },
  },
  grep: {
    descends: { follows: '' },
    digits: true,
    options: `-achHiIlLnopqrvwzEFGPe:f:A:B:C:m:WO:: open-files-in-pager? cached untracked no-index exclude-standard text ignore-case
      word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches
      name-only files-without-match null only-matching count color? no-color break heading show-function context= after-context=
      before-context= function-context max-count= threads= and or not all-match quiet recurse-submodules max-depth= recursive`,
    on: { 'O open-files-in-pager': 'starts', f: 'content' },
    custom: (given, { scope }) =>
      given.operands.flatMap((word, at) => usePath(word, at === 0 && !isGiven(given, 'e', 'f') ? 'text' : 'content', scope)),
    gitShows: {
      held: 'pattern',
      lists: 'l L c name-only files-with-matches files-without-match count',
      unsure: 'e f O open-files-in-pager and or not all-match untracked no-index recurse-submodules',
      of: 'now',
    },
  },
  'ls-files': {
    lenient: true,
    options: `-cdmoiskuztvfx:X:r cached deleted modified others ignored stage killed unmerged directory no-empty-directory eol deduplicate
      exclude= exclude-from= exclude-per-directory= exclude-standard error-unmatch with-tree= full-name recurse-submodules abbrev? debug
      format= sparse resolve-undo`,
    on: { 'X exclude-from': 'content' },
    operands: 'name',
    gitShows: { asked: true, lists: true, worktree: true, unsure: 'X exclude-from exclude-per-directory', of: 'now' },
  },
  'ls-tree': {
    lenient: true,
    options: '-drtlz long name-only name-status object-only full-name full-tree abbrev? format=',
    operands: 'name',
    gitShows: NAMES,
  },
  'rev-parse': {
    lenient: true,
    options: `-q abbrev-ref? verify quiet short? symbolic symbolic-full-name all branches? tags? remotes? glob= exclude= disambiguate=
      local-env-vars path-format= git-dir git-common-dir absolute-git-dir show-toplevel show-prefix show-cdup
      show-superproject-working-tree shared-index-path is-inside-git-dir is-inside-work-tree is-bare-repository is-shallow-repository
      show-object-format? show-ref-format sq flags no-flags revs-only no-revs default= prefix= since= until= after= before= git-path= not`,
    operands: 'name',
    // It prints unknown words unchanged.
    yields: ({ options, operands }) => {
      const isPlain = options.every(({ name }) => /^(q|quiet|verify|short)$/.test(name)) && operands.length === 1;
      const isKnown = hasOption({ options }, 'verify') || KNOWN_COMMIT.test(operands[0]?.value ?? '');
      return isPlain && isKnown ? 'hash' : null;
    },
    gitShows: NAMES,
  },
  ...variants(
    {
      lenient: true,
      options: `dirty? broken? all tags contains abbrev? candidates= exact-match debug long match= exclude= always first-parent refs=
        name-only no-undefined annotate-stdin undefined stdin`,
      operands: 'name',
      gitShows: { ...NAMES, worktree: true },
    },
    { describe: { yields: kindOfDescribed }, 'name-rev': {} },
  ),
  'show-ref for-each-ref': {
    yields: kindOfRefs,
    lenient: true,
    options: `-dsq head branches heads tags dereference hash? verify exists abbrev? quiet exclude-existing? count= sort= format= shell
      perl python tcl color? points-at= merged? no-merged? contains? no-contains? ignore-case omit-empty exclude= include-root-refs`,
    operands: 'name',
    gitShows: NAMES,
  },
  'verify-pack': { lenient: true, options: '-vs verbose stat-only object-format=', operands: 'name' },
  ...variants(
    {
      lenient: true,
      options: '-av all octopus independent is-ancestor fork-point abbrev?',
      gitShows: { ...NAMES, texts: 'v' },
    },
    { 'merge-base': { yields: () => 'hash' }, cherry: {} },
  ),
  'count-objects': { lenient: true, options: '-vH verbose human-readable', gitShows: NAMES },
  fsck: {
    lenient: true,
    options: `-v verbose tags root unreachable cache no-reflogs full no-full strict connectivity-only dangling no-dangling no-progress
      progress name-objects references no-references`,
    gitShows: { of: 'objects' },
  },
  'check-ignore check-attr check-ref-format': {
    lenient: true,
    options: `-aqvnz all cached quiet verbose stdin non-matching no-index source= branch normalize allow-onelevel no-allow-onelevel
      refspec-pattern`,
    operands: 'name',
    gitShows: NAMES,
  },
  // The name of a variable may make git print all settings; with `-i` and `-w` a configured program shows a manual.
  var: {
    lenient: true,
    custom: ({ operands }) =>
      operands.length === 1 && /^GIT_[A-Z_]+$/.test(operands[0]?.value ?? '') ? [] : [effect('secrets', 'settings')],
    gitShows: MESSAGES,
  },
  help: {
    lenient: true,
    options: '-acgv all config guides verbose no-external-commands no-aliases user-interfaces developer-interfaces',
    gitShows: MESSAGES,
  },
  version: { lenient: true, options: 'build-options', gitShows: NAMES },
  'show-branch': {
    lenient: true,
    digits: true,
    options: `-arg:: all remotes current topo-order date-order sparse more? list merge-base independent no-name sha1-name topics color?
      no-color reflog?`,
    gitShows: MESSAGES,
  },
  column: { gitShows: {}, lenient: true, options: 'command= mode? raw-mode= width= indent= nl= padding=' },
  stripspace: { gitShows: {}, lenient: true, options: '-sc strip-comments comment-lines' },
  'patch-id show-index': { lenient: true, options: 'stable unstable verbatim object-format=', gitShows: {} },
  'get-tar-commit-id': { lenient: true },
  // Merging trees writes objects to the repository, and settings may start a program for each trailer.
  'merge-tree': { any: true, effect: 'changes' },
  'interpret-trailers': { any: true, effect: 'runs' },
  'cat-file': {
    lenient: true,
    options: `-etspz batch? batch-check? batch-command? batch-all-objects buffer unordered follow-symlinks allow-unknown-type use-mailmap
      mailmap no-mailmap path= textconv filters filter=`,
    on: { 'textconv filters': 'changes' },
    operands: 'content',
    gitShows: {
      names: 'e t s',
      objects: 'default',
      unsure: 'batch batch-check batch-command batch-all-objects path follow-symlinks filters filter textconv',
      of: 'objects',
    },
  },
};

/** A configured program checks signatures: `%G?` in a log, `%(signature)` in a list of names. */
export function classifyFormats(words: Call['words']): readonly Effect[] {
  const signed = words.find(({ start, value }) => /%G[A-Z?]|%\(signature|^--show-signature/.test(value ?? start));
  return signed === undefined ? [] : [effect('runs', `a program that checks signatures, by ${signed.text}`)];
}

/** git packs some archive formats itself; a configured program packs any other. */
export function classifyArchive({ options, operands }: Invocation, { scope }: Call): readonly Effect[] {
  const formats = options.flatMap(({ name, value }) => (name === 'format' || name === 'o' || name === 'output' ? [value] : []));
  const isPacked = formats.some((format) => !/(^|\.)(tar|zip)$/.test(format?.value ?? ''));
  return [
    ...(isPacked ? [effect('runs', 'a program that packs archives')] : []),
    ...operands.flatMap((word) => usePath(word, 'content', scope)),
  ];
}
