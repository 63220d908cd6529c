import { describe, expect, test } from 'bun:test';
import fc from '../../../../test/support/properties.ts';
import { GUARD_RULES } from '../../../core/policy/policy.ts';
import { textWidth } from '../../../core/terminal/graphemes.ts';
import { createTheme, PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { formatDuration } from '../../../core/text/duration.ts';
import type { CallPreview, ToolCall } from '../../../protocol/tool.ts';
import { describeRefusal, formatApproval, formatGateRefusal, formatSecrets } from './approval.ts';
import { formatDiff } from './diff.ts';
import { formatArguments, formatCallEnd, formatCallStart } from './tool-frame.ts';

const CALL: ToolCall = {
  id: 'abcdefghi',
  name: 'fs.write_file',
  arguments: { path: 'test.txt', content: 'Hello\nWorld' },
  effect: 'write',
  origin: 'model',
};

const show = (call: ToolCall, preview: CallPreview = { undoable: true }, columns = 60, rows = 24) =>
  formatApproval(call, preview, { columns, rows, theme: PLAIN_THEME });

describe('formatApproval', () => {
  test('shows name, arguments, change and choices', () => {
    const diff = '--- a/test.txt\n+++ b/test.txt\n@@ -0,0 +1 @@\n+Hello\n';
    const preview = { undoable: false, why: 'not in a git repository', diff };
    expect(formatApproval(CALL, preview, { columns: 60, rows: 24, theme: PLAIN_THEME })).toEqual({
      lines: [
        'The model wants to call fs.write_file:',
        '  path: "test.txt"',
        '  content: (2 lines, no newline at the end)',
        '  | Hello',
        '  | World',
        '  change:',
        '  --- a/test.txt',
        '  +++ b/test.txt',
        '  @@ -0,0 +1 @@',
        '  +Hello',
        '  This cannot be undone: not in a git repository.',
        '[y] allow once  [n] no  [d] deny with a reason',
      ],
      keys: ['y', 'n', 'd'],
    });
  });

  test('names a new file and does not show its content twice', () => {
    const preview = {
      undoable: true,
      path: '/w/a\u200b.txt',
      diff: '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+Hello\n',
    };
    const { lines } = formatApproval({ ...CALL, arguments: { path: 'a.txt' } }, preview, {
      columns: 90,
      rows: 24,
      theme: PLAIN_THEME,
    });
    expect(lines.slice(1, 3)).toEqual(['  path: "a.txt"', '  creates /w/a<U+200B>.txt']);
  });

  test('offers a rule for the session where the write can be undone', () => {
    expect(show({ ...CALL, arguments: {} }, { undoable: true }, 90).lines).toEqual([
      'The model wants to call fs.write_file:',
      '  (no arguments)',
      '[y] allow once  [n] no  [a] always allow fs.write_file (this session)',
      '[d] deny with a reason',
    ]);
  });

  test('offers no rule for a command where none is proposed, and to change it', () => {
    expect(show({ ...CALL, effect: 'exec' }).keys).toEqual(['y', 'n', 'e', 'd']);
  });

  test('spells out what would hide', () => {
    const call = { ...CALL, name: 'fs.\u202ewrite', arguments: { 'a\x1b[2J': 'x\u200b\r', b: 'c:\\x1b' } };
    expect(show(call).lines.slice(0, 3)).toEqual([
      'The model wants to call fs.<U+202E>write:',
      '  a<U+001B>[2J: "x<U+200B><U+000D>"',
      '  b: "c:\\x1b"',
    ]);
  });

  test('is folded to the window, and says how to see the rest', () => {
    const content = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
    const question = show({ ...CALL, arguments: { content } }, { undoable: true }, 80, 12);
    expect([question.keys, question.lines.length <= 12, question.lines.at(-3)]).toEqual([
      ['y', 'n', 'a', 'd', 'v'],
      true,
      '  … Press v to view all 101 lines.',
    ]);
  });

  test('offers to run a long command only to who has seen all of it', () => {
    const command = Array.from({ length: 100 }, (_, at) => `echo ${at}`).join('\n');
    const call: ToolCall = { ...CALL, name: 'aish.exec', effect: 'exec', arguments: { command } };
    const view = { columns: 80, rows: 12, theme: PLAIN_THEME };
    const folded = formatApproval(call, { undoable: true }, view);
    const whole = formatApproval(call, { undoable: true }, { ...view, all: true });
    expect([folded.keys, folded.lines.at(-2), whole.keys]).toEqual([
      ['n', 'e', 'd', 'v'],
      '  … Press v to view all 100 lines. Then y can run the command.',
      ['y', 'n', 'e', 'd'],
    ]);
  });

  test('tells of a command where it runs, what it does and why, and what always would cover', () => {
    const call: ToolCall = { ...CALL, name: 'aish.exec', effect: 'exec', arguments: { command: 'git log -3' } };
    const decided = {
      class: 'read-only',
      decision: 'ask',
      reasons: ['opens a connection'],
      hardDenials: [],
      cwd: '/w/\u202ea',
      proposal: [{ prefix: 'git log', class: 'read-only' }],
    } as const;
    const preview = { undoable: true, decided, again: 'the shell is elsewhere' };
    expect(formatApproval(call, preview, { columns: 110, rows: 24, theme: PLAIN_THEME })).toEqual({
      lines: [
        'The model wants to run:',
        '  $ git log -3',
        '  in /w/<U+202E>a',
        '  Opens a connection.',
        '  [a] "git log …" runs without asking in this session, with any arguments, as long as it only reads.',
        '  aish asks again: the shell is elsewhere.',
        '[y] run once  [n] no  [a] always allow  [e] edit  [d] deny with a reason',
      ],
      keys: ['y', 'n', 'a', 'e', 'd'],
    });
  });

  test('names the file that a link leads to, and offers no rule for what lies outside', () => {
    const call: ToolCall = { ...CALL, name: 'aish.read_file', effect: 'read', arguments: { path: 'notes.txt' } };
    const preview = { undoable: true, path: '/home/me/.ssh/id', linked: true, foreign: true } as const;
    const { lines, keys } = formatApproval(call, preview, { columns: 90, rows: 24, theme: PLAIN_THEME });
    expect([lines.slice(1, 3), keys]).toEqual([
      ['  path: "notes.txt"', '  real path: /home/me/.ssh/id (outside the project)'],
      ['y', 'n', 'd'],
    ]);
  });

  test('tells what a tool says of itself', () => {
    const preview = { undoable: false, why: 'not inside a git repository', hint: 'read' } as const;
    const { lines } = formatApproval({ ...CALL, arguments: {} }, preview, {
      columns: 90,
      rows: 24,
      theme: PLAIN_THEME,
    });
    expect(lines.slice(2, 4)).toEqual([
      '  This cannot be undone: not inside a git repository.',
      '  The server says that this tool only reads.',
    ]);
  });

  test('tells the reason of a place once', () => {
    const preview = { undoable: false, why: 'not inside a git repository', everywhere: true, repeated: true } as const;
    const view = { columns: 90, rows: 24, theme: PLAIN_THEME };
    const { lines } = formatApproval({ ...CALL, arguments: {} }, preview, view);
    expect(lines).toContain('  This cannot be undone here.');
  });

  test('tells of a text what its lines do not show, and shows no backslash twice', () => {
    const values = { a: 'one\n', b: 'one\r\n\two\r\n', c: 'one\r\n\\t\n    \ta', d: 'say "\\n"' };
    expect(formatArguments(values, 60)).toEqual([
      '  a: (1 line)',
      '  | one',
      '  b: (2 lines, lines end with CRLF, each tab shows as 4',
      '  spaces)',
      '  | one',
      '  |     wo',
      '  c: (3 lines, no newline at the end)',
      '  | one<U+000D>',
      '  | \\t',
      '  |     <U+0009>a',
      '  d: "say "\\n""',
    ]);
  });

  test('marks the rows that a long line goes on in', () => {
    const rows = formatArguments({ a: 'one\ntwo three\n', b: 'four five six', c: ['seven eight'] }, 14);
    expect(rows).toEqual([
      '  a: (2 lines)',
      '  | one',
      '  | two three',
      '  b: "four f',
      '  ¦ ive six"',
      '  c:',
      '  | [',
      '  |   "seven e',
      '  ¦ ight"',
      '  | ]',
    ]);
    expect(formatDiff('@@ -1 +1 @@\n+a long line+b', 10, PLAIN_THEME)).toEqual([
      '@@ -1 +1',
      ':  @@',
      '+a long ',
      ': line+b',
    ]);
  });

  test('hides nothing and fits any width when all is viewed', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', 'ß', '日', '\n', '\x1b', '\u202e', '\t', 'e\u0301'),
      maxLength: 200,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 12, max: 100 }), (value, columns) => {
        const view = { columns, rows: 10, theme: PLAIN_THEME, all: true };
        const { lines } = formatApproval({ ...CALL, arguments: { value } }, { undoable: true }, view);
        expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
        const letters = (shown: string) => [...shown].filter((one) => 'ß日'.includes(one)).length;
        expect(letters(lines.join(''))).toBe(letters(value));
        expect(lines.join('')).not.toMatch(/[\x00-\x1f\u202e]/);
      }),
    );
  });
});

