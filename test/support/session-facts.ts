import { toMessages } from '../../src/core/context/request-messages.ts';
import { evolve, fold } from '../../src/core/session/evolve.ts';
import { next } from '../../src/core/session/next.ts';
import { DEFAULT_SETTINGS, EMPTY_STATE, type SessionState } from '../../src/core/session/state.ts';
import type { SessionEvent } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/model.ts';
import type { ToolCall } from '../../src/protocol/tool.ts';

// The facts of one turn with one write, in the order they happen; a test takes as many as it needs.

/** The session begins. */
export const created = {
  type: 'session.created',
  id: 's1',
  cwd: '/tmp',
  settings: DEFAULT_SETTINGS,
} satisfies SessionEvent;

/** The user asks. */
export const started = { type: 'turn.started', turn: 1, text: 'make a.txt with hello' } satisfies SessionEvent;

/** A call of the model. */
export const call: ToolCall = {
  id: 'call00000',
  name: 'fs.write_file',
  arguments: { path: 'a.txt' },
  effect: 'write',
  origin: 'model',
};

/** The model's step with that call. */
export const called = {
  type: 'step.completed',
  text: '',
  calls: [call],
  finish: 'tool_calls',
  model: 'm',
} satisfies SessionEvent;

/** The approval prompt for the call. */
export const asked = {
  type: 'approval.requested',
  callId: call.id,
  preview: { undoable: true },
} satisfies SessionEvent;

/** And says yes. */
export const approved = {
  type: 'approval.decided',
  callId: call.id,
  decision: 'allow',
  by: 'user',
} satisfies SessionEvent;

/** The snapshot before it is kept. */
export const checkpointed = {
  type: 'checkpoint.created',
  callId: call.id,
  checkpoint: {
    id: 'c1',
    ref: 'refs/aish/c1',
    commit: 'f'.repeat(40),
    root: '/tmp',
    label: 'before fs.write_file',
    at: 1,
  },
} satisfies SessionEvent;

/** The call runs. */
export const running = { type: 'tool-call.started', callId: call.id } satisfies SessionEvent;

/** And has its result. */
export const completed = {
  type: 'tool-call.completed',
  callId: call.id,
  text: 'written',
  isError: false,
} satisfies SessionEvent;

/** The model's answer. */
export const answered = {
  type: 'step.completed',
  text: 'Created a.txt.',
  calls: [],
  finish: 'stop',
  model: 'm',
} satisfies SessionEvent;

/** Types of the effects that a new session waits for after these facts. */
export function wanted(...events: readonly SessionEvent[]): string[] {
  return next(fold([created, ...events])).map((effect) => effect.type);
}

/** The messages of the next request. */
export function project(state: SessionState): Message[] {
  const frame = { os: 'linux', shell: 'bash', cwd: '' };
  const wireName = (name: string): string => name.replace('.', '__');
  return toMessages(state, { frame, wireName, outputBudget: 1000 });
}

/** The state of a session after these events. */
export function after(...events: readonly SessionEvent[]): SessionState {
  return events.reduce(evolve, EMPTY_STATE);
}
