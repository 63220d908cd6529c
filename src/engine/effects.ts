import { formatRefusal, isCommand, judge, mayHold } from '../core/policy.ts';
import { withoutText } from '../core/private-command.ts';
import { type Redact, redactRecord } from '../core/redact.ts';
import type { Effect } from '../core/session/next.ts';
import type { SessionState } from '../core/session/state.ts';
import { truncateMiddle } from '../core/truncate.ts';
import type { CommandRecord } from '../protocol/command.ts';
import { AishError, formatError, toErrorFact } from '../protocol/error.ts';
import type { SessionEvent } from '../protocol/event.ts';
import type { CallPreview, ToolCall } from '../protocol/tool.ts';
import { type CommandGate, commandOf } from './command-gate.ts';
import { type ModelHands, requestModel } from './request-model.ts';
import type { SandboxSeat } from './sandbox-seat.ts';
import type { EffectContext, RunEffect } from './session.ts';
import type { SessionOutputs } from './session-outputs.ts';
import type { ShellSeat } from './shell-seat.ts';
import type { Toolbox } from './toolbox.ts';
import { formatExecResult } from './tools/exec.ts';

/** What effects work with. */
export interface Hands extends ModelHands {
  readonly toolbox: Toolbox;
  readonly gate: CommandGate;
  readonly seat: ShellSeat;
  readonly sandbox: SandboxSeat;
  readonly outputs: SessionOutputs;
  /** Takes the keys it knows out of what is recorded. */
  readonly redact: Redact;
  readonly now: () => number;
}

type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>;

/** Makes the function that runs effects: one function per effect, and the only place where failures of the world become facts. */
export function createRunEffect(hands: Hands): RunEffect {
  return async (effect, context) => {
    try {
      await runEffect(effect, context, hands);
    } catch (thrown) {
      for (const fact of factsOfFailure(effect, context.state(), thrown)) context.record(fact);
    }
  };
}

async function runEffect(effect: Effect, context: EffectContext, hands: Hands): Promise<void> {
  switch (effect.type) {
    case 'request-model':
      return requestModel(context, hands);
    case 'prepare-call':
      return prepareCall(effect, context, hands);
    case 'create-checkpoint':
      return makeCheckpoint(effect, context, hands);
    case 'seal-checkpoint':
      return seal(effect, context);
    case 'run-tool':
      return runTool(effect, context, hands);
    case 'refuse-call':
      return context.record({ type: 'tool-call.completed', callId: effect.call.id, text: effect.text, isError: true });
    case 'end-turn':
      return context.record({ type: 'turn.ended', reason: effect.reason });
    case 'run-command':
      return runCommand(effect, context, hands);
    case 'restore-checkpoint':
      return restore(effect, context, hands);
  }
}

/** The facts that close an effect which failed, so that the session waits for something else. */
function factsOfFailure(effect: Effect, state: SessionState, thrown: unknown): SessionEvent[] {
  const error = toErrorFact(thrown);
  const notice: SessionEvent = { type: 'notice', level: 'error', text: formatError(error) };
  switch (effect.type) {
    case 'request-model':
    case 'end-turn': {
      const text = state.turn?.streamed ?? '';
      return [{ type: 'turn.ended', reason: 'failed', error, ...(text === '' ? {} : { text }) }];
    }
    case 'prepare-call':
    case 'create-checkpoint':
    case 'refuse-call':
    case 'run-tool': {
      const text = formatFailedCall(effect, error.message);
      return [
        { ...notice, text: `${effect.call.name}: ${notice.text}` },
        { type: 'tool-call.completed', callId: effect.call.id, text, isError: true },
      ];
    }
    case 'seal-checkpoint':
      return [{ type: 'checkpoint.sealed', id: effect.checkpoint.id, error }];
    case 'run-command':
      return [notice, { type: 'command.completed', record: lostCommand(effect, state.cwd) }];
    case 'restore-checkpoint':
      return [{ type: 'restore.completed', checkpoint: effect.restore.checkpoint, error }];
  }
}

function lostCommand({ line, isPrivate }: EffectOf<'run-command'>, cwd: string): CommandRecord {
  const record: CommandRecord = { line, driver: 'person', exit: null, cwd, output: '', bytes: 0, durationMs: 0 };
  return isPrivate ? withoutText(record) : record;
}

