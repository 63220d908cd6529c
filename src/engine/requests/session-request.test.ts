import { expect, test } from 'bun:test';
import { type LiveStream, streamPieces } from '../../core/secrets/live-stream.ts';
import { createSecretMatcher } from '../../core/secrets/matcher.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import { CoveredDeltas, RequestCover } from './session-request.ts';

const long = (word: string): string => `${word} `.repeat(100);
const request = (...contents: readonly string[]): ModelRequest => ({
  messages: contents.map((content) => ({ role: 'user', content })),
  tools: [],
});

test('a text of the request before is not looked at again until something new is known', () => {
  const looked: string[] = [];
  let secret = 'zebra';
  const secretStore = {
    edition: {},
    cover: {
      known: (text: string) => text,
      text: (text: string) => {
        looked.push(text.slice(0, 6).trim());
        return text.replaceAll(secret, '⟨K⟩');
      },
    },
  };
  const requests = new RequestCover(secretStore);
  const seen = [requests.cover(request(long('zebra'), 'short')), requests.cover(request(long('zebra'), long('horse')))];
  secret = 'horse';
  secretStore.edition = {};
  seen.push(requests.cover(request(long('zebra'), long('horse'))));
  expect(seen).toEqual([
    request(long('⟨K⟩'), 'short'),
    request(long('⟨K⟩'), long('horse')),
    request(long('zebra'), long('⟨K⟩')),
  ]);
  expect(looked).toEqual(['zebra', 'short', 'horse', 'zebra', 'horse']);
});

const matcher = createSecretMatcher([{ name: 'K', value: 'Zebra4Crossing8', from: 'test' }]);
const open = (): LiveStream => streamPieces(matcher.take, { live: true });

test('a secret cut in two by the pieces is covered, and what only began like one is told in the end', () => {
  const told: SessionEvent[] = [];
  const deltas = new CoveredDeltas(open, (event) => told.push(event));
  for (const text of ['it is Zebra4', 'Crossing8, no', 't Zebra4']) deltas.take({ type: 'reasoning', text });
  deltas.take({ type: 'text', text: 'Zebra4Crossing8' });
  deltas.take({ type: 'tool-call', name: 'f' });
  deltas.end();
  const joined = (type: string): string =>
    told.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : [])).join('');
  expect([joined('reasoning.delta'), joined('text.delta'), told.at(-1)]).toEqual([
    'it is ⟨secret:K⟩, not Zebra4',
    '⟨secret:K⟩',
    { type: 'tool-call.delta', name: 'f' },
  ]);
});

test('a few letters with which a secret begins are told when nothing follows them, and the rest never', async () => {
  const told: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const deltas = new CoveredDeltas(open, (event) => {
    if (event.type === 'text.delta') told.push(event.text);
    if (told.length === 2) resolve();
  });
  deltas.take({ type: 'text', text: 'it is Zeb' });
  await promise;
  deltas.take({ type: 'text', text: 'ra4Cross' });
  deltas.take({ type: 'text', text: 'ing8!' });
  deltas.end();
  expect(told).toEqual(['it is ', 'Zeb', '⟨secret:K⟩!']);
});
