import { isHidden, isOddBlank } from '../hidden-character.ts';

/** The kind of quotes a word stands in. */
export type Quote = 'none' | 'single' | 'double' | 'ansi';

/** What opens each kind of quotes. */
export const OPENING: Readonly<Record<Quote, string>> = { none: '', single: "'", double: '"', ansi: "$'" };

/** What closes each kind of quotes. */
export const CLOSING: Readonly<Record<Quote, string>> = { none: '', single: "'", double: '"', ansi: "'" };

const SPECIAL = /[\s\\"'`$&|;<>()*?![\]{}#^~]/;

/**
 * Writes a name so that the shell reads it back inside the quotes that are open, or without any. Characters that nobody sees, or that
 * would steer the terminal, become `$'…'`, for which open quotes are closed and opened again.
 */
export function quoteName(name: string, quote: Quote): string {
  let quoted = '';
  let hidden = '';
  for (const character of name) {
    const code = character.codePointAt(0) ?? 0;
    if (isHidden(code) || isOddBlank(code)) {
      hidden += spellOut(code);
      continue;
    }
    quoted += showHidden(hidden, quote) + quoteCharacter(character, quote);
    hidden = '';
  }
  const whole = quoted + showHidden(hidden, quote);
  // zsh would look for a command of that name.
  return quote === 'none' && whole.startsWith('=') ? `\\${whole}` : whole;
}

function showHidden(hidden: string, quote: Quote): string {
  if (hidden === '' || quote === 'ansi') return hidden;
  return `${CLOSING[quote]}$'${hidden}'${OPENING[quote]}`;
}

function quoteCharacter(character: string, quote: Quote): string {
  switch (quote) {
    case 'none':
      return SPECIAL.test(character) ? `\\${character}` : character;
    case 'single':
      return character === "'" ? "'\\''" : character;
    case 'double':
      if (character === '!') return '"\\!"';
      return /["\\$`]/.test(character) ? `\\${character}` : character;
    case 'ansi':
      return /['\\]/.test(character) ? `\\${character}` : character;
  }
}

const NAMED: ReadonlyMap<number, string> = new Map([
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
]);

function spellOut(code: number): string {
  const named = NAMED.get(code);
  if (named !== undefined) return named;
  // A byte of a name that is no UTF-8.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  const digits = code.toString(16);
  if (code < 0x80) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** Pieces of quoted text that must not be cut in two: a backslash with what it protects, and `$'…'` with the quotes around it. */
const UNIT = /'\\''|"\\!"|["']?\$'(?:\\.|[^'\\])*'["']?|\\[\s\S]|[\s\S]/gu;

/** The longest beginning that all texts share, cut only where the shell would read it the same. */
export function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let common = '';
  for (const [unit] of first.matchAll(UNIT)) {
    if (!others.every((text) => text.startsWith(common + unit))) break;
    common += unit;
  }
  return common;
}
