import { expect, test } from 'bun:test';
import { approved, call, called, created, started } from '../../../test/support/session-facts.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Form, FormAnswer } from '../../protocol/form.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { next } from './next.ts';
import { askedForm } from './state.ts';

const request: Form = {
  server: 'notes',
  message: 'Who are you?',
  fields: [{ type: 'text', name: 'name', title: 'Name', isRequired: true }],
};
const running = [created, started, called, approved, { type: 'tool-call.started', callId: call.id }] as const;
const requested: SessionEvent = { type: 'form.requested', form: 'f1', callId: call.id, request };
const open = fold([...running, requested]);

function answer(given: FormAnswer, form = 'f1'): readonly SessionEvent[] {
  return decide(open, { type: 'answer-form', form, answer: given, by: 'user' });
}

test('a form of a running call waits, and the call goes on', () => {
  expect(askedForm(open)).toEqual({ id: 'f1', request });
  expect(next(open)).toEqual(next(fold(running)));
});

test('a call that does not run has no form', () => {
  expect(askedForm(fold([created, started, called, requested]))).toBeNull();
});

test('an answer closes the form, and its values are in no event', () => {
  const events = answer({ action: 'accept', values: { name: 'Ada' } });
  expect(events).toEqual([{ type: 'form.answered', form: 'f1', callId: call.id, action: 'accept', by: 'user' }]);
  expect(askedForm(events.reduce(evolve, open))).toBeNull();
});

test.each(['decline', 'cancel'] as const)('the user may %s', (action) => {
  expect(answer({ action })).toEqual([{ type: 'form.answered', form: 'f1', callId: call.id, action, by: 'user' }]);
});

test('the answer to another form is refused', () => {
  const refused = answer({ action: 'cancel' }, 'f2');
  expect(refused.map((event) => (event.type === 'op.rejected' ? event.error.code : event.type))).toEqual(['form.not-asked']);
});

test.each<[string, SessionEvent]>([
  ['its call ends', { type: 'tool-call.completed', callId: call.id, text: '', isError: false }],
  ['its turn ends', { type: 'turn.ended', reason: 'interrupted' }],
  ['another process resumes the session', { type: 'session.resumed', settings: open.settings }],
])('a form is closed when %s', (_, event) => {
  expect(askedForm(evolve(open, event))).toBeNull();
});
