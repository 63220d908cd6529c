import type { Style, Theme } from '../terminal/theme.ts';

/** A stretch of text in one look. */
export interface Span {
  readonly text: string;
  /** SGR in force, empty for none. */
  readonly style: string;
  /** The address that the text leads to, where the terminal makes it a link. */
  readonly link?: string;
}

/** Emphasis reaches no further: nobody sees where something began that long ago. */
const MAX_SPAN = 2000;
/** Marks inside each other beyond this are shown as they were typed. */
const MAX_DEPTH = 8;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
/** A text without any of these is plain. */
const MARKS = /[\\`*_~[<&]|https?:/;
const PLAIN = /[^\\`*_~[<&!h]+/y;
const BARE_ADDRESS = /https?:\/\/[^\s<>"'`\\|]{1,1000}/y;
const LINK = /!?\[((?:[^[\]\\]|\\.){0,200})\]\(<?([^\s()<>]{1,1000})>?(?:\s{1,20}"[^"]{0,500}")?\)/y;

/** Names of characters that markdown has a use for; a number could name any, control characters too, and stays as it is. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};
const ENTITY = /&(?:amp|lt|gt|quot|#39|nbsp);/y;

/** Reads emphasis, code and links out of one paragraph of markdown. Unclosed marks are shown as typed. */
export function parseSpans(text: string, theme: Theme, style = ''): readonly Span[] {
  return parseInside(text, theme, style, 0);
}

function parseInside(text: string, theme: Theme, style: string, depth: number): readonly Span[] {
  if (depth > MAX_DEPTH || !MARKS.test(text)) return text === '' ? [] : [{ text, style }];
  const marks = new Marks(text);
  const spans: Span[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') spans.push({ text: plain, style });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const found = matchInline(marks, at);
    if (found === null) {
      const [shown, size] = readPlain(text, at);
      plain += shown;
      at += size;
      continue;
    }
    flush();
    for (const span of toSpans(found, theme, style, depth)) spans.push(span);
    at += found.size;
  }
  flush();
  return spans;
}

/** The plain text at a place without marks, as shown, and its length in the source. */
function readPlain(text: string, at: number): readonly [string, number] {
  const run = matchAt(PLAIN, text, at)?.[0];
  if (run !== undefined) return [run, run.length];
  if (text[at] === '`') {
    const size = ticksAt(text, at);
    return [text.slice(at, at + size), size];
  }
  const entity = text[at] === '&' ? (matchAt(ENTITY, text, at)?.[0] ?? '') : '';
  if (entity !== '') return [ENTITIES[entity] ?? '', entity.length];
  const isEscaped = text[at] === '\\' && ESCAPABLE.test(text[at + 1] ?? '');
  return isEscaped ? [text[at + 1] ?? '', 2] : [text[at] ?? '', 1];
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

interface Inline {
  readonly style: Style;
  readonly text: string;
  readonly size: number;
  readonly url?: string;
}

const EMPHASES: readonly (readonly [string, Style])[] = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['*', 'italic'],
  ['_', 'italic'],
];

/**
 * A text with the places where its marks can close. They are looked up once and asked for from left to right, so that the time grows with
 * the length of the text and not with the number of marks that never close.
 */
class Marks {
  readonly text: string;
  readonly #closers = new Map<string, readonly number[]>();
  readonly #passed = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  /** The first place from there on where a mark can close; -1 where there is none. */
  closer(mark: string, from: number): number {
    let places = this.#closers.get(mark);
    if (places === undefined) {
      places = mark[0] === '`' ? this.#ticks(mark.length) : this.#emphasisEnds(mark);
      this.#closers.set(mark, places);
    }
    let at = this.#passed.get(mark) ?? 0;
    while (at < places.length && (places[at] ?? 0) < from) at += 1;
    this.#passed.set(mark, at);
    return places[at] ?? -1;
  }

  /** Runs of exactly so many backticks. The first question gathers the runs of all lengths. */
  #ticks(length: number): readonly number[] {
    const runs = new Map<number, number[]>();
    for (const { 0: run, index } of this.text.matchAll(/`+/g)) {
      const places = runs.get(run.length);
      if (places === undefined) runs.set(run.length, [index]);
      else places.push(index);
    }
    for (const [size, places] of runs) this.#closers.set('`'.repeat(size), places);
    return runs.get(length) ?? [];
  }

  #emphasisEnds(mark: string): readonly number[] {
    const { text } = this;
    const places: number[] = [];
    for (let end = text.indexOf(mark); end >= 0; end = text.indexOf(mark, end + 1)) {
      const [before, after] = [text[end - 1], text[end + mark.length]];
      const longer = mark.length === 1 && (after === mark || before === mark);
      const inWord = mark[0] === '_' && isWord(after);
      if (!longer && !inWord && !isBlank(before) && before !== '\\') places.push(end);
    }
    return places;
  }
}

function matchInline(marks: Marks, at: number): Inline | null {
  const { text } = marks;
  const character = text[at] ?? '';
  if (character === '`') return matchCode(marks, at);
  if (character === '[' || character === '!') return matchLink(text, at);
  if (character === '<' || character === 'h') return matchAddress(text, at);
  if (character !== '*' && character !== '_' && character !== '~') return null;
  for (const [mark, style] of EMPHASES) {
    const found = text.startsWith(mark, at) ? matchEmphasis(marks, at, mark, style) : null;
    if (found !== null) return found;
  }
  return null;
}

function ticksAt(text: string, at: number): number {
  let end = at;
  while (text[end] === '`') end += 1;
  return end - at;
}

function matchCode(marks: Marks, at: number): Inline | null {
  const ticks = ticksAt(marks.text, at);
  const from = at + ticks;
  const end = marks.closer('`'.repeat(ticks), from);
  if (end < 0) return null;
  const code = marks.text.slice(from, end);
  const shown = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code;
  return { style: 'code', text: shown, size: end + ticks - at };
}

function matchEmphasis(marks: Marks, at: number, mark: string, style: Style): Inline | null {
  const { text } = marks;
  const from = at + mark.length;
  if (isBlank(text[from])) return null;
  // snake_case is no emphasis: an underscore works at the edge of a word only.
  if (mark[0] === '_' && isWord(text[at - 1])) return null;
  const end = marks.closer(mark, from + 1);
  if (end < 0 || end - at >= MAX_SPAN) return null;
  return { style, text: text.slice(from, end), size: end + mark.length - at };
}

function matchLink(text: string, at: number): Inline | null {
  const found = matchAt(LINK, text, at);
  if (found === null) return null;
  const [whole, label = '', url = ''] = found;
  return { style: 'link', text: label, size: whole.length, url };
}

/** An address that stands there as it is, or between angle brackets. */
function matchAddress(text: string, at: number): Inline | null {
  const bracket = text[at] === '<' ? 1 : 0;
  if (bracket === 0 && isWord(text[at - 1])) return null;
  const found = matchAt(BARE_ADDRESS, text, at + bracket)?.[0];
  if (found === undefined || (bracket === 1 && text[at + 1 + found.length] !== '>')) return null;
  const url = bracket === 1 ? found : withoutSentence(found);
  return { style: 'link', text: url, size: url.length + 2 * bracket, url };
}

/** The marks that end the sentence, or the bracket around the address, are no part of the address. */
function withoutSentence(address: string): string {
  const endings = address.includes('(') ? '.,;:!?*_~' : '.,;:!?*_~)';
  let end = address.length;
  while (end > 0 && endings.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

function toSpans(inline: Inline, theme: Theme, outer: string, depth: number): readonly Span[] {
  const { style, text, url } = inline;
  const shown = outer + theme.sgr[style];
  if (style === 'code') return [{ text: theme.enabled ? text : `\`${text}\``, style: shown }];
  if (url === undefined) return parseInside(text, theme, shown, depth + 1);
  const link = theme.links ? toLinkTarget(url) : null;
  const inner = url === text ? [{ text, style: shown }] : parseInside(text, theme, shown, depth + 1);
  const label = link === null ? inner : inner.map((span) => ({ ...span, link }));
  if (url === text || (link !== null && !isMisleading(text, url))) return label;
  return [...label, { text: ` (${url})`, style: outer + theme.sgr.dim }];
}

/** The address as a terminal takes it, or null for what should not open at a click. */
function toLinkTarget(url: string): string | null {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return null;
  // Half a surrogate pair is no text by itself and cannot be encoded.
  return encodeURI(url.replace(/\p{Surrogate}/gu, '')).replaceAll('%25', '%');
}

/** True where a text names one place and leads to another: then both must be seen. */
function isMisleading(label: string, url: string): boolean {
  const named = /(?:^|[\s/@])((?:[\w-]+\.)+[a-z]{2,})/i.exec(label)?.[1];
  const host = url.split(/[/?#]/)[2] ?? url;
  return named !== undefined && !`.${host.toLowerCase()}`.endsWith(`.${named.toLowerCase()}`);
}

function isBlank(character: string | undefined): boolean {
  return character === undefined || character === ' ' || character === '\n' || character === '\t';
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\w\u0080-\uffff]/.test(character);
}
