import type { Argument } from '../../gate/argument.ts';
import { type GivenWords, isGiven, readOptions } from '../../gate/options.ts';
import { joinPath } from '../plan.ts';
import type { EffectCall, EffectTable } from '../program-effect.ts';
import { MERGE_VERBS, planUnstash } from './git-merge-effects.ts';
import { NAMING_VERBS } from './git-names.ts';
import type { GitVerb } from './git-verb.ts';

/** git: what it does to the work tree, to its own books, and with whom it talks. */
export const GIT_EFFECTS: EffectTable = {
  git: {
    grammar: {
      stops: true,
      short: 'C:c:pPvh',
      long: 'no-pager version help git-dir= work-tree= namespace= no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks bare exec-path? config-env= html-path man-path info-path list-cmds= paginate',
    },
    plan: planGit,
  },
};

function planGit(call: EffectCall): unknown {
  const { given } = call;
  const [first, ...rest] = given.operands;
  if (first === undefined || first.value === null) return 'unhandled';
  if (isGiven(given, 'git-dir', 'work-tree', 'namespace', 'bare')) return 'unhandled';
  for (const { name, value } of given.options) if (name === 'C') call.goTo(joinPath(call.cwd, value?.value ?? null));
  const verb = Object.entries(VERBS).find(([names]) => names.split(' ').includes(first.value ?? ''))?.[1];
  if (verb === undefined) return 'unhandled';
  return verb.plan({ ...call, name: first.value }, readOptions(rest, { any: true, ...verb.grammar }), rest);
}

const noted =
  (text: (given: GivenWords) => string | null): GitVerb['plan'] =>
  ({ add }, given) => {
    const note = text(given);
    if (note !== null) add({ do: 'note', text: note });
  };

const named = (given: GivenWords): string => given.operands.map(({ text }) => text).join(', ');

const VERBS: Readonly<Record<string, GitVerb>> = {
  'add stage': { plan: noted((given) => (isGiven(given, 'n', 'dry-run') ? null : 'git: stages files')) },
  commit: {
    grammar: { short: 'm:F:C:c:t:aqvnsSpeoiuz', long: 'message= file= author= date= template=' },
    plan: planCommit,
  },
  clean: { grammar: { short: 'dfinqxXe:', long: 'exclude= dry-run force quiet interactive' }, plan: planClean },
  reset: { plan: planReset },
  'checkout switch': {
    grammar: {
      short: 'b:B:c:C:fqtmdplW',
      long: 'orphan= create= force-create= force discard-changes detach track? guess no-guess quiet merge ours theirs patch conflict= pathspec-from-file=',
    },
    plan: planSwitch,
  },
  restore: {
    grammar: {
      short: 's:SWpqm',
      long: 'source= staged worktree patch quiet merge conflict= pathspec-from-file= ours theirs',
    },
    plan: planRestore,
  },
  ...MERGE_VERBS,
  ...NAMING_VERBS,
  rm: { plan: planRemove },
  mv: { plan: planMove },
  stash: {
    grammar: { short: 'm:ukpaqS', long: 'message= include-untracked all keep-index patch staged pathspec-from-file=' },
    plan: planStash,
  },
  branch: {
    grammar: { short: 'rvaqD:d:m:M:c:C:u:fl', long: 'delete move copy force' },
    plan: ({ add }, given) => {
      const gone = given.options
        .filter(({ name }) => name === 'd' || name === 'D')
        .flatMap(({ value }) => value?.text ?? []);
      const names = [...gone, ...given.operands.map(({ text }) => text)].join(', ');
      if (gone.length > 0 || isGiven(given, 'delete')) add({ do: 'note', text: `git: deletes the branch ${names}` });
      else if (isGiven(given, 'm', 'M', 'move', 'f', 'force', 'c', 'C', 'copy'))
        add({ do: 'note', text: 'git: moves a branch' });
      else return 'unhandled';
      return undefined;
    },
  },
  tag: {
    grammar: { short: 'lnam:F:dfsu:v', long: 'message= file= delete' },
    plan: ({ add }, given) => {
      if (!isGiven(given, 'd', 'delete')) return 'unhandled';
      add({ do: 'note', text: `git: deletes the tag ${named(given)}` });
      return undefined;
    },
  },
  push: {
    grammar: { short: 'fnqvudo:4:6', long: 'push-option= repo= receive-pack= exec= force-with-lease?' },
    plan: planPush,
  },
  'fetch ls-remote': { plan: (call, given) => planFetch(call, given) },
  pull: {
    plan: (call, given) => {
      planFetch(call, given);
      call.add({ do: 'unknown', reason: 'which files git pull changes' });
    },
  },
  clone: {
    grammar: {
      short: 'b:o:j:c:u:lsqvn',
      long: 'branch= origin= depth= reference= config= jobs= template= filter= upload-pack= separate-git-dir= shallow-since= shallow-exclude=',
    },
    plan: planClone,
  },
  init: {
    grammar: { short: 'b:q', long: 'initial-branch= object-format= bare shared? quiet' },
    plan: ({ add, word }, given) => {
      if (isGiven(given, 'bare', 'template', 'separate-git-dir')) return 'unhandled';
      const [folder] = given.operands;
      const target = folder === undefined ? { text: '.git', path: '.git' } : word(folder);
      if (folder === undefined) add({ do: 'make-folder', targets: [target], parents: true });
      else
        add({
          do: 'make-folder',
          targets: [target, { text: `${target.text}/.git`, path: target.path === null ? null : `${target.path}/.git` }],
          parents: true,
        });
      add({ do: 'note', text: 'git: makes a repository' });
      return undefined;
    },
  },
};

