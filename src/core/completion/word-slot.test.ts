import { describe, expect, test } from 'bun:test';
import { findCursorContext } from './cursor-context.ts';
import { fillSlot, findSlot } from './word-slot.ts';

/** The line after its last path component was completed to a name. */
function complete(line: string, value: string, suffix?: string): string {
  const word = findCursorContext(line, line.length)?.word;
  if (word === undefined) return line;
  const slot = findSlot(word, word.raw.lastIndexOf('/') + 1);
  const { start, text } = fillSlot(slot, { value, ...(suffix === undefined ? {} : { suffix }) });
  return line.slice(0, start) + text;
}

describe('a name goes in as the person began it', () => {
  const lines: readonly (readonly [string, string, string])[] = [
    ['cat my', 'my file', 'cat my\\ file'],
    ['cat my\\ f', 'my file', 'cat my\\ file'],
    ['cat "my', 'my file', 'cat "my file"'],
    ["cat 'my", "my it's", "cat 'my it'\\''s'"],
    ['cat "a b/my', 'my file', 'cat "a b/my file"'],
    ['cat a\\ b/my', 'my file', 'cat a\\ b/my\\ file'],
    ['cat "a b"/m', 'my file', 'cat "a b"/my\\ file'],
    ['cat a/"m', 'my file', 'cat a/"my file"'],
    ['cat "a b/m"y', 'my file', 'cat "a b/"my\\ file'],
    ["cat $'m", 'm\ny', "cat $'m\\ny'"],
    ['cat $HOME/m', 'my file', 'cat $HOME/my\\ file'],
  ];
  for (const [line, name, wanted] of lines) test(line, () => expect(complete(line, name)).toBe(wanted));

  test('a folder leaves its quote open', () => expect(complete('cat "my', 'my dir/', '')).toBe('cat "my dir/'));
});
