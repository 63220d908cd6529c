import { takesMarks } from '../../../adapters/shell/outer-marks.ts';
import type { ReadResult } from '../../../core/editor/line-editor-options.ts';
import { type Style, styled } from '../../../core/terminal/theme.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { LineEditor } from '../editor/line-editor.ts';
import { formatMark, formatQueuedLines } from '../screen/prompt-line.ts';
import { createEditorAtPrompt, type EditorAtPromptDeps, KeyMode } from './editor-at-prompt.ts';
import { formatRefused, formatReturned, PASTE_KEPT } from './messages.ts';
import { type HostEffect, PromptDriver, type PromptDriverDeps } from './prompt-driver.ts';

interface LineAtPromptDeps
  extends Omit<EditorAtPromptDeps, 'driver' | 'promptEnd'>,
    Pick<PromptDriverDeps, 'program' | 'foreground' | 'session'> {
  /** Carries out what the machine decides about more than the line. */
  readonly carryOut: (effect: HostEffect) => void;
}

const PROMPT_BEGINS = '\x1b]133;A\x07';
const PROMPT_ENDS = '\x1b]133;B\x07';
const ANSWER_BEGINS = '\x1b]133;C\x07';
const ANSWER_ENDS = '\x1b]133;D\x07';

/** The line at the prompt, wherever it comes from: the editor, or the queue of lines that were entered while work was running. */
export class LineAtPrompt {
  readonly editor: LineEditor;
  readonly driver: PromptDriver;
  readonly #deps: LineAtPromptDeps;
  readonly #marks: boolean;
  readonly #keyMode: KeyMode;
  /** Rows over the line that still change: what the view shows of work that goes on, and under it the lines that wait for its end. */
  #work: readonly string[] = [];
  #waiting: readonly string[] = [];
  /** The hint about the keys for queued lines was shown. */
  #areKeysTold = false;

  constructor(deps: LineAtPromptDeps) {
    this.#deps = deps;
    this.#marks = takesMarks(deps.setup.env);
    this.editor = createEditorAtPrompt({
      ...deps,
      prompt: () => this.#mark(PROMPT_BEGINS) + deps.prompt(),
      promptEnd: () => this.#mark(PROMPT_ENDS),
      driver: () => this.driver,
    });
    this.#keyMode = new KeyMode(this.editor, deps);
    this.driver = new PromptDriver({
      ...deps,
      line: this.editor,
      now: () => performance.now(),
      isWhole: (text) => deps.lines.isWhole(text),
      aboutNow: (text) => deps.lines.understand(text).aboutNow,
      carryOut: (effect) => this.#carryOut(effect),
    });
  }

