import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { formatRawPath, toRawPath } from '../../adapters/git/process/raw-path.ts';
import { estimateRequest } from '../../core/context/estimate.ts';
import {
  CHARACTERS_PER_TOKEN,
  type ContractRun,
  changedItems,
  hasNoTokenLeft,
  PLAN_TOOL_NAME,
  readPlan,
} from '../../core/contract/contract-run.ts';
import { fenceAt, findFence, findPinned } from '../../core/contract/fences.ts';
import {
  beginOfWork,
  CONTRACT_RULE,
  formatDiscarded,
  formatReadFenced,
  formatWithin,
  goOnWithWork,
  PLAN_INVALID,
  PLAN_KEPT,
  PLAN_TAKEN_OVER,
  resumeWork,
} from '../../core/contract/messages.ts';
import { readRun, timeOfRun } from '../../core/contract/receipt.ts';
import { endContract } from '../../core/session/contract.ts';
import type { SessionState } from '../../core/session/state.ts';
import { attempt } from '../../core/text/attempt.ts';
import type { PinnedFile } from '../../protocol/contract.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { commandOf } from '../policy/command-gate.ts';
import { taintFactsOfCall } from '../taint/note-taint.ts';
import { formatExecResult } from '../tools/toolbox.ts';
import { noteOwnChanges } from './checkpoints.ts';
import { injectForDryRun } from './dry-run.ts';
import { type EffectContext, type EffectDeps, type EffectOf, previewOf } from './effect-context.ts';
import { lazy } from './lazy.ts';
import { roomForResult } from './watch-context.ts';

type ContractEffect = EffectOf<'time-contract' | 'check-contract' | 'continue-contract' | 'end-contract'>;

/** Runs an effect of an autonomous run. */
export async function runContractEffect(
  effect: ContractEffect,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  switch (effect.type) {
    case 'time-contract':
      return endInTime(effect, context, deps);
    case 'check-contract':
      return check(effect, context, deps);
    case 'continue-contract':
      return context.record(nextTurn(context.state().contractRun ?? effect.run, context.state()));
    case 'end-contract': {
      const { reason, ...details } = effect.end;
      return context.record(...endContract(context.state(), reason, details));
    }
  }
}

/** Keeps the plan of the model, unless it does not know yet what the user has changed in it. */
function keepPlan({ id: callId, arguments: args }: ToolCall, run: ContractRun, context: EffectContext): void {
  const items = readPlan(args);
  const problem = run.isPlanEdited === true ? PLAN_TAKEN_OVER : items === null ? PLAN_INVALID : null;
  context.record({ type: 'tool-call.started', callId });
  if (items !== null && problem === null) {
    const changed = changedItems(run.plan, items);
    context.record({ type: 'contract.planned', number: run.number, by: 'model', items, changed });
  }
  context.record({ type: 'tool-call.completed', callId, text: problem ?? PLAN_KEPT, isError: problem !== null });
}

/** The start of a turn that has the model work on, or that gives it the messages of the user. */
function nextTurn(run: ContractRun, state: SessionState): SessionEvent {
  const turn = state.turns + 1;
  const { steering, number } = run;
  const [first] = steering;
  if (first === undefined)
    return { type: 'turn.started', turn, text: nextMessage(run, state.endedRun?.end ?? null), contract: number };
  const files = steering.flatMap((message) => message.files ?? []);
  const attached = steering.flatMap(({ attachment }) => attachment ?? []);
  return {
    type: 'turn.started',
    turn,
    text: steering.map(({ text }) => text).join('\n\n'),
    ...(files.length === 0 ? {} : { files }),
    ...(attached.length === 0 ? {} : { attachment: attached.join('\n') }),
  };
}

/** The message that has the model work on. */
function nextMessage({ contract, checks, last, isResumed }: ContractRun, before: ContractRun['end']): string {
  const records = last?.records ?? [];
  if (isResumed === true && checks > 1) return resumeWork(contract, records, before?.fence ?? null);
  return checks === 1 ? beginOfWork(contract, records) : goOnWithWork(records);
}

