import { expect, test } from 'bun:test';
import { pasteKind } from './paste.ts';

test.each([
  ['export const x = 1;', 'a module of JavaScript'],
  ['import os', 'an import of Python'],
  ['#include <stdio.h>', 'a line of the C preprocessor'],
  ['select * from users', 'SQL'],
  ['{"a": 1}', 'JSON'],
  ['bash: foo: command not found', 'an entry of a settings file, or a message'],
  ['https://example.com', 'an address'],
])('%p is %s', (text, kind) => expect(pasteKind(text)).toBe(kind));

test.each(['ls', '# todo\nnpm ci', 'greet() {\n  ls\n}', '[ -f x ]', 'printf "%s" x', '$(which python) -V', '{ ls; }'])(
  '%p is no paste',
  (text) => expect(pasteKind(text)).toBeNull(),
);
