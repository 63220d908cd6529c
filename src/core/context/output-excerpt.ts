import type { CommandRecord, NumberedLine, OutputGap } from '../../protocol/command.ts';
import { countBytes, cutHead, cutTail } from '../text/truncate.ts';
import { formatGap } from './messages.ts';

type ExcerptSource = Pick<CommandRecord, 'output' | 'bytes' | 'handle' | 'gap'>;

/** A line with one of these words looks like an error. */
export const ERROR_WORDS: readonly string[] = ['error', 'fail', 'fatal', 'panic', 'exception', 'denied', 'not found', 'cannot', 'warning'];
const ERROR = new RegExp(ERROR_WORDS.join('|'), 'i');
const LONGEST_LINE = 300;

/** Shares of the budget; totals and last words stand at the end. Errors of the middle get theirs where there are any. */
const PLAIN_SHARES = { head: 0.6, errors: 0, tail: 0.4 };
const ERROR_SHARES = { head: 0.45, errors: 0.25, tail: 0.3 };

/** Characters of the beginning and of the end that a record keeps when the whole is kept elsewhere. */
const KEPT = 8 * 1024;

/** Error-looking lines that a record keeps from the middle: the first ones tell the cause, the last ones the outcome. */
const FIRST_ERRORS = 24;
const LAST_ERRORS = 16;

/** An output for the model: all of it, or head, tail, lines of the middle that look like errors, and how much is missing. */
export function formatExcerpt(record: ExcerptSource, budget: number): string {
  const whole = record.output.trimEnd();
  if (record.gap === undefined && whole.length <= budget) return whole;
  const plain = cut(record, budget, PLAIN_SHARES);
  if (middleErrors(record, plain).length === 0) return format(record, plain, []);
  const shown = cut(record, budget, ERROR_SHARES);
  return format(record, shown, pickErrors(middleErrors(record, shown), Math.floor(budget * ERROR_SHARES.errors)));
}

function format(record: ExcerptSource, shown: Shown, errors: readonly NumberedLine[]): string {
  const missing = formatMissing(record.handle, countMissing(record, shown), errors);
  return [shown.head, missing, shown.tail].filter((part) => part !== '').join('\n');
}

function cut({ output, gap }: ExcerptSource, budget: number, shares: typeof PLAIN_SHARES): Shown {
  const before = gap === undefined ? output.trimEnd() : output.slice(0, gap.from).replace(/\n$/, '');
  const head = cutHead(before, Math.floor(budget * shares.head));
  const rest = gap === undefined ? before.slice(head.length) : output.slice(gap.to).trimEnd();
  return { head, tail: cutTail(rest, Math.ceil(budget * shares.tail)), before, rest };
}

/** The parts shown, and the texts they were cut from; without a gap `rest` is the text behind the head. */
interface Shown {
  readonly head: string;
  readonly tail: string;
  readonly before: string;
  readonly rest: string;
}

interface Missing {
  readonly lines: number;
  readonly amount: string;
}

function countMissing({ output, bytes, gap }: ExcerptSource, { head, tail, before, rest }: Shown): Missing {
  if (gap === undefined) {
    const characters = output.trimEnd().length - head.length - tail.length;
    const left = withoutBreak(rest.slice(0, rest.length - tail.length)).replace(/\n$/, '');
    return { lines: countLines(left), amount: `${characters} characters` };
  }
  const lines = gap.lines + (countLines(before) - countLines(head)) + (rest === '' ? 0 : countLines(rest) - countLines(tail));
  return { lines, amount: countBytes(Math.max(0, bytes - head.length - tail.length)) };
}

function middleErrors({ gap }: ExcerptSource, { head, tail, before, rest }: Shown): readonly NumberedLine[] {
  const from = countLines(head) + 1;
  const left = withoutBreak(rest.slice(0, rest.length - tail.length));
  if (gap === undefined) return findErrors(left, from);
  const first = countLines(before) + gap.lines + 1;
  return [...findErrors(withoutBreak(before.slice(head.length)), from), ...gap.errors, ...findErrors(left, first)];
}

