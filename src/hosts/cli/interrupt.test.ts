import { expect, test } from 'bun:test';
import { Insistence, type StubbornCommand, toInterruptTarget } from './interrupt.ts';

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
