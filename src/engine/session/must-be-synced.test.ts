import { expect, test } from 'bun:test';
import { approved, call, called, created, started } from '../../../test/support/session-facts.ts';
import { fold } from '../../core/session/evolve.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { mustBeSynced } from './session.ts';

/** Whether the start of such a call has to be on the disk before it runs. */
function ofCall(changed: Partial<ToolCall>): boolean {
  const state = fold([created, started, { ...called, calls: [{ ...call, ...changed }] }]);
  return mustBeSynced({ type: 'tool-call.started', callId: call.id }, state);
}

test('a call that may have an effect is on the disk before it runs, whatever a server says of its tool', () => {
  expect([
    ofCall({}),
    ofCall({ name: 'aish.exec', effect: 'exec' }),
    ofCall({ name: 'aish.write_file', effect: 'write' }),
    ofCall({ name: 'fs.read_file', effect: 'read' }),
  ]).toEqual([true, true, true, true]);
});

test('a tool of ours that only reads waits for no disk', () => {
  expect([ofCall({ name: 'aish.read_file', effect: 'read' }), ofCall({ name: 'aish.output', effect: 'read' })]).toEqual(
    [false, false],
  );
});

test('a command waits for no disk only if it ran by itself, because it reads alone, in the sandbox', () => {
  const exec: ToolCall = { ...call, name: 'aish.exec', effect: 'exec' };
  const decided = { class: 'read-only', decision: 'ask', reasons: [], hardDenials: [], cwd: '/tmp' } as const;
  const isSynced = (preview: CallPreview, sandboxed: { readonly sandboxed?: true }): boolean => {
    const state = fold([created, started, { ...called, calls: [exec] }, { ...approved, preview }]);
    return mustBeSynced({ type: 'tool-call.started', callId: call.id, ...sandboxed }, state);
  };
  const automatic = { undoable: true, decided: { ...decided, autoRun: true } } as const;
  expect([
    isSynced(automatic, { sandboxed: true }),
    isSynced(automatic, {}),
    isSynced({ undoable: true, decided }, { sandboxed: true }),
  ]).toEqual([false, true, true]);
});

test('a call that nobody knows is on the disk first', () => {
  expect(mustBeSynced({ type: 'tool-call.started', callId: 'another' }, fold([created, started, called]))).toBe(true);
});

test('the end of a turn is on the disk, a line that was typed is not waited for', () => {
  const state = fold([created]);
  expect([
    mustBeSynced({ type: 'turn.ended', reason: 'completed' }, state),
    mustBeSynced({ type: 'command.started', line: 'ls', driver: 'user' }, state),
  ]).toEqual([true, false]);
});
