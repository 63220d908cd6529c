import { expect, test } from 'bun:test';
import { answered, created, project, started } from '../../../test/support/session-facts.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { evolve, fold } from './evolve.ts';
import { EMPTY_STATE, isIdle } from './state.ts';

test('a history held elsewhere comes before the first message, in roles that alternate', () => {
  const imported: SessionEvent = {
    type: 'history.imported',
    messages: [
      { role: 'assistant', text: 'Hello.' },
      { role: 'user', text: 'My name is Ada.' },
    ],
  };
  expect(project(fold([created, imported, started])).slice(1)).toEqual([
    { role: 'user', content: '(the conversation started with your next message)' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'My name is Ada.\n\nmake a.txt with hello' },
  ]);
});

test('a history that comes after the first message changes nothing', () => {
  const before = fold([created, started, answered]);
  expect(evolve(before, { type: 'history.imported', messages: [{ role: 'user', text: 'late' }] })).toEqual(before);
});

test('folding a long log at once comes to the same as event by event', () => {
  const commands = Array.from({ length: 600 }, (_, at): SessionEvent => {
    const record: CommandRecord = {
      line: `echo ${at}`,
      driver: 'user',
      exit: 0,
      cwd: '/',
      output: '',
      bytes: 0,
      durationMs: 1,
      handle: at + 1,
    };
    return { type: 'command.completed', record };
  });
  const imported: SessionEvent = { type: 'history.imported', messages: [{ role: 'user', text: 'too late' }] };
  const log = [created, ...commands, imported];
  expect(fold(log)).toEqual(log.reduce(evolve, EMPTY_STATE));
});

test('a fold of a long log lets every state be looked at in passing, one for each fact', () => {
  const turns = Array.from({ length: 400 }, (_, at): readonly SessionEvent[] => [
    { type: 'turn.started', turn: at + 1, text: 'hello' },
    { type: 'turn.ended', reason: 'completed' },
  ]);
  const seen: boolean[] = [];
  fold([created, ...turns.flat()], (state) => seen.push(isIdle(state)));
  expect(seen).toEqual([true, ...turns.flatMap(() => [false, true])]);
});
