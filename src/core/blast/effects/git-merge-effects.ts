import type { Argument } from '../../gate/argument.ts';
import { type GivenWords, isGiven } from '../../gate/options.ts';
import type { GitDeed } from '../plan.ts';
import type { EffectCall } from '../program-effect.ts';
import type { GitVerb } from './git-verb.ts';

type How = Extract<GitDeed, { readonly name: 'merge' }>['how'];

/** What goes on, or goes back, with something that was begun before, and what changes how sides are put together. */
const OTHERWISE = 'abort continue quit skip s strategy X strategy-option S gpg-sign autostash'.split(' ');
const OF_REBASE =
  'i interactive x exec onto root edit-todo show-current-patch apply r rebase-merges f force-rebase no-ff keep-base fork-point autosquash'.split(
    ' ',
  );
const OF_PICK = 'm mainline n no-commit e edit stdin'.split(' ');

/** Verbs of git that put another side into the work tree. */
export const MERGE_VERBS: Readonly<Record<string, GitVerb>> = {
  merge: {
    grammar: { short: 'm:F:s:X:qvneS', long: 'message= file= strategy= strategy-option= into-name= cleanup= log?' },
    plan: (call, given) => {
      if (isGiven(given, ...OTHERWISE, 'allow-unrelated-histories')) return 'unhandled';
      return planSide(call, given, { how: 'merge', note: 'git: takes commits into this branch' });
    },
  },
  rebase: {
    grammar: { short: 'x:s:X:C:iqvnfrS', long: 'exec= onto= strategy= strategy-option= whitespace=' },
    plan: (call, given) => {
      if (isGiven(given, ...OTHERWISE, ...OF_REBASE)) return 'unhandled';
      return planSide(call, given, { how: 'rebase', note: 'git: makes the commits of this branch anew' });
    },
  },
  'cherry-pick revert': {
    grammar: { short: 'm:s:X:nexS', long: 'mainline= strategy= strategy-option= cleanup=' },
    plan: (call, given) => {
      const isEdited = given.options.some(({ name }) => name !== 's' && isOneOf(name, [...OTHERWISE, ...OF_PICK]));
      if (isEdited || given.operands.length !== 1) return 'unhandled';
      return planSide(call, given, { how: call.name === 'revert' ? 'revert' : 'pick', note: 'git: makes a commit' });
    },
  },
};

function isOneOf(name: string, names: readonly string[]): boolean {
  return isGiven({ options: [{ name, value: null }] }, ...names);
}

/** One side that is named, or that the branch follows. */
function planSide(
  { add, name }: EffectCall,
  given: GivenWords,
  { how, note }: { readonly how: How; readonly note: string },
): 'unhandled' | undefined {
  const [side, ...more] = given.operands;
  const to = side === undefined ? '@{upstream}' : side.value === '-' ? '@{-1}' : side.value;
  if (more.length > 0 || to === null || /^[-^]|\.\.|\s/.test(to)) return 'unhandled';
  // `--ff` is another option, and no beginning of this one.
  const isForwardOnly = given.options.some((option) => option.name === 'ff-only');
  add({ do: 'hooks', of: how === 'rebase' ? 'rebase' : 'merge' });
  add({ do: 'git', deed: { name: 'merge', how, to, verb: name, ...(isForwardOnly ? { isForwardOnly } : {}) } });
  add({ do: 'note', text: note });
  return undefined;
}

/** `stash pop` and `stash apply`: what was put aside is put into the work tree as a side of its own. */
export function planUnstash({ add }: EffectCall, verb: 'pop' | 'apply', which: Argument | undefined): void {
  const value = which === undefined ? '0' : which.value;
  const [, number] = /^(?:stash@\{)?(\d+)\}?$/.exec(value ?? '') ?? [];
  if (number === undefined) {
    add({ do: 'unknown', reason: `which files git stash ${verb} changes` });
    return;
  }
  add({
    do: 'git',
    deed: { name: 'merge', how: 'stash', to: `stash@{${number}}`, verb: `stash ${verb}` },
  });
  if (verb === 'pop') add({ do: 'note', text: 'git: deletes the stash when it is back' });
}
