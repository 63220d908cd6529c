import { expect, test } from 'bun:test';
import type { SessionEvent } from '../../protocol/event.ts';
import { fold } from '../session/evolve.ts';
import { DEFAULT_SETTINGS } from '../session/state.ts';
import { type ProjectionOptions, toMessages } from './request-messages.ts';

const frame = { os: 'linux', shell: 'bash', cwd: '' };
const options: ProjectionOptions = {
  frame,
  wireName: (name) => name.replace('.', '__'),
  outputBudget: 40,
};
const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/tmp', settings: DEFAULT_SETTINGS };
const command = (line: string, output: string): SessionEvent => ({
  type: 'command.completed',
  record: { line, driver: 'user', exit: 0, cwd: '/tmp', output, bytes: output.length, durationMs: 1 },
});

test('commands since the last message come with it, bounded', () => {
  const state = fold([
    created,
    command('ls', 'a.txt\n'),
    command('seq 100', 'x'.repeat(200)),
    { type: 'turn.started', turn: 1, text: 'why?' },
  ]);
  expect(toMessages(state, options)[1]).toEqual({
    role: 'user',
    content: [
      '[command of the user, exit 0, now in /tmp]\n$ ls\na.txt',
      `[command of the user, exit 0, now in /tmp]\n$ seq 100\n${'x'.repeat(24)}\n[… 1 line, 160 ` +
        `characters left out …]\n${'x'.repeat(16)}`,
      'why?',
    ].join('\n\n'),
  });
});

test('piped input is framed as data', () => {
  const state = fold([created, { type: 'turn.started', turn: 1, text: 'sum up', attachment: 'log line' }]);
  expect(toMessages(state, options)[1]?.content).toBe('[attached input]\nlog line\n[end of attached input]\n\nsum up');
});

test('attached files stand before the words, pictures beside them only where the model takes any', () => {
  const files = [
    { type: 'text', path: 'a.ts', about: '2 lines', text: 'one\ntwo' },
    { type: 'image', path: 'b.png', about: '1 kB', mediaType: 'image/png', data: 'AAAA' },
  ] as const;
  const state = fold([created, { type: 'turn.started', turn: 1, text: 'compare', files }]);
  const text = '[attached a.ts, 2 lines]\none\ntwo\n[end of a.ts]';
  expect([toMessages(state, options)[1], toMessages(state, { ...options, images: true })[1]]).toEqual([
    {
      role: 'user',
      content: `${text}\n\n[attached image b.png, 1 kB: not shown, because this model takes no images]\n\ncompare`,
    },
    {
      role: 'user',
      content: `${text}\n\n[attached image b.png, 1 kB]\n\ncompare`,
      images: [{ mediaType: 'image/png', data: 'AAAA' }],
    },
  ]);
});

test('pictures survive where two messages of the user are joined', () => {
  const image = { type: 'image', path: 'b.png', about: '1 kB', mediaType: 'image/png', data: 'AAAA' } as const;
  const state = fold([
    created,
    { type: 'history.imported', messages: [{ role: 'user', text: 'earlier' }] },
    { type: 'turn.started', turn: 1, text: 'look', files: [image] },
  ]);
  expect(toMessages(state, { ...options, images: true })[1]).toEqual({
    role: 'user',
    content: 'earlier\n\n[attached image b.png, 1 kB]\n\nlook',
    images: [{ mediaType: 'image/png', data: 'AAAA' }],
  });
});

test('the first user message says where the session started, and the system message does not', () => {
  const state = fold([created, { type: 'turn.started', turn: 1, text: 'one' }, { type: 'turn.ended', reason: 'interrupted' }]);
  const shown = toMessages(state, { ...options, frame: { ...frame, cwd: '/srv/site' } });
  expect(shown[0]?.content).not.toContain('/srv/site');
  expect(shown[1]?.content).toBe('[the session started in /srv/site]\n\none');
});
