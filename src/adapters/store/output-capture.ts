import { ERROR_WORDS, ErrorCollector } from '../../core/output-excerpt.ts';
import type { NumberedLine } from '../../protocol/command.ts';
import { toPlainText } from '../shell/record.ts';
import { type OutputFile, toBuffer } from './output-file.ts';
import type { OutputSecrets } from './output-secrets.ts';

/** What one output came to. */
export interface Captured {
  /** Bytes in all. */
  readonly bytes: number;
  /** Lines in all; one that was not ended counts. */
  readonly lines: number;
  /** Lines that look like errors: the first and the last of them. */
  readonly errors: readonly NumberedLine[];
  /** All bytes of an output that is small; null when it went to a file. */
  readonly small: Buffer | null;
  /** Bytes that the file could not take, left out of its middle. */
  readonly missing: number;
  /** Why the file could not be written; null when it could. */
  readonly problem: string | null;
}

/** An output up to this many bytes needs no file: the log holds it. */
export const SMALL_BYTES = 32 * 1024;
/** The words of trouble as bytes, in the letter cases people write them in. */
const WORDS: readonly Buffer[] = ERROR_WORDS.flatMap((word) =>
  [word, word.slice(0, 1).toUpperCase() + word.slice(1), word.toUpperCase()].map((one) => Buffer.from(one)),
);
const LINE_FEED = 0x0a;
const LATE_PIECES = 4;
/** A line that is longer is looked at in pieces. */
const LONGEST_REST = 16 * 1024;

/** Takes one output as it comes: small ones stay in memory, large ones go to a file, and both are counted and searched for errors. */
export class OutputCapture {
  readonly #openFile: () => OutputFile;
  readonly #secrets: OutputSecrets;
  readonly #errors = new ErrorCollector();
  #small: Buffer[] = [];
  #file: OutputFile | null = null;
  #bytes = 0;
  #line = 1;
  /** The beginning of a line whose end has not come. */
  #rest = '';
  #endsOpen = false;
  #late: { readonly text: string; readonly line: number }[] = [];

  constructor(openFile: () => OutputFile, secrets: OutputSecrets) {
    this.#openFile = openFile;
    this.#secrets = secrets;
  }

  /** Takes the next bytes; they are copied. */
  readonly write = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    const view = toBuffer(bytes);
    this.#bytes += view.length;
    this.#keep(view);
    this.#look(view);
  };

  /** Ends the output and settles when it is where it belongs. */
  async finish(): Promise<Captured> {
    for (const { text, line } of this.#late.splice(0)) this.#addError(text, line);
    if (this.#rest !== '') this.#addError(this.#rest, this.#line);
    const file = this.#file;
    const small = file === null ? Buffer.concat(this.#small) : null;
    this.#small = [];
    const { missing, problem } = (await file?.finish()) ?? { missing: 0, problem: null };
    const lines = this.#line - 1 + (this.#endsOpen ? 1 : 0);
    return { bytes: this.#bytes, lines, errors: this.#errors.errors(), small, missing, problem };
  }

  /** In a flood of errors only the last pieces are taken apart, at the end. */
  #found(text: string, line: number): void {
    if (this.#errors.hasFirst) this.#late.push({ text, line });
    else this.#addError(text, line);
    if (this.#late.length > LATE_PIECES) this.#late.shift();
  }

  #addError(text: string, line: number): void {
    this.#errors.add(this.#secrets.conceal(toReadable(text)), line);
  }

  #keep(view: Buffer): void {
    if (this.#bytes <= SMALL_BYTES) {
      this.#small.push(Buffer.from(view));
      return;
    }
    this.#file ??= this.#openFile();
    for (const part of [...this.#small.splice(0), view]) this.#file.write(part);
  }

  /** Whole lines are searched; what follows the last line feed waits for its rest. A flood without errors never becomes text. */
  #look(view: Buffer): void {
    const last = view.lastIndexOf(LINE_FEED);
    this.#endsOpen = last !== view.length - 1;
    if (last < 0) {
      if (this.#rest.length < LONGEST_REST) this.#rest += view.toString('latin1', 0, LONGEST_REST);
      return;
    }
    const from = this.#line;
    this.#line += countLineFeeds(view, last + 1);
    if (this.#mayHold(view)) this.#found(this.#rest + view.toString('latin1', 0, last), from);
    this.#rest = view.toString('latin1', last + 1, Math.min(view.length, last + 1 + LONGEST_REST));
  }

  /** The line that was begun before may hold a word that is cut in two. */
  #mayHold(view: Buffer): boolean {
    if (WORDS.some((word) => view.includes(word))) return true;
    if (this.#rest === '') return false;
    const end = Math.min(view.indexOf(LINE_FEED), LONGEST_REST);
    return ErrorCollector.mayHold(this.#rest + view.toString('latin1', 0, end));
  }
}

/** Of text as single bytes, what a person would have read. */
function toReadable(text: string): string {
  return toPlainText(Buffer.from(text, 'latin1'));
}

function countLineFeeds(view: Buffer, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at += 1) if (view[at] === LINE_FEED) count += 1;
  return count;
}
