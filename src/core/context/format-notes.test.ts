import { expect, test } from 'bun:test';
import { formatNotes, formatNotesRead, type Notes, shareNotes } from './format-notes.ts';

const lines = (count: number): string => 'a rule\n'.repeat(count);
const short: Notes = { path: '/a/AGENTS.md', text: lines(10), bytes: 70, read: 70 };
const long: Notes = { path: '/a/b/AGENTS.md', text: lines(1000), bytes: 90_000, read: 7000 };

test('what fits is sent whole, and told by its length', () => {
  expect([formatNotes([short], 200), formatNotesRead(shareNotes([short], 200), (path) => path)]).toEqual([
    `Follow these notes from the user. The user's words in the conversation take ` +
      `precedence.\n\n[/a/AGENTS.md]\n${lines(10).trim()}\n[end of /a/AGENTS.md]`,
    'read /a/AGENTS.md (70 B)',
  ]);
});

test('of what was cut as it was read, users and the model are told how much they have', () => {
  const share = 'the first 7.0 kB of 90.0 kB';
  const sent = formatNotes([long], 20_000) ?? '';
  expect([
    formatNotesRead(shareNotes([long], 20_000), (path) => path),
    sent.includes(`[/a/b/AGENTS.md: ${share}]\na rule\n`),
    sent.endsWith('a rule\n[/a/b/AGENTS.md continues here: read the file for the rest]'),
  ]).toEqual([`read /a/b/AGENTS.md (${share}; the rest is not sent)`, true, true]);
});

test('where the room is less than that, it is cut at the end of a line, and what gets none is told too', () => {
  expect(shareNotes([short, long], 500).map(({ text, share }) => [text.split('\n').at(-1), share])).toEqual([
    ['', 'none of 70 B'],
    ['a rule', 'the first 496 B of 90.0 kB'],
  ]);
});
