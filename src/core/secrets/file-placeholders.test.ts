import { expect, test } from 'bun:test';
import { alignFile, fillEdit, fillText, namesNotAllowed, tellWithheld } from './file-placeholders.ts';
import { formatWithheld } from './messages.ts';

const FILE = 'A=ghp_one\nB=x/z2hwX29uZQ==\n# ⟨secret:DOC⟩\nC=npm_two\nA2=ghp_one';
const SHOWN = 'A=⟨secret:A⟩\nB=x/⟨secret:A⟩\n# ⟨secret:DOC⟩\nC=⟨secret:C⟩\nA2=⟨secret:A⟩';
const find = (name: string) => (({ A: 'ghp_one', C: 'npm_two', D: 'new_four' }) as Record<string, string>)[name] ?? null;

const file = alignFile(FILE, SHOWN);

test('every placeholder stands for its own part of the file, one that the file itself has for itself', () => {
  expect(file?.hidden.map(({ name, text }) => `${name}: ${text}`)).toEqual([
    'A: ghp_one',
    'A: z2hwX29uZQ==',
    'DOC: ⟨secret:DOC⟩',
    'C: npm_two',
    'A: ghp_one',
  ]);
  expect(alignFile('other', SHOWN)).toBeNull();
});

test('the whole of a file written back as it was shown is the same file, whatever forms the secret has in it', () => {
  expect(fillText(SHOWN, file, find)).toEqual({ text: FILE, brought: [], unknown: [] });
  const moved = 'C=⟨secret:C⟩\nB=x/⟨secret:A⟩\nA=⟨secret:A⟩\nA2=⟨secret:A⟩\nNEW=1\n';
  expect(fillText(moved, file, find).text).toBe('C=npm_two\nB=x/z2hwX29uZQ==\nA=ghp_one\nA2=ghp_one\nNEW=1\n');
});

test('a secret that the file did not hold is brought, and one that nobody knows is named', () => {
  expect(fillText('D=⟨secret:D⟩ ⟨secret:E⟩ ⟨secret:C⟩', file, find)).toEqual({
    text: 'D=new_four ⟨secret:E⟩ npm_two',
    brought: ['D'],
    unknown: ['E'],
  });
  expect(fillText('C=⟨secret:C⟩', null, find)).toEqual({ text: 'C=npm_two', brought: ['C'], unknown: [] });
});

test('an edit finds the text that was shown, and keeps what stands behind its placeholders', () => {
  expect(fillEdit({ old: 'B=x/⟨secret:A⟩', fresh: 'BEE=x/⟨secret:A⟩ # mine' }, file, find)).toEqual({
    old: 'B=x/z2hwX29uZQ==',
    fresh: { text: 'BEE=x/z2hwX29uZQ== # mine', brought: [], unknown: [] },
  });
  expect(fillEdit({ old: '=⟨secret:C⟩\nA2', fresh: '=⟨secret:D⟩\nA2' }, file, find)).toEqual({
    old: '=npm_two\nA2',
    fresh: { text: '=new_four\nA2', brought: ['D'], unknown: [] },
  });
  expect(fillEdit({ old: '# ⟨secret:DOC⟩', fresh: '# see ⟨secret:DOC⟩' }, file, find).fresh.text).toBe('# see ⟨secret:DOC⟩');
});

test('an edit of text that is not there is left to be told so', () => {
  expect(fillEdit({ old: 'Z=⟨secret:A⟩', fresh: 'Z=1' }, file, find).old).toBe('Z=ghp_one');
});

test('what failed and might have needed a secret is told which it had not, and how to ask for one', () => {
  expect(tellWithheld({ exit: 4 }, ['A', 'B'], [], 'network')).toBe(formatWithheld(['A', 'B'], 'A'));
  expect(tellWithheld({ exit: null }, ['A', 'B', 'C', 'D', 'E'], [], undefined)).toBe(formatWithheld(['A', 'B', 'C', 'D', '…'], 'A'));
});

test('what was put into the words of a command is none of what it went without', () => {
  const handed = [{ name: 'A', to: 'curl' }];
  expect(tellWithheld({ exit: 7 }, ['A'], handed, 'network')).toBe('');
  expect(tellWithheld({ exit: 7 }, ['A', 'B'], handed, 'network')).toBe(formatWithheld(['B'], 'B'));
});

test('nothing is told of what went well, what only looks, and where nothing was withheld', () => {
  expect([
    tellWithheld({ exit: 0 }, ['A'], [], 'network'),
    tellWithheld({ exit: 1 }, ['A'], [], 'read-only'),
    tellWithheld({ exit: 1 }, [], [], 'network'),
  ]).toEqual(['', '', '']);
});

test('a yes covers what it was shown, and nothing that has come since but by a rule', () => {
  const shown = [{ name: 'A', to: 'curl' }];
  const now = [...shown, { name: 'B', to: 'curl' }, { name: 'A', to: 'wget' }, { name: 'C', to: 'gh', rule: 'gh' }];
  expect([namesNotAllowed(now, shown), namesNotAllowed(shown, shown), namesNotAllowed(shown)]).toEqual([['B', 'A'], [], ['A']]);
});
