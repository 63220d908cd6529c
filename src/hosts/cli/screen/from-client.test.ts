import { expect, test } from 'bun:test';
import { fromClient } from '../../../core/session/decide.ts';
import { createTheme } from '../../../core/terminal/theme.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import { formatFromClient } from './from-client.ts';

const theme = createTheme({}, { colour: false, name: 'none' });

/** The text of the owner's screen for an event that an attached client requested, then that client's text for an event of the owner. */
function told(event: SessionEvent): readonly (string | null)[] {
  return [formatFromClient(fromClient(event, 'pts/3'), theme), formatFromClient(event, theme, 'pts/3')];
}

test('an undo stands above what came of it as it was entered, on all other screens', () => {
  expect(told({ type: 'restore.started', checkpoint: 'c24', paths: ['a.txt', 'b c.txt'] })).toEqual([
    "pts/3 : :undo c24 a.txt 'b c.txt'\n",
    "owner : :undo c24 a.txt 'b c.txt'\n",
  ]);
  expect(told({ type: 'restore.started', checkpoint: null, direction: 'redo', steps: 3 })[0]).toBe('pts/3 : :redo 3\n');
});

test('anyone who answers the question of an undo is named, with what they chose', () => {
  expect(told({ type: 'restore.resolved', choices: { a: 'theirs' } })).toEqual([
    '  pts/3 answered: take\n',
    '  the owner answered: take\n',
  ]);
  expect(told({ type: 'restore.resolved', choices: { a: 'mine', b: 'merged', c: 'mine' } })[0]).toBe(
    '  pts/3 answered: keep 2, merge 1\n',
  );
  expect(told({ type: 'restore.abandoned' })[1]).toBe('  the owner gave up the undo\n');
});

test('what else begins by a request is told with where it was entered', () => {
  expect(told({ type: 'session.named', name: 'a work', by: 'user' })[0]).toBe('pts/3 : :name a work\n');
  expect(told({ type: 'dry-run.started', number: 1, line: 'make' })[0]).toBe('pts/3 : :dry-run make\n');
  expect(told({ type: 'dry-run.applying', number: 1, items: [1, 2] })[1]).toBe(
    '  the owner applied some changes: 1, 2\n',
  );
  expect(told({ type: 'compaction.started', reason: 'user', entries: 4, tokens: 9 })[0]).toBe('pts/3 : :compact\n');
  expect(told({ type: 'taint.cleared' })[1]).toBe('  the owner trusts everything that the model has read\n');
  expect(told({ type: 'turn.ended', reason: 'interrupted' })[0]).toBe('  pts/3 interrupted the model\n');
});

test('nothing is told of what the session did by itself, nor of what was entered here', () => {
  const own = fromClient({ type: 'restore.started', checkpoint: null }, 'pts/3');
  expect(formatFromClient(own, theme, 'pts/3')).toBeNull();
  expect(formatFromClient({ type: 'session.named', name: 'x', by: 'model' }, theme, 'pts/3')).toBeNull();
  expect(formatFromClient({ type: 'turn.ended', reason: 'completed' }, theme, 'pts/3')).toBeNull();
  expect(formatFromClient({ type: 'turn.ended', reason: 'interrupted' }, theme, 'pts/3')).toBeNull();
});
