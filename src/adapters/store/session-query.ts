import type { SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';

/** The terms of a search: words, or words in a row if they are in quotes. */
export interface SessionQuery {
  readonly terms: readonly SoughtTerm[];
  /** Finds the first of them, and with it each, in a text that `fold` has made comparable. */
  readonly pattern: RegExp;
}

/** A word, or words in a row. */
interface SoughtTerm {
  /** Finds the longest of its words, or more than that, in a line of a log as it is written there. */
  readonly raw: RegExp;
  /** That word is one of a script that sets no blanks between words. */
  readonly isUnspaced: boolean;
  /** Finds each place of it in a text that `toComparable` has made. */
  readonly words: RegExp;
}

/** A piece of a text around what was found, and where in it the words stand. */
export interface Snippet {
  readonly text: string;
  readonly marks: readonly (readonly [from: number, to: number])[];
}

const BEFORE = 40;
const LENGTH = 160;
const WORD = /[\p{L}\p{N}]+/gu;

/** Understands what was typed; null where there is nothing in it that could be looked for. */
export function parseSessionQuery(typed: string): SessionQuery | null {
  const parts = [...typed.matchAll(/"([^"]*)"?|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const phrases = parts.map((part) => spaced(part).match(WORD) ?? []).filter((words) => words.length > 0);
  if (phrases.length === 0) return null;
  const isOpen = !typed.trimEnd().endsWith('"');
  const variants = variantsOfLetters();
  // Nobody has to type a last word to its end.
  const terms = phrases.map((words, at) => toTerm(words, isOpen && at === phrases.length - 1, variants));
  const patterns = phrases.map((words) => words.map(fold).join('[^\\p{L}\\p{N}]*'));
  return { terms, pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})`, 'gu') };
}

function toTerm(words: readonly string[], isOpen: boolean, variants: ReadonlyMap<string, string>): SoughtTerm {
  const [longest = ''] = words.toSorted((one, other) => other.length - one.length);
  const raw = [...fold(longest)].map((letter) => variants.get(letter) ?? letter).join('');
  const row = words.map(fold).join('[^\\p{L}\\p{N}]+');
  return {
    raw: new RegExp(raw, 'g'),
    isUnspaced: MAY_BE_UNSPACED.test(longest),
    words: new RegExp(`(?<![\\p{L}\\p{N}])${row}${isOpen ? '' : '(?![\\p{L}\\p{N}])'}`, 'gu'),
  };
}

/** Blocks of letters with capitals and marks: Latin, Greek and Cyrillic, and more of the first two. */
const LETTERS = [
  [0x41, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
] as const;

/** For a letter without marks a class of all letters that `fold` makes it of. */
function variantsOfLetters(): ReadonlyMap<string, string> {
  const variants = new Map<string, string>();
  for (const [from, to] of LETTERS) {
    for (let code = from; code <= to; code += 1) {
      const letter = String.fromCharCode(code);
      if (/\p{L}/u.test(letter)) variants.set(fold(letter), `${variants.get(fold(letter)) ?? ''}${letter}`);
    }
  }
  return new Map([...variants].map(([letter, all]) => [letter, `[${all}]`]));
}

/** Whether a word may begin at this place of a line of a log: behind no letter or digit, but for those of an escape such as `\n`. */
export function isWordStart(line: string, at: number): boolean {
  const before = line.slice(Math.max(0, at - 6), at);
  return (
    !/[\p{L}\p{N}]$/u.test(before) ||
    MAY_BE_UNSPACED.test(before.slice(-1)) ||
    /\\(?:[bfnrt]|u[0-9a-f]{4})$/.test(before)
  );
}

/** A text as words are looked for in it. */
export function toComparable(text: string): string {
  return fold(spaced(text));
}

/** Small letters without marks, each where its capital stood. */
export function fold(text: string): string {
  return text.replace(/[A-Z]+|[^\x00-\x7f]/gu, (letters) => {
    if (letters < '\x80') return letters.toLowerCase();
    const plain = (letters.normalize('NFD')[0] ?? letters).toLowerCase();
    return plain.length === letters.length ? plain : letters;
  });
}

/** A piece of the text in one line, around the first place that was found; null where the text has none. */
export function cutSnippet(text: string, { pattern }: SessionQuery, length = LENGTH): Snippet | null {
  const flat = text.replace(/\s/g, ' ');
  const found = [...fold(flat).matchAll(pattern)].map(({ index, 0: { length } }) => [index, index + length] as const);
  const [first] = found;
  if (first === undefined) return null;
  const from = flat.length <= length ? 0 : beginOf(flat, first[0]);
  const to = Math.min(flat.length, from + length);
  const [head, tail] = [from > 0 ? '…' : '', to < flat.length ? '…' : ''];
  const shift = head.length - from;
  const marks = found.filter(([, end]) => end <= to).map(([begin, end]) => [begin + shift, end + shift] as const);
  return { text: `${head}${flat.slice(from, to)}${tail}`, marks };
}

function beginOf(text: string, place: number): number {
  if (place <= BEFORE) return 0;
  const blank = text.indexOf(' ', place - BEFORE);
  return blank === -1 || blank >= place ? place : blank + 1;
}

/** The searchable texts of a fact: messages, the commands and arguments, and output. */
export interface IndexedText {
  readonly said: string;
  readonly commands: string;
  readonly printed: string;
}

/** Most characters of one text: who looks for what stands further behind in an output searches that output. */
const MOST = 64 * 1024;

/** Letters of scripts that set no blanks between words: each is taken for a word. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}]/gu;
const MAY_BE_UNSPACED = /[\u0e00-\u0eff\u1000-\u17ff\u2e80-\u9fff\uf900-\ufaff\ud840-\ud88f]/;

/** The searched texts of a fact; null for one without any. */
export function indexedText(event: SessionEvent): IndexedText | null {
  switch (event.type) {
    case 'turn.started':
      return toText({ said: [event.text, event.attachment ?? '', ...(event.files ?? []).map(({ path }) => path)] });
    case 'history.imported':
      return toText({ said: event.messages.map(({ text }) => text) });
    case 'step.completed':
      return toText({ said: [event.text], commands: event.calls.map(argumentsOf) });
    case 'tool-call.completed':
      return toText({ printed: [event.record?.output ?? event.text] });
    case 'command.completed':
      return toText({ commands: [event.record.line], printed: [event.record.output] });
    case 'session.resumed':
      return event.lost === undefined ? null : toText({ commands: [event.lost.line] });
    case 'dry-run.completed':
      return toText({ commands: [event.report?.record.line ?? ''], printed: [event.report?.record.output ?? ''] });
    default:
      return null;
  }
}

/** A text with blanks around each word that its script sets none around. */
function spaced(text: string): string {
  return MAY_BE_UNSPACED.test(text) ? text.replace(UNSPACED, ' $& ') : text;
}

/** Values of arguments without what JSON puts around them. */
function argumentsOf({ name, arguments: given }: ToolCall): string {
  const values = Object.values(given).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return [name, ...values].join('\n');
}

function toText(parts: { readonly [kind in keyof IndexedText]?: readonly string[] }): IndexedText | null {
  const join = (texts: readonly string[] = []): string =>
    texts
      .map((text) => text.slice(0, MOST))
      .join('\n')
      .trim();
  const [said, commands, printed] = [join(parts.said), join(parts.commands), join(parts.printed)];
  return said === '' && commands === '' && printed === '' ? null : { said, commands, printed };
}
