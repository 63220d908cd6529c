import { HistorySearch, type HistorySource } from '../../../core/editor/history-search.ts';
import { KeyParser } from '../../../core/editor/keys.ts';
import { PASTES_OFF, PASTES_ON } from '../../../core/editor/terminal-modes.ts';
import { LineWalk } from '../../../core/prompt/history-index.ts';
import type { Theme } from '../../../core/terminal/theme.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import { LineEditor } from '../editor/line-editor.ts';
import type { QuestionText } from '../screen/choices.ts';

/** A receiver of keys. */
export interface KeyTaker {
  feed(bytes: Uint8Array): void;
}

/** An approval prompt: it takes one key for its answer, and text while it reads a line. */
export interface ApprovalKeyTaker extends KeyTaker {
  readonly wantsText: boolean;
  /** It draws nothing, so the line stays on the screen. */
  readonly isBlank?: boolean;
}

/** Dependencies of an input line below a prompt. */
interface AnswerLineDeps {
  /** Writes to the terminal as it is. */
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  /** Output only appends; nothing is redrawn. */
  readonly isPlain?: boolean;
  /** The terminal understands no escape sequences. */
  readonly isDumb?: boolean;
}

/** Dependencies of a prompt that keys answer. */
export interface KeyPromptDeps extends AnswerLineDeps {
  /** Prints lines that stay. */
  print(text: string): void;
}

/** A key in the encoding of the kitty keyboard protocol. */
const CODED_KEY = /^\x1b\[\d+(?:[:;]\d*)*u$/;

/**
 * A prompt that keys answer. Only a key that arrives alone is an answer: next to other input, even a report of the terminal, it may be
 * part of a paste, because some terminals mark no pastes and pasted text may contain the end mark.
 */
export abstract class KeyPrompt<Key extends string, Deps extends KeyPromptDeps> implements ApprovalKeyTaker {
  protected readonly deps: Deps;
  /** Capital letters are other keys than small ones. */
  protected readonly isExact: boolean = false;
  readonly #parser = new KeyParser();
  #offered: readonly Key[] = [];
  #editor: LineEditor | null = null;
  #isOver = false;
  #marksPastes = false;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** One of the offered keys came alone. */
  protected abstract press(key: Key): void;

  /** Ctrl-C, at any position of the input. */
  protected abstract interrupt(): void;

  /** True while the user types a line below the prompt. */
  get wantsText(): boolean {
    return this.#editor !== null;
  }

  /** True once the prompt is answered or closed. */
  protected get isOver(): boolean {
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
    if (keys.some((key) => key.type === 'key' && key.key === 'ctrl-c')) this.interrupt();
    else if (first?.type === 'text' && keys.length === 1 && isAlone(first.text, bytes)) {
      const text = this.isExact ? first.text : first.text.toLowerCase();
      const key = this.#offered.find((offered) => offered === text);
      if (key !== undefined) this.press(key);
    }
  }

  /** Closes the prompt, answered or not. */
  close(): void {
    this.#isOver = true;
    this.#editor?.close();
    this.#setPastes(false);
  }

  /** Prints the prompt with the keys that answer it. Bracketed paste is on by then: without it, one pasted letter looks like a key. */
  protected offer({ lines, keys }: QuestionText<Key>): void {
    this.#offered = keys;
    this.#setPastes(true);
    this.say(lines);
  }

  protected say(lines: readonly string[]): void {
    if (lines.length > 0) this.deps.print(`${lines.join('\n')}\n`);
  }

  /** Reads a line below the prompt; null if the user cancels it. */
  protected async readLine(prompt: string, text = ''): Promise<string | null> {
    // The line editor turns bracketed paste on and off by itself.
    this.#marksPastes = false;
    const { editor, read } = openAnswerLine(prompt, this.deps, text);
    this.#editor = editor;
    const answered = await read;
    this.#editor = null;
    return answered;
  }

  /** The prompt is answered, as the screen says. */
  protected end(shown: string): void {
    this.#isOver = true;
    this.say([`  ${shown}`]);
  }

  #setPastes(isOn: boolean): void {
    if (this.deps.isDumb === true || isOn === this.#marksPastes) return;
    this.#marksPastes = isOn;
    this.deps.write(isOn ? PASTES_ON : PASTES_OFF);
  }
}

/** Whether the input is only the key that types this text. */
function isAlone(text: string, bytes: Uint8Array): boolean {
  const read = Buffer.from(bytes).toString();
  return read === text || CODED_KEY.test(read);
}

/** An answer is no line of history. */
const NO_HISTORY: HistorySource = {
  suggest: () => '',
  walk: () => new LineWalk([], ''),
  search: (text) => new HistorySearch({ lines: [], here: new Set(), now: 0 }, text),
};

/** Opens an input line below a prompt. `read` settles with null if the user cancels the line. */
export function openAnswerLine(
  prompt: string,
  { isPlain, isDumb, ...deps }: AnswerLineDeps,
  text = '',
): { readonly editor: LineEditor; readonly read: Promise<string | null> } {
  const editor = new LineEditor({
    write: (output) => deps.write(output),
    size: () => deps.size(),
    theme: deps.theme,
    prompt: () => prompt,
    history: NO_HISTORY,
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
