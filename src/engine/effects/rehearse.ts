import { formatApplied } from '../../core/impact/change-set.ts';
import { formatPlaceholder, placeholdersIn } from '../../core/secrets/secret.ts';
import { resultRoom } from '../../core/session/context-state.ts';
import type { Rehearsal } from '../../core/session/state.ts';
import { AishError, toErrorFact } from '../../protocol/error.ts';
import type { HandedSecret, ToolCall } from '../../protocol/tool.ts';
import { taintFactsOfCall } from '../taint/note-taint.ts';
import { formatExecResult } from '../tools/own-tools.ts';
import { limitsOf } from './checkpoints.ts';
import { withEdit } from './decide-call.ts';
import { type EffectContext, type EffectOf, previewOf } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';
import { lazy } from './lazy.ts';

/** Tries a command on a view of the project. The view is kept until nobody wants it any more: applied, dropped, or answered otherwise. */
export async function rehearse(
  { rehearsal }: EffectOf<'rehearse'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { number, callId } = rehearsal;
  const { signal } = context;
  signal.addEventListener('abort', () => void deps.rehearsals.drop());
  const typed = callId === null ? { line: context.takeTypedLine(), driver: 'person' as const } : null;
  const request = typed ?? { line: rehearsal.line, driver: 'model' as const };
  const { given, missing } = await secretsFor(request.line, callId, context, deps);
  refusePlaceholders(request.line, missing, 'no rule that holds here hands it over');
  const handed = await deps.handover.forSandbox(request.line, given);
  refusePlaceholders(
    handed.line,
    given.map(({ name }) => name),
    'its value is not known or cannot stand there',
  );
  if (signal.aborted) return;
  const found = await deps.rehearsals.rehearse({ ...request, number, handed }, signal);
  await deps.lookForSecrets(request.line);
  const record = deps.secrets.concealRecord({ ...found.record, line: rehearsal.line });
  const without = missing.length === 0 ? [] : [`It ran without ${missing.join(', ')}: no rule grants it here.`];
  const notes = [...found.notes, ...without];
  context.record({ type: 'rehearsal.completed', number, report: { ...found, record, notes } });
}

/** What a rehearsal is handed, and the names of what it goes without: it is no yes, so a call has what a rule hands it, and a line of the person's own what it names. */
async function secretsFor(
  line: string,
  callId: string | null,
  context: EffectContext,
  deps: EffectDeps,
): Promise<{ readonly given: readonly HandedSecret[]; readonly missing: readonly string[] }> {
  if (callId === null) return { given: await deps.handover.secretsOf(line), missing: [] };
  const { secrets = [], taint } = previewOf(callId, context.state()) ?? {};
  // Where text of others was read no rule holds.
  const isWithout = ({ rule }: HandedSecret): boolean => rule === undefined || taint !== undefined;
  const missing = [...new Set(secrets.filter(isWithout).map(({ name }) => name))];
  return { given: secrets.filter(({ name }) => !missing.includes(name)), missing };
}

/** One that is left would be written into files as it stands, and then be applied. */
function refusePlaceholders(line: string, names: readonly string[], why: string): void {
  const left = placeholdersIn(line).find((name) => names.includes(name));
  if (left === undefined) return;
  throw new AishError('rehearsal.impossible', `cannot rehearse here: ${formatPlaceholder(left)}: ${why}`, {
    hint: 'run it for real, or edit it to name no secret',
  });
}

/** Applies the rehearsal of a line of the person's own, with a checkpoint before it that takes it back. */
export async function applyOwnRehearsal(
  { rehearsal }: EffectOf<'apply-rehearsal'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { number, items = null } = rehearsal;
  await takePicture(rehearsal, context, deps);
  const report = await deps.rehearsals.apply(number, items, context.signal);
  context.record({ type: 'rehearsal.applied', number, report });
}

async function takePicture({ number, line }: Rehearsal, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { settings, id } = context.state();
  const callId = `rehearsal-${number}`;
  if (settings.checkpointMode === 'off')
    return context.record({ type: 'checkpoint.skipped', callId, why: 'checkpoints are off' });
  const { createCheckpoint } = await lazy.checkpoint();
  try {
    const checkpoint = await createCheckpoint({
      cwd: deps.sharedShell.cwd,
      label: `before the rehearsal of ${line.split('\n')[0]}`,
      toolName: 'rehearse',
      cause: 'person',
      rehearsedAt: deps.rehearsals.begunAt(number),
      mode: settings.checkpointMode,
      sessionId: id,
      at: deps.now(),
      signal: context.signal,
      ...limitsOf(settings),
    });
    context.record({ type: 'checkpoint.created', callId, checkpoint });
  } catch (thrown) {
    // Who applies it has seen all of it.
    if (!(thrown instanceof AishError)) throw thrown;
    context.record({ type: 'checkpoint.skipped', callId, why: thrown.message });
  }
}

/** Applies a rehearsal as what its call comes to: the model reads what the rehearsal printed, and what was applied of it. */
export async function applyForCall(
  call: ToolCall,
  rehearsal: Rehearsal,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { number, items = null, report: rehearsed } = rehearsal;
  const callId = call.id;
  context.record({ type: 'tool-call.started', callId, sandboxed: true });
  const printed =
    rehearsed === undefined ? '' : formatExecResult(rehearsed.record, resultRoom(context.state().context.window));
  try {
    const report = await deps.rehearsals.apply(number, items, context.signal);
    const text = withEdit(call, context, `${printed}\n[aish] ${formatApplied(report)}`);
    const tainted = await taintFactsOfCall(call, previewOf(callId, context.state()), context.state(), deps);
    context.record(
      ...tainted,
      { type: 'rehearsal.applied', number, report },
      { type: 'tool-call.completed', callId, text: deps.secrets.conceal(text), isError: false },
    );
  } catch (thrown) {
    if (!(thrown instanceof AishError)) throw thrown;
    const error = toErrorFact(thrown);
    const text = `[aish] rehearsed, but not applied: ${error.message}`;
    context.record(
      { type: 'rehearsal.applied', number, error },
      { type: 'tool-call.completed', callId, text, isError: true },
    );
  }
}
