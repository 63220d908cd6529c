import { expect, test } from 'bun:test';
import { parseFrontMatter } from './front-matter.ts';

test('heads as other hosts accept them, YAML or not', () => {
  const head = [
    '---',
    'description: "Review: a \\"pull request\\""',
    'argument-hint: [number] [reason]',
    'Allowed_Tools:',
    '  - Bash(git:*)',
    '- Read',
    'text: >-',
    '  one',
    '  two',
    'plain: it: has a colon',
    "quoted: 'it''s'",
    'empty:',
    '---',
    'Body',
    '---',
    'more',
  ].join('\r\n');
  const { fields, body } = parseFrontMatter(head);
  expect([Object.fromEntries(fields), body]).toEqual([
    {
      description: 'Review: a "pull request"',
      'argument-hint': '[number] [reason]',
      'allowed-tools': 'Bash(git:*), Read',
      text: 'one two',
      plain: 'it: has a colon',
      quoted: "it's",
      empty: '',
    },
    'Body\n---\nmore',
  ]);
});

test('a file without a head, and one whose head does not end, are all body', () => {
  const read = (text: string) => {
    const { fields, body } = parseFrontMatter(text);
    return [fields.size, body];
  };
  expect(read('Just text\n---\nmore')).toEqual([0, 'Just text\n---\nmore']);
  expect(read('---\nname: x\nno end')).toEqual([0, '---\nname: x\nno end']);
  expect(read('---\n---\nBody')).toEqual([0, 'Body']);
  expect(read('---\nname: x\n---')).toEqual([1, '']);
});
