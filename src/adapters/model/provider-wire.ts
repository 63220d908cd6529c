import type { LanguageModelV3, LanguageModelV3StreamPart, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { ANSWER_LIMIT } from '../../core/model/completion-assembler.ts';
import type { AnswerFault } from '../../core/model/server-fault.ts';
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import type { Wire, WireConnection } from './connection.ts';
import { RESPONSE_BARREN } from './messages.ts';
import type { ModelEndpoint } from './models.ts';
import { ProviderAnswer, type StreamForm, toStreamFault } from './provider-answer.ts';
import { type PromptTarget, toPrompt, toPromptTools } from './provider-prompt.ts';
import { Pace, readFault } from './response.ts';

/** The fetch that aish gives to a provider package. */
export type ProviderFetch = typeof fetch;

/** One provider package. */
export interface ProviderForm extends StreamForm {
  /** The package's model over aish's own fetch. It never sees the key. */
  readonly open: (modelId: string, baseURL: string, fetch: ProviderFetch) => Promise<LanguageModelV3>;
  readonly options: (endpoint: ModelEndpoint, request: ModelRequest) => SharedV3ProviderOptions;
  readonly cacheMark?: SharedV3ProviderOptions;
  readonly maxOutputTokens?: number;
}

/** Most bytes in a row that add nothing to an answer. */
const BARREN_LIMIT = 2 * ANSWER_LIMIT;

/** The wire of a provider package: aish projects the conversation, sends the bytes and reads errors; the package knows the form. */
export function createProviderWire(form: ProviderForm): Wire {
  return {
    async answer(request, connection) {
      const { endpoint } = connection;
      const model = endpoint.model ?? '';
      const answer = new ProviderAnswer(form, model);
      const traffic = new Traffic(connection);
      try {
        const opened = await form.open(model, endpoint.baseUrl, traffic.fetch);
        const { stream } = await opened.doStream({
          prompt: toPrompt(request.messages, targetOf(form, model)),
          ...(request.tools.length === 0 ? {} : { tools: toPromptTools(request.tools) }),
          providerOptions: form.options(endpoint, request),
          includeRawChunks: true,
          ...omitUndefined({ maxOutputTokens: form.maxOutputTokens }),
        });
        await readParts(stream, answer, traffic, connection);
      } catch (thrown) {
        if (traffic.error !== null) throw traffic.error;
        answer.fail(traffic.fault ?? toStreamFault(thrown));
      }
      if (traffic.error !== null) throw traffic.error;
      return traffic.fault === null ? answer.end() : { ...answer.end(), finish: null, fault: traffic.fault };
    },
  };
}

function targetOf({ provider, cacheMark }: ProviderForm, model: string): PromptTarget {
  return { provider, model, ...omitUndefined({ cacheMark }) };
}

async function readParts(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  answer: ProviderAnswer,
  traffic: Traffic,
  { onDelta, onGrowth }: WireConnection,
): Promise<void> {
  const pace = new Pace(onDelta);
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const before = answer.size;
      await pace.hand(answer.accept(next.value));
      if (answer.size > before) {
        traffic.grew();
        onGrowth();
      }
      if (answer.hasFailed) return;
    }
  } finally {
    // The connection ends the response; how the package takes that does not matter.
    reader.cancel().catch(() => {});
  }
}

/** The headers of a package that belong to its wire. The connection adds the key, and every other header. */
function ownHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('anthropic-')));
}

/** The requests of one answer: its fetch, and the failures that a package must not put into words of its own. */
class Traffic {
  /** The connection failed. */
  error: unknown = null;
  /** The server refused the request, or sent no stream. */
  fault: AnswerFault | null = null;
  readonly #connection: WireConnection;
  #barren = 0;

  constructor(connection: WireConnection) {
    this.#connection = connection;
  }

  grew(): void {
    this.#barren = 0;
  }

  readonly fetch: ProviderFetch = Object.assign(
    async (url: Parameters<ProviderFetch>[0], init?: Parameters<ProviderFetch>[1]): Promise<Response> => {
      const body = typeof init?.body === 'string' ? init.body : '';
      try {
        const {
          status,
          headers,
          body: bytes,
        } = await this.#connection.open({
          url: String(url),
          body,
          headers: ownHeaders(new Headers(init?.headers)),
        });
        const isStream = status === 200 && !/json|html/.test(headers.get('content-type') ?? '');
        if (isStream)
          return new Response(this.#toStream(bytes), { status, headers: { 'content-type': 'text/event-stream' } });
        this.fault = await readFault({ status, headers, body: bytes });
      } catch (thrown) {
        this.error = thrown;
        throw thrown;
      }
      throw new AishError('model.refused', this.fault.message);
    },
    { preconnect: () => {} },
  );

  #toStream(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
    const reading = bytes[Symbol.asyncIterator]();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const next = await reading.next();
            if (next.done === true) return controller.close();
            this.#barren += next.value.length;
            if (this.#barren > BARREN_LIMIT) throw this.#tooLarge();
            controller.enqueue(next.value);
          } catch (thrown) {
            if (this.fault === null) this.error = thrown;
            controller.error(thrown);
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  #tooLarge(): AishError {
    this.fault = { kind: 'too_large', message: RESPONSE_BARREN };
    return new AishError('model.too-large', RESPONSE_BARREN);
  }
}
