import type { Candidate } from './completion.ts';

/** What the operands of a git command name. */
export type GitOperand = 'branch' | 'any-ref' | 'remote-then-branch' | 'remote' | 'changed-file' | 'file';

/** The commands of git that people type, with what they do. */
export const GIT_COMMANDS: readonly Candidate[] = [
  row('add', 'put changes of files into the next commit'),
  row('am', 'apply patches from a mailbox'),
  row('bisect', 'find by halving which commit brought a fault'),
  row('blame', 'show who last changed each line'),
  row('branch', 'list, make or delete branches'),
  row('checkout', 'go to a branch, or bring files back'),
  row('cherry-pick', 'apply what other commits changed'),
  row('clean', 'remove files that are not tracked'),
  row('clone', 'copy a repository into a new folder'),
  row('commit', 'record changes'),
  row('config', 'read or set options'),
  row('describe', 'name a commit after the nearest tag'),
  row('diff', 'show changes'),
  row('fetch', 'get commits and refs from another repository'),
  row('format-patch', 'write commits as patches'),
  row('grep', 'find lines in tracked files'),
  row('init', 'make an empty repository'),
  row('log', 'show commits'),
  row('merge', 'join other histories into this branch'),
  row('mv', 'move or rename a file'),
  row('pull', 'fetch, and join with this branch'),
  row('push', 'send commits to another repository'),
  row('rebase', 'put commits on top of another base'),
  row('reflog', 'show where branches stood before'),
  row('remote', 'list and change other repositories'),
  row('reset', 'move the branch to a commit'),
  row('restore', 'bring files back'),
  row('revert', 'undo commits by new ones'),
  row('rm', 'remove files and stop tracking them'),
  row('show', 'show commits, tags and files'),
  row('stash', 'lay changes aside'),
  row('status', 'show what has changed'),
  row('submodule', 'work with repositories inside of this one'),
  row('switch', 'go to a branch'),
  row('tag', 'list, make or delete tags'),
  row('worktree', 'work on several branches at once'),
];

const OPERANDS: Readonly<Record<string, GitOperand>> = {
  add: 'changed-file',
  stage: 'changed-file',
  restore: 'changed-file',
  branch: 'branch',
  switch: 'branch',
  checkout: 'any-ref',
  merge: 'any-ref',
  rebase: 'any-ref',
  'cherry-pick': 'any-ref',
  reset: 'any-ref',
  revert: 'any-ref',
  show: 'any-ref',
  log: 'any-ref',
  diff: 'any-ref',
  tag: 'any-ref',
  push: 'remote-then-branch',
  pull: 'remote-then-branch',
  fetch: 'remote-then-branch',
  remote: 'remote',
};

/** What stands next in a line of git: one of its commands, or what the command's operands name. */
export function findGitOperand(words: readonly string[]): GitOperand | 'command' {
  const rest = words.slice(1).filter((word, at, all) => !word.startsWith('-') && !/^-[Cc]$/.test(all[at - 1] ?? ''));
  const [command] = rest;
  if (command === undefined) return 'command';
  const operand = Object.hasOwn(OPERANDS, command) ? (OPERANDS[command] ?? 'file') : 'file';
  if (words.includes('--') && operand !== 'changed-file') return 'file';
  if (operand !== 'remote-then-branch') return operand;
  return rest.length === 1 ? 'remote' : 'branch';
}

function row(value: string, description: string): Candidate {
  return { value, description };
}
