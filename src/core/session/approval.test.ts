import { expect, test } from 'bun:test';
import { approved, asked, call, called, created, project, started } from '../../../test/support/session-facts.ts';
import type { Op } from '../../protocol/op.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { applyRules } from '../policy/policy.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { next } from './next.ts';
import { DEFAULT_SETTINGS } from './state.ts';

test('two clients decide at once: one wins, the other is refused', () => {
  const state = fold([created, started, called, asked]);
  const op: Op = { type: 'decide', callId: call.id, decision: { type: 'allow' }, by: 'user' };
  const [first] = decide(state, op);
  expect(first).toEqual(approved);
  expect(decide(evolve(state, approved), op).map((event) => event.type)).toEqual(['op.rejected']);
});

test('a refusal is a tool result with the reason of the user', () => {
  const state = fold([created, started, called, asked]);
  const events = decide(state, {
    type: 'decide',
    callId: call.id,
    decision: { type: 'deny', reason: 'wrong folder' },
    by: 'user',
  });
  const after = fold([created, started, called, asked, ...events]);
  expect(project(after).at(-1)).toEqual({
    role: 'tool',
    toolCallId: 'call00000',
    content: '[aish] tool call declined by user: wrong folder',
  });
  expect(next(after).map((effect) => effect.type)).toEqual(['request-model']);
});

test('a rule the user adds holds for the next call and never for commands', () => {
  const always = decide(fold([created, started, called, asked]), {
    type: 'decide',
    callId: call.id,
    decision: { type: 'allow-always', rule: 'fs.write_file' },
    by: 'user',
  });
  const { settings } = fold([created, started, called, asked, ...always]);
  expect(applyRules(call, settings, { undoable: true })).toEqual({ decision: 'allow', rule: 'fs.write_file' });
  const exec = { ...call, name: 'aish.exec', effect: 'exec' } as const;
  expect(
    applyRules(exec, { ...settings, autoApprove: { 'aish.*': true, 'aish.exec': true }, approve: 'all' }, { undoable: true }).decision,
  ).toBe('ask');
});

test('a change that cannot be undone is asked although a rule allows it', () => {
  const settings = { ...DEFAULT_SETTINGS, autoApprove: { 'fs.*': true } };
  expect(applyRules(call, settings, { undoable: true }).decision).toBe('allow');
  expect(applyRules(call, settings, { undoable: false }).decision).toBe('ask');
  expect(applyRules({ ...call, name: 'other.write_file' }, settings, { undoable: true }).decision).toBe('ask');
});

test('the exact rule stands over the wildcard, and only the value true approves', () => {
  const settings = { ...DEFAULT_SETTINGS, autoApprove: { 'fs.*': true, 'fs.write_file': false } };
  expect(applyRules(call, settings, { undoable: true })).toEqual({ decision: 'ask', rule: 'fs.write_file' });
});

test('approve read-only covers what our own tools read in the work tree, and a rule also what lies outside of it', () => {
  const read: ToolCall = { ...call, name: 'aish.read_file', effect: 'read' };
  const readOnly = { ...DEFAULT_SETTINGS, approve: 'read-only' } as const;
  const ruled = { ...readOnly, autoApprove: { 'aish.read_file': true } };
  const preview = { undoable: true, foreign: true } as const;
  expect([applyRules(read, readOnly, { undoable: true }), applyRules(read, readOnly, preview), applyRules(read, ruled, preview)]).toEqual([
    { decision: 'allow', rule: 'approve read-only' },
    { decision: 'ask', rule: 'outside the project', held: 'approve read-only' },
    { decision: 'allow', rule: 'aish.read_file' },
  ]);
});
