import type { SessionEvent } from '../../../protocol/event.ts';
import type { Stage } from './live-answer.ts';
import type { View } from './view.ts';

/** The view at a prompt: it loads behind the first prompt, which is painted before any event. */
export class LateView {
  readonly #stage: Omit<Stage, 'codePainter'>;
  #view: View | null = null;
  #loading: Promise<void> | null = null;

  constructor(stage: Omit<Stage, 'codePainter'>) {
    this.#stage = stage;
  }

  /** Settles when events can be shown at once. No line runs before that: its events would come after its end. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    const [{ View }, { createCodePainter }] = await Promise.all([
      import('./view.ts'),
      import('../../../core/markdown/markdown-code.ts'),
    ]);
    this.#view = new View({ ...this.#stage, codePainter: createCodePainter(this.#stage.theme) });
  }

  /** As of the view. */
  async prepare(event: SessionEvent): Promise<void> {
    if (this.#view === null) await this.load();
    await this.#view?.prepare(event);
  }

  show(event: SessionEvent, at: number): void {
    this.#view?.show(event, at);
  }

  resized(): readonly string[] {
    return this.#view?.resized() ?? [];
  }
}
