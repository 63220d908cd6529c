import { takesMarks } from '../../adapters/shell/outer-marks.ts';
import { escapeForDisplay } from '../../core/sanitize.ts';
import type { LiveSession } from '../../engine/engine.ts';
import { AtWork } from './at-work.ts';
import type { LineEditor, ReadResult } from './editor/line-editor.ts';
import { createEditorAtPrompt, type EditorAtPromptParts, isWholeLine } from './editor-at-prompt.ts';
import { LineQueue } from './line-queue.ts';
import { LiveRegion } from './live-region.ts';
import { formatMark } from './prompt-line.ts';
import { wrapText } from './screen/fold.ts';
import { styled } from './screen/theme.ts';

/** What the line at the prompt works with. */
export interface LineAtPromptParts extends Omit<EditorAtPromptParts, 'isAtWork' | 'keyAtWork' | 'promptEnd' | 'live'> {
  readonly live: () => LiveSession | null;
  /** Whether there is a turn that could be stopped after its step. */
  readonly canSteer: () => boolean;
  readonly stopAfterStep: () => void;
  readonly halt: () => void;
}

const PROMPT_BEGINS = '\x1b]133;A\x07';
const PROMPT_ENDS = '\x1b]133;B\x07';
const ANSWER_BEGINS = '\x1b]133;C\x07';
const ANSWER_ENDS = '\x1b]133;D\x07';

/** The line at the prompt, wherever it comes from: the editor, or the queue of lines that were entered while somebody worked. */
export class LineAtPrompt {
  readonly editor: LineEditor;
  readonly live: LiveRegion;
  readonly work: AtWork;
  readonly #parts: LineAtPromptParts;
  readonly #queue = new LineQueue();
  readonly #marks: boolean;
  /** What can be done with lines that wait was said. */
  #areKeysTold = false;

  constructor(parts: LineAtPromptParts) {
    this.#parts = parts;
    this.#marks = takesMarks(parts.setup.env);
    this.editor = createEditorAtPrompt({
      ...parts,
      prompt: () => this.#mark(PROMPT_BEGINS) + parts.prompt(),
      promptEnd: () => this.#mark(PROMPT_ENDS),
      isAtWork: () => this.work.isOn,
      keyAtWork: (key) => this.work.takeKey(key),
    });
    this.live = new LiveRegion(this.editor);
    this.work = new AtWork({
      editor: this.editor,
      queue: this.#queue,
      onQueue: () => this.#showQueue(),
      isComplete: (text) => isWholeLine(text, parts.router),
      canSteer: parts.canSteer,
      stopAfterStep: parts.stopAfterStep,
      halt: parts.halt,
      refuse: (why) => this.#refuse(why),
    });
  }

  /** The next line: of the queue, where one waits, as if it had been entered now; else the one that is typed. */
  read(): Promise<ReadResult> {
    const { history, cwd, live } = this.#parts;
    const told = live()?.sharedShell.shell?.report.history ?? null;
    if (told !== null) history.follow(told);
    history.refresh(cwd());
    const text = this.#queue.takeFirst();
    if (text === null) return this.#readTyped();
    if (!this.#parts.appearance.isPlain) this.#showQueue();
    this.live.print(`${this.#formatEntered(text)}\n`);
    return Promise.resolve({ type: 'line', text });
  }

  /** The line stays on the screen while this is done; terminals are told where its output begins and ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const { tty } = this.#parts;
    if (this.#marks && !this.editor.isVisible) tty.write(ANSWER_BEGINS);
    try {
      return await this.work.during(work);
    } finally {
      if (this.#marks) tty.write(ANSWER_ENDS);
    }
  }

  #showQueue(): void {
    const { appearance, theme, tty } = this.#parts;
    if (appearance.isPlain) this.#tellQueue();
    else this.live.setWaiting(this.#queue.rows(theme, { columns: tty.size().columns }));
  }

  /** Where nothing is drawn over, what waits is told each time the person changes it, and once what can be done with it. */
  #tellQueue(): void {
    if (this.#queue.isEmpty) return;
    const { theme, tty } = this.#parts;
    const rows = this.#queue.rows(theme, { columns: tty.size().columns, withKeys: !this.#areKeysTold });
    this.#areKeysTold = true;
    this.live.print(`${rows.join('\n')}\n`);
  }

  #refuse(why: string): void {
    const { theme, tty } = this.#parts;
    const rows = wrapText(why, tty.size().columns).split('\n');
    this.live.print(`${rows.map((row) => styled(theme, 'warning', row)).join('\n')}\n`);
  }

  #readTyped(): Promise<ReadResult> {
    const { isVisible } = this.editor;
    const reading = this.editor.read();
    // It may have been on the screen while somebody worked.
    if (isVisible) this.editor.redraw();
    return reading;
  }

  /** Only of a prompt that waits: one that stands under work moves on with each line above it. */
  #mark(mark: string): string {
    return this.#marks && this.editor.isReading ? mark : '';
  }

  #formatEntered(text: string): string {
    const { prompt, router, theme } = this.#parts;
    const line = escapeForDisplay(text, { multiline: true }).replaceAll('\n', '\n> ');
    return `${prompt()}${formatMark(router.route(text), theme)}${line}`;
  }
}
