import { expect, test } from 'bun:test';
import { isVisible } from './visible.ts';

const NOTHING = [
  ...['', ' \n', '\u200b', '\u200c\u2060\ufeff', '\u3164', '\u2800', '\ufe0f', '\u{e0041}', '\0\u0007', '\u00ad', '\u034f', '\ufffd'],
  ...['\x1b[0m', '<pad><pad>', '<s>', '<|im_end|>\n', '```\n```', '```json\n\n```\n', '~~~'],
];
const SOMETHING = ['.', '👍', '。', '0', '½', 'é', '-', '```\nls\n```', '<s>no</s>', '\x1b[1mA', '<p>', '| a |'];

test('blanks, fillers, controls, marks of templates and empty frames show nothing', () => {
  expect(NOTHING.filter(isVisible)).toEqual([]);
  expect(SOMETHING.filter((text) => !isVisible(text))).toEqual([]);
});
