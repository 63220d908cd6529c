import { expect, test } from 'bun:test';
import type { Op } from './op.ts';
import { parseChatBody, parseOp, parseSessionBody } from './op-schema.ts';

const problemOf = (result: { ok: boolean; problem?: string }): string => result.problem ?? 'none';

test('every op passes as it is', () => {
  const ops: Op[] = [
    { type: 'send', text: 'a' },
    { type: 'send', text: 'a', attachment: 'b' },
    {
      type: 'send',
      text: 'a',
      files: [
        { type: 'text', path: 'a.ts', about: '1 line', text: 'x' },
        { type: 'image', path: 'b.png', about: '1 kB', mediaType: 'image/png', data: 'AAAA' },
      ],
    },
    { type: 'run', line: 'ls' },
    { type: 'decide', callId: 'call00000', decision: { type: 'allow' }, by: 'user' },
    { type: 'decide', callId: 'call00000', decision: { type: 'allow-always', rule: 'fs.write_file' }, by: 'user' },
    { type: 'decide', callId: 'call00000', decision: { type: 'deny', reason: 'no' }, by: 'headless' },
    { type: 'decide', callId: 'c', decision: { type: 'edit', command: 'ls' }, by: 'user', prompt: 2 },
    { type: 'interrupt' },
    { type: 'interrupt', after: 'step' },
    { type: 'halt', by: 'signal' },
    { type: 'restore', checkpoint: null },
    { type: 'restore', checkpoint: 'c1', paths: ['a.txt'] },
    { type: 'restore', checkpoint: null, direction: 'redo', steps: 3 },
    { type: 'resolve', choices: { 'a.txt': 'mine', 'b.txt': 'theirs', 'c.txt': 'merged' } },
    { type: 'trust' },
    { type: 'compact', focus: 'the tests' },
    { type: 'rename', name: 'a' },
    { type: 'dry-run', callId: 'c', prompt: 1 },
    { type: 'dry-run', line: 'make' },
    { type: 'apply', items: [1, 2] },
    { type: 'discard' },
    { type: 'configure', settings: { model: 'a', approve: 'read-only', maxSteps: null, maxToolDepth: 2 } },
  ];
  expect(ops.map((op) => parseOp(op))).toEqual(ops.map((value) => ({ ok: true, value })));
});

test('a bad op is told with the place and the reason', () => {
  const bad: unknown[] = [
    null,
    {},
    { type: 'shout' },
    { type: 'send' },
    { type: 'send', text: 1 },
    { type: 'run', line: '' },
    { type: 'send', text: 'a', extra: 1 },
    { type: 'decide', callId: 'c', decision: { type: 'maybe' }, by: 'user' },
    { type: 'decide', callId: 'c', decision: { type: 'allow' }, by: 'policy' },
    { type: 'configure', settings: { autoApprove: { 'a.*': true } } },
    { type: 'configure', settings: { maxSteps: 0 } },
  ];
  expect(bad.map((op) => problemOf(parseOp(op)))).toMatchInlineSnapshot(`
    [
      "the op: must be Object, not null",
      "type: must be ("send" | "run" | "decide" | "answer-form" | "interrupt" | "halt" | "restore" | "resolve" | "trust" | "compact" | ("pause-contract" | "continue-contract") | "edit-plan" | "rename" | "dry-run" | "apply" | "discard" | "fork" | "configure"), not undefined",
      "type: must be ("send" | "run" | "decide" | "answer-form" | "interrupt" | "halt" | "restore" | "resolve" | "trust" | "compact" | ("pause-contract" | "continue-contract") | "edit-plan" | "rename" | "dry-run" | "apply" | "discard" | "fork" | "configure"), not "shout"",
      "text: is missing",
      "text: must be string, not 1",
      "line: must not be empty",
      "extra: unknown key",
      "decision.type: must be ("allow" | "allow-always" | "deny" | "edit"), not "maybe"",
      "by: must be ("user" | "headless"), not "policy"",
      "settings.autoApprove: unknown key",
      "settings.maxSteps: must be 1 or more",
    ]
  `);
});

test('the bodies of the routes are told the same way', () => {
  const problems = [
    parseSessionBody({ cwd: 1 }),
    parseSessionBody({ cwd: '/tmp\0x' }),
    parseSessionBody({ settings: { checkpointMode: 'off' } }),
    parseChatBody({}),
    parseChatBody({ messages: [] }),
    parseChatBody({ messages: [{ role: 'tool', content: 'a' }] }),
    parseChatBody({ messages: [{ role: 'assistant', content: 'a' }] }),
    parseChatBody({ messages: [{ role: 'user', content: ' ' }] }),
  ].map(problemOf);
  expect(problems).toMatchInlineSnapshot(`
    [
      "cwd: must be string, not 1",
      "cwd: must not contain NUL",
      "settings.checkpointMode: unknown key",
      "messages: is missing",
      "messages: must contain at least one message",
      "messages.0.role: must be ("system" | "user" | "assistant"), not "tool"",
      "messages: must end with a message of the role "user"",
      "messages: must not end with an empty message",
    ]
  `);
});