function planCommit({ add }: EffectCall, given: GivenWords): 'unhandled' | undefined {
  if (isGiven(given, 'dry-run')) return undefined;
  if (isGiven(given, 'p', 'patch', 'interactive', 'S', 'gpg-sign')) return 'unhandled';
  add({ do: 'note', text: isGiven(given, 'amend') ? 'git: rewrites the last commit' : 'git: makes a commit' });
  add({ do: 'hooks', of: 'commit' });
  return undefined;
}

function planClean({ add, word, mayNot }: EffectCall, given: GivenWords): void {
  if (isGiven(given, 'n', 'dry-run')) return;
  if (isGiven(given, 'i', 'interactive')) mayNot();
  const except = given.options
    .filter(({ name }) => name === 'e' || name === 'exclude')
    .map(({ value }) => value?.value ?? null);
  if (except.includes(null)) {
    add({ do: 'unknown', reason: 'what git clean leaves out' });
    return;
  }
  const forces = given.options.filter(({ name }) => name === 'f' || name === 'force').length;
  const letters = ['d', 'x', 'X'].filter((letter) => isGiven(given, letter)).map((letter) => `-${letter}`);
  const options = [
    ...letters,
    ...(forces > 1 ? ['-ff'] : []),
    ...except.flatMap((one) => (one === null ? [] : ['-e', one])),
  ];
  add({
    do: 'git',
    deed: {
      name: 'clean',
      options,
      paths: given.operands.map(word),
      isForced: forces > 0 || isGiven(given, 'i', 'interactive'),
    },
  });
}

function planReset({ add }: EffectCall, given: GivenWords): void {
  const [to] = given.operands;
  if (isGiven(given, 'hard')) {
    if (to?.value === null) add({ do: 'unknown', reason: `what git reset takes from ${to.text}` });
    else add({ do: 'git', deed: { name: 'reset', to: to?.value ?? 'HEAD' } });
  } else if (isGiven(given, 'merge', 'keep')) add({ do: 'unknown', reason: 'which files git reset changes' });
  else add({ do: 'note', text: 'git: changes what is staged, or moves the branch' });
}

function planSwitch(call: EffectCall, given: GivenWords, words: readonly Argument[]): void {
  const { add, word, name } = call;
  if (isGiven(given, 'p', 'patch', 'pathspec-from-file', 'm', 'merge', 'ours', 'theirs', 'orphan')) {
    add({ do: 'unknown', reason: `which files git ${name} changes` });
    return;
  }
  const dashes = words.findIndex(({ value }) => value === '--');
  const count = dashes < 0 ? 0 : words.length - dashes - 1;
  const before = given.operands.slice(0, given.operands.length - count);
  const [first, ...more] = before;
  const isNew = isGiven(given, 'b', 'B', 'c', 'C', 'create', 'force-create');
  add({ do: 'hooks', of: 'checkout' });
  if (name === 'checkout' && !isNew && (count > 0 || more.length > 0)) {
    planPaths(call, given.operands, before, count);
    return;
  }
  if (isNew) add({ do: 'note', text: 'git: makes a branch' });
  if (first === undefined && isGiven(given, 'f', 'force', 'discard-changes'))
    add({ do: 'git', deed: { name: 'reset', to: 'HEAD' } });
  if (first === undefined) return;
  add({
    do: 'git',
    deed: {
      name: 'switch',
      to: word(first),
      force: isGiven(given, 'f', 'force', 'discard-changes'),
      orPath: name === 'checkout' && !isNew && !isGiven(given, 'detach') && dashes < 0,
    },
  });
}

/** `checkout REVISION -- PATHS`, `checkout PATHS`; without dashes the first may be either. */
function planPaths(
  { add, word }: EffectCall,
  all: readonly Argument[],
  before: readonly Argument[],
  count: number,
): void {
  const [first] = before;
  if (count > 0) {
    const paths = all.slice(before.length).map(word);
    if (before.length > 1 || first?.value === null)
      add({ do: 'unknown', reason: 'what git checkout takes, and where from' });
    else add({ do: 'git', deed: { name: 'restore', from: first?.value ?? null, paths, deletes: false } });
    return;
  }
  add({ do: 'git', deed: { name: 'restore', from: null, paths: all.map(word), deletes: false, mayBeRevision: true } });
}

