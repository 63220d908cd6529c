/* A request of a session: put together from its log, redacted, and noted in it. */

import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { PromptFrame } from '../../core/context/messages.ts';
import { type ProjectionOptions, toMessages } from '../../core/context/request-messages.ts';
import { toWireName } from '../../core/model/tool-name.ts';
import type { LiveStream } from '../../core/secrets/live-stream.ts';
import { type Cover, redactMessage, redactTool } from '../../core/secrets/redact-event.ts';
import { currentModel, type SessionState } from '../../core/session/state.ts';
import type { DurableEvent, Recorded, SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { RecalledFact } from '../../protocol/memory.ts';
import type { CompletionDelta, Message, ModelRequest, OfferedTool, RequestPrefix } from '../../protocol/model.ts';
import type { Tool } from '../../protocol/tool.ts';
import type { SecretStore } from '../secrets/secret-store.ts';

/** Inputs of a request besides the session. */
export interface ComposeDeps {
  readonly frame: PromptFrame;
  readonly notes: { readonly text: string | null };
  readonly memory: { readonly facts: readonly RecalledFact[] };
  readonly resultBudget: (model: string | null) => number;
  readonly again: ProjectionOptions['again'];
}

/** The part of a request that comes from tools and their servers. */
export interface Offer {
  readonly tools: readonly Tool[];
  /** The instructions of MCP servers. */
  readonly servers?: { readonly text: string } | null;
}

/** The shape of requests to an endpoint. */
export function shapeFor(state: SessionState, endpoint: ModelEndpoint, deps: ComposeDeps) {
  const { facts } = deps.memory;
  return {
    images: endpoint.images === true,
    outputBudget: Math.ceil(deps.resultBudget(currentModel(state)) / 4),
    ...(facts.length === 0 ? {} : { memory: facts }),
  };
}

/** The request of a session to an endpoint, before redaction. */
export function composeRequest(
  state: SessionState,
  endpoint: ModelEndpoint,
  { tools, servers = null }: Offer,
  deps: ComposeDeps,
): ModelRequest {
  const { text } = deps.notes;
  const frame = { ...deps.frame, ...omitUndefined({ notes: text ?? undefined, servers: servers?.text }) };
  return {
    messages: toMessages(state, { frame, again: deps.again, wireName: toWireName, ...shapeFor(state, endpoint, deps) }),
    tools: [...byWireName(tools)].map(([name, tool]) => toOffered(name, tool)),
  };
}

/** Tools by wire name. Built-in tools come first, and the first tool of a name wins. */
export function byWireName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const named = new Map<string, Tool>();
  for (const tool of tools) {
    const name = toWireName(tool.name);
    if (!named.has(name)) named.set(name, tool);
  }
  return named;
}

function toOffered(name: string, tool: Tool): OfferedTool {
  return { name, description: tool.description, parameters: tool.parameters };
}

/** Redacts the texts of a request. A text of the request before is not searched again: a session of a thousand calls has thousands of them. */
class Remembered {
  readonly fresh = new Map<string, string>();
  readonly redact: (text: string) => string;

  constructor(before: ReadonlyMap<string, string> | null, redact: (text: string) => string) {
    this.redact = (text) => {
      const covered = before?.get(text) ?? redact(text);
      this.fresh.set(text, covered);
      return covered;
    };
  }
}

/** Redacts each request of a session. Texts of the request before are cached until a new secret is known. */
export class RequestCover {
  readonly #secretStore: Pick<SecretStore, 'cover' | 'edition'>;
  /** Redacted texts of the request before, and the secrets known then. */
  #texts: ReadonlyMap<string, string> = new Map();
  #edition: object | null = null;
  /** The messages of the request before. */
  #before: readonly Message[] = [];
  /** Redacted messages by the plain ones. */
  #messages = new WeakMap<Message, Message>();
  /** Redacted tools by their parameters, which stay the same. */
  #tools = new WeakMap<object, { readonly name: string; readonly described: string; readonly covered: OfferedTool }>();

  constructor(secretStore: Pick<SecretStore, 'cover' | 'edition'>) {
    this.#secretStore = secretStore;
  }

