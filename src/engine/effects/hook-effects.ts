import { GUARD_RULES } from '../../core/policy/policy.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import type { Hooks } from '../extend/hooks.ts';
import { formatNobodyAsks } from '../extend/messages.ts';
import { type EffectContext, type EffectOf, withEdit } from './effect-context.ts';
import { formatNotRun } from './messages.ts';

/**
 * Asks the hooks about a call that the rules do not deny: the preview, with the sentence of a hook that asks for an approval. Null if a
 * hook denied the call. In an autonomous run nobody is there to approve it, so a hook that asks denies it.
 */
export async function decideByHooks(
  call: ToolCall,
  preview: CallPreview,
  context: EffectContext,
  hooks: Hooks,
): Promise<CallPreview | null> {
  const objection = await hooks.beforeCall(call, preview, context.signal);
  if (context.signal.aborted) return null;
  if (objection === null) return preview;
  const isAlone = Boolean(context.state().contractRun);
  if (objection.decision === 'ask' && !isAlone) return { ...preview, hook: objection.text };
  const reason = objection.decision === 'ask' ? formatNobodyAsks(objection.text) : objection.text;
  const text = withEdit(call, context, formatNotRun(reason));
  const callId = call.id;
  context.record(
    { type: 'approval.decided', callId, decision: 'deny', by: 'policy', rule: GUARD_RULES.hook, reason, preview },
    { type: 'tool-call.completed', callId, text, isError: true },
  );
  return null;
}

/** Has a call run, and shows the hooks its result before the session has it. A call that did not run has none. */
export async function showResultToHooks(
  { call }: EffectOf<'run-tool'>,
  context: EffectContext,
  hooks: Hooks,
  run: (context: EffectContext) => Promise<void>,
): Promise<void> {
  let isStarted = false;
  let held: readonly SessionEvent[] | null = null;
  const record: EffectContext['record'] = (...events) => {
    isStarted ||= events.some(({ type }) => type === 'tool-call.started');
    if (isStarted && events.some(({ type }) => type === 'tool-call.completed')) held = events;
    else context.record(...events);
  };
  await run({ ...context, record });
  const facts: readonly SessionEvent[] = held ?? [];
  const shown = facts.map((event) =>
    event.type === 'tool-call.completed' ? hooks.afterCall(call, event, context.signal) : event,
  );
  context.record(...(await Promise.all(shown)));
}
