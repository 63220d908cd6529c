import { expect, test } from 'bun:test';
import type { ModelRequest } from '../../protocol/model.ts';
import { RequestCover } from './request-redaction.ts';

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
