import { expect, test } from 'bun:test';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { DEFAULT_SETTINGS } from './state.ts';
import { addToReport, EMPTY_REPORT } from './turn-report.ts';
import { type Denial, whyDenied } from './why-denied.ts';

const call: ToolCall = { id: 'c1', name: 'a.b', arguments: { x: 1 }, effect: 'read', origin: 'model' };
const proposal: ToolCall = { ...call, id: 'c2', name: 'aish.exec', origin: 'command-line' };
const usage = { promptTokens: 10, completionTokens: 2 };

test('a turn is one answer: the last text, every call with its result, the tokens of all steps', () => {
  const events: SessionEvent[] = [
    { type: 'step.completed', text: 'first', calls: [call], finish: 'tool_calls', model: 'm', usage },
    { type: 'approval.decided', callId: 'c1', decision: 'deny', by: 'headless' },
    { type: 'tool-call.completed', callId: 'c1', text: 'denied', isError: true },
    { type: 'step.completed', text: 'CMD: ls', calls: [proposal], finish: 'stop', model: 'm', usage },
    { type: 'tool-call.completed', callId: 'c2', text: 'denied', isError: true },
    { type: 'turn.ended', reason: 'completed' },
  ];
  expect(events.reduce(addToReport, EMPTY_REPORT)).toEqual({
    text: 'CMD: ls',
    calls: [{ id: 'c1', name: 'a.b', arguments: { x: 1 }, decision: 'deny', result: 'denied', isError: true }],
    promptTokens: 20,
    completionTokens: 4,
    end: 'completed',
    finish: 'stop',
    gap: null,
    lastTokens: 2,
  });
});

test('a turn that broke off says what had streamed, and why', () => {
  const error = { code: 'model.cut', message: 'cut' };
  const ended: SessionEvent = { type: 'turn.ended', reason: 'failed', text: 'half of', error };
  expect(addToReport(EMPTY_REPORT, ended)).toMatchObject({ text: 'half of', end: 'failed', error });
});

const write: ToolCall = { id: 'c', name: 'aish.write_file', arguments: {}, effect: 'write', origin: 'model' };
const exec: ToolCall = { ...write, name: 'aish.exec', arguments: { command: 'make' }, effect: 'exec' };
const everything: Settings = { ...DEFAULT_SETTINGS, approve: 'all' };
const decided = { class: 'mutating', decision: 'ask', reasons: ['runs code'], hardDenials: [], cwd: '/' } as const;

function why(call: ToolCall, settings: Settings, preview: CallPreview): Denial | null {
  return whyDenied(call, { settings }, preview);
}

test('what no rule and no mode approves is told with the mode that would, to users alone', () => {
  const unsafe: CallPreview = { undoable: false, why: 'git ignores this file' };
  expect([
    why(write, DEFAULT_SETTINGS, unsafe),
    why({ ...write, effect: 'read' }, DEFAULT_SETTINGS, { undoable: true }),
    why(exec, DEFAULT_SETTINGS, { undoable: true, decided }),
    why(write, everything, { undoable: true }),
  ]).toEqual([
    { code: 'not-approved', text: 'no rule allows this call, and nobody is there to approve it; --approve all allows it' },
    { code: 'not-approved', text: 'no rule allows this call, and nobody is there to approve it; --approve read-only allows it' },
    { code: 'no-command-rule', text: 'no [safety] rule allows this command, and --approve does not apply to commands' },
    null,
  ]);
});

test('a halt is the reason for all that a mode could approve, and says what ends it', () => {
  const halted = { settings: DEFAULT_SETTINGS, halted: true } as const;
  const unsafe = { undoable: false, why: 'no git', decided: { ...decided, decision: 'allow' } } as const;
  const reason = 'the session was halted, so every call needs approval';
  const denial = { code: 'halted', reason, text: `${reason}; pass --approve with ask, read-only or all to continue` };
  expect([whyDenied(write, halted, { undoable: true }), whyDenied(exec, halted, { undoable: true, decided })]).toEqual([
    denial,
    denial,
  ] as Denial[]);
  expect(whyDenied(exec, halted, unsafe)?.code).toBe('not-undoable');
});

test('what a mode or a rule would have allowed is told with what stands in its way', () => {
  const ruled: Settings = { ...DEFAULT_SETTINGS, autoApprove: { 'box.put': true } };
  const put: ToolCall = { ...write, name: 'box.put' };
  const read: ToolCall = { ...write, name: 'aish.read_file', effect: 'read' };
  const readOnly: Settings = { ...DEFAULT_SETTINGS, approve: 'read-only' };
  const taint = { sources: [{ kind: 'file', name: '/x' }], reach: 'reaches outside' } as const;
  expect(
    [
      why(write, everything, { undoable: false, why: 'git ignores this file' }),
      why(exec, DEFAULT_SETTINGS, { undoable: false, why: 'no git', decided: { ...decided, decision: 'allow' } }),
      why(put, ruled, { undoable: true, secrets: [{ name: 'A_KEY', to: 'box.put' }] }),
      why(put, ruled, { undoable: true, definition: 'moved' }),
      why(put, ruled, { undoable: true, taint }),
      why(put, ruled, { undoable: true, decided: { ...decided, reasons: ['acts later: x'], rule: 'what acts later' } }),
      why(read, readOnly, { undoable: true, foreign: true, path: '/etc/motd' }),
      why(put, { ...ruled, tools: { ask: ['box.*'], deny: [] } }, { undoable: true }),
    ].map((denial) => [denial?.code, denial?.reason]),
  ).toEqual([
    ['not-undoable', 'this call cannot be undone: git ignores this file'],
    ['not-undoable', 'this call cannot be undone: no git'],
    ['injects-secret', 'no rule grants A_KEY to box.put'],
    ['tool-changed', "the tool's definition has changed since a rule approved it"],
    [
      'untrusted-content',
      'the model has read untrusted content from /x, and this reaches outside; aish asks although the rule "box.put" allows it',
    ],
    ['rule-asks', 'acts later: x'],
    ['outside-project', 'this call reads outside the project: /etc/motd'],
    ['rule-asks', 'the rule "box.*" requires approval'],
  ]);
});

test('who approves everything is told that commands are not among it', () => {
  const unruled = 'no [safety] rule allows this command, and --approve does not apply to commands';
  expect([
    why(exec, everything, { undoable: true, decided }),
    why(exec, everything, { undoable: true, decided: { ...decided, rule: 'make' } }),
    why({ ...exec, origin: 'command-line' }, everything, { undoable: true, decided }),
  ]).toEqual([
    { code: 'no-command-rule', reason: unruled, text: unruled },
    { code: 'rule-asks', reason: 'the rule "make" requires approval', text: 'the rule "make" requires approval' },
    { code: 'no-command-rule', text: unruled },
  ]);
});
