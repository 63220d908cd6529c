import { FIRST_WORDS, offeredName } from '../model-call.ts';
import { readCalls, toKnownMarks } from './call-forms.ts';
import { announcesCall, LONGEST_LEAD } from './find-text-calls.ts';
import type { Offered } from './printed-call.ts';

/** Beginnings of the marks of calls. */
const MARKS: readonly string[] = [
  '<|',
  '<｜',
  '<‖',
  '<tool',
  '<TOOL',
  '<function',
  '<invoke',
  '<start_function_call>',
  '<minimax:tool_call>',
  '<seed:tool_call>',
  '[TOOL_CALL',
  '[TOOL_REQUEST',
  '[calls ',
  '[unused',
  '<longcat_tool_call>',
  '<role>',
  '✿',
  ']<]minimax',
  'functools[',
];

/** The place of a character with which a mark may begin, or a line. */
const PLACE = /[\]<[]|functools|(?<=^|\n)(?=[^\n])/g;

/** A line that may begin a call without marks: an object, a list, a block of code. */
const WEAK = /^(?:\{\s*"?|\[|`{1,3}$|```(?:j|js|jso|json|t|to|too|tool\w*)?\s*$|```(?:json|tool\w*)?\s*\n\s*[{[\w])/;
/** The first key of a call, and its value as far as it came. */
const FIRST_KEY = /^[\s\S]{0,20}?[{[]\s*\{?\s*["'](\w*)(?:["']\s*:\s*(?:["']([^"']*)(["'])?)?)?/;
const NAME_KEYS = /^(?:name|tool|tool_name|function|action|function_name)$/;
const OTHER_KEYS = /^(?:type|id|tool_calls|tool_call|function_call)$/;

/** So many characters behind the first mark an offered name must have come. */
const NAME_WITHIN = 200;
/** Most characters that are held. */
const MOST = 64 * 1024;

/**
 * Holds back the end of a streamed answer that may be a printed call, so that the raw form does not stay on the screen. A text is held only
 * as long as it can still become a call of an offered tool; everything else passes at once.
 */
export class TextCallHold {
  readonly #offered: Offered;
  readonly #names: readonly string[];
  readonly #marks: readonly string[];
  #lead = '';
  #held = '';
  #fenced = false;
  /** The length at which the held text is read again: reading it for each piece would cost its square. */
  #readAt = 0;

  constructor(offered: Offered) {
    this.#offered = offered;
    this.#names = [...offered.keys()].flatMap((name) => [name, name.replace('__', '.'), `functions.${name}`]);
    this.#marks = [...MARKS, ...this.#names.map((name) => `<${name}`)];
  }

  /** Takes a piece of the answer. Returns the part that may be shown. */
  push(text: string): string {
    let shown = '';
    let rest = this.#held + text;
    this.#held = '';
    while (rest !== '') {
      const at = this.#firstPlace(rest);
      shown += this.pass(rest.slice(0, at));
      rest = rest.slice(at);
      if (rest === '' || this.#mayBecomeCall(rest)) {
        this.#held = rest;
        break;
      }
      shown += this.pass(rest.slice(0, 1));
      rest = rest.slice(1);
    }
    return shown;
  }

  /** Ends the answer. `text`: the answer without its calls, if it has some. Returns the part of it that was not shown. */
  end(text: string | null): string {
    const whole = text ?? this.#lead + this.#held;
    const rest = whole.slice(this.#lead.length);
    this.#held = '';
    this.#lead += rest;
    return rest;
  }

  /** The name of the tool that the held text calls; null as long as none is known. */
  get heldName(): string | null {
    return this.#held === '' ? null : (this.#names.find((name) => this.#held.includes(name)) ?? null);
  }

  /** Takes a text that is shown already, as all text before the first sign of a call is. */
  pass(text: string): string {
    this.#readAt = 0;
    this.#lead += text;
    for (const _ of text.matchAll(/(?<=^|\n)[ \t]*(?:```|~~~)/g)) this.#fenced = !this.#fenced;
    return text;
  }

  /** The first place where a call may begin. */
  #firstPlace(text: string): number {
    if (this.#lead.length > LONGEST_LEAD) return text.length;
    for (const { index } of text.matchAll(PLACE)) if (this.#beginsAt(text, index)) return index;
    return text.length;
  }

  #beginsAt(text: string, at: number): boolean {
    const before = this.#lead.slice(-400) + text.slice(0, at);
    const line = before.slice(before.lastIndexOf('\n') + 1);
    const tail = text.slice(at, at + 40);
    const isMark = this.#marks.some((mark) => tail.startsWith(mark) || mark.startsWith(tail));
    if (isMark) return line.trim() === '' || /[.!?:…。！？：]\s*$/.test(line);
    return (
      line === '' && (WEAK.test(tail) || this.#isName(tail) || FIRST_WORDS.some((one) => tail.startsWith(one) || one.startsWith(tail)))
    );
  }

  /** True for the beginning of `read(` with an offered name. */
  #isName(tail: string): boolean {
    const word = /^[\w.]*/.exec(tail)?.[0] ?? '';
    return word !== '' && this.#names.some((name) => (tail === word ? name.startsWith(word) : name === word));
  }

  /** Whether a text that begins like a call can still become one. */
  #mayBecomeCall(text: string): boolean {
    if (this.#fenced || text.length > MOST) return false;
    const isMarked = this.#marks.some((mark) => text.startsWith(mark) || mark.startsWith(text));
    if (!announcesCall(this.#lead, isMarked)) return false;
    if (!isMarked && !this.#mayBeWeak(text)) return false;
    if (!this.#names.some((name) => text.includes(name))) return text.length < NAME_WITHIN;
    if (text.length < this.#readAt) return true;
    this.#readAt = text.length * 1.1;
    const known = toKnownMarks(text);
    const { value, end } = readCalls(known, 0, this.#offered);
    // Behind a whole call only other calls and marks may stand.
    return value.length === 0 || end === known.length || /^[\w ]{0,24}(?:[\]<[{`;,]|$)/.test(known.slice(end, end + 50));
  }

  #mayBeWeak(text: string): boolean {
    if (!/^(?:```\w*\s*)?[{[]/.test(text)) return true;
    const found = FIRST_KEY.exec(text);
    if (found === null) return text.length < 20 || this.#names.some((name) => text.slice(0, NAME_WITHIN).includes(name));
    const [, key = '', value, close] = found;
    if (!found[0].includes(':')) return isPrefixOfKey(key);
    if (OTHER_KEYS.test(key)) return true;
    if (!NAME_KEYS.test(key)) return false;
    if (value === undefined) return true;
    if (close !== undefined) return offeredName(value, this.#offered) !== null;
    return this.#names.some((name) => name.startsWith(value));
  }
}

const KEYS = ['name', 'tool', 'tool_name', 'function', 'function_name', 'action', 'type', 'id', 'tool_calls', 'tool_call', 'function_call'];

function isPrefixOfKey(key: string): boolean {
  return KEYS.some((one) => one.startsWith(key));
}
