/** Plain text of what a command printed, and how much that was before it was bounded. */
interface RecordedOutput {
  readonly output: string;
  readonly bytes: number;
}

/** Text kept from the beginning and from the end of an output. */
const KEPT = 32 * 1024;
/** Escapes and redrawn progress bars shrink, so more raw bytes are held than text is kept. */
const HELD = 4 * KEPT;
const ESCAPE = 0x1b;
const NEW_LINE = 0x0a;
const ALTERNATE_SCREEN = /^\x1b\[\?(?:1049|1047|47)([hl])/;
const LONGEST_SWITCH = 8;

/**
 * Remembers what a command printed: its head and its tail, whatever its size. Full-screen programs draw on the alternate screen; that is
 * no output, so it is left out.
 */
export class OutputRecord {
  readonly #head: Uint8Array[] = [];
  readonly #tail: Uint8Array[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #bytes = 0;
  #alternate = false;
  #cut = false;
  #newest = NEW_LINE;
  #pending: Uint8Array = new Uint8Array(0);
  readonly #onOutput: ((bytes: Uint8Array) => void) | undefined;

  /** `onOutput` gets all of what counts as output, as it comes. */
  constructor(onOutput?: (bytes: Uint8Array) => void) {
    this.#onOutput = onOutput;
  }

  /** Whether the newest output was drawn on the alternate screen. */
  get isAlternate(): boolean {
    return this.#alternate;
  }

  /** Whether the newest output ended its line, on the ordinary screen. */
  get isAtLineStart(): boolean {
    return this.#newest === NEW_LINE && !this.#alternate;
  }

  /** The bytes since the newest output ended a line, on the ordinary screen. */
  get openLine(): Uint8Array {
    if (this.isAtLineStart || this.#alternate) return new Uint8Array(0);
    const kept = Buffer.concat([...this.#head, ...this.#tail, this.#pending]);
    return kept.subarray(kept.lastIndexOf(NEW_LINE) + 1);
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#newest = bytes.at(-1) ?? this.#newest;
    const whole = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    this.#pending = new Uint8Array(0);
    let from = 0;
    for (let at = whole.indexOf(ESCAPE); at >= 0; at = whole.indexOf(ESCAPE, at + 1)) {
      const ahead = Buffer.from(whole.buffer, whole.byteOffset + at, Math.min(LONGEST_SWITCH, whole.length - at));
      const found = ALTERNATE_SCREEN.exec(ahead.toString('latin1'));
      if (found !== null) {
        this.#keep(whole.subarray(from, at));
        this.#alternate = found[1] === 'h';
        from = at + found[0].length;
      } else if (ahead.length < LONGEST_SWITCH && mayGrow(ahead)) {
        this.#pending = whole.slice(at);
        this.#keep(whole.subarray(from, at));
        return;
      }
    }
    this.#keep(whole.subarray(from));
  }

  /** The text, bounded. `redact` comes before anything is cut, because half a secret cannot be recognized. */
  finish(redact: (text: string) => string = (text) => text): RecordedOutput {
    this.#keep(this.#pending);
    this.#pending = new Uint8Array(0);
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (!this.#cut) return { output: bound(redact(toPlainText(Buffer.concat([head, tail])))), bytes: this.#bytes };
    const first = redact(shortened(head, 'head') ?? toPlainText(head)).slice(0, KEPT);
    const last = redact(shortened(tail, 'tail') ?? toPlainText(tail.subarray(lineStart(tail)))).slice(-KEPT);
    return { output: `${first}${skipped(this.#bytes - 2 * KEPT, 'bytes')}${last}`, bytes: this.#bytes };
  }

  #keep(bytes: Uint8Array): void {
    if (this.#alternate || bytes.length === 0) return;
    this.#onOutput?.(bytes);
    const toHead = Math.min(bytes.length, HELD - this.#headBytes);
    if (toHead > 0) {
      this.#head.push(bytes.slice(0, toHead));
      this.#headBytes += toHead;
    }
    const rest = bytes.subarray(toHead);
    if (rest.length > 0) this.#keepTail(rest);
  }

  #keepTail(bytes: Uint8Array): void {
    const kept = bytes.length > HELD ? bytes.slice(-HELD) : bytes.slice();
    if (kept.length < bytes.length) this.#cut = true;
    this.#tail.push(kept);
    this.#tailBytes += kept.length;
    while (this.#tailBytes > HELD) {
      const [oldest = new Uint8Array(0)] = this.#tail;
      if (this.#tailBytes - oldest.length < HELD / 2) break;
      this.#tail.shift();
      this.#tailBytes -= oldest.length;
      this.#cut = true;
    }
  }
}

/** Whether more bytes could make a switch to or from the alternate screen of this. */
function mayGrow(ahead: Buffer): boolean {
  return ['\x1b[?1049h', '\x1b[?1047h', '\x1b[?47h'].some((whole) => whole.startsWith(ahead.toString('latin1')));
}

/** All the text that is kept of one side, made of no more bytes than it takes; null where more may be needed, as escapes shrink. */
function shortened(bytes: Buffer, side: 'head' | 'tail'): string | null {
  const part = side === 'head' ? bytes.subarray(0, 2 * KEPT) : bytes.subarray(-2 * KEPT);
  if (part.includes(ESCAPE)) return null;
  const whole = side === 'head' ? part.subarray(0, part.lastIndexOf(NEW_LINE) + 1) : part.subarray(lineStart(part));
  const text = toPlainText(whole);
  return text.length < KEPT ? null : text;
}

function lineStart(bytes: Buffer): number {
  return bytes.indexOf(0x0a) + 1;
}

function bound(text: string): string {
  if (text.length <= 2 * KEPT) return text;
  return `${text.slice(0, KEPT)}${skipped(text.length - 2 * KEPT, 'characters')}${text.slice(-KEPT)}`;
}

function skipped(count: number, unit: string): string {
  return `\n[… ${count} ${unit} left out …]\n`;
}

// Stand-ins for the two "erase line" sequences while a line is put together; as control characters they go out at the end.
const ERASE_TO_END = '\x0e';
const ERASE_LINE = '\x0f';

/** All of them but tabs and new lines. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/;

/** The text that a user would have read: escapes gone, and only the last state of a line that was drawn again and again. */
export function toPlainText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  if (!CONTROLS.test(text)) return text;
  // Most outputs need nothing but the terminal's line ends undone.
  const lines = text.replace(/(?<!\r)\r+\n/g, '\n');
  if (!CONTROLS.test(lines)) return lines;
  return text
    .replace(/[\x0e\x0f]/g, '')
    .replace(/\x1b\[0?K/g, ERASE_TO_END)
    .replace(/\x1b\[2K/g, ERASE_LINE)
    .replace(/\x1bP[^\x1b]*\x1b\\|\x1b[\]X^_][^\x07\x1b\n]*(?:\x07|\x1b\\)/g, '')
    .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
    .replace(/\x1b[ -/]*[0-~]?/g, '')
    .replace(/(?<!\r)\r+\n/g, '\n')
    .split('\n')
    .map(settleLine)
    .join('\n');
}

/** Plays carriage returns, backspaces and erasures of one line. */
function settleLine(line: string): string {
  if (!CONTROLS.test(line)) return line;
  let shown = '';
  for (const pass of line.split('\r')) shown = drawOver(shown, pass);
  return shown.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
}

function drawOver(shown: string, pass: string): string {
  if (!/[\b\x0e\x0f]/.test(pass)) return pass + shown.slice(pass.length);
  const cells = Array.from(shown);
  let column = 0;
  for (const character of pass) {
    if (character === '\b') column = Math.max(0, column - 1);
    else if (character === ERASE_TO_END) cells.length = Math.min(cells.length, column);
    else if (character === ERASE_LINE) cells.fill(' ');
    else cells[column++] = character;
  }
  return Array.from(cells, (cell) => cell ?? ' ')
    .join('')
    .trimEnd();
}
