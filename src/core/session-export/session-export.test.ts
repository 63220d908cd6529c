import { expect, test } from 'bun:test';
import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import { DEFAULT_SETTINGS } from '../session/state.ts';
import { toBlocks } from './blocks.ts';
import { formatJsonLines, formatMarkdown, formatPlain } from './format-session.ts';

const AT = Date.UTC(2026, 0, 2, 3, 4);

function record(...events: readonly DurableEvent[]): readonly Recorded[] {
  return events.map((event, at) => ({ seq: at + 1, at: AT, event }));
}

const call = {
  id: 'call00000',
  name: 'aish.exec',
  arguments: { command: 'rm a.txt' },
  effect: 'exec',
  origin: 'model',
} as const;
const created: DurableEvent = { type: 'session.created', id: '0abc', cwd: '/w', settings: DEFAULT_SETTINGS };
const asked = record(
  created,
  {
    type: 'turn.started',
    turn: 1,
    text: 'tidy *up*',
    files: [{ type: 'text', path: 'n.md', about: '2 lines', text: 'x' }],
  },
  { type: 'step.completed', text: 'On it.', calls: [call], finish: 'tool_calls', model: 'local' },
  {
    type: 'approval.requested',
    callId: call.id,
    preview: {
      undoable: true,
      decided: { class: 'destructive', decision: 'ask', reasons: ['deletes files'], hardDenials: [], cwd: '/w' },
      secrets: [{ name: 'TOKEN', to: 'curl' }],
      taint: { sources: [{ kind: 'server', name: 'web.fetch' }], reach: 'deletes files', rule: 'rm' },
    },
  },
  {
    type: 'impact.estimated',
    callId: call.id,
    prompt: 1,
    report: {
      effects: [
        {
          kind: 'deletes',
          files: 1,
          folders: 0,
          bytes: 12,
          untracked: 1,
          ignored: 0,
          modified: 0,
          outside: 0,
          samples: ['/w/a.txt'],
        },
      ],
      hosts: [],
      unknown: [],
      notes: [],
    },
  },
  { type: 'approval.decided', callId: call.id, decision: 'allow', by: 'user' },
  { type: 'tool-call.completed', callId: call.id, text: 'gone\n```\n\x1b[31mred\x1b[0m', isError: false },
  { type: 'step.completed', text: 'Done.', calls: [], finish: 'stop', model: 'local' },
  { type: 'turn.ended', reason: 'completed' },
);

test('a transcript tells what was asked about a call, what it would have touched, and who decided', () => {
  expect(formatPlain(toBlocks(asked))).toBe(
    [
      '> tidy *up*',
      '  attached n.md, 2 lines',
      'On it.',
      '  aish.exec {"command":"rm a.txt"}',
      '  aish asked: destructive: deletes files',
      '  the model has read untrusted content from web.fetch, and this deletes files; aish asks although the rule "rm" allows it',
      '  gives the secret TOKEN to curl',
      '  would delete /w/a.txt (12 B), which is not tracked by git',
      '  allowed by the user',
      '  | gone',
      '  | ```',
      '  | red',
      'Done.',
    ].join('\n'),
  );
});

test('Markdown keeps what was said as it was, and no output can leave its fence', () => {
  expect(formatMarkdown('Tidy [up]', toBlocks(asked), (at) => `at ${at}`)).toBe(
    [
      '# Tidy \\[up\\]',
      `Session \`0abc\`, begun at ${AT} in \`/w\`.`,
      '## 1. tidy \\*up\\*',
      `*at ${AT}*`,
      '> tidy *up*',
      '- attached n.md, 2 lines',
      'On it.',
      'Call of `aish.exec`:',
      '```sh\nrm a.txt\n```',
      '- aish asked: destructive: deletes files\n- the model has read untrusted content from web.fetch, and this deletes ' +
        'files; aish asks although the rule "rm" allows it\n- gives the secret TOKEN to curl',
      '- would delete /w/a.txt (12 B), which is not tracked by git',
      '- allowed by the user',
      'Result:',
      '````\ngone\n```\nred\n````',
      'Done.\n',
    ].join('\n\n'),
  );
});