test('in a narrow window the words of a question are whole, and only what is not ours is cut', () => {
  const preview = { undoable: false, why: 'not in a git repository' };
  expect(show({ ...CALL, arguments: { path: 'x' } }, preview, 20, 40).lines).toEqual([
    'The model wants to',
    '  call',
    '  fs.write_file:',
    '  path: "x"',
    '  This cannot be',
    '  undone: not in a',
    '  git repository.',
    '[y] allow once',
    '[n] no',
    '[d] deny with a',
    '  reason',
  ]);
});

test('a frame shows the call and the head of its result', () => {
  const view = { columns: 40, theme: PLAIN_THEME };
  const result = { text: 'one\ntwo\nthree\nfour\n\x1b[31mfive\n', isError: true };
  expect([
    ...formatCallStart({ ...CALL, arguments: { path: 'a' } }, view),
    ...formatCallEnd(result, 1234, view),
  ]).toEqual([
    '  fs.write_file',
    '    path: "a"',
    '  failed · 5 lines · 1.2 s',
    '    one',
    '    two',
    '    three',
    '    … 2 more',
  ]);
});

test('a diff is coloured by its lines, and a removed line of dashes is no header', () => {
  const theme = createTheme({ TERM: 'xterm' });
  expect(formatDiff('--- a\n+++ b\n@@ -1 +1 @@\n--- x\n+\ty\n z', 40, theme)).toEqual([
    '\x1b[2m--- a\x1b[0m',
    '\x1b[2m+++ b\x1b[0m',
    '\x1b[36m@@ -1 +1 @@\x1b[0m',
    '\x1b[31m--- x\x1b[0m',
    '\x1b[32m+    y\x1b[0m',
    ' z',
  ]);
});

