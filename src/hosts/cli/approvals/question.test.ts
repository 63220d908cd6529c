import { expect, test } from 'bun:test';
import type { OpenCall } from '../../../core/session/state.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { type ChangeReport, NO_CHANGES } from '../../../protocol/change-report.ts';
import type { Decision } from '../../../protocol/op.ts';
import { Question } from './question.ts';

const OPEN: OpenCall = {
  call: { id: 'c1', name: 'aish.exec', arguments: { command: 'git log\n' }, effect: 'exec', origin: 'model' },
  stage: 'asked',
  questions: 1,
  preview: {
    undoable: true,
    decided: {
      class: 'read-only',
      decision: 'ask',
      reasons: [],
      hardDenials: [],
      cwd: '/w',
      proposal: [{ prefix: 'git log', class: 'read-only' }],
    },
  },
};

/** The results of reads: decisions, interrupts, and the number of times the prompt was shown. */
async function decided(reads: readonly string[], open = OPEN): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  const question = new Question(open, {
    print: (text) => (text.includes('wants to run') ? said.push('shown') : undefined),
    write: () => {},
    size: () => ({ columns: 100, rows: 30 }),
    theme: PLAIN_THEME,
    decide: (decision: Decision) => said.push(decision),
    interrupt: () => said.push('interrupt'),
  });
  for (const read of reads) {
    question.feed(Buffer.from(read));
    // An editor that ends a line tells it in its turn.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  question.close();
  return said.slice(1);
}

test.each([
  ['y', { type: 'allow' }],
  ['Y', { type: 'allow' }],
  ['n', { type: 'deny' }],
  ['a', { type: 'allow-always', rule: 'git log' }],
  ['\x03', 'interrupt'],
  ['\x1b[121u', { type: 'allow' }],
] as const)('the key %j alone is an answer', async (key, decision) => {
  expect(await decided([key])).toEqual([decision]);
});

test.each([
  '\r',
  'y\r',
  'yes',
  'yy',
  '\x1b[200~y\x1b[201~',
  '\x1b[200~y\r\x1b[201~',
  '\x1b[200~\x1b[201~y',
  '\x1b[200~a\x1b[201~y\x1b[201~',
  '\x1b[Ay',
  // Reports and marks of a terminal, and what may stand in a paste that has the end mark in it.
  '\x1b[201~y',
  '\x1b[200~\x1b[201~\x1b[201~y',
  '\x1b[Iy',
  '\x1b[Oy',
  'y\x1b[I',
  '\x1b[<0;10;10My',
  '\x1b[<0;10;10my',
  '\x1b[M !!y',
  '\x1b[35;10;10My',
  '\x1b[?62;22cy',
  '\x1b[>0;276;0cy',
  '\x1b[0ny',
  '\x1b[10;20Ry',
  '\x1b[?2026;2$yy',
  '\x1b[?997;1ny',
  '\x1b[8;24;80ty',
  '\x1b]11;rgb:0000/0000/0000\x07y',
  '\x1b]52;c;eQ==\x1b\\y',
  '\x1bP>|xterm(390)\x1b\\y',
  '\x1b_Gi=31;OK\x1b\\y',
  '\x1bOAy',
  '\x1b[121u\x1b[121u',
  '\x1b[Iy\x1b[O',
  '\x00y',
  '\x9by',
  '\x1a',
  '\x04',
  '\x1b',
  'v',
])('what is read as %j is none', async (read) => {
  expect(await decided([read])).toEqual([]);
});

test('always is no answer where no rule is proposed', async () => {
  const { decided: _, ...preview } = OPEN.preview ?? { undoable: true };
  expect(await decided(['a'], { ...OPEN, preview })).toEqual([]);
});

