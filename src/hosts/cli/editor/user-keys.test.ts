import { expect, test } from 'bun:test';
import type { Key } from '../../../core/editor/keys.ts';
import type { ShellBinding } from '../../../core/prompt/shell-keys.ts';
import { toUserBindings, UserKeys } from './user-keys.ts';

const BINDINGS: readonly ShellBinding[] = [
  { sequence: '\x1b[A', to: { type: 'function', name: 'history-search-backward' } },
  { sequence: '\x18\x17', to: { type: 'function', name: 'kill-whole-line' } },
  { sequence: '\x18g', to: { type: 'text', text: 'git status\n' } },
  { sequence: '\x14', to: { type: 'command', name: 'fzf-file-widget' } },
  { sequence: '\x12', to: { type: 'text', text: ' \x05\x15`__cd__`\x1b\x05' } },
  { sequence: '\x07', to: { type: 'function', name: 'my-widget' } },
  { sequence: '\x03', to: { type: 'function', name: 'kill-line' } },
  { sequence: ' ', to: { type: 'function', name: 'magic-space' } },
  { sequence: 'jk', to: { type: 'function', name: 'vi-movement-mode' } },
];

/** The keys that reach the next handler for these keys. */
function handed(...names: readonly string[]): readonly string[] {
  const got: string[] = [];
  const note = (key: Key) => void got.push(key.type === 'key' ? key.key : key.text);
  const keys = new UserKeys(toUserBindings({ isVi: false, bindings: BINDINGS }), {
    mode: null,
    selection: null,
    begin: () => {},
    handle: note,
  });
  for (const name of names)
    keys.handle(/^(?:.|g\w+)$/.test(name) ? { type: 'text', text: name } : { type: 'key', key: name });
  return got;
}

test('a key of a startup file does what it did there', () => {
  expect(handed('up')).toEqual(['up']);
  expect(handed('ctrl-x', 'ctrl-w')).toEqual(['ctrl-e', 'ctrl-u']);
  expect(handed('ctrl-x', 'g')).toEqual(['git status', 'enter']);
});

test('the keys of older terminals in the startup file of Debian leave the arrows alone', () => {
  const bindings = ['\x1b[5D', '\x1b\x1b[D'].map(
    (sequence): ShellBinding => ({ sequence, to: { type: 'function', name: 'backward-word' } }),
  );
  expect([...toUserBindings({ isVi: false, bindings }).keys.keys()]).toEqual([]);
});

test('a macro may contain keys that edit the line in the same way everywhere', () => {
  const less: ShellBinding = { sequence: '\x18l', to: { type: 'text', text: '\x05 | less\x01\n' } };
  const keysOf = (isVi: boolean) => toUserBindings({ isVi, bindings: [less] }).keys.get('ctrl-x l');
  expect(keysOf(false)).toEqual([
    { type: 'key', key: 'ctrl-e' },
    { type: 'text', text: ' | less' },
    { type: 'key', key: 'ctrl-a' },
    { type: 'key', key: 'enter' },
  ]);
  expect(keysOf(true)).toBeUndefined();
});

test('letters that were typed fast behind a sequence are text', () => {
  expect(handed('ctrl-x', 'gecho')).toEqual(['git status', 'enter', 'echo']);
});

test('all other keys go on as they came, also those that only begin like a sequence', () => {
  expect(handed('ctrl-x', 'ctrl-e', 'g', 'ctrl-t', 'ctrl-c')).toEqual(['ctrl-x', 'ctrl-e', 'g', 'ctrl-t', 'ctrl-c']);
});

test('a key that moves there already keeps what else it does in aish', () => {
  const backward = { sequence: '\x1b\x1b[D', to: { type: 'function', name: 'backward-word' } } as const;
  expect([...toUserBindings({ isVi: false, bindings: [backward] }).keys]).toEqual([]);
});

test('what aish cannot do is left, with its keys', () => {
  expect(toUserBindings({ isVi: false, bindings: BINDINGS }).left).toEqual([
    ['ctrl-t', 'fzf-file-widget'],
    ['ctrl-r', '" \\u0005\\u0015`__cd__`\\u001b\\u0005"'],
    ['ctrl-g', 'my-widget'],
  ]);
});
