import { toEndpoint } from '../../adapters/model/models.ts';
import { bodyOf } from '../../adapters/model/request-completion.ts';
import { rememberMessages, toMessages } from '../../core/context/request-messages.ts';
import { toWireName } from '../../core/model/tool-name.ts';
import { type Cover, redactArguments, redactMessage, redactTool } from '../../core/secrets/redact-event.ts';
import { evolve, fold } from '../../core/session/evolve.ts';
import type { SessionState } from '../../core/session/state.ts';
import type { Recorded } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { Message, ModelRequest, RequestPrefix } from '../../protocol/model.ts';

/** One request of a turn, rebuilt from the log. */
export interface SentRequest {
  /** Number of its `request.sent` event. */
  readonly seq: number;
  readonly at: number;
  readonly frame: RequestPrefix;
  readonly body: string;
  readonly messages: readonly Message[];
  /** The body has the SHA-256 of the sent bytes. */
  readonly isExact: boolean;
  /** Length and SHA-256 of the sent bytes. */
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The sent requests of a turn, in order. The projection that made the bytes makes them again from the log, and a SHA-256 compares them.
 * They differ after a release that projects otherwise, and if a secret became known since: `cover` redacts it here as well. They come one
 * at a time, because the bodies of a turn of a thousand calls are hundreds of megabytes.
 */
export async function* rebuildRequests(
  recorded: readonly Recorded[],
  turn: number,
  cover: Cover,
): AsyncGenerator<SentRequest, void, void> {
  const begin = recorded.findIndex(({ event }) => event.type === 'turn.started' && event.turn === turn);
  if (begin === -1) return;
  let state = fold(recorded.slice(0, begin).map(({ event }) => event));
  let frame = frameBefore(recorded, begin);
  const again = new Rebuilt(cover);
  for (const { seq, at, event } of recorded.slice(begin)) {
    if (event.type === 'turn.started' && event.turn !== turn) break;
    state = evolve(state, event);
    if (event.type === 'request.prefixed') frame = event.prefix;
    if (event.type !== 'request.sent' || frame === null) continue;
    const { bytes, sha256 } = event;
    yield { seq, at, frame, bytes, sha256, ...(await rebuild(state, frame, sha256, again)) };
  }
}

/** The messages of earlier requests of a turn: each request has those of the one before. */
class Rebuilt {
  readonly project = rememberMessages();
  readonly redact: (message: Message) => Message;
  readonly redactTools: (tools: ModelRequest['tools']) => ModelRequest['tools'];

  constructor(plain: Cover) {
    const args = once(plain, (text: string) => redactArguments(text, plain));
    const cover = { ...plain, text: once(plain, plain.text), args };
    this.redact = once(plain, (message) => redactMessage(message, cover));
    this.redactTools = once(plain, (tools) => tools.map((tool) => redactTool(tool, cover)));
  }
}

/** Redacts nothing twice, until more secrets are known. */
function once<T>({ edition }: Cover, redact: (one: T) => T): (one: T) => T {
  const known = new Map<T, T>();
  let secrets = edition?.();
  return (one) => {
    const now = edition?.();
    if (now !== secrets) known.clear();
    secrets = now;
    const found = known.get(one);
    if (found !== undefined) return found;
    const covered = redact(one);
    known.set(one, covered);
    return covered;
  };
}

function frameBefore(recorded: readonly Recorded[], begin: number): RequestPrefix | null {
  for (let at = begin - 1; at >= 0; at -= 1) {
    const event = recorded[at]?.event;
    if (event?.type === 'request.prefixed') return event.prefix;
  }
  return null;
}

async function rebuild(
  state: SessionState,
  frame: RequestPrefix,
  sha256: string,
  again: Rebuilt,
): Promise<Pick<SentRequest, 'body' | 'isExact' | 'messages'>> {
  const messages = messagesOf(state, frame, again).map(again.redact);
  const request = { messages, tools: again.redactTools(frame.tools) };
  const { endpoint, host, model, profile, provider, reasoningEffort } = frame;
  const sent = toEndpoint(endpoint, { base_url: `https://${host}` }, null);
  const body = await bodyOf({ ...sent, model, ...omitUndefined({ profile, provider, reasoningEffort }) }, request);
  return { body, messages, isExact: new Bun.CryptoHasher('sha256').update(body).digest('hex') === sha256 };
}

function messagesOf(state: SessionState, frame: RequestPrefix, { project: again }: Rebuilt): readonly Message[] {
  const { outputBudget, images, memory, system, cwd = '' } = frame;
  // The prefix holds the system message, so its other inputs do not matter.
  const place = { os: '', shell: '', cwd };
  const [, ...messages] = toMessages(state, {
    frame: place,
    wireName: toWireName,
    outputBudget,
    images,
    memory,
    again,
  });
  return [{ role: 'system', content: system }, ...messages];
}