function formatFailedCall(
  effect: EffectOf<'run-tool' | 'prepare-call' | 'create-checkpoint' | 'refuse-call'>,
  message: string,
): string {
  return effect.type === 'run-tool' ? `[aish] tool unavailable: ${message}` : `[aish] not run: ${message}`;
}

async function prepareCall({ call }: EffectOf<'prepare-call'>, context: EffectContext, hands: Hands): Promise<void> {
  await decideByRules(call, context, hands);
}

/** Why a call is decided about again. */
interface SecondLook {
  readonly again: string;
  /** The sandbox was in the way: it is about the shared shell. */
  readonly isBlocked?: true;
}

/** Finds out what a call would do, and has the rules allow or refuse it, or the person asked. */
async function decideByRules(call: ToolCall, context: EffectContext, hands: Hands, second?: SecondLook): Promise<void> {
  const { settings } = context.state();
  const callId = call.id;
  const found = await previewCall(call, context, hands, second);
  const preview = second === undefined ? found : { ...found, again: second.again };
  const { decision, rule } = judge(call, settings, preview);
  const apart = settings.sandbox === true && isCommand(call) && second?.isBlocked !== true;
  switch (decision) {
    case 'ask':
      return context.record({
        type: 'approval.requested',
        callId,
        preview: apart ? { ...preview, sandboxed: true } : preview,
      });
    case 'allow':
      return context.record({ type: 'approval.decided', callId, decision, by: 'policy', rule, preview });
    case 'deny':
      return context.record(
        { type: 'approval.decided', callId, decision, by: 'policy', rule, preview },
        {
          type: 'tool-call.completed',
          callId,
          text: withEdit(call, context, formatRefusal(preview, rule)),
          isError: true,
        },
      );
  }
}

async function previewCall(
  call: ToolCall,
  context: EffectContext,
  hands: Hands,
  second: SecondLook | undefined,
): Promise<CallPreview> {
  const { settings } = context.state();
  const judging = hands.gate.judge(call, settings.commands, second === undefined ? settings.unasked : 'none');
  // What runs apart changes nothing that could be undone.
  const apart = isCommand(call) ? await judging : null;
  if (apart?.unasked === true) return { undoable: true, judged: apart };
  const [found, judged] = await Promise.all([hands.toolbox.preview(call, context.signal), judging]);
  const off = call.effect !== 'read' && settings.checkpointMode === 'off';
  const preview = off ? { ...found, undoable: false, why: 'checkpoints are off' } : found;
  if (judged === null) return preview;
  // A rule that could not hold here is not offered.
  const { proposal, ...plain } = judged;
  const mayPropose = proposal !== undefined && mayHold(judged, preview.undoable);
  return { ...preview, judged: mayPropose ? { ...plain, proposal } : plain };
}

/** The model has to know that what ran, or did not, is not what it asked for. */
function withEdit(call: ToolCall, context: EffectContext, text: string): string {
  const isEdited = context.state().turn?.open.some((open) => open.call.id === call.id && open.edited === true);
  if (isEdited !== true) return text;
  const [status = '', ...rest] = text.split('\n');
  return [status, `[aish] the person changed the command to: ${commandOf(call)}`, ...rest].join('\n');
}

async function makeCheckpoint(
  { call }: EffectOf<'create-checkpoint'>,
  context: EffectContext,
  hands: Hands,
): Promise<void> {
  const { settings, id } = context.state();
  const callId = call.id;
  if (settings.checkpointMode === 'off')
    return context.record({ type: 'checkpoint.skipped', callId, why: 'checkpoints are off' });
  const preview = previewOf(callId, context.state());
  const { createCheckpoint } = await import('../adapters/git/checkpoint.ts');
  const toolName = call.name.slice(call.name.indexOf('.') + 1);
  try {
    const options = {
      cwd: hands.seat.cwd,
      label: `before ${call.name}`,
      toolName,
      mode: settings.checkpointMode,
      sessionId: id,
      at: hands.now(),
      signal: context.signal,
    };
    context.record({ type: 'checkpoint.created', callId, checkpoint: await createCheckpoint(options) });
  } catch (thrown) {
    // A person who was told "this cannot be undone" and said yes is not told again.
    const known = preview !== undefined && !preview.undoable;
    if (!known || !(thrown instanceof AishError)) throw thrown;
    context.record({ type: 'checkpoint.skipped', callId, why: preview.why ?? thrown.message });
  }
}

