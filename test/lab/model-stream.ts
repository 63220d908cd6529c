/** Feeds recorded responses to the product's own reader: JSONL in, JSONL out, in the same order. */
import { readResponse } from '../../src/adapters/model/response.ts';

const answers: string[] = [];
for (const line of (await Bun.stdin.text()).split('\n')) {
  if (line.trim() === '') continue;
  const { http, chunks } = JSON.parse(line);
  const headers = new Headers({ ...http.headers, ...(http.content_type ? { 'content-type': http.content_type } : {}) });
  const body = (async function* () {
    for (const chunk of chunks) yield new Uint8Array(Buffer.from(chunk, 'base64'));
  })();
  const read = await readResponse({ status: http.status, headers, body }, () => {});
  const { usage } = read;
  answers.push(
    JSON.stringify({
      text: read.text,
      reasoning: read.reasoning,
      tool_calls: read.toolCalls.map(({ id, name, arguments: text }) => ({
        id,
        name,
        arguments: parseArguments(text),
      })),
      finish_reason: read.finish,
      error: read.fault,
      ...(usage && {
        usage: {
          prompt_tokens: usage.promptTokens,
          completion_tokens: usage.completionTokens,
          total_tokens: usage.promptTokens + usage.completionTokens,
        },
      }),
    }),
  );
}
if (answers.length > 0) await Bun.write(Bun.stdout, `${answers.join('\n')}\n`);

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { $unparsable: text };
  }
}
