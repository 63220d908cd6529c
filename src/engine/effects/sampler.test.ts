import { expect, test } from 'bun:test';
import { EMPTY_STATE } from '../../core/session/state.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { Sampler } from './sampler.ts';

const request = {
  alias: 'notes',
  system: '',
  messages: [{ role: 'user', content: 'Say a word' }],
  tokens: 20,
} as const;
const signal = new AbortController().signal;
const timeouts = { firstByteMs: 0, idleMs: 0, barrenMs: 0 };

type Deps = ConstructorParameters<typeof Sampler>[2];

function openSampler(complete: Deps['complete'], cancelled = signal) {
  const recorded: SessionEvent[] = [];
  const spent: EventOf<'tool-call.sampled' | 'request.counted'>[] = [];
  let checks = 0;
  const record = (...events: readonly SessionEvent[]): void => {
    if (!cancelled.aborted) recorded.push(...events);
  };
  const sampler = new Sampler(
    'call00000',
    { state: () => EMPTY_STATE, record, spend: (event) => void spent.push(event), signal: cancelled },
    {
      checkBudget: async () => {
        checks += 1;
      },
      endpoint: async () => ({ name: 'local', baseUrl: 'http://127.0.0.1:1', model: null, key: null, timeouts }),
      complete,
      requestCover: { cover: (whole) => whole },
    },
  );
  return { sampler, recorded, spent, checks: () => checks };
}

const word: Deps['complete'] = async () => ({
  text: 'word',
  reasoning: '',
  toolCalls: [],
  finish: 'stop',
  usage: { promptTokens: 10, completionTokens: 5 },
});

test('a server gets answers until the tokens of its call are used, one line each', async () => {
  const { sampler, recorded, spent, checks } = openSampler(word);
  for (let round = 0; round < 2; round += 1)
    expect(await sampler.answer(request, signal)).toEqual({ model: 'local', text: 'word' });
  await expect(sampler.answer(request, signal)).rejects.toThrow('server notes has used the 20 tokens of this call');
  expect([checks(), recorded.length]).toEqual([2, 2]);
  const usage = { promptTokens: 10, completionTokens: 5 };
  const event = { type: 'tool-call.sampled', callId: 'call00000', model: 'local', usage } as const;
  expect(spent).toEqual([event, event]);
});

test('many questions at once use no more tokens than one after the other', async () => {
  const { sampler, checks } = openSampler(word);
  const answers = await Promise.allSettled(Array.from({ length: 40 }, () => sampler.answer(request, signal)));
  expect(answers.filter(({ status }) => status === 'fulfilled').length).toBe(2);
  expect(checks()).toBe(2);
});

test('a question that is longer than what is left is not sent', async () => {
  const { sampler, checks } = openSampler(word);
  const long = { ...request, messages: [{ role: 'user', content: 'word '.repeat(100) }] } as const;
  await expect(sampler.answer(long, signal)).rejects.toThrow('20 tokens');
  expect(checks()).toBe(0);
});

test('a question that the server withdraws counts as sent', async () => {
  const withdrawn = new AbortController();
  const { sampler, spent } = openSampler(async (endpoint, _, onDelta, ended, { onBody }) => {
    onBody('{}', endpoint);
    onDelta({ type: 'text', text: 'word '.repeat(40) });
    withdrawn.abort();
    ended.throwIfAborted();
    throw new Error('not reached');
  });
  await expect(sampler.answer(request, withdrawn.signal)).rejects.toThrow();
  expect(spent[0]?.usage.completionTokens).toBeGreaterThan(20);
  await expect(sampler.answer(request, signal)).rejects.toThrow('20 tokens');
});

test('a question that ends because the user cancels the call counts, too', async () => {
  const cancelled = new AbortController();
  const { sampler, recorded, spent } = openSampler(async (endpoint, _, onDelta, ended, { onBody }) => {
    onBody('{}', endpoint);
    onDelta({ type: 'text', text: 'word '.repeat(40) });
    cancelled.abort();
    ended.throwIfAborted();
    throw new Error('not reached');
  }, cancelled.signal);
  await expect(sampler.answer(request, signal)).rejects.toThrow();
  expect([recorded.length, spent.length, spent[0]?.model]).toEqual([0, 1, 'local']);
});