/** What was known of a call when it was allowed. */
function previewOf(callId: string, state: SessionState): CallPreview | undefined {
  return state.turn?.open.find((open) => open.call.id === callId)?.preview;
}

async function seal({ checkpoint }: EffectOf<'seal-checkpoint'>, context: EffectContext): Promise<void> {
  const { sealCheckpoint } = await import('../adapters/git/checkpoint.ts');
  const { dropped } = await sealCheckpoint(checkpoint, context.signal);
  context.record({ type: 'checkpoint.sealed', id: checkpoint.id, ...(dropped ? { dropped } : {}) });
}

async function runTool({ call }: EffectOf<'run-tool'>, context: EffectContext, hands: Hands): Promise<void> {
  if (isCommand(call)) await hands.seat.start();
  const moved = await hands.toolbox.whatMoved(call, previewOf(call.id, context.state()));
  if (moved !== null) {
    await decideByRules(call, context, hands, { again: moved });
    // Asked, refused, or in need of a checkpoint first.
    if (context.signal.aborted) return;
  }
  const preview = previewOf(call.id, context.state());
  if (preview?.judged?.unasked === true || preview?.sandboxed === true) return runApart(call, context, hands);
  context.record({ type: 'tool-call.started', callId: call.id });
  const result = await hands.toolbox.run(call, preview, context.signal);
  const budget = hands.resultBudget(context.state().settings.model);
  const { isError } = result;
  const record = result.record === undefined ? undefined : redactRecord(result.record, hands.redact);
  const text =
    record === undefined
      ? truncateMiddle(hands.redact(result.text) || '(no output)', budget)
      : formatExecResult(record, budget);
  context.record({
    type: 'tool-call.completed',
    callId: call.id,
    text: withEdit(call, context, text),
    isError,
    ...(record === undefined ? {} : { record }),
    ...(result.images === undefined ? {} : { images: result.images }),
  });
}

/** Runs a command in the sandbox, which holds it to its class; where that is in its way, the person is asked about the shared shell, once. */
async function runApart(call: ToolCall, context: EffectContext, hands: Hands): Promise<void> {
  const callId = call.id;
  context.record({ type: 'tool-call.started', callId, sandboxed: true });
  const kind = previewOf(callId, context.state())?.judged?.class ?? 'unparseable';
  const command = { line: commandOf(call), kind, ground: await hands.gate.ground() };
  const { record: ran, blocked } = await hands.sandbox.run(command, context.signal);
  if (context.signal.aborted) return;
  if (ran === null || blocked !== null) {
    const again = `the sandbox was in its way: ${blocked}; a yes runs it in your shell`;
    return decideByRules(call, context, hands, { again, isBlocked: true });
  }
  const record = redactRecord(ran, hands.redact);
  const text = formatExecResult(record, hands.resultBudget(context.state().settings.model));
  context.record({ type: 'tool-call.completed', callId, text: withEdit(call, context, text), isError: false, record });
}

/** The line comes past the events, which may hold less of it; nothing of what a private command did goes into one. */
async function runCommand(effect: EffectOf<'run-command'>, context: EffectContext, hands: Hands): Promise<void> {
  const { isPrivate } = effect;
  const line = context.takeTypedLine();
  const expanded = await hands.outputs.expand(line);
  const ran = await hands.seat.run(line, 'person', context.signal, { isPrivate, expanded });
  const record = isPrivate ? withoutText(ran) : redactRecord(ran, hands.redact);
  context.record({ type: 'command.completed', record });
}

async function restore(effect: EffectOf<'restore-checkpoint'>, context: EffectContext, hands: Hands): Promise<void> {
  const { restoreCheckpoint } = await import('../adapters/git/restore.ts');
  const { checkpoint, paths } = effect.restore;
  const { signal } = context;
  const options = { cwd: hands.seat.cwd, signal, id: checkpoint, ...(paths === undefined ? {} : { paths }) };
  const { restored, refused, checkpoint: id, undo } = await restoreCheckpoint(options);
  const report = { restored, refused };
  context.record({ type: 'restore.completed', checkpoint: id, report, ...(undo === null ? {} : { undo: undo.id }) });
}
