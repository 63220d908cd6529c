import { expect, test } from 'bun:test';
import type { KeyMode } from './keys.ts';
import { TerminalModes } from './terminal-modes.ts';

function open() {
  const undone: string[] = [];
  const state: { distinguishesKeys: boolean; mode: KeyMode | null } = { distinguishesKeys: false, mode: null };
  const options = {
    distinguishesKeys: () => state.distinguishesKeys,
    undoChanged: (sequence: string) => void undone.push(sequence),
  };
  const modes = new TerminalModes(options, () => state.mode);
  return { modes, state, undone };
}

test('a terminal that tells keys apart is asked to as soon as that is known, and told no longer to', () => {
  const { modes, state, undone } = open();
  const entered = modes.enter();
  state.distinguishesKeys = true;
  expect([entered, modes.update(), modes.update(), modes.leave(), modes.update(), undone]).toEqual([
    '\x1b[?2004h',
    '\x1b[>5u',
    '',
    '\x1b[?2004l\x1b[<u',
    '',
    ['\x1b[<u', ''],
  ]);
});

test('nothing is taken back that was not given', () => {
  const { modes, undone } = open();
  expect([modes.leave(), modes.enter(), modes.leave(), undone]).toEqual(['', '\x1b[?2004h', '\x1b[?2004l', ['']]);
});

test('the cursor has the shape of the mode, and its own again at the end', () => {
  const { modes, state } = open();
  state.mode = 'insert';
  const entered = modes.enter();
  state.mode = 'normal';
  expect([entered, modes.update(), modes.leave()]).toEqual(['\x1b[?2004h\x1b[6 q', '\x1b[2 q', '\x1b[?2004l\x1b[0 q']);
});
