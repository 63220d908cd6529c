import { nextTurn } from '../../adapters/system/patience.ts';
import { formatFewer } from '../../core/meta/messages.ts';
import { isCommand } from '../../core/policy/policy.ts';
import { endContract } from '../../core/session/contract.ts';
import { withoutText } from '../../core/session/lost-command.ts';
import type { Effect } from '../../core/session/next.ts';
import { endTurn, type SessionState } from '../../core/session/state.ts';
import { type ChangeReport, NO_CHANGES } from '../../protocol/change-report.ts';
import type { PathPlan, RestoreChoices, RestorePlan } from '../../protocol/checkpoint.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { type ErrorFact, formatError, toErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { commandOf } from '../policy/command-gate.ts';
import { countCall, countLine } from '../policy/measure-line.ts';
import { taintFactsOfServer } from '../taint/note-taint.ts';
import { finalizeStep, limitsOf, makeCheckpoint, snapshotBefore } from './checkpoints.ts';
import { decideByRules } from './decide-call.ts';
import { applyUserDryRun, dryRun } from './dry-run.ts';
import { type EffectContext, type EffectDeps, type EffectOf, previewOf } from './effect-context.ts';
import { lazy } from './lazy.ts';
import { formatNoEstimate, formatNotRun, formatUnavailable } from './messages.ts';
import { runTool } from './run-call.ts';

/** An effect that an answer without calls does not need, so that such an answer does not wait for what it takes. */
type LaterEffect = Exclude<Effect, { type: 'request-model' | 'refuse-call' | 'end-turn' }>;

/** Runs such an effect. */
export async function runLaterEffect(effect: LaterEffect, context: EffectContext, deps: EffectDeps): Promise<void> {
  switch (effect.type) {
    case 'compact':
      return (await import('./compact.ts')).compact(effect, context, deps);
    case 'prepare-call':
      return decideByRules(effect.call, context, deps);
    case 'measure-call':
      return measureAskedCall(effect, context, deps);
    case 'create-checkpoint':
      return makeCheckpoint(effect, context, deps);
    case 'finalize-checkpoint':
      return finalizeStep(effect, context, deps);
    case 'run-tool':
      if (deps.hooks === null) return runTool(effect, context, deps);
      return (await import('./hook-effects.ts')).showResultToHooks(effect, context, await deps.hooks(), (hooked) =>
        runTool(effect, hooked, deps),
      );
    case 'run-command':
      return runCommand(effect, context, deps);
    case 'restore-checkpoint':
      return restore(effect, context, deps);
    case 'dry-run':
      return dryRun(effect, context, deps);
    case 'apply-dry-run':
      return applyUserDryRun(effect, context, deps);
    case 'time-contract':
    case 'check-contract':
    case 'continue-contract':
    case 'end-contract':
      return (await import('./contract.ts')).runContractEffect(effect, context, deps);
  }
}

/** The facts that close an effect which failed, so that the session waits for something else. */
export function factsOfFailure(effect: Effect, state: SessionState, thrown: unknown): SessionEvent[] {
  const error = toErrorFact(thrown);
  const notice: SessionEvent = { type: 'notice', level: 'error', text: formatError(error) };
  switch (effect.type) {
    case 'request-model':
    case 'end-turn':
      if (error.code === 'contract.cost-limit') return endContract(state, 'cost-limit');
      return [{ ...endTurn(state, error.code === 'budget.reached' ? 'budget' : 'failed'), error }];
    case 'compact':
      return [{ type: 'compaction.failed', error }];
    case 'prepare-call':
    case 'create-checkpoint':
    case 'refuse-call':
    case 'run-tool': {
      const text = effect.type === 'run-tool' ? formatUnavailable(error.message) : formatNotRun(error.message);
      return [
        { ...notice, text: `${effect.call.name}: ${notice.text}` },
        // The text of an error may be untrusted content.
        ...(effect.type === 'run-tool' ? taintFactsOfServer(effect.call, state) : []),
        { type: 'tool-call.completed', callId: effect.call.id, text, isError: true },
      ];
    }
    case 'measure-call':
      return [notMeasured(effect, error.message)];
    case 'finalize-checkpoint':
      return [{ type: 'checkpoint.finalized', id: effect.checkpoint.id, error }];
    case 'run-command':
      return [notice, { type: 'command.completed', record: lostCommand(effect, state.cwd) }];
    case 'restore-checkpoint':
      return [failedRestore(effect, error)];
    case 'dry-run':
      return [{ type: 'dry-run.completed', number: effect.dryRun.number, error }];
    case 'apply-dry-run':
      return [{ type: 'dry-run.applied', number: effect.dryRun.number, error }];
    case 'time-contract':
    case 'check-contract':
    case 'continue-contract':
    case 'end-contract':
      return endContract(state, 'failed', { error });
  }
}

