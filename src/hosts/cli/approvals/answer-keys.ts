import { KeyParser } from '../editor/keys.ts';
import type { LineEditor } from '../editor/line-editor.ts';
import { PASTES_OFF, PASTES_ON } from '../editor/terminal-modes.ts';
import { type AnswerLineOptions, openAnswerLine } from './answer-line.ts';

/** What becomes of the keys of a question. */
export interface AnswerKeysOptions {
  /** Ctrl-C, wherever it stands. */
  readonly interrupt: () => void;
  /** One key that came alone. */
  readonly press: (text: string) => void;
}

/**
 * The keys of a question, until it is over. An answer is one key that comes alone: a paste is none, and what stands in one read with others
 * may be
 * part of one, be it that the terminal marks no pastes, or that the text that was pasted has the end mark in it. Marks and reports of the
 * terminal
 * that are no keys count as others: what stands behind the end mark of a paste or a report of the mouse was not pressed as an answer.
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

  /** True while a line below the question is typed. */
  get wantsText(): boolean {
    return this.#editor !== null;
  }

  /** No key is an answer any more. */
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

  /**
   * Only a terminal that is told to marks a paste, and one letter that is pasted is a key alone elsewhere: so before the question is shown.
   */
  markPastes(): void {
    this.#setPastes(true);
  }

  /** Reads a line below the question; null when it was given up. */
  async readLine(prompt: string, text = ''): Promise<string | null> {
    // It asks for marks itself, and takes that back at its end.
    this.#marksPastes = false;
    const { editor, read } = openAnswerLine(prompt, this.#line, text);
    this.#editor = editor;
    const answered = await read;
    this.#editor = null;
    return answered;
  }

  /** The question is answered. */
  end(): void {
    this.#isOver = true;
  }

  /** The question goes, answered or not. */
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

/** A key as a terminal sends it that tells all keys apart. */
const CODED_KEY = /^\x1b\[\d+(?:[:;]\d*)*u$/;

/** Whether the read has nothing but the key that types this. */
function isAlone(text: string, bytes: Uint8Array): boolean {
  const read = Buffer.from(bytes).toString();
  return read === text || CODED_KEY.test(read);
}