  /** The redacted request. Tools with parameters of `plain` hold no secrets. */
  cover({ messages, tools }: ModelRequest, plain: ReadonlySet<object> = new Set()): ModelRequest {
    const { cover, edition } = this.#secretStore;
    const isKnown = edition === this.#edition;
    if (!isKnown) {
      this.#tools = new WeakMap();
      this.#messages = new WeakMap();
    }
    const texts = new Remembered(isKnown ? this.#texts : null, cover.text);
    const { known } = cover;
    // The first ones are composed anew for each request: where they came out the same, nothing is made of them again.
    this.#before = messages.map((message, at) => sameAs(this.#before[at], message));
    const covered = this.#before.map((message) => this.#coverMessage(message, { text: texts.redact, known }));
    const offered = tools.map((tool) => (plain.has(tool.parameters) ? tool : this.#coverTool(tool, cover)));
    this.#texts = texts.fresh;
    this.#edition = edition;
    return { messages: covered, tools: offered };
  }

  #coverMessage(message: Message, cover: Cover): Message {
    const covered = this.#messages.get(message) ?? redactMessage(message, cover);
    this.#messages.set(message, covered);
    return covered;
  }

  #coverTool(tool: OfferedTool, cover: Cover): OfferedTool {
    const known = this.#tools.get(tool.parameters);
    if (known?.name === tool.name && known.described === tool.description) return known.covered;
    const covered = redactTool(tool, cover);
    this.#tools.set(tool.parameters, { name: tool.name, described: tool.description, covered });
    return covered;
  }
}

/** The message before, if it says the same. */
function sameAs(before: Message | undefined, message: Message): Message {
  if (before === undefined || before === message || before.role !== message.role) return message;
  const isPlain = message.role === 'system' || (message.role === 'user' && message.images === undefined);
  const isSame = isPlain && before.content === message.content && !('images' in before);
  return isSame ? before : message;
}

/** Logs the data needed to rebuild each request, without a copy of it. */
export class RequestLog {
  /** The last logged prefix, as text; a stored session may have one. */
  #frame: string | null;
  /** The facts in the last request of a stored session. */
  readonly memory: readonly RecalledFact[];

  constructor(recorded: readonly Recorded[]) {
    const last = recorded.findLast(({ event }) => event.type === 'request.prefixed')?.event;
    const prefix = last?.type === 'request.prefixed' ? last.prefix : null;
    this.#frame = prefix === null ? null : JSON.stringify(prefix);
    this.memory = prefix?.memory ?? [];
  }

  /** The events of a request with this body. */
  factsOf(body: string, frame: RequestPrefix): readonly DurableEvent[] {
    const sha256 = new Bun.CryptoHasher('sha256').update(body).digest('hex');
    const sent: DurableEvent = { type: 'request.sent', bytes: Buffer.byteLength(body), sha256 };
    const text = JSON.stringify(frame);
    if (text === this.#frame) return [sent];
    this.#frame = text;
    return [{ type: 'request.prefixed', prefix: frame }, sent];
  }
}

/** Held text that may be shown after a pause waits this long. */
const PAUSE_MS = 40;

type Words = 'text' | 'reasoning';

/** Redacts a streamed answer, also secrets that two pieces share. */
export class CoveredDeltas {
  readonly #open: () => LiveStream;
  readonly #tell: (event: SessionEvent) => void;
  /** The current stream: text or reasoning. */
  #stream: { readonly type: Words; readonly cover: LiveStream } | null = null;
  #pause: ReturnType<typeof setTimeout> | null = null;

  constructor(open: () => LiveStream, tell: (event: SessionEvent) => void) {
    this.#open = open;
    this.#tell = tell;
  }

  /** Takes the next piece. */
  take(delta: CompletionDelta): void {
    if (delta.type === 'tool-call') {
      this.end();
      this.#tell({ type: 'tool-call.delta', name: delta.name });
      return;
    }
    if (this.#stream?.type !== delta.type) this.end();
    this.#stream ??= { type: delta.type, cover: this.#open() };
    const { cover } = this.#stream;
    this.#say(delta.type, cover.push(delta.text));
    this.#stopWaiting();
    if (cover.waits) this.#pause = setTimeout(() => this.#say(delta.type, cover.pause()), PAUSE_MS);
  }

  /** Emits held text that might have been the start of a secret. */
  end(): void {
    this.#stopWaiting();
    const stream = this.#stream;
    this.#stream = null;
    if (stream !== null) this.#say(stream.type, stream.cover.end());
  }

  #stopWaiting(): void {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
  }

  #say(type: Words, text: string): void {
    if (text !== '') this.#tell({ type: `${type}.delta`, text });
  }
}
