import type { KeyMode } from './keys.ts';

interface TerminalModesOptions {
  /** The terminal can mark pastes. */
  readonly marksPastes: boolean;
  /** The terminal can distinguish keys that look alike otherwise (the kitty keyboard protocol). */
  readonly distinguishesKeys: () => boolean;
  /** The mode that the shape of the cursor shows; null where the cursor stays as it is. */
  readonly cursorMode: () => KeyMode | null;
  /** Called with the bytes that turn the modes off, whenever they change. */
  readonly undoChanged: (sequence: string) => void;
}

/** Pasted text comes between marks. */
export const PASTES_ON = '\x1b[?2004h';
/** Pasted text comes like typed text. */
export const PASTES_OFF = '\x1b[?2004l';
/** The terminal distinguishes keys that look alike, and reports their letter on a Latin keyboard. */
const KEYS_ON = '\x1b[>5u';
const KEYS_OFF = '\x1b[<u';
const SHAPE_OFF = '\x1b[0 q';
const SHAPES: Readonly<Record<KeyMode, string>> = {
  insert: '\x1b[6 q',
  normal: '\x1b[2 q',
  visual: '\x1b[2 q',
  replace: '\x1b[4 q',
};

/** The terminal modes of the editor, on only while it is on the screen. */
export class TerminalModes {
  readonly #options: TerminalModesOptions;
  #isOn = false;
  #hasKeys = false;
  #shape = '';

  constructor(options: TerminalModesOptions) {
    this.#options = options;
  }

  /** The bytes that turn the modes on. */
  enter(): string {
    this.#isOn = true;
    return (this.#options.marksPastes ? PASTES_ON : '') + this.update();
  }

  /** The bytes for a change: the terminal has reported its capabilities, or the mode of letters has changed. */
  update(): string {
    if (!this.#isOn) return '';
    let output = '';
    if (!this.#hasKeys && this.#options.distinguishesKeys()) {
      this.#hasKeys = true;
      output += KEYS_ON;
    }
    const mode = this.#options.cursorMode();
    const shape = mode === null ? '' : SHAPES[mode];
    if (shape !== this.#shape) output += shape;
    this.#shape = shape;
    if (output !== '') this.#options.undoChanged(this.#undo());
    return output;
  }

  /** The bytes that turn the modes off. */
  leave(): string {
    if (!this.#isOn) return '';
    const output = (this.#options.marksPastes ? PASTES_OFF : '') + this.#undo();
    this.#isOn = false;
    this.#hasKeys = false;
    this.#shape = '';
    this.#options.undoChanged('');
    return output;
  }

  #undo(): string {
    return (this.#hasKeys ? KEYS_OFF : '') + (this.#shape === '' ? '' : SHAPE_OFF);
  }
}
