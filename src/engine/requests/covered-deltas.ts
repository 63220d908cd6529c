import type { LiveStream } from '../../core/secrets/live-stream.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { CompletionDelta } from '../../protocol/model.ts';

/** What may be told when nothing follows it is not waited with for longer. */
const PAUSE_MS = 40;

type Words = 'text' | 'reasoning';

/** The pieces of an answer as they may be told: a secret that is cut in two by them is still one. */
export class CoveredDeltas {
  readonly #open: () => LiveStream;
  readonly #tell: (event: SessionEvent) => void;
  /** What streams now; words and thoughts follow each other. */
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

  /** Tells what was held back because it might have been the beginning of a secret. */
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
