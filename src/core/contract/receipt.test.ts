import { expect, test } from 'bun:test';
import type { CommandRecord } from '../../protocol/command.ts';
import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { DEFAULT_LIMITS } from './contract-line.ts';
import { formatReceipt, toReceipt } from './receipt.ts';

const contract = { goal: 'fix', until: ['make'], only: ['src'], limits: DEFAULT_LIMITS };
const record = (exit: number): CommandRecord => ({
  line: 'make',
  driver: 'model',
  exit,
  cwd: '/w',
  output: '',
  bytes: 0,
  durationMs: 1,
});
const call = (id: string, name: string, args: ToolCall['arguments']): ToolCall => ({
  id,
  name,
  arguments: args,
  effect: 'exec',
  origin: 'model',
});
const checkpoint = (id: string) => ({ id, at: 0, label: '', kind: 'ref' }) as never;

const EVENTS: readonly SessionEvent[] = [
  { type: 'contract.started', number: 1, contract },
  { type: 'contract.checked', number: 1, records: [record(2)], tree: 'a', changed: [], pinned: [] },
  { type: 'turn.started', turn: 1, text: 'fix' },
  {
    type: 'step.completed',
    text: '',
    calls: [call('c1', 'aish.exec', { command: 'cat  x\ny' }), call('c2', 'aish.write_file', { path: 'src/a' })],
    finish: 'tool_calls',
    model: 'm',
    usage: { promptTokens: 10, completionTokens: 5 },
  },
  { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'policy', rule: 'the contract' },
  { type: 'tool-call.started', callId: 'c1', sandboxed: true },
  { type: 'tool-call.completed', callId: 'c1', text: '', isError: true },
  { type: 'approval.decided', callId: 'c2', decision: 'allow', by: 'policy', rule: 'the contract' },
  { type: 'checkpoint.created', callId: 'c2', checkpoint: checkpoint('c7') },
  { type: 'tool-call.started', callId: 'c2' },
  { type: 'tool-call.completed', callId: 'c2', text: '', isError: false },
  { type: 'contract.checked', number: 1, records: [record(0)], tree: 'b', changed: [] },
  { type: 'contract.ended', number: 1, reason: 'achieved' },
];

function recorded(events: readonly SessionEvent[]): readonly Recorded[] {
  return events.map((event, at) => ({ seq: at + 1, at: at * 1000, event }));
}

test('a receipt has the checks before and after, each call, and what was used', () => {
  const receipt = toReceipt(recorded(EVENTS));
  expect(receipt).toEqual({
    contract,
    reason: 'achieved',
    fence: null,
    checksBefore: [{ command: 'make', exit: 2 }],
    checksAfter: [{ command: 'make', exit: 0 }],
    pinnedChanged: [],
    calls: [
      { what: 'cat  x\ny', rule: 'the contract', checkpoint: null, isError: true },
      { what: 'aish.write_file src/a', rule: 'the contract', checkpoint: 'c7', isError: false },
    ],
    plan: [],
    checkpoints: ['c7'],
    steps: 1,
    tokens: 15,
    seconds: 12,
  });
  expect(receipt === null ? '' : formatReceipt(receipt, [{ path: 'src/a', kind: 'added' }])).toMatchInlineSnapshot(`
    "# Receipt of an autonomous run

    The goal is reached: all checks pass.

    - Goal: fix
    - Until: make exits with 0
    - Changes: only src, but no test and no setting of the checks
    - Limits: 20 steps, 15 min, 200000 tokens
    - Network: off
    - before: fails (exit 2): make
    - after: passes: make
    - used: 1 step, 15 tokens, 12 s
    - again: :norris 'fix' until 'make' within 20 steps, 15 min, 200000 tokens only src net off

    ## Calls of the model: 2

    - \`cat x y\` (allowed by the contract, failed)
    - \`aish.write_file src/a\` (allowed by the contract, :undo c7 undoes it)

    ## Changed files: 1

    - added: src/a
    "
  `);
});

test('a step that changed nothing has no checkpoint, even if that was known only after the end', () => {
  const events: readonly SessionEvent[] = [...EVENTS, { type: 'checkpoint.finalized', id: 'c7', discarded: true }];
  expect(toReceipt(recorded(events))?.checkpoints).toEqual([]);
});

test('an id that a step without a change gave back may be that of the next step', () => {
  const first: SessionEvent = { type: 'checkpoint.finalized', id: 'c7', discarded: true };
  const at = EVENTS.findIndex(({ type }) => type === 'checkpoint.created');
  const created = EVENTS.slice(at, at + 1);
  const receipt = toReceipt(recorded([...EVENTS.slice(0, at), ...created, first, ...created, ...EVENTS.slice(at + 1)]));
  expect(receipt?.checkpoints).toEqual(['c7']);
});

test('the last run counts, and one without an end was cut short', () => {
  const again: SessionEvent = { type: 'contract.started', number: 2, contract: { ...contract, goal: 'again' } };
  const receipt = toReceipt(recorded([...EVENTS, again]));
  expect(receipt).toMatchObject({ reason: null, contract: { goal: 'again' }, calls: [], checkpoints: [] });
  expect(toReceipt([])).toBeNull();
});