test('a halt, a dry run, an undo and a lifted taint stand in a transcript', () => {
  const blocks = toBlocks(
    record(
      created,
      { type: 'session.halted', by: 'user', running: [{ what: 'request' }] },
      { type: 'halt.completed', report: { ended: 2, left: [] } },
      { type: 'turn.tainted', sources: [{ kind: 'network', name: 'example.org' }] },
      { type: 'taint.cleared' },
      { type: 'dry-run.started', number: 1, line: 'make' },
      { type: 'dry-run.discarded', number: 1 },
      {
        type: 'restore.completed',
        checkpoint: 'c3',
        report: { restored: ['a'], refused: [{ path: 'b', why: 'it changed' }] },
      },
    ),
  );
  expect(formatPlain(blocks)).toBe(
    [
      "[aish] halted; stopped the model's answer; aish now asks before every action that no rule allows " +
        '(:approve ask restores the default)',
      '  [aish] ended 2 processes',
      '  the model read untrusted content: example.org',
      '  the user trusted the untrusted content',
      '  dry run 1: make',
      '  the user discarded dry run 1',
      '  undo c3: restored a',
      '  not restored: b: it changed',
    ].join('\n'),
  );
});

test('of an undo of many files the first are named, and how many more there are', () => {
  const many = Array.from({ length: 460 }, (_, at) => `f${at}`);
  const report = { restored: many, kept: many, refused: many.map((path) => ({ path, why: 'it changed' })) };
  const lines = formatPlain(toBlocks(record({ type: 'restore.completed', checkpoint: 'c3', report }))).split('\n');
  const first = many.slice(0, 20).join(', ');
  expect([lines.slice(0, 3), lines.length, lines.at(-1)]).toEqual([
    [`undo c3: restored ${first} and 440 more`, `  kept: ${first} and 440 more`, '  not restored: f0: it changed'],
    23,
    '  not restored: 440 more',
  ]);
});

test('a private command is told to have been one, and nothing else of it', () => {
  const secret = {
    line: '',
    driver: 'user',
    exit: 0,
    cwd: '/w',
    output: '',
    bytes: 0,
    durationMs: 1,
    private: true,
  } as const;
  expect(formatPlain(toBlocks(record(created, { type: 'command.completed', record: secret })))).toBe('$ (a private command)');
});

test('JSON lines read back as the facts they are, without a character that steers', () => {
  const facts = record(created, { type: 'turn.started', turn: 1, text: '\x1b[2J \u202e \x9b1m \u2028é' });
  const lines = formatJsonLines(facts);
  expect(lines).not.toMatch(/[^\x20-\x7e\né]/);
  expect(
    lines
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([...facts]);
});

test('a command without an end is told: cut short where the session went on, else that nobody knows', () => {
  const started: DurableEvent = { type: 'command.started', line: 'sleep 77', driver: 'user' };
  const resumed: DurableEvent = { type: 'session.resumed', settings: DEFAULT_SETTINGS };
  expect([record(created, started, resumed), record(created, started)].map((facts) => formatPlain(toBlocks(facts)))).toEqual([
    '$ sleep 77\n  cut short when aish ended\n  another process resumed the session',
    '$ sleep 77\n  no end recorded: the command is still running, or aish was killed while it ran',
  ]);
});

test('a transcript has the question of a server and what became of it, and no value', () => {
  const request = {
    server: 'notes',
    message: 'Who are you?',
    fields: [{ type: 'text', name: 'name', title: 'Your name', isRequired: true }],
  } as const;
  const answered = (action: 'accept' | 'decline' | 'cancel', by: 'user' | 'headless' | 'server'): DurableEvent => ({
    type: 'form.answered',
    form: 'f1',
    callId: 'c1',
    action,
    by,
  });
  const events = record(
    { type: 'form.requested', form: 'f1', callId: 'c1', request },
    answered('accept', 'user'),
    answered('cancel', 'user'),
    answered('decline', 'headless'),
    answered('cancel', 'server'),
    {
      type: 'form.requested',
      form: 'f2',
      callId: 'c1',
      request: { ...request, fields: [], url: 'https://example.org/' },
    },
  );
  expect(
    formatPlain(toBlocks(events))
      .trim()
      .split(/\s*\n\s*/),
  ).toEqual([
    'the server notes asked the user: Who are you? (Your name)',
    'the user answered the form',
    'the user cancelled the form',
    'aish declined the form, because nobody could answer',
    'the server withdrew the form',
    'the server notes asked the user: Who are you? (https://example.org/)',
  ]);
});
