import { counterpartOf } from './bracket.ts';
import { type EditState, lineEnd, lineStart } from './edit.ts';
import type { Span } from './key-handler.ts';
import { bigClass, smallClass } from './vi-motions.ts';

const PAIRS: Readonly<Record<string, string>> = {
  '(': '()',
  ')': '()',
  b: '()',
  '[': '[]',
  ']': '[]',
  '{': '{}',
  '}': '{}',
  B: '{}',
};

/** The keys that name a piece of text behind `i` or `a`. */
export const OBJECT_KEYS = `wW"'\`${Object.keys(PAIRS).join('')}`;

/** The piece of text at the cursor that `i` or `a` and a key name; null where there is none. */
export function findObject(state: EditState, kind: string, key: string): Span | null {
  const isWhole = kind === 'a';
  if (key === 'w' || key === 'W') return findWord(state, key === 'w' ? smallClass : bigClass, isWhole);
  const pair = PAIRS[key];
  return pair === undefined ? findQuoted(state, key, isWhole) : findPair(state, pair, isWhole);
}

function findWord({ text, cursor }: EditState, classify: typeof smallClass, isWhole: boolean): Span {
  const spread = (from: number): Span => {
    let [start, end] = [from, from];
    const here = classify(text, from);
    while (start > 0 && classify(text, start - 1) === here) start--;
    while (end < text.length && classify(text, end) === here) end++;
    return { start, end };
  };
  const word = spread(cursor);
  if (!isWhole || word.end === word.start) return word;
  // The blanks behind it, or else before it; on blanks, the word behind them.
  if (
    classify(text, word.end) !== 'end' &&
    (classify(text, cursor) === 'blank' || classify(text, word.end) === 'blank')
  )
    return { start: word.start, end: spread(word.end).end };
  const before =
    word.start > 0 && classify(text, word.start - 1) === 'blank' ? spread(word.start - 1).start : word.start;
  return { start: before, end: word.end };
}

function findQuoted(state: EditState, quote: string, isWhole: boolean): Span | null {
  const line = state.text.slice(0, lineEnd(state));
  let open = line.indexOf(quote, lineStart(state));
  while (open >= 0) {
    const close = findClosing(line, quote, open);
    if (close < 0) return null;
    if (close >= state.cursor) return isWhole ? { start: open, end: close + 1 } : { start: open + 1, end: close };
    open = line.indexOf(quote, close + 1);
  }
  return null;
}

function findClosing(line: string, quote: string, open: number): number {
  for (let at = open + 1; at < line.length; at++) {
    if (line[at] === '\\' && quote !== "'") at++;
    else if (line[at] === quote) return at;
  }
  return -1;
}

function findPair({ text, cursor }: EditState, pair: string, isWhole: boolean): Span | null {
  for (let at = cursor; at >= 0; at--) {
    if (text[at] !== pair[0]) continue;
    const close = counterpartOf(text, at);
    if (close !== null && close >= cursor)
      return isWhole ? { start: at, end: close + 1 } : { start: at + 1, end: close };
  }
  return null;
}
