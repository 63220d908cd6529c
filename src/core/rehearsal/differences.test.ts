import { expect, test } from 'bun:test';
import { listDifferences, listOutside, wantsCopy } from './differences.ts';

const GIVEN = { way: 'overlay', blocked: null, hidden: [], isRoot: false } as const;
const ALWAYS = 'no network, a /tmp of its own, and nothing of it lasts in the shell (cd, export)';

test('what any rehearsal lacks is always told, and the rest where it showed', () => {
  expect(listDifferences('fine', GIVEN)).toEqual([ALWAYS]);
  expect(listDifferences('mv: Invalid cross-device link', { ...GIVEN, blocked: 'it has no network there' })).toEqual([
    ALWAYS,
    'it was held back: it has no network there',
    'a folder could not be renamed in the view, which a real run could do',
  ]);
  expect(listDifferences('mv: Device or resource busy', { ...GIVEN, hidden: ['.env'], isRoot: true })).toEqual([
    ALWAYS,
    'the superuser had only the rights of an owner',
    'files that hold secrets were covered: .env',
  ]);
});

test('a copy is wanted where a folder could not be renamed', () => {
  expect([wantsCopy('EXDEV: cross-device link not permitted'), wantsCopy('done')]).toEqual([true, false]);
});

test('places outside are those that it said it could not write to', () => {
  const output = [
    "touch: cannot touch '/home/ann/x': Read-only file system",
    'bash: ../y: Read-only file system',
    '/usr/bin/bash: line 1: /var/z: Read-only file system',
    '/opt/q: Read-only file system',
    "touch: cannot touch '/app/in': Read-only file system",
    'cat: /etc/shadow: Permission denied',
  ].join('\n');
  expect(listOutside(output, '/app')).toEqual(['/home/ann/x', '../y', '/var/z', '/opt/q']);
});
