import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import type { CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import type { ModelEndpoint } from './models.ts';

/** One HTTP request as a wire writes it. Key and common headers are added by the connection. */
export interface WireRequest {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A report of a server beside its answer. */
export type ServerSign =
  /** The request waits for its turn. */
  | { readonly type: 'queued' }
  /** The share of the prompt that is read, from 0 to 100. */
  | { readonly type: 'reading'; readonly percent: number }
  /** Only llama.cpp sends such timings. */
  | { readonly type: 'llama.cpp' };

/** A response as `fetch` gives it. The body ends early if the connection breaks. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The connection that every wire uses for one request. Limits of silence, redirects, proxies, keys and aborts are handled here, so no wire
 * handles them.
 */
export interface WireConnection {
  readonly endpoint: ModelEndpoint;
  /** Sends the request. The caller's signal ends it, and so does silence. */
  readonly open: (request: WireRequest) => Promise<WireResponse>;
  /** Passes a part of the answer on. */
  readonly onDelta: (delta: CompletionDelta) => void;
  /** The answer has grown. Tool calls grow without a delta. */
  readonly onGrowth: () => void;
  /** Passes on what the server says beside its answer. */
  readonly onSign: (sign: ServerSign) => void;
  /** The connection broke, so the end of the body is not the end of the response. */
  readonly isBroken: () => boolean;
}

/** A language of model servers: it writes a request, and reads the response, in its own form. */
export interface Wire {
  /** Sends one request and reads its answer. A fault of the answer is returned; only errors of the connection are thrown. */
  answer(request: ModelRequest, connection: WireConnection): Promise<AnswerReading>;
}
