import type { TerminalSize } from '../../../protocol/query.ts';
import { HistoryIndex } from '../editor/history-index.ts';
import { KeyParser } from '../editor/keys.ts';
import { LineEditor } from '../editor/line-editor.ts';
import { PASTES_OFF, PASTES_ON } from '../editor/terminal-modes.ts';
import type { Theme } from '../screen/theme.ts';

interface AnswerKeysOptions {
  /** Ctrl-C, at any position of the input. */
  readonly interrupt: () => void;
  /** One key that came alone. */
  readonly press: (text: string) => void;
}

/**
 * Reads the keys of a prompt. Only a key that arrives alone is an answer: next to other input, even a report of the terminal, it may be
 * part of a paste, because some terminals mark no pastes and pasted text may contain the end mark.
 */
export class AnswerKeys {
  readonly #line: AnswerLineOptions;
  readonly #options: AnswerKeysOptions;
  readonly #parser = new KeyParser();
  #editor: LineEditor | null = null;
  #isOver = false;
  #marksPastes = false;

  constructor(line: AnswerLineOptions, options: AnswerKeysOptions) {
    this.#line = line;
    this.#options = options;
  }

  /** True while the user types a line below the prompt. */
  get wantsText(): boolean {
    return this.#editor !== null;
  }

  /** True once the prompt is answered or closed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  feed(bytes: Uint8Array): void {
    if (this.#editor !== null) {
      this.#editor.feed(bytes);
      return;
    }
    if (this.#isOver) return;
    const keys = this.#parser.push(bytes);
    const [first] = keys;
    if (keys.some((key) => key.type === 'key' && key.key === 'ctrl-c')) this.#options.interrupt();
    else if (first?.type === 'text' && keys.length === 1 && isAlone(first.text, bytes)) this.#options.press(first.text);
  }

  /** Turns on bracketed paste; call it before the prompt appears. Without it, one pasted letter looks like a key. */
  markPastes(): void {
    this.#setPastes(true);
  }

  /** Reads a line below the prompt; null if the user cancels it. */
  async readLine(prompt: string, text = ''): Promise<string | null> {
    // The line editor turns bracketed paste on and off by itself.
    this.#marksPastes = false;
    const { editor, read } = openAnswerLine(prompt, this.#line, text);
    this.#editor = editor;
    const answered = await read;
    this.#editor = null;
    return answered;
  }

  /** The prompt is answered. */
  end(): void {
    this.#isOver = true;
  }

  /** Closes the prompt, answered or not. */
  close(): void {
    this.#isOver = true;
    this.#editor?.close();
    this.#setPastes(false);
  }

  #setPastes(isOn: boolean): void {
    if (this.#line.isDumb === true || isOn === this.#marksPastes) return;
    this.#marksPastes = isOn;
    this.#line.write(isOn ? PASTES_ON : PASTES_OFF);
  }
}

/** A key in the encoding of the kitty keyboard protocol. */
const CODED_KEY = /^\x1b\[\d+(?:[:;]\d*)*u$/;

/** Whether the input is only the key that types this text. */
function isAlone(text: string, bytes: Uint8Array): boolean {
  const read = Buffer.from(bytes).toString();
  return read === text || CODED_KEY.test(read);
}

/** Dependencies of an input line below a prompt. */
export interface AnswerLineOptions {
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  readonly isPlain?: boolean;
  readonly isDumb?: boolean;
}

/** Opens an input line below a prompt. `read` settles with null if the user cancels the line. */
export function openAnswerLine(
  prompt: string,
  options: AnswerLineOptions,
  text = '',
): { readonly editor: LineEditor; readonly read: Promise<string | null> } {
  const { write, size, theme, isPlain, isDumb } = options;
  const editor = new LineEditor({
    write,
    size,
    theme,
    prompt: () => prompt,
    history: new HistoryIndex(),
    complete: () => [],
    routeMark: () => '',
    isComplete: () => true,
    painter: isPlain === true ? 'plain' : 'full',
    marksPastes: isDumb !== true,
  });
  const reading = editor.read();
  if (text !== '') editor.insert(text);
  return { editor, read: reading.then((read) => (read.type === 'line' ? read.text : null)) };
}
