import { toGraphemes } from '../editor/graphemes.ts';

/** Who pauses so long has seen that a command has the screen. */
const PAUSE_MS = 400;
/** Who types a letter so soon after it began has perhaps not seen it yet, and is not told off. */
const SOON_MS = 1000;

/**
 * What is typed at a seat while a command has the screen whose keys are not the seat's. What was being typed as the command began was meant for
 * the line, Enter and all, and stands there afterwards; it never runs by itself. After a pause letters are kept too, until a key shows that
 * the program was meant.
 */
export class TypedAhead {
  #begunAt = Number.NEGATIVE_INFINITY;
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  #forLine = '';
  #later = '';

  /** A command has the screen from now on, in milliseconds of which only differences count. */
  begin(now: number): void {
    this.#begunAt = now;
    this.#lastKeyAt = now;
  }

  /** Takes keys; true where whoever types has not seen the command yet. */
  take(bytes: Uint8Array, now: number): boolean {
    const text = Buffer.from(bytes).toString();
    const isTyping = now - this.#lastKeyAt < PAUSE_MS;
    if (isTyping) this.#lastKeyAt = now;
    if (isTyping && /^(?:\P{Cc}|[\r\n\x7f\b])+$/u.test(text)) {
      this.#forLine = edit(this.#forLine, text);
      return true;
    }
    const isText = /^\P{Cc}+$/u.test(text);
    this.#later = isText ? this.#later + text : '';
    return isText && now - this.#begunAt < SOON_MS;
  }

  /** What belongs into the line now, and is forgotten here. */
  takeAll(): string {
    const text = (this.#forLine + this.#later).replace(/\n+$/, '');
    this.#forLine = '';
    this.#later = '';
    return text;
  }
}

function edit(text: string, keys: string): string {
  let edited = text;
  for (const key of toGraphemes(keys.replace(/\r\n?/g, '\n'))) {
    edited = key === '\x7f' || key === '\b' ? toGraphemes(edited).slice(0, -1).join('') : edited + key;
  }
  return edited;
}
