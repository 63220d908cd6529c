import { expect, test } from 'bun:test';
import type { CommandRecord } from '../../protocol/command.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { toSettings } from '../session/settings.ts';
import { type Cover, redactEvent } from './redact-event.ts';

/** `zebra` is known, `looks-like-one` only looks like a secret. */
const cover: Cover = {
  known: (text) => text.replaceAll('zebra', '⟨K⟩'),
  text: (text) => text.replaceAll('zebra', '⟨K⟩').replaceAll('looks-like-one', '⟨?⟩'),
};

const both = 'zebra looks-like-one';
const error = { code: 'x.y', message: both, hint: both };
const record: CommandRecord = {
  line: both,
  driver: 'user',
  exit: 0,
  cwd: '/zebra',
  output: both,
  bytes: 9,
  durationMs: 1,
};
const bare: CommandRecord = { ...record, line: '⟨K⟩ ⟨?⟩', output: '⟨K⟩ ⟨?⟩' };

test('text that is only read loses what is known and what looks secret', () => {
  const events: SessionEvent[] = [
    { type: 'history.imported', messages: [{ role: 'user', text: both }] },
    {
      type: 'turn.started',
      turn: 1,
      text: both,
      attachment: both,
      files: [{ type: 'text', path: 'a', about: '1 line', text: both }],
    },
    { type: 'turn.ended', reason: 'failed', text: both, error },
    { type: 'checkpoint.skipped', callId: 'c', why: both },
    { type: 'command.started', line: both, driver: 'user' },
    { type: 'command.completed', record },
    { type: 'tool-call.completed', callId: 'c', text: both, isError: false, record },
    { type: 'op.rejected', op: 'send', error },
    { type: 'notice', level: 'info', text: both },
  ];
  const clean = { code: 'x.y', message: '⟨K⟩ ⟨?⟩', hint: '⟨K⟩ ⟨?⟩' };
  expect(events.map((event) => redactEvent(event, cover))).toEqual([
    { type: 'history.imported', messages: [{ role: 'user', text: '⟨K⟩ ⟨?⟩' }] },
    {
      type: 'turn.started',
      turn: 1,
      text: '⟨K⟩ ⟨?⟩',
      attachment: '⟨K⟩ ⟨?⟩',
      files: [{ type: 'text', path: 'a', about: '1 line', text: '⟨K⟩ ⟨?⟩' }],
    },
    { type: 'turn.ended', reason: 'failed', text: '⟨K⟩ ⟨?⟩', error: clean },
    { type: 'checkpoint.skipped', callId: 'c', why: '⟨K⟩ ⟨?⟩' },
    { type: 'command.started', line: '⟨K⟩ ⟨?⟩', driver: 'user' },
    { type: 'command.completed', record: bare },
    { type: 'tool-call.completed', callId: 'c', text: '⟨K⟩ ⟨?⟩', isError: false, record: bare },
    { type: 'op.rejected', op: 'send', error: clean },
    { type: 'notice', level: 'info', text: '⟨K⟩ ⟨?⟩' },
  ]);
});

test('a call keeps all but what is known, for what is recorded is what runs', () => {
  const extra = { signature: 'zebra' };
  const event: SessionEvent = {
    type: 'step.completed',
    text: both,
    reasoning: both,
    calls: [
      {
        id: 'zebra1',
        name: 'aish.exec',
        arguments: { command: both, list: [both, 1, null, { zebra: both }] },
        effect: 'exec',
        origin: 'model',
        extra,
      },
    ],
    finish: 'tool_calls',
    model: 'm',
  };
  expect(redactEvent(event, cover)).toEqual({
    ...event,
    text: '⟨K⟩ ⟨?⟩',
    reasoning: '⟨K⟩ ⟨?⟩',
    calls: [
      {
        id: 'zebra1',
        name: 'aish.exec',
        arguments: {
          command: '⟨K⟩ looks-like-one',
          list: ['⟨K⟩ looks-like-one', 1, null, { '⟨K⟩': '⟨K⟩ looks-like-one' }],
        },
        effect: 'exec',
        origin: 'model',
        extra,
      },
    ],
  });
});

test('an edited command, its rules and the change in a question keep all but what is known', () => {
  const decided: SessionEvent = {
    type: 'approval.decided',
    callId: 'c',
    decision: 'edit',
    by: 'user',
    reason: both,
    command: both,
    commands: [both],
  };
  const asked: SessionEvent = {
    type: 'approval.requested',
    callId: 'c',
    preview: { undoable: false, why: both, diff: both, path: '/zebra' },
  };
  expect([decided, asked].map((event) => redactEvent(event, cover))).toEqual([
    { ...decided, reason: '⟨K⟩ ⟨?⟩', command: '⟨K⟩ looks-like-one', commands: ['⟨K⟩ looks-like-one'] },
    { ...asked, preview: { undoable: false, why: '⟨K⟩ ⟨?⟩', diff: '⟨K⟩ looks-like-one', path: '/zebra' } },
  ]);
});

test('every text of a server in a form', () => {
  const of = (known: string, text: string): SessionEvent => ({
    type: 'form.requested',
    form: 'f',
    callId: 'c',
    request: {
      server: 'notes',
      message: text,
      url: known,
      fields: [
        { type: 'text', name: known, title: text, about: text, isRequired: true, preset: known },
        { type: 'choices', name: 'b', title: 'B', isRequired: true, options: [{ value: known, title: text }], preset: [known] },
        { type: 'number', name: 'n', title: 'N', isRequired: true, isInteger: true, preset: 3 },
      ],
    },
  });
  expect(redactEvent(of('zebra', 'zebra looks-like-one'), cover)).toEqual(of('⟨K⟩', '⟨K⟩ ⟨?⟩'));
});

test('snapshots, ids and places stay as they are', () => {
  const events: SessionEvent[] = [
    { type: 'session.created', id: 'zebra', cwd: '/zebra', settings: toSettings(DEFAULT_CONFIG) },
    {
      type: 'turn.started',
      turn: 1,
      text: '',
      files: [{ type: 'image', path: 'a', about: '', mediaType: 'image/png', data: 'zebra' }],
    },
    { type: 'restore.started', checkpoint: 'zebra', paths: ['zebra'] },
    { type: 'tool-call.started', callId: 'zebra' },
  ];
  expect(events.map((event) => redactEvent(event, cover))).toEqual(events);
});

test('the reasons of an approval and of an estimate lose what is known', () => {
  const of = (text: string): readonly SessionEvent[] => {
    const effect = {
      kind: 'destroys',
      because: 'path',
      class: 'destructive',
      path: `/${text}`,
      detail: text,
      command: `rm ${text}`,
    } as const;
    const decided = { class: 'destructive', decision: 'ask', effects: [effect], reasons: [text], hardDenials: [], cwd: '/w' } as const;
    return [
      { type: 'approval.requested', callId: 'c', preview: { undoable: true, decided } },
      {
        type: 'impact.estimated',
        callId: 'c',
        prompt: 1,
        report: { effects: [], hosts: [], unknown: [text], unexplained: [effect], notes: [] },
      },
    ];
  };
  expect(of('zebra').map((event) => redactEvent(event, cover))).toEqual([...of('⟨K⟩')]);
});