  /** Prints lines that stay, in one frame with the view's rows where these change too. */
  readonly print = (text: string, work = this.#work): void => {
    this.#work = work;
    this.editor.printAbove(text, [...work, ...this.#waiting]);
  };

  /** Shows the view's rows. */
  readonly setWork = (work: readonly string[]): void => {
    this.#work = work;
    this.editor.setLive([...work, ...this.#waiting]);
  };

  /** Lines that never run if the prompt ends now: queued lines, returned lines, and the typed text. */
  get unsent(): readonly string[] {
    const { queue, ahead, returned } = this.driver.state;
    const { text } = this.editor;
    const isTyped = text.trim() !== '' && !returned.lines.includes(text);
    return [...queue.lines, ...ahead.lines, ...returned.lines, ...(isTyped ? [text] : [])];
  }

  /** The next line: of the queue, where one waits, as if it had been entered now; else the one that is typed. */
  read(): Promise<ReadResult> {
    const { history, cwd, shell } = this.#deps;
    const told = shell()?.report.history ?? null;
    if (told !== null) history.follow(told);
    history.refresh(cwd());
    this.driver.send({ type: 'directory-shown', cwd: cwd() });
    void this.#keyMode.update();
    const next = this.driver.nextLine();
    if (next === null) return this.#readTyped();
    return next.isAhead ? this.#readAhead(next.text) : Promise.resolve(this.#showEntered(next.text));
  }

  /** The startup files of the shell have run, or a line of it: the prompt and the keys may be others. */
  shellReady(): void {
    this.editor.redraw();
    void this.#keyMode.update();
  }

  /** Keys of the startup files that aish does not take over: their names, and what they do there. */
  leftKeys(): ReturnType<KeyMode['left']> {
    return this.#keyMode.left();
  }

  /** A line that was typed ahead, with the lines that continue it. If it is no command beyond doubt, it waits in the editor. */
  async #readAhead(first: string): Promise<ReadResult> {
    const { lines } = this.#deps;
    for (let text = first; ; ) {
      const entered = await lines.enter(text, () => Promise.resolve(true));
      if (entered.type === 'run' && entered.route.type === 'command') return this.#showEntered(text);
      const isOpen = entered.type === 'put back' && entered.because === 'goes on';
      const next = isOpen ? this.driver.nextLine() : null;
      if (next === null) {
        this.driver.send({ type: 'line-returned', line: text });
        this.driver.send({ type: 'command-stopped' });
        return this.#readTyped();
      }
      text += `\n${next.text}`;
    }
  }

  #showEntered(text: string): ReadResult {
    this.showEntered(text);
    return { type: 'line', text };
  }

  /** Shows a line as it looks once it was entered. */
  showEntered(text: string): void {
    this.print(`${this.#formatEntered(text)}\n`);
  }

  /** The line stays on the screen during this work; terminals learn the beginning and the end of its output. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const { tty } = this.#deps;
    if (this.#marks && !this.editor.isVisible) tty.write(ANSWER_BEGINS);
    try {
      return await this.driver.during(work);
    } finally {
      if (this.#marks) tty.write(ANSWER_ENDS);
    }
  }

  #carryOut(effect: HostEffect): void {
    switch (effect.type) {
      case 'draw-queue':
        this.#showQueue();
        return;
      case 'bring-returned':
        if (effect.count > 1) this.#say('dim', formatReturned(effect.count));
        return;
      case 'tell-paste':
        this.#say('dim', PASTE_KEPT);
        return;
      case 'refuse-line':
        this.#say('warning', formatRefused(effect.command));
        return;
      default:
        this.#deps.carryOut(effect);
    }
  }

  /** The terminal has another size, and the view's rows are these for it. */
  resized(work: readonly string[]): void {
    const { appearance, theme, tty } = this.#deps;
    this.#work = work;
    this.#waiting = appearance.isPlain ? [] : formatQueuedLines(this.driver.state.queue, theme, tty.size());
    this.editor.resized([...work, ...this.#waiting]);
  }

  #showQueue(): void {
    const { appearance, theme, tty } = this.#deps;
    const { queue } = this.driver.state;
    if (!appearance.isPlain) {
      this.#waiting = formatQueuedLines(queue, theme, tty.size());
      this.setWork(this.#work);
    } else if (queue.lines.length > 0 && this.driver.state.isWorking) this.#printQueue();
  }

  /** If nothing can be drawn over, the queue is printed each time the user changes it, and the hint about its keys once. */
  #printQueue(): void {
    const { theme, tty } = this.#deps;
    const { columns } = tty.size();
    const rows = formatQueuedLines(this.driver.state.queue, theme, { columns, withKeys: !this.#areKeysTold });
    this.#areKeysTold = true;
    this.print(`${rows.join('\n')}\n`);
  }

  #say(style: Style, text: string): void {
    const { theme, tty } = this.#deps;
    const rows = wrapText(text, tty.size().columns).split('\n');
    this.print(`${rows.map((row) => styled(theme, style, row)).join('\n')}\n`);
  }

  #readTyped(): Promise<ReadResult> {
    const { isVisible } = this.editor;
    const reading = this.editor.read();
    // It may have been on the screen while work was running.
    if (isVisible) this.editor.redraw();
    return reading;
  }

  /** Only of a prompt that waits: one that stands under work moves on with each line above it. */
  #mark(mark: string): string {
    return this.#marks && this.editor.isReading ? mark : '';
  }

  #formatEntered(text: string): string {
    const { prompt, lines, theme } = this.#deps;
    const line = escapeForDisplay(text, { multiline: true }).replaceAll('\n', '\n> ');
    return `${prompt()}${formatMark(lines.understand(text).shown, theme)}${line}`;
  }
}
