import { readFileSync } from 'node:fs';
import { findFaults, type WireBody } from './request-check.ts';

/** A request the server got. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WireBody;
  /** The body as it was sent. */
  readonly text: string;
  /** Resolves when the client leaves before its answer ended. */
  readonly left: Promise<void>;
}

/** The server's reply to one request. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Written one by one. */
  readonly chunks: readonly Uint8Array[];
  /** Not a byte, not even the status, before this. */
  readonly after?: Promise<void>;
  /** The chunks to wait at: before the chunk of that number. */
  readonly holds?: ReadonlyMap<number, Promise<void>>;
  /** `end` closes the body as it should be, `cut` breaks the connection, `hang` keeps it open. */
  readonly ending: 'end' | 'cut' | 'hang';
}

/** The longest wait for a request. */
const REQUEST_MS = 25_000;

/** One entry of a script: a reply, or a function that makes it from the request. */
export type Answer = Reply | ((request: SeenRequest) => Reply | Promise<Reply>);

/** A call in a scripted answer; `id` is made where absent. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly id?: string;
}

export interface ModelServerOptions {
  /** Played in order, one answer to each request. */
  readonly script?: readonly Answer[];
  /** The list of `/v1/models`. */
  readonly models?: readonly string[];
  /** The bearer key that is required everywhere but at `/health`. */
  readonly key?: string;
  /** Tokens it can hold: a longer request is refused as llama.cpp refuses it, and `/props` tells of it where `silent` is false. */
  readonly window?: { readonly tokens: number; readonly silent?: boolean };
  /** The port to listen on; a free one if absent. */
  readonly port?: number;
  /** Answers invalid requests too; for tests that send broken ones on purpose. */
  readonly lenient?: boolean;
}

const encoder = new TextEncoder();

/** A model on loopback that plays a script and refuses every request a strict server would refuse. */
export class ModelServer {
  readonly requests: SeenRequest[] = [];
  /** The number of requests for the list of models. */
  listings = 0;
  /** Why requests were refused; a good test ends with none. */
  readonly failures: string[] = [];
  readonly #script: Answer[];
  readonly #options: ModelServerOptions;
  readonly #server: Bun.Server<undefined>;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#script = [...(options.script ?? [])];
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: options.port ?? 0,
      idleTimeout: 0,
      development: false,
      error: () => new Response(null, { status: 500 }),
      fetch: (request) => this.#answer(request),
    });
  }

  /** For `base_url`. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/v1`;
  }

  /** Adds answers behind those not played yet. */
  play(...answers: readonly Answer[]): void {
    this.#script.push(...answers);
  }

  /** Resolves when so many chat requests have come. */
  async requested(count: number): Promise<SeenRequest> {
    if (this.requests.length < count) {
      const come = new Promise<true>((resolve) => this.#waiting.push({ count, resolve: () => resolve(true) }));
      if (!(await Promise.race([come, Bun.sleep(REQUEST_MS)]))) {
        throw new Error(
          `request ${count} did not come within ${REQUEST_MS / 1000} s; there were ${this.requests.length}`,
        );
      }
    }
    const request = this.requests[count - 1];
    if (request === undefined) throw new Error(`there is no request ${count}`);
    return request;
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/health') return Response.json({ status: 'ok' });
    const { key, models = ['scripted'] } = this.#options;
    if (key !== undefined && request.headers.get('authorization') !== `Bearer ${key}`) {
      return errorResponse(401, 'Invalid API Key', 'authentication_error');
    }
    if (pathname === '/v1/models') {
      this.listings += 1;
      return Response.json({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) });
    }
    if (pathname === '/props' && this.#options.window?.silent === false)
      return Response.json({ default_generation_settings: { n_ctx: this.#options.window.tokens } });
    if (pathname !== '/v1/chat/completions' || request.method !== 'POST')
      return errorResponse(404, 'File Not Found', 'not_found_error');
    return this.#chat(request, pathname);
  }

  async #chat(request: Request, path: string): Promise<Response> {
    const text = await request.text();
    const left = Promise.withResolvers<void>();
    request.signal.addEventListener('abort', () => left.resolve(), { once: true });
    const seen = {
      path,
      headers: Object.fromEntries(request.headers),
      body: parseBody(text),
      text,
      left: left.promise,
    };
    this.requests.push(seen);
    for (const waiting of this.#waiting) if (waiting.count <= this.requests.length) waiting.resolve();
    const faults = this.#options.lenient ? [] : findFaults(seen.body);
    if (faults.length > 0) return this.#refuse(faults.join('; '));
    const { window } = this.#options;
    if (window !== undefined && countTokens(seen.body) > window.tokens)
      return tooLong(countTokens(seen.body), window.tokens);
    const answer = this.#script.shift();
    if (answer === undefined) return this.#refuse(`the script has no answer to request ${this.requests.length}`);
    return toResponse(typeof answer === 'function' ? await answer(seen) : answer, left.resolve);
  }

  #refuse(why: string): Response {
    this.failures.push(why);
    return errorResponse(400, why, 'invalid_request_error');
  }
}

/** Starts a scripted model on a free port of loopback. */
export function startModelServer(options: ModelServerOptions = {}): ModelServer {
  return new ModelServer(options);
}

/** Tokens of a request, as this server counts them: four characters each. */
export function countTokens({ messages, tools = [] }: WireBody): number {
  return Math.ceil(JSON.stringify([messages, tools]).length / 4);
}

function tooLong(prompt: number, window: number): Response {
  const message = `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`;
  const sizes = { n_prompt_tokens: prompt, n_ctx: window };
  return Response.json({ error: { code: 400, message, type: 'exceed_context_size_error', ...sizes } }, { status: 400 });
}

/** An answer of text, streamed word by word. */
export function text(content: string, options: { readonly reasoning?: string; readonly finish?: string } = {}): Reply {
  const deltas = [
    { role: 'assistant', content: null },
    ...words(options.reasoning ?? '').map((piece) => ({ reasoning_content: piece })),
    ...words(content).map((piece) => ({ content: piece })),
  ];
  return stream(toEvents(deltas, options.finish ?? 'stop'));
}

/** An answer of text that streams in just these pieces. */
export function streamed(pieces: readonly string[]): Reply {
  const deltas = [{ role: 'assistant', content: null }, ...pieces.map((piece) => ({ content: piece }))];
  return stream(toEvents(deltas, 'stop'));
}

/** An answer of tool calls, with their arguments in fragments. */
export function calls(...list: readonly ScriptedCall[]): Reply {
  return textAndCalls('', ...list);
}

/** Text first, then tool calls. */
export function textAndCalls(content: string, ...list: readonly ScriptedCall[]): Reply {
  const deltas: object[] = [
    { role: 'assistant', content: null },
    ...words(content).map((piece) => ({ content: piece })),
  ];
  list.forEach((call, index) => {
    const raw = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const id = call.id ?? `call${String(index).padStart(5, '0')}`;
    deltas.push({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] });
    for (let at = 0; at < raw.length; at += 7) {
      deltas.push({ tool_calls: [{ index, function: { arguments: raw.slice(at, at + 7) } }] });
    }
  });
  return stream(toEvents(deltas, 'tool_calls'));
}

/** A status with a body: an object is sent as JSON, text as it is. */
export function status(code: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}): Reply {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  const bytes = encoder.encode(typeof body === 'string' ? body : JSON.stringify(body));
  return { status: code, headers: { 'content-type': type, ...headers }, chunks: [bytes], ending: 'end' };
}

