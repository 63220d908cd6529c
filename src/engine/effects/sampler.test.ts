import { expect, test } from 'bun:test';
import { EMPTY_STATE } from '../../core/session/state.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { Sampler } from './sampler.ts';

const request = {
  alias: 'notes',
  system: '',
  messages: [{ role: 'user', content: 'Say a word' }],
  tokens: 20,
} as const;
const signal = new AbortController().signal;
const timeouts = { firstByteMs: 0, idleMs: 0, barrenMs: 0 };

test('a server gets answers until the tokens of its call are used, one line each', async () => {
  const recorded: SessionEvent[] = [];
  let checks = 0;
  const sampler = new Sampler(
    { state: () => EMPTY_STATE, record: (...events) => void recorded.push(...events), signal },
    {
      checkBudget: async () => {
        checks += 1;
      },
      endpoint: async () => ({ name: 'local', baseUrl: 'http://127.0.0.1:1', model: null, key: null, timeouts }),
      complete: async () => ({
        text: 'word',
        reasoning: '',
        toolCalls: [],
        finish: 'stop',
        usage: { promptTokens: 10, completionTokens: 5 },
      }),
      requestCover: { cover: (whole) => whole },
    },
  );
  expect(sampler.used).toBeUndefined();
  for (let round = 0; round < 2; round += 1)
    expect(await sampler.answer(request, signal)).toEqual({ model: 'local', text: 'word' });
  await expect(sampler.answer(request, signal)).rejects.toThrow('server notes has used the 20 tokens of this call');
  expect([checks, recorded.length]).toEqual([2, 2]);
  expect(sampler.used).toEqual({ model: 'local', usage: { promptTokens: 20, completionTokens: 10 } });
});
