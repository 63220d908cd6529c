import type { SessionEvent } from '../../protocol/event.ts';
import type { FormEvent } from '../../protocol/form.ts';
import type { OpOf } from '../../protocol/op.ts';
import * as messages from './messages.ts';
import { changeCall, type OpenCall, reject, type SessionState } from './state.ts';

/** A form that waits for an answer. */
export type OpenForm = NonNullable<OpenCall['form']>;

/** Whether an event is about a form. */
export function isFormEvent(event: SessionEvent): event is FormEvent {
  return event.type === 'form.requested' || event.type === 'form.answered';
}

/** The form that waits for an answer; null without one. */
export function askedForm(state: SessionState): OpenForm | null {
  return state.turn?.open.find(({ form }) => form !== undefined)?.form ?? null;
}

/** A running call has one form at a time; it closes with its call. */
export function evolveForm(state: SessionState, event: FormEvent): SessionState {
  return changeCall(state, event.callId, (open) => {
    if (event.type === 'form.requested')
      return open.stage === 'running' ? { ...open, form: { id: event.form, request: event.request } } : open;
    if (open.form?.id !== event.form) return open;
    const { form: _, ...rest } = open;
    return rest;
  });
}

/** The call that asks has checked the values, which no event has. */
export function answerForm(state: SessionState, { form, answer, by }: OpOf<'answer-form'>): SessionEvent[] {
  const open = state.turn?.open.find((call) => call.form?.id === form);
  if (open?.form === undefined) return reject('answer-form', messages.NO_FORM_OPEN);
  return [{ type: 'form.answered', form, callId: open.call.id, action: answer.action, by }];
}
