import {
  changesOfClean,
  changesOfFetch,
  changesOfGit,
  changesOfPush,
  changesOfReset,
  changesOfRestore,
  changesOfSwitch,
  classifyAddresses,
  classifyBranch,
  classifyCheckout,
  classifyConfig,
  classifyFilters,
  classifyPush,
  classifyRebase,
  classifyReset,
  classifySettings,
  classifyTag,
  placeOf,
  placesOfGit,
  STARTS_WORDS,
  stages,
} from '../custom/git.ts';
import { effectsOf } from '../effects.ts';
import { hasOption, type Invocation, isGiven } from '../parse.ts';
import { usePath, useTree } from '../path-use.ts';
import type { Call, SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';
import { classifyArchive, classifyFormats, DIFFERENCES, kindOfTags, LOOKS, NAMES, READS } from './git-reads.ts';

const NETWORK = { any: true, effect: 'network', on: { 'upload-pack receive-pack exec u': 'starts' } } as const;

const SUBCOMMANDS: SpecTable = {
  ...LOOKS,
  lfs: { any: true, sub: { 'ls-files status env version': { any: true } }, effect: 'network' },
  'add stage': { any: true, effect: 'adds', on: { 'f force': 'changes', 'i interactive p patch e edit': 'runs' }, changes: stages },
  commit: {
    any: true,
    options: `-m:F:C:c:t:aqvnsSpeoiuz message= file= author= date= all amend no-edit allow-empty signoff no-verify quiet verbose dry-run
      fixup= squash= reuse-message= reedit-message= template= cleanup= trailer= gpg-sign? no-gpg-sign patch`,
    on: { 'F file': 'content' },
    custom: classifyCommit,
  },
  branch: {
    any: true,
    options: `-rvaqDdmMcCu:flit ignore-case abbrev? no-abbrev quiet no-color no-column omit-empty create-reflog recurse-submodules list
      all remotes verbose show-current contains? no-contains? merged? no-merged? sort= format= points-at= column? color? delete move copy
      force set-upstream-to= unset-upstream track? no-track edit-description`,
    custom: classifyBranch,
    gitShows: { ...NAMES, texts: 'v verbose' },
  },
  tag: {
    any: true,
    options: `-ln::am:F:dfsu:veir ignore-case column? no-column color? omit-empty create-reflog no-contains? no-merged? no-sign edit
      cleanup= local-user= file= trailer= list annotate message= delete force sort= format= contains? points-at= merged? sign verify`,
    custom: classifyTag,
    yields: kindOfTags,
    gitShows: { ...NAMES, texts: 'n' },
  },
  'switch checkout': {
    any: true,
    options: `-b:B:c:C:fqtmd orphan= create= force-create= force discard-changes detach track? no-track guess quiet merge ours theirs
      patch conflict= pathspec-from-file=`,
    custom: classifyCheckout,
    changes: changesOfSwitch,
  },
  restore: {
    any: true,
    options: '-s:SWpq source= staged worktree patch quiet',
    custom: ({ options }) =>
      isGiven({ options }, 'S', 'staged') && !isGiven({ options }, 'W', 'worktree')
        ? [effect('adds')]
        : [effect('destroys', 'uncommitted work')],
    changes: changesOfRestore,
  },
  stash: {
    sub: {
      list: { ...READS, gitShows: { ...DIFFERENCES, asked: true, lists: true, commits: true } },
      show: { ...READS, options: `${READS.options} include-untracked only-untracked`, gitShows: DIFFERENCES },
      'push save': { any: true, effect: 'adds' },
      'apply pop branch create store': { any: true, effect: 'adds' },
      'drop clear': { any: true, effect: 'destroys' },
      'export import': { any: true, effect: 'changes' },
    },
    effect: 'adds',
  },
  mv: {
    options: '-fknv force verbose dry-run',
    on: { 'f force': 'changes' },
    custom: ({ operands }, { scope }) => [
      effect('adds'),
      ...operands.flatMap((word) => [...usePath(word, 'content', scope), ...usePath(word, 'add', scope)]),
    ],
  },
  rm: {
    any: true,
    custom: ({ options }) =>
      hasOption({ options }, 'cached') && !options.some(({ name }) => name.startsWith('no-')) && !isGiven({ options }, 'f', 'force')
        ? [effect('adds')]
        : [effect('destroys', 'deletes tracked files')],
  },
  reset: { any: true, custom: classifyReset, changes: changesOfReset },
  clean: {
    any: true,
    options: '-dfinqxXe:',
    custom: ({ options }) =>
      hasOption({ options }, 'n dry-run') && !options.some(({ name }) => name.startsWith('no-'))
        ? []
        : [effect('destroys', 'untracked files')],
    changes: changesOfClean,
  },
  'merge cherry-pick revert am apply': {
    any: true,
    custom: ({ options }, { name }) =>
      options.some(({ name: option }) => ['stat', 'numstat', 'check', 'summary'].includes(option)) &&
      !isGiven({ options }, 'apply', 'index', 'cached')
        ? []
        : [effect('changes', `git ${name}`)],
  },
  rebase: { any: true, options: '-x:s:X:C:S:: exec= onto= strategy=', effect: 'changes', custom: classifyRebase },
  'filter-branch': { any: true, effect: 'changes', custom: classifyFilters },
  'update-ref replace': { any: true, on: { 'd delete': 'destroys', stdin: 'runs' }, effect: 'changes' },
  'read-tree checkout-index': { any: true, on: { 'reset f force': 'destroys' }, effect: 'changes' },
  'filter-repo update-index write-tree commit-tree mktag pack-refs fast-import commit-graph': { any: true, effect: 'changes' },
  'symbolic-ref': {
    any: true,
    yields: ({ options, operands }) =>
      options.every(({ name }) => name === 'q' || name === 'quiet') && operands.length === 1 ? 'hash' : null,
    custom: ({ options, operands }) =>
      hasOption({ options }, 'd delete')
        ? [effect('destroys', 'a name of a branch')]
        : operands.length === 1 && !hasOption({ options }, 'm')
          ? []
          : [effect('changes', 'a name of a branch')],
    gitShows: NAMES,
  },
  rerere: { sub: { 'status diff remaining': {} }, effect: 'changes' },
  'sparse-checkout': { sub: { list: {} }, effect: 'changes' },
  'hash-object': {
    options: '-t:w stdin path= no-filters literally',
    on: { w: 'changes' },
    operands: 'content',
    gitShows: NAMES,
  },
  notes: {
    any: true,
    sub: { 'show list get-ref': { any: true, gitShows: {} }, 'remove prune': { any: true, effect: 'destroys' } },
    effect: 'changes',
  },
  'gc prune repack maintenance': { any: true, effect: 'destroys' },
  clone: {
    ...NETWORK,
    fetches: 'files',
    options: '-c:o:b:u:j: config= template= upload-pack= origin= branch= depth= reference= jobs= filter=',
    on: { ...NETWORK.on, template: 'plants' },
    custom: ({ options, operands }, call) => [
      effect('network'),
      ...operands.slice(1).flatMap((word) => usePath(word, 'add', call.scope)),
      ...classifySettings(
        options.filter(({ name }) => name === 'c' || name === 'config'),
        call,
      ),
    ],
  },
  fetch: { ...NETWORK, fetches: 'files', changes: changesOfFetch },
  'ls-remote': { ...NETWORK, changes: changesOfFetch, gitShows: NAMES },
  pull: { ...NETWORK, fetches: 'files' },
  [`remote-update request-pull archive-remote svn p4 send-email imap-send daemon instaweb http-fetch http-push
    upload-pack receive-pack`]: NETWORK,
  push: { any: true, options: '-fnqvudo:46', on: { 'receive-pack exec': 'starts' }, custom: classifyPush, changes: changesOfPush },
  remote: {
    sub: {
      'get-url': { any: true, effect: 'reads' },
      // Without a name it lists the remotes.
      show: { any: true, custom: ({ operands }) => (operands.length === 0 ? [] : [effect('network')]) },
      update: { any: true, effect: 'network' },
      'add set-url rename set-head set-branches': { any: true, effect: 'changes' },
      'remove rm prune': { any: true, effect: 'destroys' },
    },
    options: '-v verbose',
    gitShows: NAMES,
  },
  config: {
    options: `-f:t:lez file= blob= type= no-type default= comment= value= url= global system local worktree list get get-all get-regexp
      get-urlmatch get-color get-colorbool unset unset-all add append replace-all rename-section remove-section edit name-only show-origin
      show-scope show-names no-show-names includes no-includes null bool int bool-or-int bool-or-str path expiry-date fixed-value all
      regexp`,
    custom: classifyConfig,
    gitShows: { asked: true, unsure: 'f file blob' },
  },
  worktree: {
    gitShows: NAMES,
    sub: {
      list: { any: true },
      'add lock unlock move repair': { any: true, effect: 'changes' },
      'remove prune': { any: true, effect: 'destroys' },
    },
  },
  submodule: {
    sub: {
      'status summary': { any: true },
      foreach: STARTS_WORDS,
      'add update init sync set-url set-branch absorbgitdirs': { any: true, effect: 'network' },
      deinit: { any: true, effect: 'destroys' },
    },
  },
  bisect: {
    sub: {
      'log terms': { any: true },
      run: STARTS_WORDS,
      'view visualize': { any: true, effect: 'runs' },
      'start good bad new old skip reset replay': { any: true, effect: 'adds' },
    },
    effect: 'adds',
  },
  init: {
    any: true,
    on: { 'template separate-git-dir': 'plants' },
    custom: ({ operands }, { scope }) =>
      operands.length === 0 ? [effect('adds')] : operands.flatMap((word) => usePath(word, 'add', scope)),
  },
  archive: {
    fetches: 'files',
    gitShows: {},
    digits: true,
    options: '-lvo: list verbose output= remote= exec= format= prefix= worktree-attributes mtime=',
    on: { 'o output': 'replace', remote: 'network', exec: 'starts' },
    custom: classifyArchive,
  },
  'format-patch': {
    gitShows: {},
    any: true,
    options: '-o: output= output-directory=',
    on: { 'o output output-directory': 'replace' },
    custom: ({ options }) =>
      options.findLast(({ name }) => name === 'stdout' || /^no-std/.test(name))?.name === 'stdout'
        ? []
        : [effect('changes', 'files of patches')],
  },
  bundle: { any: true, sub: { 'verify list-heads': { any: true } }, effect: 'changes' },
  'difftool mergetool gui citool': { any: true, effect: 'runs' },
  'credential credential-store credential-cache': { any: true, effect: 'secrets' },
  hook: { any: true, effect: 'runs' },
};

/** git as aish runs it: without pager, repository hooks or external programs. */
export const GIT: SpecTable = {
  git: {
    stops: true,
    options: `-C:c:pPvh no-pager paginate version help git-dir= work-tree= no-replace-objects literal-pathspecs glob-pathspecs
      noglob-pathspecs icase-pathspecs no-optional-locks bare exec-path? config-env= html-path man-path info-path list-cmds=`,
    on: { 'exec-path config-env p paginate': 'starts', 'git-dir work-tree': 'changes' },
    sub: SUBCOMMANDS,
    lists: placesOfGit,
    custom: classifyGit,
    customSub: true,
    gitShows: {
      asked: true,
      unsure: 'exec-path config-env git-dir work-tree bare no-replace-objects glob-pathspecs noglob-pathspecs icase-pathspecs',
    },
    changes: (given, call) => changesOfGit(SUBCOMMANDS, given, call),
  },
  'tig lazygit gitk git-cola': { any: true, effect: 'runs' },
};

function classifyGit(given: Invocation, call: Call): readonly Effect[] {
  const found = classifySettings(
    given.options.filter(({ name }) => name === 'c'),
    call,
  );
  const places = given.options.flatMap(({ name, value }) => (name === 'C' && value !== null ? [value] : []));
  const place = places.find(({ value, start }) => value === null || /^(?:\/|~|\.\.)|\/\.\.(?:\/|$)/.test(start));
  const scope = { ...call.scope, ...placeOf(given, call.scope) };
  const inner = [...applySubcommand({ ...call, scope }, given.operands), ...classifyFolders(given.operands, scope)];
  return [...found, ...classifyAddresses(given.operands), ...inner, ...(place === undefined ? [] : beyond(inner, place.text))];
}

/** `git diff --no-index` recurses into the compared folders, wherever they are. */
function classifyFolders([, ...words]: Call['words'], scope: Call['scope']): readonly Effect[] {
  if (!words.some(({ value }) => value === '--no-index')) return [];
  return words.filter(({ start }) => !start.startsWith('-')).flatMap((word) => useTree(word, scope));
}

/** Changes by git in another directory are outside the project, and deletions there are irreversible. */
function beyond(inner: readonly Effect[], place: string): readonly Effect[] {
  if (inner.some((one) => one.class === 'destructive')) return [effect('wrecks', `in ${place}`)];
  return inner.some((one) => one.class !== 'read-only') ? [effect('changes', `in ${place}`)] : [];
}

function applySubcommand(call: Call, operands: Call['words']): readonly Effect[] {
  const [first, ...rest] = operands;
  if (first === undefined) return [];
  if (first.value === null) return [effect('unclear', `the git command ${first.text}`)];
  const name = first.value;
  const rule = Object.entries(SUBCOMMANDS).find(([names]) => names.split(' ').includes(name))?.[1];
  if (rule === undefined) return [effect('runs', `git ${name} may be an alias`)];
  return [...effectsOf(rule, { ...call, name }, rest), ...classifyFormats(rest)];
}

function classifyCommit(given: Invocation): readonly Effect[] {
  if (isGiven(given, 'dry-run')) return [];
  if (isGiven(given, 'amend', 'fixup', 'squash')) return [effect('changes', 'rewrites a commit')];
  const hasMessage = isGiven(given, 'm', 'message', 'F', 'file', 'C', 'reuse-message');
  if (!hasMessage || isGiven(given, 'p', 'patch', 'interactive', 'e', 'edit', 't', 'template', 'c', 'reedit-message'))
    return [effect('runs', 'an editor')];
  return isGiven(given, 'S', 'gpg-sign') ? [effect('runs', 'a program that signs')] : [effect('adds')];
}