/** A timer for longer than three weeks would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends the run at its limit of time, wherever it stands. */
async function endInTime(
  { minutes }: EffectOf<'time-contract'>,
  { record, state, signal }: EffectContext,
  deps: Pick<EffectDeps, 'recorded' | 'now'>,
): Promise<void> {
  const run = readRun(deps.recorded());
  const used = run === null ? 0 : timeOfRun(run, deps.now());
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, Math.min(minutes * 60_000 - used, LONGEST_TIMER_MS));
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  record(...endContract(state(), 'time-limit'));
}

/** Runs the checks, each on a copy of the project that is deleted afterwards, and compares the pinned files with the start. */
async function check({ run }: EffectOf<'check-contract'>, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { signal } = context;
  const { number, contract } = run;
  const { readProject, readPinned, hashProject } = await lazy.projectFiles();
  const { project } = await deps.gate.context();
  const isFirst = run.checks === 0;
  const paths = isFirst
    ? findPinned(await readProject(project, signal), await namedIn(contract.until, project, deps))
    : run.pinned.map(({ path }) => path);
  const pinned = readPinned(project, paths);
  const records = [];
  const written = new Set<string>();
  for (const line of contract.until) {
    const ran = await runCheck(line, run, context, deps);
    if (signal.aborted) return;
    records.push(deps.secrets.redactRecord({ ...ran.record, line }));
    for (const path of ran.written) written.add(path);
  }
  const before = new Map(run.pinned.map(({ path, sha256 }) => [path, sha256]));
  const isAsBefore = ({ path, sha256 }: PinnedFile): boolean => before.get(path) === sha256 && !written.has(path);
  const changed = isFirst ? [] : pinned.filter((file) => !isAsBefore(file)).map(({ path }) => path);
  const marked = pinned.map((file) => (written.has(file.path) ? { ...file, isWritten: true as const } : file));
  const tree = await hashProject(project, signal);
  context.record({ type: 'contract.checked', number, records, tree, changed, ...(isFirst ? { pinned: marked } : {}) });
}

/** A sandbox with more mounts than these starts slowly. */
const MOST_FIXED = 100;

/**
 * Runs a check. If it passed although it wrote to pinned files, such as a test that still ran, it runs again and cannot change them. Lists the
 * files that a passed check wrote to nevertheless.
 */
async function runCheck(line: string, run: ContractRun, { signal }: EffectContext, deps: EffectDeps) {
  const request = { line, driver: 'model', handed: await deps.injector.forSandbox(line, []) } as const;
  const first = await deps.dryRuns.check(request, signal);
  if (run.checks === 0) return { ...first, written: first.written.map(formatRawPath) };
  const known = new Set(run.pinned.flatMap(({ path, isWritten }) => (isWritten === true ? [] : [path])));
  const pinnedIn = (written: readonly string[]) => written.map(formatRawPath).filter((path) => known.has(path));
  const fixed = pinnedIn(first.written);
  if (signal.aborted || first.record.exit !== 0 || fixed.length === 0) return { ...first, written: [] };
  if (fixed.length > MOST_FIXED) return { ...first, written: fixed };
  const { record, written } = await deps.dryRuns.check({ ...request, fixed }, signal);
  return { record, written: record.exit === 0 ? pinnedIn(written) : [] };
}

/** The words of the checks and the scripts that they run, relative to the project. */
async function namedIn(lines: readonly string[], project: string, { gate }: EffectDeps): Promise<readonly string[]> {
  const found = await Promise.all(lines.map(async (line) => (await gate.classify(line)).classification));
  const modules = found.flatMap(({ parts }) =>
    parts.flatMap(({ words }) => words.filter((_, at) => words[at - 1] === '-m')),
  );
  const paths = [
    ...found.flatMap(({ named }) => named.map(({ path }) => path)),
    ...modules.flatMap((name) =>
      ['.py', '/__main__.py'].map((end) => `${project}/${name?.replaceAll('.', '/')}${end}`),
    ),
  ];
  const top = `${project}/`;
  // The model could change the target of a link.
  const real = paths.map((path) => attempt(() => realpathSync(path), path));
  return [...paths, ...real].flatMap((path) => (path.startsWith(top) ? [path.slice(top.length)] : []));
}

