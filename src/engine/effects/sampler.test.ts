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

type Deps = ConstructorParameters<typeof Sampler>[1];

function openSampler(complete: Deps['complete']) {
  const recorded: SessionEvent[] = [];
  let checks = 0;
  const sampler = new Sampler(
    { state: () => EMPTY_STATE, record: (...events) => void recorded.push(...events), signal },
    {
      checkBudget: async () => {
        checks += 1;
      },
      endpoint: async () => ({ name: 'local', baseUrl: 'http://127.0.0.1:1', model: null, key: null, timeouts }),
      complete,
      requestCover: { cover: (whole) => whole },
    },
  );
  return { sampler, recorded, checks: () => checks };
}

const word: Deps['complete'] = async () => ({
  text: 'word',
  reasoning: '',
  toolCalls: [],
  finish: 'stop',
  usage: { promptTokens: 10, completionTokens: 5 },
});

test('a server gets answers until the tokens of its call are used, one line each', async () => {
  const { sampler, recorded, checks } = openSampler(word);
  expect(sampler.used).toBeUndefined();
  for (let round = 0; round < 2; round += 1)
    expect(await sampler.answer(request, signal)).toEqual({ model: 'local', text: 'word' });
  await expect(sampler.answer(request, signal)).rejects.toThrow('server notes has used the 20 tokens of this call');
  expect([checks(), recorded.length]).toEqual([2, 2]);
  expect(sampler.used).toEqual({ model: 'local', usage: { promptTokens: 20, completionTokens: 10 } });
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
  const { sampler } = openSampler(async (endpoint, _, onDelta, ended, { onBody }) => {
    onBody('{}', endpoint);
    onDelta({ type: 'text', text: 'word '.repeat(40) });
    withdrawn.abort();
    ended.throwIfAborted();
    throw new Error('not reached');
  });
  await expect(sampler.answer(request, withdrawn.signal)).rejects.toThrow();
  expect(sampler.used?.usage.completionTokens).toBeGreaterThan(20);
  await expect(sampler.answer(request, signal)).rejects.toThrow('20 tokens');
});
