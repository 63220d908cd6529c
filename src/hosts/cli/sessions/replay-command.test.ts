import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readLog } from '../../../adapters/store/event-log.ts';
import { DEFAULT_SETTINGS } from '../../../core/session/state.ts';
import type { DurableEvent, Recorded } from '../../../protocol/event.ts';
import type { ToolCall } from '../../../protocol/tool.ts';
import { ReplayPace, replayAtOnce } from './replay-command.ts';

const LOGS = join(import.meta.dir, '../../../../test/fixtures/logs');

function record(...events: readonly DurableEvent[]): readonly Recorded[] {
  return events.map((event, at) => ({ seq: at + 1, at: 1000 + at * 100, event }));
}

async function replay(recorded: readonly Recorded[]): Promise<string> {
  let text = '';
  await replayAtOnce(recorded, (piece) => {
    text += piece.endsWith('\n') ? piece : `${piece}\n`;
  });
  return text;
}

const created: DurableEvent = { type: 'session.created', id: '0abc', cwd: '/w', settings: DEFAULT_SETTINGS };
const ran = (line: string, exit: number, output: string): DurableEvent => ({
  type: 'command.completed',
  record: { line, driver: 'user', exit, cwd: '/w/sub', output, bytes: output.length, durationMs: 20 },
});

function call(id: string, name: string, given: ToolCall['arguments'], effect: ToolCall['effect']): ToolCall {
  return { id, name, arguments: given, effect, origin: 'model' };
}

test('lines, outputs, answers and questions show as they did, and the keys that answered them', async () => {
  const exec = call('call00000', 'aish.exec', { command: 'touch x' }, 'exec');
  const write = call('call00001', 'aish.write_file', { path: 'y', content: 'z' }, 'write');
  const output = {
    line: 'touch x',
    driver: 'model',
    exit: 0,
    cwd: '/w',
    output: 'made',
    bytes: 4,
    durationMs: 3,
  } as const;
  const shown = await replay(
    record(
      created,
      { type: 'command.started', line: 'cd sub', driver: 'user' },
      ran('cd sub', 3, 'no such \x1b[31mfolder\x1b[0m\n'),
      { type: 'turn.started', turn: 1, text: 'make x\nand y' },
      { type: 'step.completed', text: 'I will.', calls: [exec, write], finish: 'tool_calls', model: 'm' },
      { type: 'approval.requested', callId: exec.id, preview: { undoable: false, why: 'no git' } },
      {
        type: 'impact.estimated',
        callId: exec.id,
        prompt: 1,
        report: { effects: [], hosts: ['example.org'], unknown: [], notes: [] },
      },
      { type: 'approval.decided', callId: exec.id, decision: 'allow', by: 'user' },
      { type: 'tool-call.started', callId: exec.id },
      { type: 'tool-call.completed', callId: exec.id, text: 'made', isError: false, record: output },
      { type: 'approval.requested', callId: write.id, preview: { undoable: true } },
      { type: 'approval.decided', callId: write.id, decision: 'deny', by: 'user', reason: 'not now' },
      {
        type: 'tool-call.completed',
        callId: write.id,
        text: '[aish] tool call declined by user: not now',
        isError: true,
      },
      { type: 'step.completed', text: 'Done.', calls: [], finish: 'stop', model: 'm' },
      { type: 'turn.ended', reason: 'completed' },
    ),
  );
  expect(shown).toMatchInlineSnapshot(`
    "/w $ cd sub
    no such folder
    [3] /w/sub ? make x
    > and y
    I will.
    The model wants to run:
      $ touch x
      This cannot be undone: no git.
    [y] run once  [n] no  [e] edit  [r] dry run  [d] deny with a reason
      Connects to example.org.
      yes
      $ touch x
    made⏎
      exit 0 · 0.1 s
    The model wants to call aish.write_file:
      path: "y"
      content: "z"
    [y] allow once  [n] no  [a] always allow aish.write_file (this session)
    [d] deny with a reason
      reason for the model: not now
      denied
    Done.
    "
  `);
});

