import type { ArgumentKind } from '../../core/completion/argument-kind.ts';
import { findArgumentKinds } from '../../core/completion/argument-kind.ts';
import type { Candidate, Completion } from '../../core/completion/completion.ts';
import { type CursorContext, findValueHead, findVariable } from '../../core/completion/cursor-context.ts';
import { findGitOperand, GIT_COMMANDS } from '../../core/completion/git-words.ts';
import { takeBestFits } from '../../core/completion/rank-match.ts';
import { SIGNALS } from '../../core/completion/signal-names.ts';
import { fillSlot, findSlot } from '../../core/completion/word-slot.ts';
import { completeCommand } from './commands.ts';
import { listChangedFiles } from './git-files.ts';
import { readGitNames } from './git-names.ts';
import { listHosts } from './hosts.ts';
import type { LiveNames } from './live-names.ts';
import { completeGlob, completePath, isPathLike } from './path-words.ts';
import { listProcesses, listProcessNames, listUsers } from './system-names.ts';

/** What we know ourselves of what can stand at the cursor. */
export interface OwnAnswer {
  readonly completions: readonly Completion[];
  /** Nobody else has to be asked. */
  readonly isFinal: boolean;
}

/** Runners of scripts and targets that a project defines, as their calls are known. */
const CALL_RUNNERS: ReadonlySet<string> = new Set([
  'make',
  'just',
  'npm run',
  'yarn',
  'yarn run',
  'pnpm',
  'pnpm run',
  'bun run',
]);

/** Completes by files and tables: no network is asked, and no program run but git, for what has changed. */
export async function completeByOurselves(context: CursorContext, live: LiveNames): Promise<OwnAnswer> {
  const variable = findVariable(context);
  if (variable !== null) return final(completeVariable(variable, live));
  const globbed = await completeGlob(context, live);
  if (globbed !== null) return final(globbed);
  if (context.place === 'target') return final(await completePath(context.word, live, { from: 0 }));
  if (context.place === 'command') return final(await completeCommand(context.word, live));
  return completeArgument(context, live);
}

async function completeArgument(context: CursorContext, live: LiveNames): Promise<OwnAnswer> {
  const { words, word } = context;
  const head = findValueHead(context);
  if (head !== '') {
    const from = head.startsWith('-') ? head.length : Math.max(head.length, word.raw.lastIndexOf(':') + 1);
    return { completions: await completePath(word, live, { from }), isFinal: !head.startsWith('-') };
  }
  const values = words.map(({ value }) => value);
  const kinds = findArgumentKinds(values, word.value);
  if (kinds !== null) {
    const found = await Promise.all(kinds.map((kind) => completeKind(kind, context, live)));
    return final(bestOf(found, word.value));
  }
  if (isPathLike(word)) return final(await completePath(word, live, { from: 0 }));
  const known = await completeKnown(values, context, live);
  if (known.length > 0 || word.raw.startsWith('-')) return { completions: known, isFinal: false };
  return { completions: await completePath(word, live, { from: 0 }), isFinal: words.length === 0 };
}

/** Where several kinds of things may stand, those count that fit best; parts of a longer word were compared as such already. */
function bestOf(found: readonly (readonly Completion[])[], typed: string): readonly Completion[] {
  if (found.length === 1 || /[/@:]/.test(typed)) return found.flat();
  return takeBestFits(found.flat(), typed, (one) => one.value ?? one.text);
}

/** What we know of programs whose completion belongs to the person's shell, for want of that. */
async function completeKnown(
  words: readonly string[],
  context: CursorContext,
  live: LiveNames,
): Promise<readonly Completion[]> {
  if (words[0] === 'git') return fillWhole(context, await listGit(words, live));
  const runner = words.join(' ');
  if (!CALL_RUNNERS.has(runner)) return [];
  const calls = await live.calls.follow(runner, live.cwd);
  return fillWhole(
    context,
    calls.map((value) => ({ value })),
  );
}

