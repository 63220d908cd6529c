import type { Look, Theme } from './theme.ts';

/** A stretch of text in one look. */
export interface Span {
  readonly text: string;
  /** SGR in force, empty for none. */
  readonly style: string;
  /** The address that the text leads to, where the terminal makes it a link. */
  readonly link?: string;
}

/** Emphasis reaches no further: an unclosed mark must not make every later one search to the end. */
const MAX_SPAN = 2000;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
/** A text without any of these is plain. */
const MARKS = /[\\`*_~[<&]|https?:/;
const BARE_ADDRESS = /https?:\/\/[^\s<>"'`\\|]{1,1000}/y;

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

/** Reads emphasis, code and links out of one paragraph of markdown. What is not closed is shown as it was typed. */
export function parseSpans(text: string, theme: Theme, style = ''): readonly Span[] {
  if (!MARKS.test(text)) return text === '' ? [] : [{ text, style }];
  const spans: Span[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') spans.push({ text: plain, style });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const found = matchInline(text, at);
    if (found === null) {
      const entity = matchEntity(text, at);
      plain += ENTITIES[entity] ?? '';
      at += entity.length;
      if (entity !== '') continue;
      const size = text[at] === '\\' && ESCAPABLE.test(text[at + 1] ?? '') ? 2 : 1;
      plain += text.slice(at + size - 1, at + size);
      at += size;
      continue;
    }
    flush();
    spans.push(...toSpans(found, theme, style));
    at += found.size;
  }
  flush();
  return spans;
}

function matchEntity(text: string, at: number): string {
  if (text[at] !== '&') return '';
  ENTITY.lastIndex = at;
  return ENTITY.exec(text)?.[0] ?? '';
}

interface Inline {
  readonly look: Look;
  readonly text: string;
  readonly size: number;
  readonly url?: string;
}

const EMPHASES: readonly (readonly [string, Look])[] = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['*', 'italic'],
  ['_', 'italic'],
];

function matchInline(text: string, at: number): Inline | null {
  const character = text[at] ?? '';
  if (character === '`') return matchCode(text, at);
  if (character === '[' || character === '!') return matchLink(text, at);
  if (character === '<' || character === 'h') return matchAddress(text, at);
  if (character !== '*' && character !== '_' && character !== '~') return null;
  for (const [mark, look] of EMPHASES) {
    const found = text.startsWith(mark, at) ? matchEmphasis(text, at, mark, look) : null;
    if (found !== null) return found;
  }
  return null;
}

function matchCode(text: string, at: number): Inline | null {
  let ticks = 1;
  while (text[at + ticks] === '`') ticks++;
  const mark = '`'.repeat(ticks);
  const from = at + ticks;
  let end = text.indexOf(mark, from);
  while (end >= 0 && text[end + ticks] === '`') end = text.indexOf(mark, end + ticks + 1);
  if (end < 0) return null;
  const code = text.slice(from, end);
  const shown = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code;
  return { look: 'code', text: shown, size: end + ticks - at };
}

function matchEmphasis(text: string, at: number, mark: string, look: Look): Inline | null {
  const from = at + mark.length;
  if (isBlank(text[from])) return null;
  // snake_case is no emphasis: an underscore works at the edge of a word only.
  if (mark[0] === '_' && isWord(text[at - 1])) return null;
  for (let end = text.indexOf(mark, from + 1); end >= 0 && end - at < MAX_SPAN; end = text.indexOf(mark, end + 1)) {
    const after = text[end + mark.length];
    const longer = mark.length === 1 && (after === mark || text[end - 1] === mark);
    const inWord = mark[0] === '_' && isWord(after);
    if (!longer && !inWord && !isBlank(text[end - 1]) && text[end - 1] !== '\\') {
      return { look, text: text.slice(from, end), size: end + mark.length - at };
    }
  }
  return null;
}

function matchLink(text: string, at: number): Inline | null {
  const found = /^!?\[((?:[^[\]\\]|\\.){0,500})\]\(<?([^\s()<>]{1,1000})>?(?:\s+"[^"]{0,500}")?\)/.exec(
    text.slice(at, at + 2100),
  );
  if (found === null) return null;
  const [whole, label = '', url = ''] = found;
  return { look: 'link', text: label, size: whole.length, url };
}

/** An address that stands there as it is, or between angle brackets. */
function matchAddress(text: string, at: number): Inline | null {
  const bracket = text[at] === '<' ? 1 : 0;
  if (bracket === 0 && isWord(text[at - 1])) return null;
  BARE_ADDRESS.lastIndex = at + bracket;
  const found = BARE_ADDRESS.exec(text)?.[0];
  if (found === undefined || (bracket === 1 && text[at + 1 + found.length] !== '>')) return null;
  const url = bracket === 1 ? found : withoutSentence(found);
  return { look: 'link', text: url, size: url.length + 2 * bracket, url };
}

/** What ends the sentence, or the bracket that the address stands in, is not of the address. */
function withoutSentence(address: string): string {
  const cut = address.replace(/[.,;:!?*_~]+$/, '');
  return cut.endsWith(')') && !cut.includes('(') ? withoutSentence(cut.slice(0, -1)) : cut;
}

function toSpans(inline: Inline, theme: Theme, style: string): readonly Span[] {
  const { look, text, url } = inline;
  const shown = style + theme.sgr[look];
  if (look === 'code') return [{ text: theme.enabled ? text : `\`${text}\``, style: shown }];
  if (url === undefined) return parseSpans(text, theme, shown);
  const link = theme.links ? toLinkTarget(url) : null;
  const inner = url === text ? [{ text, style: shown }] : parseSpans(text, theme, shown);
  const label = link === null ? inner : inner.map((span) => ({ ...span, link }));
  if (url === text || (link !== null && !isMisleading(text, url))) return label;
  return [...label, { text: ` (${url})`, style: style + theme.sgr.dim }];
}

/** The address as a terminal takes it, or null for what should not open at a click. */
function toLinkTarget(url: string): string | null {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return null;
  // What is no text by itself, half a surrogate pair, cannot be encoded.
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
