import type { Elicitation, ElicitationAnswer } from '../../adapters/mcp/server-event.ts';
import { findFormProblem } from '../../core/form/check-form.ts';
import { readForm } from '../../core/form/read-form.ts';
import type { Form, FormAnswer } from '../../protocol/form.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import type { EffectContext } from './effect-context.ts';

/** Puts the requests of a call's server before the user, one after the other. aish declines what its forms do not have. */
export function askForms(call: ToolCall, context: EffectContext) {
  let asked = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (request: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer> => {
    const form = readForm(request);
    if (form === null) return Promise.resolve({ action: 'decline' });
    asked += 1;
    const id = `${call.id}.${asked}`;
    const answer = last.then(async () => {
      const ended = AbortSignal.any([signal, context.signal]);
      if (ended.aborted) return { action: 'cancel' } as const;
      const answering = awaitAnswer({ id, form }, call, ended, context);
      context.record({ type: 'form.requested', form: id, callId: call.id, request: form });
      return toElicitationAnswer(await answering);
    });
    last = answer;
    return answer;
  };
}

function awaitAnswer(
  { id, form }: { readonly id: string; readonly form: Form },
  { id: callId }: ToolCall,
  signal: AbortSignal,
  context: EffectContext,
): Promise<FormAnswer> {
  return new Promise((resolve) => {
    const check = (answer: FormAnswer): string | null =>
      answer.action === 'accept' ? findFormProblem(form, answer.values) : null;
    const end = (answer: FormAnswer): void => {
      forget();
      signal.removeEventListener('abort', withdraw);
      resolve(answer);
    };
    const withdraw = (): void => {
      context.record({ type: 'form.answered', form: id, callId, action: 'cancel', by: 'server' });
      end({ action: 'cancel' });
    };
    const forget = context.onFormAnswer(id, { check, take: end });
    signal.addEventListener('abort', withdraw, { once: true });
  });
}

function toElicitationAnswer(answer: FormAnswer): ElicitationAnswer {
  if (answer.action !== 'accept') return { action: answer.action };
  const content: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(answer.values))
    content[name] = typeof value === 'object' ? [...value] : value;
  return { action: 'accept', content };
}