function planRestore({ add, word }: EffectCall, given: GivenWords): void {
  if (isGiven(given, 'p', 'patch', 'pathspec-from-file', 'merge', 'm', 'ours', 'theirs')) {
    add({ do: 'unknown', reason: 'which files git restore changes' });
    return;
  }
  const staged = isGiven(given, 'S', 'staged');
  if (staged) add({ do: 'note', text: 'git: changes what is staged' });
  if (staged && !isGiven(given, 'W', 'worktree')) return;
  const source = given.options.find(({ name }) => name === 's' || name === 'source');
  const from = source === undefined ? (staged ? 'HEAD' : null) : (source.value?.value ?? '');
  if (from === '') add({ do: 'unknown', reason: 'where git restore takes files from' });
  else add({ do: 'git', deed: { name: 'restore', from, paths: given.operands.map(word), deletes: from !== null } });
}

function planRemove({ add, word }: EffectCall, given: GivenWords): void {
  if (isGiven(given, 'n', 'dry-run')) return;
  if (isGiven(given, 'pathspec-from-file')) add({ do: 'unknown', reason: 'which files git rm deletes' });
  else if (isGiven(given, 'cached')) add({ do: 'note', text: `git: forgets ${named(given)}` });
  else add({ do: 'git', deed: { name: 'remove', paths: given.operands.map(word), recursive: isGiven(given, 'r') } });
}

function planMove({ add, word }: EffectCall, given: GivenWords): void {
  if (isGiven(given, 'n', 'dry-run')) return;
  const target = given.operands.at(-1);
  if (target === undefined) return;
  add({
    do: 'move',
    sources: given.operands.slice(0, -1).map(word),
    target: word(target),
    ...(isGiven(given, 'f', 'force') ? {} : { careful: true }),
  });
}

function planStash(call: EffectCall, given: GivenWords): 'unhandled' | undefined {
  const { add } = call;
  const [verb, ...paths] = given.operands;
  if ((verb?.value === 'pop' || verb?.value === 'apply') && paths.length < 2) {
    planUnstash(call, verb.value, paths[0]);
    return undefined;
  }
  if (/^(list|show)$/.test(verb?.value ?? '')) return 'unhandled';
  if (/^(drop|clear)$/.test(verb?.value ?? '')) {
    add({ do: 'note', text: verb?.value === 'clear' ? 'git: deletes every stash' : 'git: deletes a stash' });
    return undefined;
  }
  if (/^(create|store)$/.test(verb?.value ?? '')) return undefined;
  const isPush = verb === undefined || verb.value === 'push' || verb.value === 'save';
  const isSome =
    isGiven(given, 'k', 'keep-index', 'p', 'patch', 'S', 'staged', 'pathspec-from-file') ||
    (verb?.value === 'push' && paths.length > 0);
  if (!isPush || isSome) {
    add({ do: 'unknown', reason: `which files git stash ${verb?.text ?? ''} changes` });
    return undefined;
  }
  const untracked = isGiven(given, 'a', 'all') ? 'all' : isGiven(given, 'u', 'include-untracked') ? 'plain' : 'none';
  add({ do: 'git', deed: { name: 'stash', untracked } });
  add({ do: 'note', text: 'git: puts changes aside in a stash' });
  return undefined;
}

function planPush({ add }: EffectCall, given: GivenWords): void {
  const remote = given.operands[0];
  add({ do: 'remote', name: remote === undefined ? null : (remote.value ?? remote.text), isPush: true });
  if (isGiven(given, 'n', 'dry-run')) return;
  const isForced =
    isGiven(given, 'f', 'force', 'force-with-lease', 'mirror', 'prune') ||
    given.operands.some(({ start }) => start.startsWith('+'));
  const deletes = isGiven(given, 'd', 'delete') || given.operands.some(({ start }) => /^:./.test(start));
  add({
    do: 'note',
    text: deletes
      ? 'git: deletes branches on the remote'
      : isForced
        ? 'git: overwrites history on the remote'
        : 'git: publishes commits',
  });
  add({ do: 'hooks', of: 'push' });
}

function planFetch({ add, name }: EffectCall, given: GivenWords): void {
  if (name === 'fetch') add({ do: 'note', text: 'git: takes in commits and what branches there are' });
  const [remote] = given.operands;
  add({ do: 'remote', name: remote === undefined ? null : (remote.value ?? remote.text), isPush: false });
}

function planClone({ add, word }: EffectCall, given: GivenWords): void {
  const [from, into] = given.operands;
  if (from === undefined) return;
  const address = from.value ?? from.text;
  add({ do: 'remote', name: address, isPush: false });
  const name =
    address
      .replace(/\/+$/, '')
      .replace(/(\/|:)?\.git$/, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  const target =
    into === undefined ? { text: name, path: from.value === null || name === '' ? null : name } : word(into);
  add({ do: 'make-folder', targets: [target], parents: true });
  add({ do: 'unknown', reason: `what is in ${from.text}: git puts it into ${target.text}` });
}
