import { expect, test } from 'bun:test';
import type { ModelRequest } from '../../protocol/model.ts';
import { countTokens } from './model-list.ts';
import { toEndpoint } from './models.ts';

const REQUEST: ModelRequest = { messages: [{ role: 'user', content: 'hi' }], tools: [] };

async function countAt(answer: Response): Promise<{ readonly count: number | null; readonly asked: string }> {
  let asked = '';
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      asked = `${request.method} ${new URL(request.url).pathname} ${await request.text()}`;
      return answer;
    },
  });
  const endpoint = toEndpoint('local', { base_url: `http://127.0.0.1:${server.port}/v1`, model: 'm' }, null);
  return { count: await countTokens(endpoint, REQUEST, new AbortController().signal), asked };
}

test('a llama.cpp server counts the body that would be sent to it', async () => {
  const { count, asked } = await countAt(Response.json({ input_tokens: 31, object: 'response.input_tokens' }));
  expect(count).toBe(31);
  expect(asked).toStartWith(
    'POST /v1/chat/completions/input_tokens {"model":"m","messages":[{"role":"user","content":"hi"}]',
  );
});

test('a server without such a count is as good as none', async () => {
  expect((await countAt(new Response('File Not Found', { status: 404 }))).count).toBeNull();
  expect((await countAt(Response.json({ error: { message: 'no' } }))).count).toBeNull();
});
