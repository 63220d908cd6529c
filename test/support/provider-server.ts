import type { JsonObject } from '../../src/protocol/json.ts';

/** An answer to play, the same for every provider. */
export interface AnswerPlan {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly finish?: 'length' | 'filter';
  /** Tokens that came out of the provider's cache. */
  readonly cached?: number;
  /** The stream ends in its middle: with the provider's error event, with a broken connection, or at once. */
  readonly breaks?: 'error' | 'cut' | 'end';
  /** Events that the server's release has and the client does not know, behind the first one. */
  readonly newEvents?: readonly string[];
}

/** A refusal, or a failure of the server. */
export interface ErrorPlan {
  readonly status: number;
  /** The provider's own name for it. */
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body as it is sent, such as a page of a proxy. */
export interface RawPlan {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Plan = AnswerPlan | ErrorPlan | RawPlan;

/** The signatures that a server gave out: a provider refuses reasoning that it did not sign. */
export class Signatures {
  readonly #signed = new Map<string, string>();

  sign(text: string): string {
    const signature = Buffer.from(`signed-${this.#signed.size}-${text.length}`).toString('base64');
    this.#signed.set(signature, text);
    return signature;
  }

  /** The signed text; undefined for a foreign signature. */
  textOf(signature: unknown): string | undefined {
    return typeof signature === 'string' ? this.#signed.get(signature) : undefined;
  }
}

/** The form of one provider, as its documentation describes it. */
export interface ProviderShape {
  readonly provider: 'anthropic' | 'openai' | 'azure' | 'google';
  /** The path of `base_url`. */
  readonly basePath: string;
  readonly model: string;
  readonly isPath: (path: string) => boolean;
  readonly keyOf: (headers: Headers) => string | null;
  /** All that the provider would refuse about a request. */
  readonly faults: (body: JsonObject, headers: Headers, signatures: Signatures) => readonly string[];
  /** The events of an answer, each with its end. */
  readonly events: (plan: AnswerPlan, signatures: Signatures) => readonly string[];
  readonly errorEvent: string;
  readonly errorBody: (plan: ErrorPlan) => unknown;
  /** The answer to `models`. */
  readonly models: unknown;
}

/** A request that came. */
export interface SeenBody {
  readonly body: JsonObject;
  readonly headers: Headers;
}

/** The key that the servers want. */
export const PROVIDER_KEY = 'key-of-a-test-1234';

/** A provider on loopback that plays plans and refuses every request that the real one would refuse. */
export class ProviderServer {
  readonly requests: SeenBody[] = [];
  /** Why requests were refused; a good test ends with none. */
  readonly failures: string[] = [];
  readonly #shape: ProviderShape;
  readonly #script: Plan[];
  readonly #signatures = new Signatures();
  readonly #server: Bun.Server<undefined>;

  constructor(shape: ProviderShape, script: readonly Plan[]) {
    this.#shape = shape;
    this.#script = [...script];
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      development: false,
      fetch: (request) => this.#answer(request),
    });
  }

  /** For `base_url`. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.port}${this.#shape.basePath}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (this.#shape.keyOf(request.headers) !== PROVIDER_KEY)
      return this.#refuse({ status: 401, type: 'authentication_error', message: 'invalid x-api-key' });
    if (request.method === 'GET') return Response.json(this.#shape.models);
    if (!this.#shape.isPath(pathname))
      return this.#refuse({ status: 404, type: 'not_found_error', message: `no ${pathname}` });
    const body: JsonObject = JSON.parse(await request.text());
    this.requests.push({ body, headers: request.headers });
    const faults = this.#shape.faults(body, request.headers, this.#signatures);
    this.failures.push(...faults);
    if (faults.length > 0)
      return this.#refuse({ status: 400, type: 'invalid_request_error', message: faults.join('; ') });
    const plan = this.#script.shift();
    if (plan === undefined) {
      this.failures.push(`no answer for request ${this.requests.length}`);
      return this.#refuse({ status: 500, type: 'api_error', message: 'the script is over' });
    }
    return this.#play(plan);
  }

  #play(plan: Plan): Response {
    if ('contentType' in plan) {
      const headers = { 'content-type': plan.contentType, ...plan.headers };
      return new Response(plan.body, { status: plan.status, headers });
    }
    if ('status' in plan) return this.#refuse(plan);
    const [first = '', ...rest] = this.#shape.events(plan, this.#signatures);
    const events = [first, ...(plan.newEvents ?? []), ...rest];
    const shown = plan.breaks === undefined ? events : events.slice(0, Math.ceil(events.length / 2));
    return new Response(toStream(plan.breaks === 'error' ? [...shown, this.#shape.errorEvent] : shown, plan), {
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    });
  }

  #refuse(plan: ErrorPlan): Response {
    return Response.json(this.#shape.errorBody(plan), {
      status: plan.status,
      headers: { ...plan.headers },
    });
  }
}

function toStream(events: readonly string[], { breaks }: AnswerPlan): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      const event = events[next];
      next += 1;
      if (event !== undefined) return controller.enqueue(new TextEncoder().encode(event));
      if (breaks !== 'cut') return controller.close();
      await new Promise((resolve) => setImmediate(resolve));
      controller.error(new Error('cut as scripted'));
    },
  });
}

/** One event with its name, as most providers send them. */
export function sse(data: JsonObject & { readonly type?: string }): string {
  const name = data.type === undefined ? '' : `event: ${data.type}\n`;
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

/** A text in pieces, as it streams. */
export function pieces(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];
}

/** Keys of an object that the provider does not know. */
export function unknownKeys(where: string, value: unknown, known: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return [`${where}: not an object`];
  return Object.keys(value).flatMap((key) =>
    known.includes(key) ? [] : [`${where}.${key}: Extra inputs are not permitted`],
  );
}

/** The items of a list of JSON objects; nothing for anything else. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}
