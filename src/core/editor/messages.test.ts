import { expect, test } from 'bun:test';
import { FOLD_HINT, formatFound, formatPosition, formatRepeatCount, TOO_LONG_TO_SHOW } from './messages.ts';

test('every message', () => {
  const all = [
    FOLD_HINT,
    TOO_LONG_TO_SHOW,
    formatRepeatCount(12),
    formatPosition(-1, 1),
    formatPosition(-1, 120),
    formatPosition(3, 120),
    formatFound(0, true),
    formatFound(1, true),
    formatFound(2, false),
  ];
  expect(`\n${all.join('\n')}\n`).toMatchInlineSnapshot(`
    "
      Tab shows it
    This is too long to show here. Press Ctrl-X Ctrl-E to open it in your editor.
    repeat count: 12
    1 completion
    120 completions
    4 of 120
    not found in this directory · Ctrl-T searches everywhere
    1 line in this directory · Ctrl-T searches everywhere
    2 lines everywhere · Ctrl-T searches only this directory
    "
  `);
});
