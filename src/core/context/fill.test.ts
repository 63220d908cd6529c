import { expect, test } from 'bun:test';
import type { SessionEvent } from '../../protocol/event.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import { fold } from '../session/evolve.ts';
import { DEFAULT_SETTINGS } from '../session/state.ts';
import { type ContextFill, measureFill } from './compaction.ts';

const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/app', settings: DEFAULT_SETTINGS };
const started: SessionEvent = { type: 'turn.started', turn: 1, text: 'what is in here, and why is it so?' };
const answered: SessionEvent = {
  ...{ type: 'step.completed', text: 'Three files of a kind that nobody needs.', calls: [] },
  ...{ finish: 'stop', model: 'm' },
};

const request: ModelRequest = {
  messages: [
    { role: 'system', content: 'You help a user at their shell. '.repeat(9) },
    { role: 'user', content: 'what is in here, and why is it so?' },
    { role: 'assistant', content: 'Three files of a kind that nobody needs.' },
  ],
  tools: [{ name: 'aish__exec', description: 'Runs a command', parameters: {} }],
};

function measure(events: readonly SessionEvent[], correction: number, of: Partial<ModelRequest> = {}): ContextFill {
  const state = fold([created, ...events]);
  const context = { notes: 40, servers: 40, memory: [], window: null, compactAt: 0, wouldCover: null };
  return measureFill({ state, request: { ...request, ...of }, correction, ...context });
}

test.each([1, 0.77, 1.313, 2])('the parts add up to what is said of the whole, corrected by %d', (correction) => {
  const { parts, tokens } = measure([started, answered], correction);
  expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(tokens);
  expect(parts.map(({ name }) => name)).toEqual([
    'system prompt',
    'AGENTS.md and skills',
    'instructions of MCP servers',
    'tools',
    'your messages',
    'answers and calls',
  ]);
});

test('before anything is said the parts add up as well', () => {
  const { parts, tokens } = measure([], 1.1, { messages: request.messages.slice(0, 1) });
  expect([parts.reduce((sum, part) => sum + part.tokens, 0), parts.length]).toEqual([tokens, 4]);
});
