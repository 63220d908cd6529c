import { formatApplied } from '../../core/impact/change-set.ts';
import { placeholdersIn } from '../../core/secrets/secret.ts';
import { resultRoom } from '../../core/session/context-state.ts';
import type { DryRun } from '../../core/session/state.ts';
import { AishError, toErrorFact } from '../../protocol/error.ts';
import type { GrantedSecret, ToolCall } from '../../protocol/tool.ts';
import { taintFactsOfCall } from '../taint/note-taint.ts';
import { formatExecResult } from '../tools/toolbox.ts';
import { recordCheckpoint } from './checkpoints.ts';
import { type EffectContext, type EffectDeps, type EffectOf, previewOf, withEdit } from './effect-context.ts';
import { CHECKPOINTS_OFF, formatDryRunLabel, formatNotApplied, formatUngranted, noDryRun } from './messages.ts';

/** Runs a command on an overlay of the project, which remains until the user applies or discards the result, or answers otherwise. */
export async function dryRun({ dryRun }: EffectOf<'dry-run'>, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { number, callId } = dryRun;
  const { signal } = context;
  signal.addEventListener('abort', () => void deps.dryRuns.drop());
  const typed = callId === null ? { line: context.takeTypedLine(), driver: 'user' as const } : null;
  const request = typed ?? { line: dryRun.line, driver: 'model' as const };
  const { handed, missing } = await injectForDryRun(request.line, callId, context, deps);
  if (signal.aborted) return;
  const found = await deps.dryRuns.dryRun({ ...request, number, handed }, signal);
  await deps.lookForSecrets(request.line);
  const record = deps.secrets.redactRecord({ ...found.record, line: dryRun.line });
  const without = missing.length === 0 ? [] : [formatUngranted(missing)];
  const notes = [...found.notes, ...without];
  context.record({ type: 'dry-run.completed', number, report: { ...found, record, notes } });
}

/** The line with its secrets, and the names of those left out. Throws `AishError` for a line that would keep a placeholder. */
export async function injectForDryRun(line: string, callId: string | null, context: EffectContext, deps: EffectDeps) {
  const { given, missing } = await secretsFor(line, callId, context, deps);
  refusePlaceholders(line, missing, 'no-rule');
  const handed = await deps.injector.forSandbox(line, given);
  refusePlaceholders(
    handed.line,
    given.map(({ name }) => name),
    'no-value',
  );
  return { handed, missing };
}

/**
 * The secrets injected into a dry run, and the names of those left out. A dry run is no approval: a call gets the secrets that a rule
 * grants, and a line of the user's own gets those it names.
 */
async function secretsFor(
  line: string,
  callId: string | null,
  context: EffectContext,
  deps: EffectDeps,
): Promise<{ readonly given: readonly GrantedSecret[]; readonly missing: readonly string[] }> {
  if (callId === null) return { given: await deps.injector.secretsOf(line), missing: [] };
  const { secrets = [], taint } = previewOf(callId, context.state()) ?? {};
  // After untrusted content no rule applies.
  const isWithout = ({ rule }: GrantedSecret): boolean => rule === undefined || taint !== undefined;
  const missing = [...new Set(secrets.filter(isWithout).map(({ name }) => name))];
  return { given: secrets.filter(({ name }) => !missing.includes(name)), missing };
}

/** Refuses a line with placeholders that would remain: the command could write them into files. */
function refusePlaceholders(line: string, names: readonly string[], cause: 'no-rule' | 'no-value'): void {
  const left = placeholdersIn(line).find((name) => names.includes(name));
  if (left !== undefined) throw noDryRun(left, cause);
}

/** Applies the dry run of a line that the user typed, with a checkpoint for undo. */
export async function applyUserDryRun(
  { dryRun }: EffectOf<'apply-dry-run'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { number, items = null } = dryRun;
  await takeSnapshot(dryRun, context, deps);
  const report = await deps.dryRuns.apply(number, items, context.signal);
  context.record({ type: 'dry-run.applied', number, report });
}

async function takeSnapshot({ number, line }: DryRun, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { checkpointMode: mode } = context.state().settings;
  const callId = `dry-run-${number}`;
  if (mode === 'off') return context.record({ type: 'checkpoint.skipped', callId, why: CHECKPOINTS_OFF });
  const label = formatDryRunLabel(line.split('\n')[0] ?? '');
  const change = { label, toolName: 'dry-run', cause: 'user', mode, dryRunAt: deps.dryRuns.begunAt(number) } as const;
  // The user saw all changes before applying them.
  await recordCheckpoint({ callId, change, mayFail: true }, context, deps);
}

/** Applies a dry run as the result of its call: the model reads the output of the dry run and the applied changes. */
export async function applyForCall(
  call: ToolCall,
  dryRun: DryRun,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { number, items = null, report: dryRunResult } = dryRun;
  const callId = call.id;
  context.record({ type: 'tool-call.started', callId, sandboxed: true });
  const printed =
    dryRunResult === undefined ? '' : formatExecResult(dryRunResult.record, resultRoom(context.state().context.window));
  try {
    const report = await deps.dryRuns.apply(number, items, context.signal);
    const text = withEdit(call, context, `${printed}\n[aish] ${formatApplied(report)}`);
    const tainted = await taintFactsOfCall(call, previewOf(callId, context.state()), context.state(), deps);
    context.record(
      ...tainted,
      { type: 'dry-run.applied', number, report },
      { type: 'tool-call.completed', callId, text: deps.secrets.redact(text), isError: false },
    );
  } catch (thrown) {
    if (!(thrown instanceof AishError)) throw thrown;
    const error = toErrorFact(thrown);
    const text = formatNotApplied(error.message);
    context.record(
      { type: 'dry-run.applied', number, error },
      { type: 'tool-call.completed', callId, text, isError: true },
    );
  }
}
