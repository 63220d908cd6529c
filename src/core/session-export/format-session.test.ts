import { expect, test } from 'bun:test';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import { toSettings } from '../session/settings.ts';
import { findPlace } from './format-session.ts';

const created: DurableEvent = { type: 'session.created', id: 'a', cwd: '/p', settings: toSettings(DEFAULT_CONFIG, {}) };
const ask = (turn: number): DurableEvent => ({ type: 'turn.started', turn, text: `message ${turn}` });
const ran = (line: string, cwd = '/p'): DurableEvent => ({
  type: 'command.completed',
  record: { line, driver: 'user', exit: 0, cwd, output: '', bytes: 0, durationMs: 1 },
});
const page: DurableEvent = { type: 'turn.tainted', sources: [{ kind: 'network', name: 'https://example.org/' }] };
const number = (events: readonly DurableEvent[]): readonly Recorded[] => events.map((event, at) => ({ seq: at + 1, at, event }));

test('a place is the turn around the hit, with the directory at the hit and all untrusted content until its end', () => {
  const ended: DurableEvent = { type: 'turn.ended', reason: 'completed' };
  const recorded = number([created, ran('ls'), ask(1), ended, ran('cd q', '/p/q'), ran('make', '/p/q'), page, ask(2), ended]);
  const seqs = (seq: number) => {
    const place = findPlace(recorded, seq);
    return place === null ? null : { ...place, recorded: place.recorded.map((one) => one.seq) };
  };
  expect([seqs(2), seqs(6), seqs(8), seqs(99)]).toEqual([
    { turn: 0, at: 1, cwd: '/p', recorded: [1, 2], untrusted: ['`ls`'] },
    { turn: 1, at: 5, cwd: '/p/q', recorded: [3, 4, 5, 6, 7], untrusted: ['https://example.org/', '`ls`', '`cd q`', '`make`'] },
    { turn: 2, at: 7, cwd: '/p/q', recorded: [8, 9], untrusted: ['https://example.org/', '`ls`', '`cd q`', '`make`'] },
    null,
  ]);
});

test('of thousands of commands in a row a place has those around the hit, and names a few of them', () => {
  const place = findPlace(number([created, ...Array.from({ length: 3000 }, (_, at) => ran(`make ${at}`))]), 1500);
  expect([place?.recorded.length, place?.recorded[0]?.seq, place?.untrusted.length]).toEqual([201, 1400, 8]);
});
