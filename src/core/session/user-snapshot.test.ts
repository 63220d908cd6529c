import { expect, test } from 'bun:test';
import { after } from '../../../test/support/session-facts.ts';
import type { Checkpoint } from '../../protocol/checkpoint.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import { next } from './next.ts';
import { OWN_COMMAND, type SessionState, waitsForSnapshot } from './state.ts';

const checkpoint: Checkpoint = { id: 'c1', ref: 'r', commit: 'x', root: '/', label: 'before $ make', at: 0 };
const record: CommandRecord = {
  line: 'make',
  driver: 'user',
  exit: 0,
  cwd: '/',
  output: '',
  bytes: 0,
  durationMs: 0,
};
const begun: SessionEvent = { type: 'command.started', line: 'make', driver: 'user' };
const snapshotTaken: SessionEvent = { type: 'checkpoint.created', callId: OWN_COMMAND, checkpoint };
const ended: SessionEvent = { type: 'command.completed', record };

function wanted(state: SessionState): readonly string[] {
  return next(state).map(({ type }) => type);
}

test('a command with a checkpoint of its own goes on, and is sealed when it has ended', () => {
  expect([wanted(after(begun)), wanted(after(begun, snapshotTaken)), wanted(after(begun, snapshotTaken, ended))]).toEqual([
    ['run-command'],
    ['run-command'],
    ['finalize-checkpoint'],
  ]);
});

test('the next command waits for that, as for any other snapshot', () => {
  const state = after(begun, snapshotTaken, ended, begun);
  expect([wanted(state), waitsForSnapshot(state)]).toEqual([['finalize-checkpoint'], true]);
  const finalized = evolve(state, { type: 'checkpoint.finalized', id: 'c1' });
  expect([wanted(finalized), waitsForSnapshot(finalized)]).toEqual([['run-command'], false]);
});

test('one that could not be had is no reason to wait, and a halt leaves the command to the user', () => {
  const skipped = after(begun, { type: 'checkpoint.skipped', callId: OWN_COMMAND, why: 'no repository' });
  expect(wanted(skipped)).toEqual(['run-command']);
  const facts = decide(after(begun, snapshotTaken), { type: 'halt' });
  expect(facts.map(({ type }) => type)).toEqual(['session.halted']);
});

test('an interrupt does not tell the end of a command that runs on its own snapshot', () => {
  const facts = decide(after(begun, snapshotTaken), { type: 'interrupt' });
  expect(facts.map(({ type }) => type)).toEqual(['op.rejected']);
});
