import { find } from '../findings.ts';
import { type GivenWords, isGiven } from '../options.ts';
import { usePath } from '../path-use.ts';
import { applyRule, type Call, type RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import {
  judgeAddresses,
  judgeConfig,
  judgeFilters,
  judgePush,
  judgeRebase,
  judgeSettings,
  judgeStartedWords,
} from './git-starts.ts';

const LOG =
  'all branches? tags? remotes? oneline graph decorate? no-decorate stat? numstat shortstat name-only name-status patch no-patch unified= abbrev? abbrev-commit no-abbrev-commit author= committer= grep= all-match invert-grep regexp-ignore-case since= after= until= before= max-count= skip= reverse merges no-merges first-parent follow full-history date-order topo-order author-date-order date= relative-date format= pretty? color? no-color word-diff? word-diff-regex= color-words? ignore-space-change ignore-all-space ignore-blank-lines ignore-space-at-eol cached staged merge-base diff-filter= find-renames? find-copies? no-renames minimal patience histogram diff-algorithm= summary dirstat? raw full-index binary check exit-code quiet no-index no-ext-diff no-textconv no-pager left-right cherry-pick cherry-mark boundary simplify-by-decoration notes? no-notes walk-reflogs mailmap no-mailmap use-mailmap source parents children left-only right-only cherry not ignore-missing stdin dense sparse show-pulls ancestry-path? compact-summary submodule? ignore-submodules? relative? text exclude= glob= since-as-filter= pickaxe-regex pickaxe-all inter-hunk-context= function-context porcelain? short long branch show-stash ahead-behind no-ahead-behind untracked-files? ignored? column? null z root cc m diff-merges= no-diff-merges combined-all-paths no-commit-id color-moved? color-moved-ws= no-color-moved ws-error-highlight= objects disk-usage? anchored= full-diff line-prefix= src-prefix= dst-prefix= no-prefix';
const LOG_SHORT = 'pPsuU:n:iEFGzS:G:L:M::C::B::DwbRalqgmtcrO:X::W';

/** Readers of a repository: with the helpers of the repository off, as the program calls git, they only print. */
const READS = {
  digits: true,
  short: LOG_SHORT,
  long: `${LOG} count output= output-indicator-new= output-indicator-old= output-indicator-context= ext-diff textconv`,
  operands: 'content',
  on: { output: 'replace', O: 'content', 'ext-diff textconv open-files-in-pager': 'starts' },
} as const;

const NETWORK = { any: true, effect: 'network', on: { 'upload-pack receive-pack exec u': 'starts' } } as const;

const SUBCOMMANDS: RuleTable = {
  'log show diff shortlog whatchanged diff-tree diff-index diff-files range-diff rev-list': READS,
  status: {
    short: 'sbvu::Mz',
    long: 'short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?',
  },
  'blame annotate': {
    digits: true,
    operands: 'content',
    short: 'bltfnspwceL:M::C::hS:',
    on: { contents: 'content' },
    long: 'root show-stats porcelain line-porcelain incremental contents= date= progress no-progress score-debug abbrev= ignore-rev= ignore-revs-file= reverse first-parent color-lines color-by-age show-name show-number show-email',
  },
  grep: {
    digits: true,
    short: 'acChHiIlLnopqrvwzEFGPe:f:A:B:C:m:WO::',
    long: 'open-files-in-pager? cached untracked no-index exclude-standard text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches name-only files-without-match null only-matching count color? no-color break heading show-function context= after-context= before-context= function-context max-count= threads= and or not all-match quiet recurse-submodules max-depth= recursive',
    on: { 'O open-files-in-pager': 'starts' },
    judge: ({ operands }, { scope }) => operands.flatMap((word) => usePath(word, 'content', scope)),
  },
  'ls-files ls-tree rev-parse describe name-rev show-ref for-each-ref merge-base count-objects check-ignore check-attr check-ref-format var help version fsck  cherry  show-branch merge-tree diff-pairs  column stripspace interpret-trailers get-tar-commit-id':
    { any: true, on: { 'textconv filters output lost-found w in-place exec-path web': 'changes' } },
  'cat-file': { any: true, on: { 'textconv filters': 'changes' }, operands: 'content' },
  lfs: {
    any: true,
    sub: { 'ls-files status env version': { any: true } },
    effect: 'network',
  },
  reflog: {
    ...READS,
    judge: ({ operands }) =>
      /^(expire|delete|drop|write)$/.test(operands[0]?.start ?? '') ? [find('destroys', 'the reflog')] : [],
  },
  'add stage': { any: true, effect: 'adds', on: { 'f force': 'changes', 'i interactive p patch e edit': 'runs' } },
  commit: {
    any: true,
    short: 'm:F:C:c:t:aqvnsSpeoiuz',
    on: { 'F file': 'content' },
    long: 'message= file= author= date= all amend no-edit allow-empty signoff no-verify quiet verbose dry-run fixup= squash= reuse-message= reedit-message= template= cleanup= trailer= gpg-sign? no-gpg-sign patch',
    judge: judgeCommit,
  },
  branch: {
    any: true,
    short: 'rvaqD:d:m:M:c:C:u:fl',
    long: 'list all remotes verbose show-current contains? no-contains? merged? no-merged? sort= format= points-at= column? color? delete move copy force set-upstream-to= unset-upstream track? no-track edit-description',
    judge: judgeBranch,
  },
  tag: {
    any: true,
    short: 'lnam:F:dfsu:v',
    long: 'list annotate message= delete force sort= format= contains? points-at= merged? sign verify',
    judge: judgeTag,
  },
  'switch checkout': {
    any: true,
    short: 'b:B:c:C:fqtmd',
    long: 'orphan= create= force-create= force discard-changes detach track? no-track guess quiet merge ours theirs patch conflict= pathspec-from-file=',
    judge: judgeCheckout,
  },
  restore: {
    any: true,
    short: 's:SWpq',
    long: 'source= staged worktree patch quiet',
    judge: ({ options }) =>
      isGiven({ options }, 'S', 'staged') && !isGiven({ options }, 'W', 'worktree')
        ? [find('adds')]
        : [find('destroys', 'uncommitted work')],
  },
  stash: {
    sub: {
      'list show': READS,
      'push save': { any: true, effect: 'adds' },
      'apply pop branch create store': { any: true, effect: 'adds' },
      'drop clear': { any: true, effect: 'destroys' },
      'export import': { any: true, effect: 'changes' },
    },
    effect: 'adds',
  },
  mv: {
    short: 'fknv',
    long: 'force verbose dry-run',
    on: { 'f force': 'changes' },
    judge: ({ operands }, { scope }) => [
      find('adds'),
      ...operands.flatMap((word) => [...usePath(word, 'content', scope), ...usePath(word, 'add', scope)]),
    ],
  },
  rm: {
    any: true,
    judge: ({ options }) =>
      options.some(({ name }) => name === 'cached') &&
      !options.some(({ name }) => name.startsWith('no-')) &&
      !isGiven({ options }, 'f', 'force')
        ? [find('adds')]
        : [find('destroys', 'deletes tracked files')],
  },
  reset: { any: true, judge: judgeReset },
  clean: {
    any: true,
    short: 'dfinqxXe:',
    judge: ({ options }) =>
      options.some(({ name }) => name === 'n' || name === 'dry-run') &&
      !options.some(({ name }) => name.startsWith('no-'))
        ? []
        : [find('destroys', 'untracked files')],
  },
  'merge cherry-pick revert am apply': {
    any: true,
    judge: ({ options }, { name }) =>
      options.some(({ name: option }) => ['stat', 'numstat', 'check', 'summary'].includes(option)) &&
      !isGiven({ options }, 'apply', 'index', 'cached')
        ? []
        : [find('changes', `git ${name}`)],
  },
  rebase: { any: true, short: 'x:s:X:C:S::', long: 'exec= onto= strategy=', effect: 'changes', judge: judgeRebase },
  'filter-branch': { any: true, effect: 'changes', judge: judgeFilters },
  'update-ref replace': { any: true, on: { 'd delete': 'destroys', stdin: 'runs' }, effect: 'changes' },
  'read-tree checkout-index': { any: true, on: { 'reset f force': 'destroys' }, effect: 'changes' },
  'filter-repo update-index write-tree commit-tree mktag hash-object pack-refs fast-import commit-graph': {
    any: true,
    effect: 'changes',
  },
  'symbolic-ref': {
    any: true,
    judge: ({ options, operands }) =>
      options.some(({ name }) => name === 'd' || name === 'delete')
        ? [find('destroys', 'a name of a branch')]
        : operands.length === 1 && !options.some(({ name }) => name === 'm')
          ? []
          : [find('changes', 'a name of a branch')],
  },
  notes: {
    any: true,
    sub: { 'show list get-ref': { any: true }, 'remove prune': { any: true, effect: 'destroys' } },
    effect: 'changes',
  },
  'gc prune repack maintenance': { any: true, effect: 'destroys' },
  clone: {
    ...NETWORK,
    short: 'c:o:b:u:j:',
    long: 'config= template= upload-pack= origin= branch= depth= reference= jobs= filter=',
    on: { ...NETWORK.on, template: 'plants' },
    judge: ({ options, operands }, call) => [
      find('network'),
      ...operands.slice(1).flatMap((word) => usePath(word, 'add', call.scope)),
      ...judgeSettings(
        options.filter(({ name }) => name === 'c' || name === 'config'),
        call,
      ),
    ],
  },
  'fetch pull ls-remote remote-update request-pull archive-remote svn p4 send-email imap-send daemon instaweb http-fetch http-push upload-pack receive-pack':
    NETWORK,
  push: { any: true, short: 'fnqvudo:4:6', on: { 'receive-pack exec': 'starts' }, judge: judgePush },
  remote: {
    sub: {
      'get-url': { any: true, effect: 'reads' },
      'show update': { any: true, effect: 'network' },
      'add set-url rename set-head set-branches': { any: true, effect: 'changes' },
      'remove rm prune': { any: true, effect: 'destroys' },
    },
    short: 'v',
    long: 'verbose',
  },
  config: { any: true, short: 'f:t:', long: 'file= type= default= comment= value=', judge: judgeConfig },
  worktree: {
    sub: {
      list: { any: true },
      'add lock unlock move repair': { any: true, effect: 'changes' },
      'remove prune': { any: true, effect: 'destroys' },
    },
  },
  submodule: {
    sub: {
      'status summary': { any: true },
      foreach: { any: true, stops: true, judge: judgeStartedWords },
      'add update init sync set-url set-branch absorbgitdirs': { any: true, effect: 'network' },
      deinit: { any: true, effect: 'destroys' },
    },
  },
  bisect: {
    sub: {
      'log terms': { any: true },
      run: { any: true, stops: true, judge: judgeStartedWords },
      'view visualize': { any: true, effect: 'runs' },
      'start good bad new old skip reset replay': { any: true, effect: 'adds' },
    },
    effect: 'adds',
  },
  init: {
    any: true,
    on: { 'template separate-git-dir': 'plants' },
    judge: ({ operands }, { scope }) =>
      operands.length === 0 ? [find('adds')] : operands.flatMap((word) => usePath(word, 'add', scope)),
  },
  archive: {
    any: true,
    short: 'o:v',
    long: 'output= remote= exec= format= prefix=',
    on: { 'o output': 'replace', remote: 'network', exec: 'starts' },
    operands: 'content',
  },
  'format-patch': {
    any: true,
    short: 'o:',
    long: 'output= output-directory=',
    on: { 'o output output-directory': 'replace' },
    judge: ({ options }) =>
      options.findLast(({ name }) => name === 'stdout' || /^no-std/.test(name))?.name === 'stdout'
        ? []
        : [find('changes', 'files of patches')],
  },
  bundle: { any: true, sub: { 'verify list-heads': { any: true } }, effect: 'changes' },
  'difftool mergetool gui citool': { any: true, effect: 'runs' },
  'credential credential-store credential-cache': { any: true, effect: 'secrets' },
  hook: { any: true, effect: 'runs' },
};

/** git, as the program itself runs it: no pager, no hooks of the repository, no external programs. */
export const GIT: RuleTable = {
  git: {
    stops: true,
    short: 'C:c:pPvh',
    long: 'no-pager version help git-dir= work-tree= no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks bare exec-path? config-env= html-path man-path info-path list-cmds=',
    on: { 'exec-path config-env p paginate': 'starts', 'git-dir work-tree': 'changes' },
    judge: judgeGit,
  },
  'tig lazygit gitk git-cola': { any: true, effect: 'runs' },
};

function judgeGit(given: GivenWords, call: Call): readonly Finding[] {
  const found = judgeSettings(
    given.options.filter(({ name }) => name === 'c'),
    call,
  );
  const place = given.options.find(({ name }) => name === 'C')?.value;
  const scope =
    place === undefined || place === null || place.value === null
      ? call.scope
      : {
          ...call.scope,
          cwd: place.value.startsWith('/')
            ? place.value
            : call.scope.cwd === null
              ? null
              : `${call.scope.cwd}/${place.value}`,
        };
  const outside = place !== undefined && place !== null && (place.value === null || /^(\/|~|\.\.)/.test(place.start));
  const inner = applySubcommand({ ...call, scope }, given.operands);
  return [...found, ...judgeAddresses(given.operands), ...inner, ...(outside ? beyond(inner, place?.text ?? '') : [])];
}

/** What git changes in another directory is outside of the project, and what it destroys there is lost. */
function beyond(inner: readonly Finding[], place: string): readonly Finding[] {
  if (inner.some((one) => one.class === 'destructive')) return [find('wrecks', `in ${place}`)];
  return inner.some((one) => one.class !== 'read-only') ? [find('changes', `in ${place}`)] : [];
}

function applySubcommand(call: Call, operands: Call['words']): readonly Finding[] {
  const [first, ...rest] = operands;
  if (first === undefined) return [];
  if (first.value === null) return [find('unclear', `the git command ${first.text}`)];
  const name = first.value;
  const rule = Object.entries(SUBCOMMANDS).find(([names]) => names.split(' ').includes(name))?.[1];
  if (rule === undefined) return [find('runs', `git ${name} may be an alias`)];
  return applyRule(rule, { ...call, name }, rest);
}

function judgeCommit(given: GivenWords): readonly Finding[] {
  if (isGiven(given, 'dry-run')) return [];
  if (isGiven(given, 'amend', 'fixup', 'squash')) return [find('changes', 'rewrites a commit')];
  const hasMessage = isGiven(given, 'm', 'message', 'F', 'file', 'C', 'reuse-message');
  if (!hasMessage || isGiven(given, 'p', 'patch', 'interactive', 'e', 'edit', 't', 'template', 'c', 'reedit-message')) {
    return [find('runs', 'an editor')];
  }
  return isGiven(given, 'S', 'gpg-sign') ? [find('runs', 'a program that signs')] : [find('adds')];
}

function judgeBranch(given: GivenWords): readonly Finding[] {
  if (isGiven(given, 'd', 'D', 'delete')) return [find('destroys', 'deletes a branch')];
  if (isGiven(given, 'm', 'M', 'move', 'f', 'force', 'c', 'C', 'copy')) return [find('changes', 'moves a branch')];
  if (isGiven(given, 'u', 'set-upstream-to', 'unset-upstream', 'edit-description'))
    return [find('changes', 'settings of a branch')];
  if (
    isGiven(
      given,
      'l',
      'list',
      'a',
      'all',
      'r',
      'remotes',
      'show-current',
      'contains',
      'no-contains',
      'merged',
      'no-merged',
      'points-at',
    )
  )
    return [];
  return given.operands.length === 0 ? [] : [find('adds')];
}

function judgeTag(given: GivenWords): readonly Finding[] {
  if (isGiven(given, 'd', 'delete')) return [find('destroys', 'deletes a tag')];
  if (isGiven(given, 'f', 'force')) return [find('destroys', 'moves a tag')];
  if (isGiven(given, 'l', 'list', 'n', 'contains', 'points-at', 'merged', 'v', 'verify')) return [];
  if (isGiven(given, 'e', 'edit')) return [find('runs', 'an editor')];
  if (isGiven(given, 's', 'sign', 'u', 'local-user')) return [find('runs', 'a program that signs')];
  if (isGiven(given, 'a', 'annotate') && !isGiven(given, 'm', 'message', 'F', 'file'))
    return [find('runs', 'an editor')];
  return given.operands.length === 0 ? [] : [find('adds')];
}

/** What is hardly ever the name of a file: `git checkout` takes both. */
const BRANCH =
  /^(-|@|main|master|develop|dev|trunk|staging|production|next|HEAD([~^@].*)?|(feature|feat|fix|bugfix|hotfix|release|chore|user|origin|upstream|dependabot)\/.+|v?\d+(\.\d+)+([-.].*)?|[0-9a-f]{7,40})$/;

/** Switching keeps what is not committed; taking paths from elsewhere loses it. */
function judgeCheckout(given: GivenWords, { words, name }: Call): readonly Finding[] {
  if (isGiven(given, 'f', 'force', 'discard-changes', 'ours', 'theirs', 'm', 'merge'))
    return [find('destroys', 'uncommitted work')];
  if (isGiven(given, 'B', 'C', 'force-create')) return [find('changes', 'moves a branch')];
  if (isGiven(given, 'p', 'patch', 'pathspec-from-file')) return [find('destroys', 'uncommitted work')];
  if (isGiven(given, 'b', 'c', 'create', 'orphan')) return [find('adds')];
  const paths = words.some(({ value }) => value === '--');
  const [first, ...more] = given.operands;
  if (name === 'switch') return [find('adds')];
  if (
    paths ||
    more.length > 0 ||
    first === undefined ||
    /^(\.|\.\/.*|:.*|.*\/|.*\*.*)$/.test(first.start) ||
    /\.\w{1,5}$/.test(first.start)
  )
    return [find('destroys', 'uncommitted work')];
  return [BRANCH.test(first.start) ? find('adds') : find('changes', `${first.text} may be a file`)];
}

function judgeReset(given: GivenWords, { words }: Call): readonly Finding[] {
  if (isGiven(given, 'hard', 'merge', 'keep')) return [find('destroys', 'uncommitted work')];
  const [first] = given.operands;
  const namesPaths = words.some(({ value }) => value === '--') || first === undefined || given.operands.length > 1;
  const isPath =
    first !== undefined &&
    /^\.\/|^(src|lib|test|tests|docs|app|packages)\/|\.[A-Za-z]\w*$/.test(first.start) &&
    !/^(origin|upstream|HEAD|v?\d)/.test(first.start);
  if (isGiven(given, 'soft', 'mixed') || !(namesPaths || first.value === 'HEAD' || isPath)) {
    return [find('changes', 'moves the branch')];
  }
  return [find('adds')];
}