/** The bytes of a recorded stream, whole or cut after the given lengths. */
export function recorded(file: string, lengths: readonly number[] = []): Reply {
  const bytes = new Uint8Array(readFileSync(file));
  const chunks: Uint8Array[] = [];
  let from = 0;
  for (const length of [...lengths, bytes.length]) {
    if (from < bytes.length) chunks.push(bytes.subarray(from, from + length));
    from += length;
  }
  return stream(chunks);
}

/** A stream of raw pieces, which is ended, cut or left hanging behind the last one. */
export function stream(chunks: readonly (string | Uint8Array)[], ending: Reply['ending'] = 'end'): Reply {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk));
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, chunks: bytes, ending };
}

/**
 * The first `count` pieces of a reply, after which the connection breaks or hangs. A client may lose what it has not read when
 * the connection breaks: where that matters, hold the break (`held(broken(reply, n), gate, n)`) until the pieces were seen.
 */
export function broken(reply: Reply, count: number, ending: 'cut' | 'hang' = 'cut'): Reply {
  return { ...reply, chunks: reply.chunks.slice(0, count), ending };
}

/** A reply that waits for `gate`: before its first byte, or before the piece of the given number. */
export function held(reply: Reply, gate: Promise<void>, before?: number): Reply {
  if (before === undefined) return { ...reply, after: gate };
  return { ...reply, holds: new Map([...(reply.holds ?? []), [before, gate]]) };
}

function toResponse(reply: Reply, left: () => void): Response | Promise<Response> {
  const headers = { ...reply.headers };
  const response = (): Response => new Response(toBody(reply, left), { status: reply.status, headers });
  return reply.after === undefined ? response() : reply.after.then(response);
}

function toBody(reply: Reply, left: () => void): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      await reply.holds?.get(next);
      const chunk = reply.chunks[next];
      next += 1;
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (reply.ending === 'end') controller.close();
      else if (reply.ending === 'cut') await cut(controller);
      else await new Promise<void>(() => {});
    },
    cancel: left,
  });
}

/** Breaks the connection, once what was written before is on its way. */
async function cut(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  controller.error(new Error('cut as scripted'));
}

function toEvents(deltas: readonly object[], finish: string): string[] {
  const head = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
  const event = (rest: object): string => `data: ${JSON.stringify({ ...head, ...rest })}\n\n`;
  return [
    ...deltas.map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] })),
    event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
    event({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: deltas.length, total_tokens: 10 + deltas.length },
    }),
    'data: [DONE]\n\n',
  ];
}

function words(content: string): string[] {
  return content.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];
}

function parseBody(text: string): WireBody {
  try {
    return JSON.parse(text);
  } catch {
    return { messages: [] };
  }
}

function errorResponse(code: number, message: string, type: string): Response {
  return Response.json({ error: { code, message, type } }, { status: code });
}

/** The results of tools that the last request holds. */
export function resultTexts(server: ModelServer): unknown[] {
  const messages = server.requests.at(-1)?.body.messages ?? [];
  return messages.filter((message) => message.role === 'tool').map((message) => message.content);
}
