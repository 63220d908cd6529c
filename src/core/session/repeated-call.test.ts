import { describe, expect, test } from 'bun:test';
import type { SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { toMessages } from '../context/request-messages.ts';
import { fold } from './evolve.ts';
import { next } from './next.ts';
import { DEFAULT_SETTINGS } from './state.ts';

const begin: readonly SessionEvent[] = [
  { type: 'session.created', id: 's', cwd: '/', settings: DEFAULT_SETTINGS },
  { type: 'turn.started', turn: 1, text: 'go' },
];

const want = (...events: readonly SessionEvent[]) => next(fold([...begin, ...events]))[0];

function ran(call: Partial<ToolCall>, text: string, options: { readonly isError?: boolean; readonly exit?: number } = {}): SessionEvent[] {
  const whole: ToolCall = { id: 'call00000', name: 'aish.read_file', arguments: {}, effect: 'read', origin: 'model', ...call };
  const { isError = false, exit } = options;
  const line = String(whole.arguments.command);
  const record = { line, driver: 'model', cwd: '/', output: text, bytes: 0, durationMs: 1 } as const;
  const begun: SessionEvent[] = whole.invalid === undefined ? [{ type: 'tool-call.started', callId: whole.id }] : [];
  return [
    { type: 'step.completed', text: '', calls: [whole], finish: 'tool_calls', model: 'm' },
    ...begun,
    { type: 'tool-call.completed', callId: whole.id, text, isError, ...(exit === undefined ? {} : { record: { ...record, exit } }) },
  ];
}

const command = (line: string, exit: number, output = ''): SessionEvent[] =>
  ran({ name: 'aish.exec', arguments: { command: line }, effect: 'exec' }, output, { exit });

describe('the same call failing again and again', () => {
  test.each<[string, SessionEvent[]]>([
    ['a command', command('make', 2)],
    ['a tool that reports an error', ran({ arguments: { path: 'a' } }, 'no such file', { isError: true })],
    ['a call with broken arguments', ran({ invalid: 'the arguments are not valid JSON' }, 'not run', { isError: true })],
  ])('ends the turn at the third time: %s', (_, failed) => {
    expect(want(...failed, ...failed)?.type).toBe('request-model');
    expect(want(...failed, ...failed, ...failed)).toEqual({ type: 'end-turn', key: 'end-1', reason: 'repeated-failure' });
  });

  test('counts whatever the texts of the failures are', () => {
    const end = want(...command('make', 2, 'at 1 s'), ...command('make', 1, 'at 2 s'), ...command('make', 2, 'at 3 s'));
    expect(end).toMatchObject({ reason: 'repeated-failure' });
  });

  test('is counted anew when another call comes between or it succeeds', () => {
    const make = command('make', 2);
    expect(want(...make, ...command('ls', 1), ...make, ...make)?.type).toBe('request-model');
    expect(want(...make, ...make, ...command('make', 0), ...make)?.type).toBe('request-model');
  });
});

describe('the same call with the same result', () => {
  const read = (path: string, text: string) => ran({ arguments: { path } }, text);

  test('ends the turn at the fourth time', () => {
    const one = read('note.txt', 'hello');
    expect(want(...one, ...one, ...one)?.type).toBe('request-model');
    expect(want(...one, ...one, ...one, ...one)).toEqual({ type: 'end-turn', key: 'end-1', reason: 'repeated-call' });
  });

  test('goes on while the result changes, or the arguments do', () => {
    const states = ['pending', 'pending', 'running', 'running', 'running', 'done'].flatMap((state) => command('job status', 0, state));
    expect(want(...states)?.type).toBe('request-model');
    expect(want(...['a', 'b', 'a', 'b', 'a'].flatMap((path) => read(path, 'same')))?.type).toBe('request-model');
  });

  test('does not count a call that was denied', () => {
    const whole: ToolCall = { id: 'call00000', name: 'aish.exec', arguments: { command: 'ls' }, effect: 'exec', origin: 'model' };
    const denied: SessionEvent[] = [
      { type: 'step.completed', text: '', calls: [whole], finish: 'tool_calls', model: 'm' },
      { type: 'approval.requested', callId: whole.id, preview: { undoable: false } },
      { type: 'approval.decided', callId: whole.id, decision: 'deny', by: 'headless' },
      { type: 'tool-call.completed', callId: whole.id, text: 'denied', isError: true },
    ];
    expect(want(...denied, ...denied, ...denied, ...denied)?.type).toBe('request-model');
  });
});

describe('an empty answer after a result', () => {
  const empty: SessionEvent = { type: 'step.completed', text: '', calls: [], finish: 'stop', model: 'm' };
  const read = ran({ arguments: { path: 'a' } }, 'text');

  test('is asked for once more, and then accepted', () => {
    expect(want(...read, empty)?.type).toBe('request-model');
    expect(want(...read, empty, empty)).toMatchObject({ type: 'end-turn', reason: 'completed' });
    expect(want(...read, { ...empty, reasoning: 'hm' })?.type).toBe('request-model');
  });

  test('is not asked for again where nothing was called, or the answer was cut', () => {
    expect(want(empty)).toMatchObject({ type: 'end-turn', reason: 'completed' });
    expect(want(...read, { ...empty, finish: 'length' })).toMatchObject({ type: 'end-turn', reason: 'completed' });
  });

  test('the request says so to the model, and its roles alternate', () => {
    const frame = { os: 'linux', shell: 'bash', cwd: '' };
    const state = fold([...begin, ...read, empty]);
    const sent = toMessages(state, { frame, wireName: (name) => name, outputBudget: 1000 });
    expect(sent.slice(1).map(({ role, content }) => [role, content.slice(0, 26)])).toEqual([
      ['user', 'go'],
      ['assistant', ''],
      ['tool', 'text'],
      ['assistant', '(no answer)'],
      ['user', '[your last answer was empt'],
    ]);
  });
});
