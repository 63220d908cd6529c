/** One chunk of a streamed answer. */
export type Delta = Readonly<Record<string, unknown>>;

/** The call that every answer with a call makes. */
export const CALL = { name: 'aish__read_file', arguments: '{"path":"note.txt"}' } as const;

/** An event of a stream. */
export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** An event with one part of an answer, or with its end. */
export function part(delta: Delta, finish: string | null = null): string {
  return event({ choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** A stream of these events. */
export function stream(events: readonly string[], type = 'text/event-stream'): Response {
  return new Response(events.join(''), { headers: { 'content-type': type } });
}

/** A stream that stays open, or breaks, behind these events. */
export function openStream(events: readonly string[], ending: 'hang' | 'cut'): Response {
  const left = [...events];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = left.shift();
      if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
      else if (ending === 'hang') await new Promise<void>(() => {});
      else {
        await new Promise((resolve) => setImmediate(resolve));
        controller.error(new Error('cut as scripted'));
      }
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** A whole answer of these parts. */
export function answer(deltas: readonly Delta[], finish = 'stop'): Response {
  return stream([
    part({ role: 'assistant', content: '' }),
    ...deltas.map((delta) => part(delta)),
    part({}, finish),
    event('[DONE]'),
  ]);
}

/** The text of an answer in two pieces. */
export function say(text: string, finish = 'stop'): Response {
  const half = Math.ceil(text.length / 2);
  return answer([{ content: text.slice(0, half) }, { content: text.slice(half) }], finish);
}

/** The part of an answer with the usual call. */
export function callPart(call: Readonly<Record<string, unknown>> = CALL): Delta {
  return { tool_calls: [{ index: 0, id: 'call_0001', type: 'function', function: call }] };
}

/** An error as most servers write it. */
export function refuse(status: number, message: string, more: Readonly<Record<string, unknown>> = {}): Response {
  return Response.json({ error: { message, type: 'invalid_request_error', code: null, ...more } }, { status });
}

/** A refusal of FastAPI. */
export function refuseField(loc: readonly (string | number)[], msg: string, type = 'extra_forbidden'): Response {
  return Response.json({ detail: [{ type, loc: ['body', ...loc], msg, input: null }] }, { status: 422 });
}
