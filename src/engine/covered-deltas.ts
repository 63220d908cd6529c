import type { SecretStream } from '../core/secrets/matcher.ts';
import type { SessionEvent } from '../protocol/event.ts';
import type { CompletionDelta } from '../protocol/model.ts';

/** The pieces of an answer as they may be told: a secret that is cut in two by them is still one. */
export class CoveredDeltas {
  readonly #open: () => SecretStream;
  readonly #tell: (event: SessionEvent) => void;
  /** What streams now; words and thoughts follow each other. */
  #stream: { readonly type: 'text' | 'reasoning'; readonly cover: SecretStream } | null = null;

  constructor(open: () => SecretStream, tell: (event: SessionEvent) => void) {
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
    this.#say(delta.type, this.#stream.cover.push(delta.text));
  }

  /** Tells what was held back because it might have been the beginning of a secret. */
  end(): void {
    const stream = this.#stream;
    this.#stream = null;
    if (stream !== null) this.#say(stream.type, stream.cover.end());
  }

  #say(type: 'text' | 'reasoning', text: string): void {
    if (text !== '') this.#tell({ type: `${type}.delta`, text });
  }
}
