import { expect, test } from 'bun:test';
import { Insistence, StopKey, type StubbornCommand, toInterruptTarget } from './interrupt.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

class Stubborn implements StubbornCommand {
  foreground: StubbornCommand['foreground'] = { group: 42, name: 'stuck', isPlain: true };
  readonly signals: string[] = [];
  signalForeground(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): boolean {
    this.signals.push(name);
    return true;
  }
}

function begin() {
  const said: string[] = [];
  const clock = { now: 0 };
  const insistence = new Insistence(
    (text) => said.push(text),
    () => clock.now,
  );
  const command = new Stubborn();
  const press = (keys: string, afterMs = 200): boolean => {
    clock.now += afterMs;
    return insistence.take(bytes(keys), command);
  };
  return { said, command, press };
}

test('the line goes before the command, the command before the model, the model before nothing', () => {
  const all = { isEditing: true, hasCommand: true, turn: 'model' } as const;
  expect([
    toInterruptTarget(all),
    toInterruptTarget({ ...all, isEditing: false }),
    toInterruptTarget({ isEditing: false, hasCommand: false, turn: 'model' }),
    toInterruptTarget({ isEditing: false, hasCommand: false, turn: 'tool' }),
    toInterruptTarget({ isEditing: false, hasCommand: false, turn: null }),
  ]).toEqual(['line', 'command', 'model', 'tool', 'nothing']);
});

test('the second Ctrl-C within a second goes to the whole group, the third offers more in words', () => {
  const { said, command, press } = begin();
  expect([press('\x03'), press('\x03'), press('\x03')]).toEqual([false, false, false]);
  expect(command.signals).toEqual(['SIGINT', 'SIGINT']);
  expect(said).toEqual(['[stuck (42) goes on: Alt-T ends it (SIGTERM), Alt-K kills it (SIGKILL)]']);
  expect(press('\x1bk')).toBe(true);
  expect(command.signals.at(-1)).toBe('SIGKILL');
});

test('presses far apart are each the first', () => {
  const { said, command, press } = begin();
  for (let count = 0; count < 5; count++) press('\x03', 1500);
  expect([command.signals, said]).toEqual([[], []]);
});

test('a program that reads keys itself gets every Ctrl-C and nothing else', () => {
  const { said, command, press } = begin();
  command.foreground = { group: 42, name: 'vim', isPlain: false };
  for (let count = 0; count < 5; count++) press('\x03');
  expect(press('\x1bk')).toBe(false);
  expect([command.signals, said]).toEqual([[], []]);
});

test('the offer is for that program only, and not for long', () => {
  const { command, press } = begin();
  for (let count = 0; count < 3; count++) press('\x03');
  command.foreground = { group: 43, name: 'other', isPlain: true };
  expect(press('\x1bt')).toBe(false);
  command.foreground = { group: 42, name: 'stuck', isPlain: true };
  expect(press('\x1bt', 11_000)).toBe(false);
});

/** Who gets Ctrl-\ in a situation: a halt, or whoever has the keys. */
function pressHalt(keys: string, keyboard: { program?: boolean; question?: boolean; lent?: boolean }, turn: boolean) {
  const done: string[] = [];
  const key = new StopKey({
    editor: { isReading: true },
    keyboard: {
      hasProgram: keyboard.program === true,
      hasQuestion: keyboard.question === true,
      isLent: keyboard.lent === true,
      feed: () => done.push('fed'),
    },
    command: { takeKeys: () => false },
    turn: () => (turn ? { open: [{ stage: 'running' }] } : null),
    isWaiting: () => false,
    interrupt: () => done.push('interrupt'),
    halt: () => done.push('halt'),
  });
  return [key.take(bytes(keys)), done];
}

test('Ctrl-\\ halts at the prompt, under a question and under a command of the model, however the terminal sends it', () => {
  const halted = [true, ['halt']];
  for (const keys of ['\x1c', '\x1c\x1c', '\x1b[92;5u', '\x1b[92;5:1u']) {
    expect(pressHalt(keys, {}, false)).toEqual(halted);
    expect(pressHalt(keys, { question: true }, true)).toEqual(halted);
    expect(pressHalt(keys, { program: true }, true)).toEqual(halted);
  }
});

test('Ctrl-\\ belongs to a command of the person, and to an editor that has the keys', () => {
  expect(pressHalt('\x1c', { program: true }, false)).toEqual([false, []]);
  expect(pressHalt('\x1c', { lent: true }, false)).toEqual([false, []]);
});