test('durations read as users say them', () => {
  expect([0, 320, 9949, 12_400, 65_000, 7_380_000].map(formatDuration)).toEqual([
    '0.0 s',
    '0.3 s',
    '9.9 s',
    '12 s',
    '1 m 05 s',
    '2 h 03 m',
  ]);
});

test('of a tool that is not what it was when a rule began to hold this is said, and no rule is offered', () => {
  const question = show({ ...CALL, arguments: {} }, { undoable: true, definition: 'moved' }, 200);
  expect([question.lines.slice(2), question.keys]).toEqual([
    [
      '  This tool has changed since a rule for it began to apply. ":mcp review fs" shows the change.',
      '[y] allow once  [n] no  [d] deny with a reason',
    ],
    ['y', 'n', 'd'],
  ]);
});

const refuse = (command: string, columns: number) =>
  formatGateRefusal(
    { id: '1', name: 'aish.exec', effect: 'exec', origin: 'model', arguments: { command } },
    {
      rule: 'built-in rule',
      preview: {
        undoable: false,
        decided: {
          class: 'destructive',
          cwd: '/w',
          decision: 'deny',
          effects: [{ kind: 'wrecks', because: 'path', class: 'destructive', detail: '/' }],
          reasons: [],
          hardDenials: ['D1'],
        },
      },
    },
    { columns, theme: PLAIN_THEME },
  );

test('a refusal is folded in a narrow window, and what was refused is read', () => {
  expect(refuse('rm -rf /', 40)).toEqual(['  refused (destroys more than files of', '  the project: /): rm -rf /']);
});

test('a refusal names the rule of a tool, or the hook that denied the call', () => {
  const describe = (denial: Parameters<typeof describeRefusal>[1]) =>
    describeRefusal({ name: 'notes.add', arguments: {} }, { preview: { undoable: false }, ...denial });
  expect([
    describe({ rule: 'notes.*' }),
    describe({ rule: GUARD_RULES.hook, reason: 'the hook `check` denied it: no' }),
  ]).toEqual(['refused (by the rule "notes.*"): notes.add', 'refused (the hook `check` denied it: no): notes.add']);
});

test('of a long command that was refused the beginning is shown, and how much is left', () => {
  const rows = refuse(`rm -rf / ${'and so on '.repeat(30)}`, 40);
  expect([rows.length, rows.at(-1)]).toEqual([5, expect.stringMatching(/^ {2}… \d+ more$/)]);
});

test('what a yes would pass on, and what a rule does, stand in a row each', () => {
  const secrets = [
    { name: 'A', to: 'curl (api.example.com)' },
    { name: 'B', to: 'curl (api.example.com)' },
    { name: 'C', to: 'gh', rule: 'gh' },
  ];
  expect(formatSecrets({ undoable: true, secrets }, { columns: 80, theme: PLAIN_THEME })).toEqual([
    '  Gives the secrets A, B to curl (api.example.com).',
    '  Gives the secret C to gh (rule "gh").',
  ]);
  expect(formatSecrets({ undoable: true }, { columns: 80, theme: PLAIN_THEME })).toEqual([]);
});
