import { expect, test } from 'bun:test';
import type { Settings } from '../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../protocol/tool.ts';
import { whyHeld } from './held-call.ts';
import { DEFAULT_SETTINGS } from './session/state.ts';

const write: ToolCall = { id: 'c', name: 'aish.write_file', arguments: {}, effect: 'write', origin: 'model' };
const exec: ToolCall = { ...write, name: 'aish.exec', arguments: { command: 'make' }, effect: 'exec' };
const everything: Settings = { ...DEFAULT_SETTINGS, approve: 'all' };
const judged = { class: 'mutating', decision: 'ask', reasons: ['runs code'], floors: [], cwd: '/' } as const;

test('what was never allowed needs no word', () => {
  const unsafe: CallPreview = { undoable: false, why: 'git ignores this file' };
  expect([
    whyHeld(write, DEFAULT_SETTINGS, unsafe),
    whyHeld(exec, DEFAULT_SETTINGS, { undoable: true, judged }),
    whyHeld(write, everything, { undoable: true }),
  ]).toEqual([null, null, null]);
});

test('what a mode or a rule would have allowed is told with what stands in its way', () => {
  const ruled: Settings = { ...DEFAULT_SETTINGS, autoApprove: { 'box.put': true } };
  const put: ToolCall = { ...write, name: 'box.put' };
  const read: ToolCall = { ...write, name: 'aish.read_file', effect: 'read' };
  const readOnly: Settings = { ...DEFAULT_SETTINGS, approve: 'read-only' };
  const taint = { sources: [{ kind: 'file', name: '/x' }], reach: 'reaches outside' } as const;
  expect([
    whyHeld(write, everything, { undoable: false, why: 'git ignores this file' }),
    whyHeld(exec, DEFAULT_SETTINGS, { undoable: false, why: 'no git', judged: { ...judged, decision: 'allow' } }),
    whyHeld(put, ruled, { undoable: true, secrets: [{ name: 'A_KEY', to: 'box.put' }] }),
    whyHeld(put, ruled, { undoable: true, definition: 'moved' }),
    whyHeld(put, ruled, { undoable: true, taint }),
    whyHeld(put, ruled, { undoable: true, judged: { ...judged, reasons: ['acts later: x'], rule: 'what acts later' } }),
    whyHeld(read, readOnly, { undoable: true, foreign: true, path: '/etc/motd' }),
    whyHeld(put, { ...ruled, tools: { ask: ['box.*'], deny: [] } }, { undoable: true }),
  ]).toEqual([
    'it cannot be undone: git ignores this file',
    'it cannot be undone: no git',
    'no rule hands A_KEY to box.put',
    'the tool is not what it was when a rule for its server began to hold',
    'the model has read text from /x, and this reaches outside; asked although the rule "box.put" allows it',
    'acts later: x',
    'it reads outside of the work tree: /etc/motd',
    'the rule "box.*" asks about it',
  ]);
});

test('who approves everything is told that commands are not among it', () => {
  expect([
    whyHeld(exec, everything, { undoable: true, judged }),
    whyHeld(exec, everything, { undoable: true, judged: { ...judged, rule: 'make' } }),
    whyHeld({ ...exec, origin: 'command-line' }, everything, { undoable: true, judged }),
  ]).toEqual(['no rule of [safety] covers this command (a mode approves none)', 'the rule "make" asks about it', null]);
});