/** The line comes past the events, which may hold less of it; nothing of what a private command did goes into one. */
export async function runCommand(
  effect: EffectOf<'run-command'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { isPrivate } = effect;
  const line = context.takeTypedLine();
  // Nothing is waited for that need not be: a user waits for the command.
  const expanding = deps.outputs.expand(line);
  const expanded = expanding === null ? null : await expanding;
  const revealing = deps.injector.revealLine(expanded ?? line);
  const revealed = revealing === null ? null : await revealing;
  const looking = deps.lookAhead(line);
  if (looking !== null) await looking;
  if (!isPrivate) await snapshotBefore(line, context, deps);
  const ran = await deps.sharedShell.run(line, 'user', context.signal, {
    isPrivate,
    // By custom no program that sees lines keeps what a blank begins.
    expanded: revealed === null ? expanded : ` ${revealed}`,
  });
  await deps.lookForSecrets(line);
  context.record({ type: 'command.completed', record: isPrivate ? withoutText(ran) : ran });
}

/** The record of a command whose end is unknown. */
export function lostCommand({ line, isPrivate }: EffectOf<'run-command'>, cwd: string): CommandRecord {
  const record: CommandRecord = { line, driver: 'user', exit: null, cwd, output: '', bytes: 0, durationMs: 0 };
  return isPrivate ? withoutText(record) : record;
}

/** Estimates what the call of a question would change. A call whose arguments tell nothing gets no report. */
async function measureAskedCall(
  effect: EffectOf<'measure-call'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  // The prompt comes first: a run without a user answers it at once and needs no estimate.
  await nextTurn();
  if (context.signal.aborted) return;
  const { call, question } = effect;
  for await (const report of measure(effect, context, deps))
    context.record({ type: 'impact.estimated', callId: call.id, prompt: question, report });
}

/** Estimates a command for the directory of its classification, because the approval is for that directory. */
function measure(
  { call }: EffectOf<'measure-call'>,
  { state, signal }: EffectContext,
  { gate }: EffectDeps,
): AsyncGenerator<ChangeReport> {
  if (isCommand(call)) return countLine(commandOf(call), gate, signal, previewOf(call.id, state())?.decided?.cwd);
  return countCall(call, gate, signal);
}

/** A failed estimate is unknown, and never nothing. */
function notMeasured({ call, question }: EffectOf<'measure-call'>, why: string): SessionEvent {
  const unknown = [formatNoEstimate(why)];
  return { type: 'impact.estimated', callId: call.id, prompt: question, report: { ...NO_CHANGES, unknown } };
}

/**
 * Takes a step back, or once more. If paths changed since, it only reports them: it touches nothing before each of them has an answer, and
 * the answer holds for the content shown.
 */
export async function restore(
  { restore: asked }: EffectOf<'restore-checkpoint'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { signal } = context;
  const { question } = asked;
  const { askAbout, planUndo } = await import('./plan-undo.ts');
  const plan = await planUndo({
    cwd: deps.sharedShell.cwd,
    id: asked.checkpoint ?? question?.checkpoint ?? null,
    direction: asked.direction ?? 'undo',
    signal,
    ...omitUndefined({ paths: asked.paths }),
  });
  if (question === undefined && plan.paths.some(({ state }) => state === 'conflict'))
    return context.record({ type: 'restore.conflicted', prompt: await askAbout(plan) });
  const { applyRestore } = await lazy.applyRestore();
  const shown = new Map(question?.conflicts.map(({ key, now }) => [key, now]));
  const done = await applyRestore(plan, stillMeant(plan, asked.choices ?? {}, shown), {
    sessionId: context.state().id,
    limits: limitsOf(context.state().settings).limits,
    at: deps.now(),
    keep: deps.sharedShell.cwd,
    signal,
    shouldEnd: () => context.state().restore?.halted === true,
  });
  const { checkpoint, undo, ...report } = done;
  context.record({
    type: 'restore.completed',
    checkpoint,
    label: plan.label,
    stepAt: plan.at,
    ...(plan.direction === 'redo' ? { direction: plan.direction } : {}),
    report,
    ...(undo === null ? {} : { undo: undo.id }),
  });
}

/** The choices for files that are still as the prompt showed them. A file that changed since stays as it is, and the report names it. */
function stillMeant(
  { paths }: RestorePlan,
  choices: RestoreChoices,
  shown: ReadonlyMap<string, PathPlan['now']>,
): RestoreChoices {
  const isSame = ({ key, now }: PathPlan): boolean => {
    const then = shown.get(key);
    if (then === undefined || then === null || then === 'other' || now === null || now === 'other') return now === then;
    return then.mode === now.mode && then.blob === now.blob;
  };
  const meant = new Set(paths.filter(isSame).map(({ key }) => key));
  return Object.fromEntries(Object.entries(choices).filter(([key]) => meant.has(key)));
}

/** The fact that ends one that could not be carried out. */
function failedRestore({ restore: asked }: EffectOf<'restore-checkpoint'>, error: ErrorFact): SessionEvent {
  const { direction, checkpoint, question, number = 1 } = asked;
  const id = question?.checkpoint ?? checkpoint;
  const isEnd = number > 1 && error.code === 'checkpoint.none';
  const told = isEnd ? { code: error.code, message: formatFewer(number - 1, direction ?? 'undo') } : error;
  return { type: 'restore.completed', checkpoint: id, ...omitUndefined({ direction }), error: told };
}
