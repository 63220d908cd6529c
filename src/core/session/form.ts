import type { SessionEvent } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import type { Handlers } from './handlers.ts';
import * as messages from './messages.ts';
import { changeCall, type OpenCall, reject, type SessionState } from './state.ts';

/** A form that waits for an answer. */
export type OpenForm = NonNullable<OpenCall['form']>;

/** The form that waits for an answer; null without one. */
export function askedForm(state: SessionState): OpenForm | null {
  return state.turn?.open.find(({ form }) => form !== undefined)?.form ?? null;
}

/** A running call has one form at a time; it closes with its call. */
export const FORM_HANDLERS: Handlers<SessionState> = {
  'form.requested': (state, { callId, form, request }) =>
    changeCall(state, callId, (open) => (open.stage === 'running' ? { ...open, form: { id: form, request } } : open)),
  'form.answered': (state, event) =>
    changeCall(state, event.callId, ({ form, ...open }) => (form === undefined || form.id === event.form ? open : { ...open, form })),
};

/** The call that asks has checked the values, which no event has. */
export function answerForm(state: SessionState, { form, answer, by }: OpOf<'answer-form'>): SessionEvent[] {
  const open = state.turn?.open.find((call) => call.form?.id === form);
  if (open?.form === undefined) return reject('answer-form', messages.NO_FORM_OPEN);
  return [{ type: 'form.answered', form, callId: open.call.id, action: answer.action, by }];
}
