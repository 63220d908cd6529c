import { describe, expect, test } from 'bun:test';
import { toText, worstInputs } from './worst-inputs.ts';

/** Expressions with an input of which it is known that it takes them long. */
const BAD: readonly (readonly [RegExp, string])[] = [
  [/\s+$/, `${' '.repeat(50)}!`],
  [/^(?:a+)+$/, `${'a'.repeat(50)}!`],
  [/^\.tables(\s+[\w.%*-]*)*\s*$/, `.tables${' '.repeat(50)}!`],
  [/<!--.*?-->/, '<!--'.repeat(12)],
  [/(?<=x)"[^"]*";/, 'x"'.repeat(25)],
  [/\[[^\]]*\]\([^)]*\)/, '['.repeat(50)],
  [/^# (.*?)(?: +#)?$/, `# a${' '.repeat(50)}!`],
  [/^import\s+type\s*\w*\s*$/, `import type${' '.repeat(50)}!`],
];

describe('the inputs made for', () => {
  for (const [expression, text] of BAD) {
    test(`${expression} hold one that is bad for it`, () => {
      expect(worstInputs(expression, 50).map(toText)).toContain(text);
    });
  }
});
