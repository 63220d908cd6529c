import { fenceAt } from '../../core/contract/fences.ts';
import { formatDiscarded, formatWithin } from '../../core/contract/messages.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { commandOf } from '../policy/command-gate.ts';
import { taintFactsOfCall } from '../taint/note-taint.ts';
import { formatExecResult } from '../tools/own-tools.ts';
import { injectForDryRun } from './dry-run.ts';
import { type EffectContext, previewOf } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';
import { roomForResult } from './watch-context.ts';

/** Runs a command on a copy of the project, and applies its changes if all of them are inside the fences. */
export async function runByContract(call: ToolCall, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { signal } = context;
  const { contractRun: run } = context.state();
  if (!run) return;
  const callId = call.id;
  const line = commandOf(call);
  context.record({ type: 'tool-call.started', callId, sandboxed: true });
  const { handed } = await injectForDryRun(line, callId, context, deps);
  const found = await deps.dryRuns.runFenced({ line, driver: 'model', handed }, (path) => fenceAt(path, run), signal);
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