async function listGit(words: readonly string[], live: LiveNames): Promise<readonly Candidate[]> {
  const operand = findGitOperand(words);
  if (operand === 'file') return [];
  if (operand === 'changed-file')
    return listChangedFiles(live.cwd, { untracked: !words.includes('restore'), env: live.env });
  if (operand === 'command') {
    const aliases = await live.calls.follow('git', live.cwd);
    return [...GIT_COMMANDS, ...aliases.map((value) => ({ value, description: 'alias' }))];
  }
  const names = await readGitNames(live.cwd);
  switch (operand) {
    case 'branch':
      return names.branches;
    case 'any-ref':
      return [...names.branches, ...names.tags, ...names.remoteBranches];
    case 'remote':
    case 'remote-then-branch':
      return names.remotes;
  }
}

async function completeKind(
  kind: ArgumentKind,
  context: CursorContext,
  live: LiveNames,
): Promise<readonly Completion[]> {
  const { word } = context;
  switch (kind) {
    case 'file':
      return completePath(word, live, { from: 0 });
    case 'folder':
      return completePath(word, live, { from: 0, only: 'folder' });
    case 'command':
      return completeCommand(word, live);
    case 'host':
      return completeHost(context, live, {});
    case 'remote-path':
      return isPathLike(word) ? [] : completeHost(context, live, { suffix: ':' });
    case 'process':
      return completeProcess(context);
    case 'nothing':
      return [];
    case 'signal':
    case 'process-name':
    case 'job':
    case 'user':
    case 'variable':
    case 'alias':
    case 'function':
      return fillWhole(context, await listNames(kind, context, live));
  }
}

type NameKind = 'signal' | 'process-name' | 'job' | 'user' | 'variable' | 'alias' | 'function';

async function listNames(kind: NameKind, { word }: CursorContext, live: LiveNames): Promise<readonly Candidate[]> {
  switch (kind) {
    case 'signal':
      return word.raw.startsWith('-') ? SIGNALS.map((one) => ({ ...one, value: `-${one.value}` })) : SIGNALS;
    case 'process-name':
      return listProcessNames();
    case 'job':
      return live.jobs.map(({ number, line }) => ({ value: `%${number}`, description: line }));
    case 'user':
      return (await listUsers()).map(({ name }) => ({ value: name }));
    case 'variable':
      return [...live.variables].sort().map((value) => ({ value }));
    case 'alias':
    case 'function':
      return [...(await live.commands(() => true))].filter(([, found]) => found === kind).map(([value]) => ({ value }));
  }
}

async function completeHost(
  { word }: CursorContext,
  live: LiveNames,
  { suffix }: { readonly suffix?: string },
): Promise<readonly Completion[]> {
  if (word.raw.startsWith('-') || word.raw.includes(':')) return [];
  const slot = findSlot(word, word.raw.lastIndexOf('@') + 1);
  const hosts = takeBestFits(await listHosts(live.home), slot.typed, (host) => host);
  if (suffix === undefined) return hosts.map((value) => fillSlot(slot, { value }));
  return hosts.map((host) => fillSlot(slot, { value: `${host}${suffix}`, suffix: '' }));
}

/** By the number, or by what stands in the command line. */
async function completeProcess({ word }: CursorContext): Promise<readonly Completion[]> {
  const slot = findSlot(word, 0);
  const processes = await listProcesses();
  const typed = slot.typed.toLowerCase();
  const isNumber = /^\d*$/.test(typed);
  return processes
    .filter(({ value, description = '' }) =>
      isNumber ? value.startsWith(typed) : description.toLowerCase().includes(typed),
    )
    .map((candidate) => fillSlot(slot, candidate));
}

function completeVariable(
  { start, name, isBraced }: NonNullable<ReturnType<typeof findVariable>>,
  live: LiveNames,
): readonly Completion[] {
  const names = takeBestFits([...live.variables].sort(), name, (one) => one);
  return names.map((value) => {
    const text = isBraced ? `${value}}` : value;
    return { start, text, value, label: value, suffix: '' };
  });
}

function fillWhole({ word }: CursorContext, candidates: readonly Candidate[]): readonly Completion[] {
  const slot = findSlot(word, 0);
  return takeBestFits(candidates, slot.typed, ({ value }) => value).map((candidate) => fillSlot(slot, candidate));
}

function final(completions: readonly Completion[]): OwnAnswer {
  return { completions, isFinal: true };
}