function withoutBreak(text: string): string {
  return text.startsWith('\n') ? text.slice(1) : text;
}

/** The lines of a text that look like errors; its first line has the number `first`. */
export function findErrors(text: string, first: number): NumberedLine[] {
  if (text === '' || !ERROR.test(text)) return [];
  return text.split('\n').flatMap((line, at) => (ERROR.test(line) ? { line: first + at, text: line.slice(0, LONGEST_LINE) } : []));
}

/** As many as fit, of both ends of the list. */
function pickErrors(errors: readonly NumberedLine[], budget: number): readonly NumberedLine[] {
  const first: NumberedLine[] = [];
  const last: NumberedLine[] = [];
  let room = budget;
  for (let taken = 0; taken < errors.length; taken += 1) {
    const fromEnd = taken % 3 === 2;
    const error = fromEnd ? errors[errors.length - 1 - last.length] : errors[first.length];
    if (error === undefined || room < error.text.length + 10) break;
    room -= error.text.length + 10;
    if (fromEnd) last.unshift(error);
    else first.push(error);
  }
  return [...first, ...last];
}

function formatMissing(handle: number | undefined, { lines, amount }: Missing, errors: readonly NumberedLine[]): string {
  const rows = errors.map(({ line, text }) => `${line}: ${text}`);
  return formatGap(lines, amount, handle, rows);
}

/** Facts that capturing learned of an output whose whole text is stored elsewhere. */
interface CapturedOutput {
  readonly lines: number;
  readonly errors: readonly NumberedLine[];
}

/** The record of a command whose whole output is stored elsewhere: only its beginning and end, and the facts about the middle. */
export function withoutMiddle(record: CommandRecord, { lines, errors }: CapturedOutput): CommandRecord {
  const { output } = record;
  if (output.length <= 2 * KEPT) return record;
  const head = cutHead(output, KEPT);
  const tail = cutTail(output, KEPT);
  const [headLines, tailLines] = [countLines(head), countLines(tail.replace(/\n$/, ''))];
  const left = Math.max(0, lines - headLines - tailLines);
  const note = `\n[… ${left} lines left out …]\n`;
  const inside = errors.filter(({ line }) => line > headLines && line <= headLines + left);
  const gap: OutputGap = { from: head.length, to: head.length + note.length, lines: left, errors: inside };
  return { ...record, output: head + note + tail, gap };
}

/** Collects error-looking lines as an output passes: the first ones and the last ones. */
export class ErrorCollector {
  readonly #first: NumberedLine[] = [];
  #last: NumberedLine[] = [];

  /** Whether a text may hold such a line at all; cheap enough for every piece of a flood. */
  static mayHold(text: string): boolean {
    return ERROR.test(text);
  }

  /** From here on only the last ones count. */
  get hasFirst(): boolean {
    return this.#first.length === FIRST_ERRORS;
  }

  /** Whole lines, the first of which has the number `line`. */
  add(text: string, line: number): void {
    for (const found of findErrors(text, line)) {
      if (this.#first.length < FIRST_ERRORS) this.#first.push(found);
      else this.#last.push(found);
    }
    if (this.#last.length > 4 * LAST_ERRORS) this.#last = this.#last.slice(-LAST_ERRORS);
  }

  /** The errors found, in order. */
  errors(): readonly NumberedLine[] {
    return [...this.#first, ...this.#last.slice(-LAST_ERRORS)];
  }
}

/** Lines an output has in all. */
export function countOutputLines({ output, gap }: ExcerptSource): number {
  if (gap === undefined) return countLines(output.replace(/\n$/, ''));
  const after = output.slice(gap.to).replace(/\n$/, '');
  return countLines(output.slice(0, gap.from)) + gap.lines + countLines(after);
}

function countLines(text: string): number {
  if (text === '') return 0;
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
