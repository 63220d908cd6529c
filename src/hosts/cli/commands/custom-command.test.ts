import { expect, test } from 'bun:test';
import { readServerPrompt } from './custom-command.ts';

const signal = new AbortController().signal;

test.each([
  [undefined, 24_000],
  [4000, 6000],
])('a prompt is cut to what a file may have in a window of %p tokens', async (context, most) => {
  const servers = {
    statuses: () => [{ alias: 'notes' }],
    server: () => ({
      prompts: async () => [{ name: 'review', description: '', arguments: [] }],
      getPrompt: async () => `begin ${'word '.repeat(100_000)}end`,
      complete: async () => [],
      resources: async () => [],
    }),
  };
  const sent = await readServerPrompt(':notes.review', servers, signal, context);
  const [file] = sent?.files ?? [];
  const text = file?.type === 'text' ? file.text : '';
  expect([text.slice(0, 5), text.slice(-3)]).toEqual(['begin', 'end']);
  expect(Math.abs(text.length - most)).toBeLessThan(100);
});
