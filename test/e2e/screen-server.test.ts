import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import {
  answer,
  answered,
  ask,
  asked,
  fixtureServer,
  pause,
  QUESTION,
  QUESTION_FOLDED,
  stdioServer,
} from '../support/conversation.ts';
import { calls, startModelServer, status, text, textAndCalls } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';

const LONG = 120_000;

/**
 * Says its words, and would set a title, fill the clipboard, notify, clear, recolour, ask the terminal, turn the order of letters, and hide
 * some.
 */
const HOSTILE = [
  'says',
  '\x1b]0;TITLE\x07\x1b]2;TITLE\x1b\\\x1b]52;c;Q0xJUA==\x07\x1b]777;notify;NOTE;x\x07\x1b]8;;http://link.invalid\x07',
  '\x1b[7;35;44m\x1b[3J\x1b[9;9H\x1b[?1049h\x1b[6n\x1bPqSIXEL\x1b\\\x1b_APPLICATION\x1b\\\x1bc',
  '\u009b5;46m\u009d0;EIGHT\u009c\u0085\u202e\u2066\u200b\u{e0041}\u3164\x08\x0e\x00 this',
].join('');

/** The sequences of it that must never leave aish, whatever their source. */
const STRAY: readonly (readonly [string, RegExp])[] = [
  ['a title', /\x1b\][012];/],
  ['the clipboard', /\x1b\]52/],
  ['a notification', /\x1b\](?:777|9|99);/],
  ['a link', /\x1b\]8;/],
  ['colours', /\x1b\[7;35;44m/],
  ['a jump', /\x1b\[9;9H/],
  ['an erased history', /\x1b\[3J/],
  ['the alternate screen', /\x1b\[\?1049h/],
  ['a device string', /\x1bP[^$+>]/],
  ['an application string', /\x1b_AP/],
  ['a reset', /\x1bc/],
  ['an eight-bit control', /[\x80-\x9f]/],
  ['a direction', /[\u202a-\u202e\u2066-\u2069]/],
  ['a hidden letter', /[\u200b\u3164]|\u{e0041}/u],
  ['a shift or a NUL', /[\x00\x0e]/],
];

function expectClean(terminal: TestTerminal, allowed?: 'colours'): void {
  const raw = terminal.rawText();
  expect(
    STRAY.filter(([what]) => what !== allowed).flatMap(([what, sequence]) =>
      [...raw.matchAll(new RegExp(sequence, 'gu'))].map(({ index }) => [
        what,
        raw.slice(Math.max(0, index - 80), index + 40),
      ]),
    ),
  ).toEqual([]);
}

/** Types a line, and settles when its answer stands there and the next prompt behind it. */
async function enter(terminal: TestTerminal, line: string): Promise<void> {
  await prompted(terminal);
  terminal.type(line);
  await terminal.waitFor((screen) => screen.endsWith(line.trim()), PATIENCE);
  terminal.press('enter');
  await prompted(terminal);
}

describe('nothing untrusted steers the terminal', () => {
  test(
    '[prompt.sanitize] words, thoughts, names and arguments of a model, its errors, and what its commands print',
    async () => {
      using home = new Home();
      for (const name of ['hostile.txt', 'other.txt']) writeFileSync(join(home.work, name), HOSTILE);
      await using server = startModelServer({
        script: [
          text(
            `Begin ${HOSTILE}\n\n# ${HOSTILE}\n\n- ${HOSTILE}\n\n| a | b |\n|---|---|\n| ${HOSTILE.replaceAll('\n', '')} | x |\n\n\`\`\`${HOSTILE.slice(0, 60)}\n${HOSTILE}\n\`\`\`\nend one.`,
            { reasoning: HOSTILE },
          ),
          textAndCalls(HOSTILE, { name: 'aish__read_file', arguments: { path: 'hostile.txt', [HOSTILE]: HOSTILE } }),
          calls({ name: 'aish__read_file', arguments: { path: `${HOSTILE}/x` } }),
          calls({ name: `aish__${HOSTILE}`, arguments: {} }),
          text('end two.'),
          calls({
            name: 'aish__exec',
            arguments: { command: 'cat hostile.txt; printf "\\n"; cat hostile.txt >&2; rm hostile.txt' },
          }),
          calls({ name: 'aish__exec', arguments: { command: 'cat other.txt' } }),
          text(`CMD: echo ${HOSTILE}\n\nend three.`),
          status(400, { error: { message: HOSTILE, type: HOSTILE, code: 400 } }),
          text('end four.'),
        ],
        lenient: true,
      });
      home.useModel(server.url);
      await using terminal = home.open([], { columns: 120, rows: 50 });
      await ask(terminal, 'one');
      await answered(terminal, 'end one.');
      await ask(terminal, 'two');
      await answerUntil(terminal, 'end two.');
      await ask(terminal, 'three');
      await answerUntil(terminal, 'end three.');
      await pause(terminal);
      await ask(terminal, 'four');
      await server.requested(9);
      for (const line of [
        ':output %1',
        ':out %2',
        ':history',
        ':sessions',
        ':checkpoints',
        ':diff',
        ':approve list',
        ':config',
      ])
        await enter(terminal, line);
      // Those of a command's output are its own.
      expectClean(terminal, 'colours');
    },
    LONG,
  );

  test(
    '[prompt.sanitize] names, descriptions, results, errors, notices and last words of a server',
    async () => {
      using home = new Home();
      await using server = startModelServer({
        script: [
          calls({ name: 'evil__say', arguments: { text: HOSTILE } }),
          calls({ name: 'evil__fail', arguments: {} }),
          calls({ name: 'evil__refuse', arguments: {} }),
          calls({ name: 'evil__die', arguments: {} }),
          text('end one.'),
        ],
        lenient: true,
      });
      const words = join(home.root, 'words');
      writeFileSync(words, HOSTILE);
      home.useModel(
        server.url,
        `${stdioServer('evil', fixtureServer('steering.ts', words))}${stdioServer('dead', fixtureServer('steering.ts', words, 'die'))}`,
      );
      await using terminal = home.open([], { columns: 120, rows: 50 });
      await terminal.waitForHistory('server "evil" connected', PATIENCE);
      await ask(terminal, 'one');
      await answerUntil(terminal, 'end one.');
      for (const line of [':mcp list', ':mcp tools', ':mcp tool evil.say']) await enter(terminal, line);
      expectClean(terminal);
    },
    LONG,
  );

  test(
    '[prompt.sanitize] names of files and folders, lines of jobs, and what is kept from an earlier session',
    async () => {
      using home = new Home();
      const name = HOSTILE.replace(/[/\x00]/g, '').slice(0, 200);
      mkdirSync(join(home.work, `dir-${name}`));
      writeFileSync(join(home.work, `file-${name}`), 'x');
      await using server = startModelServer({ script: [text(`Answer ${HOSTILE} done.`), text('Again.')] });
      home.useModel(server.url);
      {
        await using first = home.open([], { columns: 120, rows: 50 });
        await prompted(first);
        first.paste(`?what is ${HOSTILE.replace(/\x00/g, '')}`);
        first.press('enter');
        await answered(first, 'done.');
        expectClean(first);
      }
      await using terminal = home.open(['--continue'], { columns: 120, rows: 50 });
      await prompted(terminal);
      terminal.type('cat file-\t');
      await terminal.waitFor(/cat file-says\$[\s\S]* this$/, PATIENCE);
      terminal.press('ctrl-c');
      await prompted(terminal);
      terminal.press('up');
      await terminal.waitFor(/ \? \?what is says<U[\s\S]* this$/, PATIENCE);
      terminal.press('ctrl-c');
      for (const line of [':history', ':sessions', ':resume ']) await enter(terminal, line);
      terminal.type('cd dir-*\n');
      await terminal.waitFor(/this >$/, PATIENCE);
      expectClean(terminal);
    },
    LONG,
  );
});

describe('a command that a model proposed', () => {
  test.skipIf(!hasProgram('less'))(
    '[prompt.sanitize] may be a program with a screen of its own, which is gone when it ends',
    async () => {
      using home = new Home();
      writeFileSync(join(home.work, 'long.txt'), Array.from({ length: 200 }, (_, at) => `row ${at + 1}\n`).join(''));
      const script = [
        calls({ name: 'aish__exec', arguments: { command: 'less long.txt; rm long.txt' } }),
        text('end one.'),
      ];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open([], { columns: 80, rows: 20 });
      await ask(terminal, 'one');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'y');
      await terminal.waitFor(/row 19\n/, PATIENCE);
      expect(terminal.isAlternate()).toBe(true);
      terminal.type('G');
      await terminal.waitFor(/row 182\n[\s\S]*row 200\n/, PATIENCE);
      terminal.type('q');
      await answered(terminal, 'end one.');
      expect([terminal.isAlternate(), terminal.history().includes('row 19')]).toEqual([false, false]);
    },
    LONG,
  );
});

/** Approves every prompt until the answer ends so. */
async function answerUntil(terminal: TestTerminal, end: string): Promise<void> {
  for (;;) {
    const isOver = () => terminal.history().includes(end);
    await terminal.waitFor((screen) => isOver() || QUESTION.test(screen), PATIENCE);
    if (isOver()) break;
    const [mayAllow, isFolded] = [
      /\[y\] (?:allow|run) once/.test(lastQuestion(terminal)),
      QUESTION_FOLDED.test(terminal.screen()),
    ];
    const before = answersOf(terminal);
    await answer(terminal, mayAllow ? 'y' : isFolded ? 'v' : 'n');
    // The next question may be there before anybody has seen that this one is gone.
    const isTaken = (screen: string) =>
      !mayAllow && isFolded ? !QUESTION_FOLDED.test(screen) : answersOf(terminal) > before;
    await terminal.waitFor(isTaken, PATIENCE);
  }
  await prompted(terminal);
}

/** How many questions were answered. */
function answersOf(terminal: TestTerminal): number {
  return terminal.history().match(/^ {2}(?:yes|no)$/gm)?.length ?? 0;
}

/** The rows of the choices that stand last on the screen. */
function lastQuestion(terminal: TestTerminal): string {
  const rows = terminal.screen().split('\n');
  return rows.slice(rows.findLastIndex((row) => /^\[\w\]/.test(row))).join('\n');
}
