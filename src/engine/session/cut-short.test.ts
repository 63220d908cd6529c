import { expect, test } from 'bun:test';
import { EMPTY_STATE } from '../../core/session/state.ts';
import type { DurableEvent } from '../../protocol/event.ts';
import { tellCutShort } from './engine.ts';

const started: DurableEvent = { type: 'restore.started', checkpoint: 'c3' };
const completed: DurableEvent = {
  type: 'restore.completed',
  checkpoint: 'c3',
  report: { restored: ['a'], refused: [] },
};

function tell(...events: readonly DurableEvent[]): readonly string[] {
  return tellCutShort(events.map((event, at) => ({ seq: at + 1, at: 0, event })));
}

test('an undo that nothing ended is told when the session goes on, once', () => {
  expect([tell(started), tell(completed, started), tell({ ...started, checkpoint: null, direction: 'redo' })]).toEqual([
    ['an undo of c3 was cut short when aish ended; :undo c3 continues it'],
    ['an undo of c3 was cut short when aish ended; :undo c3 continues it'],
    ['a redo was cut short when aish ended; :redo continues it'],
  ]);
});

test('one of several steps is told, though others before it were whole', () => {
  const several: DurableEvent = { type: 'restore.started', checkpoint: null, steps: 2 };
  expect([tell(several, completed), tell(several, completed, completed)]).toEqual([
    ['an undo was cut short when aish ended; :undo continues it'],
    [],
  ]);
});

test('nothing is told of one that came to its end, touched nothing yet, or was told before', () => {
  const question = {
    checkpoint: 'c3',
    direction: 'undo',
    label: '',
    at: 0,
    free: 0,
    conflicts: [],
    refused: [],
  } as const;
  const asked: DurableEvent = { type: 'restore.conflicted', prompt: question };
  const resumed: DurableEvent = { type: 'session.resumed', settings: EMPTY_STATE.settings };
  expect([tell(), tell(started, completed), tell(started, asked), tell(started, resumed)]).toEqual([[], [], [], []]);
});
