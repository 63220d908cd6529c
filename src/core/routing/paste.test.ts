import { expect, test } from 'bun:test';
import { type PasteKind, pasteKind } from './paste.ts';

test.each<[string, PasteKind]>([
  ['export const x = 1;', 'code'],
  ['import os', 'code'],
  ['#include <stdio.h>', 'code'],
  ['select * from users', 'sql'],
  ['{"a": 1}', 'data'],
  ['bash: foo: command not found', 'data'],
  ['https://example.com', 'address'],
])('%p is %s', (text, kind) => expect(pasteKind(text)).toBe(kind));

test.each(['ls', '# todo\nnpm ci', 'greet() {\n  ls\n}', '[ -f x ]', 'printf "%s" x', '$(which python) -V', '{ ls; }'])(
  '%p is no paste',
  (text) => expect(pasteKind(text)).toBeNull(),
);
