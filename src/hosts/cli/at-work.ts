import type { LineEditor } from './editor/line-editor.ts';
import type { LineQueue } from './line-queue.ts';

/*
 * The line while somebody works.
 *
 * A turn of the model, or a meta-command that takes its time, leaves the prompt on the screen below what it shows. What is typed there is
 * never lost and never runs in between:
 *
 *   Enter               the line waits in a queue, and runs when the work has ended as if it had been entered then
 *   Up, Alt-Up          take the last waiting line back (Up only into an empty line)
 *   Ctrl-S, Ctrl-Enter  steer: what runs now, one answer or one call, comes to its end, nothing begins after it, and the line goes next;
 *                       on an empty line all that waits goes
 *   Ctrl-C              stops the turn; the queue comes back into the line and nothing of it runs
 *   Ctrl-\, :halt       stop all that the model does, in the same way; neither waits
 *   :undo, :redo        are refused while a turn runs: it may just be making what they would take
 *
 * Ctrl-S reaches us from every terminal because raw mode takes flow control off; Ctrl-Enter only where the terminal reports it. While a
 * program in the foreground or a question has the keys, the line is hidden and kept.
 */

/** The keys above; help tells of them. */
export const WORK_KEYS: readonly string[] = ['enter', 'up', 'alt-up', 'ctrl-s', 'ctrl-enter', 'ctrl-\\'];

/** What the line works with while somebody works. */
export interface AtWorkParts {
  readonly editor: Pick<LineEditor, 'text' | 'take' | 'replace' | 'show' | 'hide' | 'redraw'> &
    Partial<Pick<LineEditor, 'isReading'>>;
  readonly queue: LineQueue;
  /** The queue is to be drawn. */
  readonly onQueue: () => void;
  /** False where Enter should begin another line. */
  readonly isComplete: (text: string) => boolean;
  /** Whether there is a turn that could be stopped after its step. */
  readonly canSteer: () => boolean;
  readonly stopAfterStep: () => void;
  /** Stops everything. */
  readonly halt: () => void;
  /** Says why a line cannot wait; it stays where it was typed. */
  readonly refuse: (why: string) => void;
}

/** Lines that mean what is there now, and would mean something else once the turn has ended. */
const ABOUT_NOW = /^\s*:(undo|redo)(?:\s|$)/;

/** The prompt while the model or a meta-command works. */
export class AtWork {
  readonly #parts: AtWorkParts;
  #isOn = false;
  #isSteering = false;
  #isRefusing = false;

  constructor(parts: AtWorkParts) {
    this.#parts = parts;
  }

  /** Whether what is entered now waits. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** The line is on the screen while this is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#isOn = true;
    this.#isSteering = false;
    this.#parts.editor.show();
    this.#parts.editor.redraw();
    try {
      return await work();
    } finally {
      this.#isOn = false;
    }
  }

  /** A program or a question gets the screen. */
  pause(): void {
    this.#parts.editor.hide();
  }

  /** The screen is the line's again. */
  resume(): void {
    // Nobody works here where another seat has begun what needed the screen: the line that was being typed comes back.
    if (this.#isOn || this.#parts.editor.isReading === true) this.#parts.editor.show();
  }

  /** Takes a key for what is said above; false for all others. */
  readonly takeKey = (key: string): boolean => {
    if (!this.#isOn || this.#isRefusing) return false;
    switch (key) {
      case 'enter':
        return this.#enter();
      case 'ctrl-s':
      case 'ctrl-enter':
        return this.#steer();
      case 'up':
        return this.#parts.editor.text === '' && this.#takeBack();
      case 'alt-up':
        return this.#takeBack();
      default:
        return false;
    }
  };

  /** What a program left of its input is looked at first: no Enter in it enters a line. */
  withoutEntering(feed: () => void): void {
    this.#isRefusing = true;
    try {
      feed();
    } finally {
      this.#isRefusing = false;
    }
  }

  /** The work was broken off, by whoever's doing: unless that was to steer, what waits comes back into the line. */
  brokenOff(): void {
    if (!this.#isSteering) this.giveBack();
  }

  /** Puts a line that did not run back, before what is typed already. */
  putBack(line: string): void {
    this.#toLine([line]);
  }

  /** The person stopped what was going on, so nothing that waits may run. */
  giveBack(): void {
    const { editor, queue } = this.#parts;
    this.#isSteering = false;
    if (queue.isEmpty) return;
    this.#toLine(queue.takeAll());
    editor.redraw();
  }

  #enter(): boolean {
    const { editor, queue, isComplete } = this.#parts;
    const { text } = editor;
    if (text.trim() === '') return true;
    if (text.trim() === ':halt') {
      editor.take();
      this.#parts.halt();
      return true;
    }
    const [, name] = ABOUT_NOW.exec(text) ?? [];
    if (name !== undefined && this.#parts.canSteer()) {
      this.#parts.refuse(
        `:${name} cannot wait while the model works: it would mean another step then; Ctrl-C stops the model`,
      );
      return true;
    }
    if (!isComplete(text)) return false;
    queue.add(editor.take());
    this.#parts.onQueue();
    return true;
  }

  #steer(): boolean {
    const { editor, queue, isComplete, canSteer, stopAfterStep } = this.#parts;
    const { text } = editor;
    if (!canSteer()) return this.#enter();
    if (text.trim() === '') queue.urge();
    else if (!isComplete(text)) return false;
    else queue.addUrgent(editor.take());
    this.#parts.onQueue();
    if (queue.isEmpty) return true;
    this.#isSteering = true;
    stopAfterStep();
    return true;
  }

  #takeBack(): boolean {
    const line = this.#parts.queue.takeLast();
    if (line === null) return false;
    this.#toLine([line]);
    return true;
  }

  /** Before what is typed already. */
  #toLine(lines: readonly string[]): void {
    const { editor } = this.#parts;
    const typed = editor.text;
    editor.replace([...lines, ...(typed === '' ? [] : [typed])].join('\n'));
    this.#parts.onQueue();
  }
}