test('a halt, a dry run that is applied in part, an undo and a private command show', async () => {
  const report = {
    way: 'copy',
    project: '/w',
    record: { line: 'make', driver: 'user', exit: 0, cwd: '/w', output: 'built\n', bytes: 6, durationMs: 5 },
    items: [
      { number: 1, kind: 'created', path: 'a', about: '' },
      { number: 2, kind: 'deleted', path: 'b', about: '' },
    ],
    count: 2,
    effects: [],
    hosts: [],
    unknown: [],
    notes: [],
  } as const;
  const shown = await replay(
    record(
      created,
      { type: 'dry-run.started', number: 1, line: 'make' },
      { type: 'dry-run.completed', number: 1, report },
      { type: 'dry-run.applying', number: 1, items: [1] },
      { type: 'dry-run.applied', number: 1, report: { applied: ['a'], left: ['b'], conflicts: [] } },
      { type: 'command.started', line: '', driver: 'user', private: true },
      {
        type: 'command.completed',
        record: { line: '', driver: 'user', exit: 0, cwd: '/w', output: '', bytes: 0, durationMs: 1, private: true },
      },
      { type: 'restore.started', checkpoint: 'c1', paths: ['a'] },
      { type: 'restore.completed', checkpoint: 'c1', report: { restored: ['a'], refused: [] } },
      { type: 'turn.started', turn: 1, text: 'go on' },
      { type: 'session.halted', by: 'user', running: [{ what: 'request' }] },
      { type: 'turn.ended', reason: 'halted' },
      { type: 'halt.completed', report: { ended: 1, left: [] } },
    ),
  );
  expect(shown).toMatchInlineSnapshot(`
    "/w : :dry-run make
    dry run: exit 0 · 2 changes · the project is unchanged
      output:
        built
      1  created  a
      2  deleted  b
    [a] apply all  [c] choose some  [d] discard
      apply 1
      Applied 1 change; 1 not applied.
    /w $ (a private command)
    /w : :undo c1 a
    undo c1
      restored  a
    /w ? go on
    [aish] halted; stopped the model's answer; aish now asks before every action
    that no rule allows (:approve ask restores the default)
    [aish] ended 1 process
    "
  `);
});

test('an undo that asks what is to become of a path shows its question and the answer', async () => {
  const conflict = {
    key: 'a',
    path: 'a',
    why: 'it changed since',
    choices: ['mine', 'theirs'],
    now: { mode: '100644', blob: 'x' },
    mine: '1 line, 2 B',
    theirs: 'nothing',
  } as const;
  const question = {
    checkpoint: 'c1',
    direction: 'undo',
    label: 'before x',
    at: 0,
    free: 0,
    conflicts: [conflict],
    refused: [],
  } as const;
  const shown = await replay(
    record(
      created,
      { type: 'restore.started', checkpoint: null, direction: 'redo', steps: 2 },
      { type: 'restore.conflicted', prompt: question },
      { type: 'restore.resolved', choices: { a: 'theirs' } },
      { type: 'restore.completed', checkpoint: 'c1', report: { restored: ['a'], refused: [] } },
    ),
  );
  expect(shown.split('\n').map((row) => row.trim())).toEqual(
    expect.arrayContaining(['/w : :redo 2', 'take', 'restored  a']),
  );
});

test('the logs of every release replay the same each time', async () => {
  const files = readdirSync(LOGS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const recorded = readLog(join(LOGS, file));
    const [one, other] = [await replay(recorded), await replay(recorded)];
    expect([file, one.length > 0, other === one]).toEqual([file, true, true]);
  }
});

test('no control character of a log reaches the screen', async () => {
  const shown = await replay(
    record(
      created,
      { type: 'turn.started', turn: 1, text: '\x1b]0;title\x07hi\x9b2J\u202e' },
      ran('x\x1b[2J', 0, '\x1b[2Jo\x07k'),
    ),
  );
  expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});

function openPace(options: { readonly speed?: number; readonly isStepped?: boolean } = {}): ReplayPace {
  return new ReplayPace({ speed: 1, isStepped: false, onPause: () => {}, ...options });
}

test('a pause lasts until the next key, whatever the time, and the arrow shows what is next', async () => {
  const pace = openPace({ speed: 1e6 });
  pace.feed(Buffer.from(' '));
  let waits = true;
  const waiting = pace.wait(1).then(() => {
    waits = false;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(waits).toBe(true);
  pace.feed(Buffer.from('\x1b[C'));
  await waiting;
  expect([waits, pace.isOver]).toEqual([false, false]);
});

test('an arrow that comes before the replay waits for it shows one thing more', async () => {
  const pace = openPace({ isStepped: true });
  pace.feed(Buffer.from('\x1b[C\x1b[C'));
  await pace.wait(0);
  await pace.wait(0);
  let waits = true;
  const waiting = pace.wait(0).then(() => {
    waits = false;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(waits).toBe(true);
  pace.feed(Buffer.from('\x1b[C'));
  await waiting;
});

test('Ctrl-C ends a replay, also in the middle of a wait', async () => {
  const pace = openPace({ isStepped: true });
  const waiting = pace.wait(0);
  pace.feed(Buffer.from('\x03'));
  await waiting;
  expect(pace.isOver).toBe(true);
});
