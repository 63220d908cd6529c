import { expect, test } from 'bun:test';
import type { CommandRecord } from '../../../protocol/command.ts';
import { UnknownCommand } from './unknown-command.ts';

const record: CommandRecord = {
  line: 'frobnicate',
  driver: 'user',
  exit: 127,
  cwd: '/',
  output: '',
  bytes: 0,
  durationMs: 1,
};

test('a line whose command was not found is offered as a question, and never where no model is there', () => {
  const seen = [true, false].map((hasModel) => {
    const unknown = new UnknownCommand(() => hasModel);
    return [unknown.offer(record), unknown.complete('')?.[0]?.text];
  });
  expect(seen).toEqual([
    [true, '?frobnicate'],
    [false, undefined],
  ]);
});