test('e takes another command, which is no yes; the same command, none and Ctrl-C ask again', async () => {
  expect([
    await decided(['e', ' -1', '\r', 'y']),
    await decided(['e', '\r']),
    await decided(['e', '\x15', '\r']),
    await decided(['e', ' -1', '\x03']),
  ]).toEqual([[{ type: 'edit', command: 'git log -1' }], ['shown'], ['shown'], ['shown']]);
});

test('d takes a reason', async () => {
  expect(await decided(['d', 'no', '\r'])).toEqual([{ type: 'deny', reason: 'no' }]);
});

const COUNTED: ChangeReport = { ...NO_CHANGES, hosts: ['example.org'] };

/** A question, and what it prints after it has been shown. */
function shown(open = OPEN): { readonly question: Question; readonly printed: string[] } {
  const printed: string[] = [];
  const question = new Question(open, {
    print: (text) => printed.push(text),
    write: () => {},
    size: () => ({ columns: 100, rows: 30 }),
    theme: PLAIN_THEME,
    decide: () => printed.push('decided'),
    interrupt: () => {},
  });
  return { question, printed };
}

test('what the call would touch is put under the question once, and y is still an answer', () => {
  const { question, printed } = shown();
  question.measured(COUNTED);
  question.measured(COUNTED);
  question.feed(Buffer.from('y'));
  expect(printed.slice(1)).toEqual(['  Connects to example.org.\n', '  yes\n', 'decided']);
});

test('what was counted on is put under what was there in time, and then nothing more', () => {
  const { question, printed } = shown();
  question.measured({ ...COUNTED, counting: true });
  question.measured({ ...COUNTED, hosts: ['example.org', 'example.net'] });
  question.measured(COUNTED);
  expect(printed.slice(1)).toEqual([
    '  Connects to example.org.\n  Still counting …\n',
    '  Connects to example.org, example.net.\n',
  ]);
});

test('what counting on came to follows also where it is no more, since that was said', () => {
  const { question, printed } = shown();
  // An estimate without news is no reason to read before an answer is taken.
  expect([question.measured({ ...COUNTED, counting: true }), question.measured(COUNTED)]).toEqual([true, false]);
  expect(printed.slice(1)).toEqual([
    '  Connects to example.org.\n  Still counting …\n',
    '  Connects to example.org.\n',
  ]);
});

test('what the call would touch is not shown any more when the question is answered', () => {
  const { question, printed } = shown();
  question.feed(Buffer.from('n'));
  question.measured(COUNTED);
  expect(printed.slice(1)).toEqual(['  no\n', 'decided']);
});

test('while a line is typed nothing is written over it: what the call would touch stands in the question that comes again', async () => {
  const { question, printed } = shown();
  question.feed(Buffer.from('d'));
  question.measured(COUNTED);
  expect(printed.length).toBe(1);
  question.feed(Buffer.from('\x03'));
  await new Promise<void>((resolve) => setImmediate(resolve));
  question.close();
  expect(printed[1]).toContain('\n  Connects to example.org.\n[y] run once');
});

test('a question that comes again shows at once what was counted for it', () => {
  const { printed } = shown({ ...OPEN, impact: COUNTED });
  expect(printed[0]).toContain('\n  Connects to example.org.\n[y] run once');
});

test('the terminal marks what is pasted from the first word of a question to its end, also after a line was read', async () => {
  const seen: string[] = [];
  const question = new Question(OPEN, {
    print: (text) => seen.push(text.includes('wants to run') ? 'question' : 'text'),
    write: (text) =>
      seen.push(...(text.match(/\x1b\[\?2004[hl]/g) ?? []).map((mode) => (mode.endsWith('h') ? 'on' : 'off'))),
    size: () => ({ columns: 100, rows: 30 }),
    theme: PLAIN_THEME,
    decide: () => {},
    interrupt: () => {},
  });
  for (const read of ['e', '\r']) {
    question.feed(Buffer.from(read));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  question.close();
  expect(seen).toEqual(['on', 'question', 'on', 'off', 'on', 'question', 'off']);
});
