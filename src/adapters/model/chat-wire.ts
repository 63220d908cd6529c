import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import { opensReasoning, splitThoughts, ThinkSplitter, toChatOrigin } from '../../core/model/reasoning.ts';
import type { CompletionDelta } from '../../protocol/model.ts';
import { toResourceUrl } from './models.ts';
import { readResponse } from './response.ts';
import type { Wire } from './wire.ts';
import { toWireBody, toWireText } from './wire-body.ts';

/** Chat completions: the wire of every local server and of most hosted ones. */
export const chatWire: Wire = {
  async answer(request, { endpoint, open, onDelta, onGrowth, onSign, isBroken }) {
    const body = toWireText(toWireBody(endpoint, request));
    const response = await open({ url: toResourceUrl(endpoint.baseUrl, 'chat/completions'), body });
    const model = endpoint.model ?? '';
    const isOpen = opensReasoning(request.messages, model);
    const thoughts = new LiveThoughts(isOpen, onDelta);
    const reading = await readResponse(response, (delta) => thoughts.take(delta), { onGrowth, onSign, isBroken });
    thoughts.end();
    return splitReading(reading, model, isOpen);
  },
};

/** Splits reasoning in tags from the pieces of an answer while they come. */
class LiveThoughts {
  readonly #splitter: ThinkSplitter;
  readonly #onDelta: (delta: CompletionDelta) => void;

  constructor(isOpen: boolean, onDelta: (delta: CompletionDelta) => void) {
    this.#splitter = new ThinkSplitter({ isOpen });
    this.#onDelta = onDelta;
  }

  take(delta: CompletionDelta): void {
    if (delta.type === 'reasoning') this.#splitter.setApart();
    if (delta.type === 'text') this.#pass(this.#splitter.push(delta.text));
    else this.#onDelta(delta);
  }

  end(): void {
    this.#pass(this.#splitter.end());
  }

  #pass(pieces: ReturnType<ThinkSplitter['push']>): void {
    for (const piece of pieces) if (piece.type !== 'retract') this.#onDelta(piece);
  }
}

/** The complete answer with its reasoning apart, and the place where the reasoning stood. */
function splitReading(reading: AnswerReading, model: string, isOpen: boolean): AnswerReading {
  const { reasoningSource, ...answer } = reading;
  const split = splitThoughts(answer.text, { isOpen, isApart: answer.reasoning !== '' });
  const whole = { ...answer, text: split.text, reasoning: answer.reasoning + split.reasoning };
  const tagged = split.tags === null ? null : { field: 'content' as const, tags: split.tags };
  const place = reasoningSource ?? tagged;
  return place === null ? whole : { ...whole, origin: toChatOrigin(whole, place, model) };
}
