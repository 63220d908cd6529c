import type { KeyMode } from './keys.ts';
import type { LineEditorOptions } from './line-editor-options.ts';

type TerminalModesOptions = Pick<LineEditorOptions, 'marksPastes' | 'distinguishesKeys' | 'undoChanged'>;

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
  /** The mode that the shape of the cursor shows; null where the cursor stays as it is. */
  readonly #mode: () => KeyMode | null;
  #isOn = false;
  #hasKeys = false;
  #shape = '';

  constructor(options: TerminalModesOptions, mode: () => KeyMode | null) {
    this.#options = options;
    this.#mode = mode;
  }

  /** The bytes that turn the modes on. */
  enter(): string {
    this.#isOn = true;
    return (this.#marksPastes ? PASTES_ON : '') + this.update();
  }

  /** The bytes for a change: the terminal has reported its capabilities, or the mode of letters has changed. */
  update(): string {
    if (!this.#isOn) return '';
    let output = '';
    if (!this.#hasKeys && this.#options.distinguishesKeys?.() === true) {
      this.#hasKeys = true;
      output += KEYS_ON;
    }
    const mode = this.#marksPastes ? this.#mode() : null;
    const shape = mode === null ? '' : SHAPES[mode];
    if (shape !== this.#shape) output += shape;
    this.#shape = shape;
    if (output !== '') this.#options.undoChanged?.(this.#undo());
    return output;
  }

  /** The bytes that turn the modes off. */
  leave(): string {
    if (!this.#isOn) return '';
    const output = (this.#marksPastes ? PASTES_OFF : '') + this.#undo();
    this.#isOn = false;
    this.#hasKeys = false;
    this.#shape = '';
    this.#options.undoChanged?.('');
    return output;
  }

  get #marksPastes(): boolean {
    return this.#options.marksPastes !== false;
  }

  #undo(): string {
    return (this.#hasKeys ? KEYS_OFF : '') + (this.#shape === '' ? '' : SHAPE_OFF);
  }
}
