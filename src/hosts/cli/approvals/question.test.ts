import { expect, test } from 'bun:test';
import type { OpenCall } from '../../../core/session/state.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { type ChangeReport, NO_CHANGES } from '../../../protocol/change-report.ts';
import type { RestoreChoices, RestoreConflict, RestorePrompt } from '../../../protocol/checkpoint.ts';
import type { Decision } from '../../../protocol/op.ts';
import { type JoinChoice, JoinQuestion, Question, UndoQuestion } from './question.ts';

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

function conflict(key: string): RestoreConflict {
  return { key, path: key, why: 'it changed since', choices: ['mine', 'theirs'], now: null, mine: 'x', theirs: 'y' };
}

const UNDO: RestorePrompt = {
  checkpoint: 'c1',
  direction: 'undo',
  label: '',
  at: 0,
  free: 0,
  conflicts: ['a', 'b', 'c'].map(conflict),
  refused: [],
};

function openUndo() {
  const said: (RestoreChoices | 'given up')[] = [];
  let now = 0;
  const question = new UndoQuestion(UNDO, {
    print: () => {},
    write: () => {},
    size: () => ({ columns: 80, rows: 24 }),
    theme: PLAIN_THEME,
    now: () => now,
    answer: (choices) => said.push(choices),
    giveUp: () => said.push('given up'),
  });
  const press = (text: string, afterMs = 1000): void => {
    now += afterMs;
    question.feed(new TextEncoder().encode(text));
  };
  return { question, said, press };
}

test('each path gets an answer of its own, and all of them go out together', () => {
  const { said, press } = openUndo();
  for (const key of ['k', 't']) press(key);
  expect(said).toEqual([]);
  press('k');
  expect(said).toEqual([{ a: 'mine', b: 'theirs', c: 'mine' }]);
});

test('a capital letter answers for all paths that are left', () => {
  const { said, press } = openUndo();
  press('k');
  press('T');
  expect(said).toEqual([{ a: 'mine', b: 'theirs', c: 'theirs' }]);
});

test('a key that comes before anybody can have seen the next path is dropped', () => {
  const { question, said, press } = openUndo();
  press('t');
  expect(question.wantsText).toBe(true);
  press('t', 100);
  press('k');
  press('k');
  expect(said).toEqual([{ a: 'theirs', b: 'mine', c: 'mine' }]);
});

test('no other key, no Enter, no paste and no letter that is not offered is an answer', () => {
  const { said, press } = openUndo();
  for (const keys of ['\r', 'y', 'm', 'kt', '\x1b[200~k\x1b[201~', ' ']) press(keys);
  expect(said).toEqual([]);
});

test('given up by its letter and by Ctrl-C, and then nothing is taken any more', () => {
  const first = openUndo();
  first.press('k');
  first.press('g');
  first.press('k');
  const second = openUndo();
  second.press('\x03');
  expect([first.said, second.said]).toEqual([['given up'], ['given up']]);
});

function openJoin() {
  const printed: string[] = [];
  const question = new JoinQuestion('aaaabbbbcccc', {
    print: (text) => void printed.push(text),
    write: () => {},
    size: () => ({ columns: 80, rows: 24 }),
    theme: PLAIN_THEME,
  });
  return { question, printed, press: (keys: string) => question.feed(Buffer.from(keys)) };
}

test('the question says which session it is about, and its keys', () => {
  expect(openJoin().printed).toEqual([
    'Session aaaabbbbcccc is open in another aish.\n[j] join it  [f] fork it: continue in a copy  [n] neither\n',
  ]);
});

const JOIN_ANSWERS: readonly (readonly [string, JoinChoice])[] = [
  ['j', 'join'],
  ['f', 'fork'],
  ['F', 'fork'],
  ['n', 'neither'],
  ['\x03', 'neither'],
];

test.each(JOIN_ANSWERS)('the key %j answers it at once', async (key, choice) => {
  const { question, press, printed } = openJoin();
  press(key);
  expect(await question.chosen()).toBe(choice);
  expect(printed.at(-1)).toBe(`  ${choice}\n`);
});

test('Enter, another key, a paste and several keys at once are no answer', async () => {
  const { question, press, printed } = openJoin();
  for (const keys of ['\r', 'x', 'fork', '\x1b[200~j\x1b[201~', '\x1b[A']) press(keys);
  expect(printed).toHaveLength(1);
  press('n');
  press('j');
  expect(await question.chosen()).toBe('neither');
});

test('where nobody can answer any more it is neither', async () => {
  const { question } = openJoin();
  question.giveUp();
  expect(await question.chosen()).toBe('neither');
});