/** The facts of `decideByContract`. */
interface ContractCall {
  readonly call: ToolCall;
  readonly preview: CallPreview;
  /** A rule allows the call. */
  readonly isAllowed: boolean;
}

/**
 * Decides a call by the contract of the running autonomous run, in place of the user. Inside its fences a call may run; a call that only
 * reads and would leave them is denied; any other ends the run.
 */
export async function decideByContract(
  { call, preview, isAllowed }: ContractCall,
  context: EffectContext,
  { gate }: Pick<EffectDeps, 'gate'>,
): Promise<void> {
  const { contractRun: run } = context.state();
  if (!run) return;
  const callId = call.id;
  const { project } = await gate.context();
  const path = preview.path === undefined ? null : toProjectPath(preview.path, project);
  const fence = findFence({ call, preview, isAllowed, path }, run);
  if (fence === null)
    return context.record({
      type: 'approval.decided',
      callId,
      decision: 'allow',
      by: 'policy',
      rule: CONTRACT_RULE,
      preview: { ...preview, byContract: true },
    });
  if (call.effect !== 'read') return context.record({ type: 'contract.fenced', number: run.number, callId, fence });
  context.record(
    { type: 'approval.decided', callId, decision: 'deny', by: 'policy', rule: CONTRACT_RULE, preview },
    { type: 'tool-call.completed', callId, text: formatReadFenced(fence), isError: true },
  );
}

/** The path relative to the project; null outside. */
function toProjectPath(path: string, project: string): string | null {
  const inside = relative(project, path);
  return inside === '..' || inside.startsWith('../') ? null : inside;
}

/** Runs a command on a copy of the project, and applies its changes if all of them are inside the fences. */
export async function runByContract(call: ToolCall, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { signal } = context;
  const { contractRun: run } = context.state();
  if (!run) return;
  const callId = call.id;
  if (call.name === PLAN_TOOL_NAME) return keepPlan(call, run, context);
  const line = commandOf(call);
  context.record({ type: 'tool-call.started', callId, sandboxed: true });
  const { handed } = await injectForDryRun(line, callId, context, deps);
  const { project } = await deps.gate.context();
  const fences = {
    fenceAt: (path: string) => fenceAt(path, run),
    onApplied: (paths: readonly string[]) =>
      noteOwnChanges(
        paths.map((path) => `${toRawPath(project)}/${path}`),
        context,
        deps,
      ),
  };
  const found = await deps.dryRuns.runFenced({ line, driver: 'model', handed }, fences, signal);
  if (signal.aborted) return;
  if (found.broken !== null) {
    const { path, code } = found.broken;
    return context.record({ type: 'contract.fenced', number: run.number, callId, fence: { code, path, call: line } });
  }
  await deps.lookForSecrets(line);
  const record = deps.secrets.redactRecord({ ...found.record, line });
  const printed = formatExecResult(record, await roomForResult(record.bytes, context, deps));
  const notes = [
    formatWithin(found.applied),
    ...(found.discarded.length === 0 ? [] : [formatDiscarded(found.discarded)]),
  ];
  const text = deps.secrets.redact(`${printed}\n${notes.join('\n')}`);
  const tainted = await taintFactsOfCall(call, previewOf(callId, context.state()), context.state(), deps);
  context.record(...tainted, { type: 'tool-call.completed', callId, text, isError: false, record });
}

/** Ends the run in the middle of an answer that uses up its tokens, whatever the answer consists of. */
export function watchTokens(request: ModelRequest, { state, record }: EffectContext) {
  let characters = 0;
  return {
    take: (delta: CompletionDelta): void => {
      characters += delta.type === 'tool-call' ? (delta.characters ?? 0) : delta.text.length;
      const { contractRun } = state();
      if (contractRun && hasNoTokenLeft(contractRun, characters)) record(...endContract(state(), 'token-limit'));
    },
    /** The tokens of the request and its answer, if the server does not count them. */
    estimate: (): number => estimateRequest(request) + Math.ceil(characters / CHARACTERS_PER_TOKEN),
  };
}
