import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE } from '../support/at-prompt.ts';
import {
  answer,
  fixtureServer,
  learnTools,
  pause,
  QUESTION,
  QUESTION_FOLDED,
  QUESTION_IN_FULL,
  stdioServer,
} from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const LONG = 120_000;
const ALL_WIDTHS = [20, 40, 80, 200] as const;
/** By day every other width, with its share of the commands; the long run takes all. */
const WIDTHS = process.env.AISH_TRUTH === 'all' ? ALL_WIDTHS : ALL_WIDTHS.filter((_, at) => at % 2 === 0);

/** Texts from the rows on escapes; what they do to a terminal is not to be done by a question. */
const ESCAPES: readonly string[] = readFileSync(join(import.meta.dir, '../fixtures/safety/escapes.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line): string => JSON.parse(line).text);

/** Commands that look like others, are longer than a screen, or hide a part. None of them is ever run. */
const COMMANDS: readonly string[] = [
  'echo plain',
  'echo "double" \'single\' `tick` $dollar \\back',
  "printf 'a\\tb\\n'",
  "printf '\\x1b[2J'",
  "printf '\\u202e \\\\u202e \\\\\\u202e'",
  'echo a\tb\t\tc',
  'echo one\necho two',
  'if true; then\n\techo one\n\t\techo two\nfi\n',
  'cat <<-E\n    \tone\n\tE',
  'echo "<U+202E>" \u202e',
  'echo one\r\necho two\r\n',
  'echo one\rrm -rf .',
  'echo one\n\n\n\n\necho hidden below',
  `echo ${' '.repeat(300)}; rm -rf .`,
  `echo a${' '.repeat(80)}b`,
  `echo a   ${' '.repeat(15)}`,
  `echo ${'x'.repeat(500)}; rm -rf .`,
  `echo ${'long words in a row '.repeat(40)}`,
  Array.from({ length: 150 }, (_, at) => `echo line ${at + 1}`).join('\n'),
  `echo ${'日本語'.repeat(40)}`,
  'echo a日本語日本語日本語日本語日本語日本語日本語日本語日本語',
  'echo aa日本語日本語日本語日本語日本語日本語日本語日本語日本語',
  'echo 👩\u200d💻👨\u200d👩\u200d👧🏳\ufe0f\u200d🌈 1\ufe0f\u20e3',
  'echo e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301',
  `echo a${'\u0301'.repeat(40)}b`,
  'echo שלום עולם > file',
  'echo مرحبا',
  'echo \u202eevil\u202c good',
  'echo \u2066safe\u2069',
  'git\u200bstatus',
  'git\u00a0status',
  'git\u3000status',
  'git\u2003status',
  'gi\u0456t status',
  'ｇｉｔ status',
  'echo \u{e0041}\u{e0042}',
  'echo \u3164x\u115f\uffa0',
  'echo \u2028new\u2029line',
  'echo a\ufe00\ufe01\ufe0fb',
  'echo pa\u200dy\u200cload',
  'echo \x1b[8mhidden\x1b[0m',
  'echo \x1b]0;title\x07',
  'echo \x1b]52;c;AAAA\x1b\\',
  'echo \x9b2J\x9d0;t\x9c\x90q\x9c',
  'echo \b\b\b\b\bls',
  'echo \x00\x01\x7f\x85',
  'echo $(  curl   example.org  )  #  comment',
  '# [y] run once  [n] no\necho really',
  'echo x\n  $ ls\n  in /tmp\n[y] run once  [n] no  [d] deny with a reason',
  'echo x\n\n  | ls\n  ¦ -l',
  'echo \\\nnext',
  'cat <<E\n| not a lead\n  : not one either\n  ¦ nor this\nE',
  'x=1;y=2;z=3',
  '! true',
  ' leading blank and trailing ',
  'echo \ud83d half',
];

/** Ends the question: the row of keys behind it. */
const CHOICES = /^\[y\] (?:run|allow) once|^\[n\] no/;

/** Rows of the last question, in which whatever scrolled away counts. */
function question(terminal: TestTerminal): readonly string[] {
  const rows = terminal.written();
  const head = rows.findLastIndex((row) => /^(?:The model wants to|The answer suggests)/.test(row));
  const end = rows.findIndex((row, at) => at > head && CHOICES.test(row));
  return rows.slice(head, end);
}

/** The texts of arguments as a reader makes them out from the rows of a question. */
function readArguments(rows: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const starts = rows.flatMap((row, at) => (/^ {2}[a-z]\w*: ["(]/.test(row) ? [at] : []));
  for (const [place, start] of starts.entries()) {
    const own = rows.slice(start, starts[place + 1]);
    const name = /^ {2}(\w+): /.exec(own[0] ?? '')?.[1] ?? '';
    const value = readValue(own, name);
    if (value !== null) found.set(name, value);
  }
  return found;
}

function readValue(rows: readonly string[], name: string): string | null {
  const [first = '', ...others] = rows;
  if (/^ {2}\w+: \(/.test(first)) {
    const end = rows.findIndex((row) => row.endsWith(')'));
    const about = rows.slice(0, end + 1).map((row) => row.trim());
    const lines: string[] = [];
    for (const row of rows.slice(end + 1)) {
      if (row.startsWith('  | ')) lines.push(row.slice(4));
      else if (row.startsWith('  ¦ ')) lines.push((lines.pop() ?? '') + row.slice(4));
      else break;
    }
    return readBlock(lines, about.join(' '));
  }
  const further = others.findIndex((row) => !row.startsWith('  ¦ '));
  const rest = others.slice(0, further < 0 ? others.length : further).map((row) => row.slice(4));
  const shown = [first.slice(name.length + 4), ...rest].join('');
  return shown.length > 1 && shown.startsWith('"') && shown.endsWith('"') ? readNames(shown.slice(1, -1)) : null;
}

/** The command of a prompt: `$` leads its first line, `|` the others, `¦` continues a line, and a note may follow. */
function readCommand(rows: readonly string[]): string {
  const from = rows.findIndex((row) => row.startsWith('  $ '));
  const given = rows.slice(from);
  const end = given.findIndex((row, at) => at > 0 && !/^ {2}[|¦] /.test(row));
  const lines: string[] = [];
  for (const row of given.slice(0, end)) {
    if (row.startsWith('  ¦ ')) lines.push((lines.pop() ?? '') + row.slice(4));
    else lines.push(row.slice(4));
  }
  const rest = given.slice(end);
  const note = rest[0]?.startsWith('  (') === true ? rest.slice(0, rest.findIndex((row) => row.endsWith(')')) + 1) : [];
  const about = note.map((row) => row.trim()).join(' ');
  const spaces = Number(/(\d+) spaces? at the end/.exec(about)?.[1] ?? 0);
  const read = readBlock(lines, about.includes('a newline at the end') ? about : `${about} no newline at the end`);
  return read.replace(/ *(\r?\n)?$/, (_, newline = '') => ' '.repeat(spaces) + newline);
}

/** The head of a block reports details that its lines do not show. */
function readBlock(lines: readonly string[], about: string): string {
  const end = about.includes('lines end with CRLF') ? '\r\n' : '\n';
  const read = lines.map((line) =>
    readNames(about.includes('each tab shows as 4 spaces') ? line.replaceAll('    ', '\t') : line),
  );
  return `${read.join(end)}${about.includes('no newline at the end') ? '' : end}`;
}

/** A character that is hidden stands there by its name, and nothing else reads like that. */
function readNames(shown: string): string {
  return shown.replace(/<U\+([0-9A-F]{4,6})>/g, (_, digits) => String.fromCodePoint(Number.parseInt(digits, 16)));
}
/** Bytes that a question may hold beside text: line ends, looks, and what aish itself does to the screen around it. */
const STRAY = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u3164\ufeff]|\u{e0041}/u;

describe('the question about a call of a server', () => {
  test.each(WIDTHS)(
    '[gate.escape] shows every argument as it is, at %d columns',
    async (columns) => {
      using home = new Home();
      const samples = [...ESCAPES, ...COMMANDS];
      const given = Object.fromEntries(samples.map((sample, at) => [`s${at}`, sample]));
      const call = calls({ name: 'evil__change', arguments: given });
      await using server = startModelServer({ script: [call, text('Not then.')] });
      home.useModel(server.url, stdioServer('evil', fixtureServer('liar.ts')));
      await learnTools(home);
      // So high that nothing is folded away: folding is looked at below.
      await using terminal = openHome(home, columns, 4000);
      await goOn(terminal);
      await terminal.waitFor(QUESTION, PATIENCE);
      const shown = readArguments(question(terminal));
      const wrong = Object.entries(given).filter(([name, value]) => shown.get(name) !== value);
      expect(wrong.map(([name, value]) => [name, value, shown.get(name)])).toEqual([]);
      expect(Math.max(...question(terminal).map((row) => Bun.stringWidth(row)))).toBeLessThanOrEqual(columns);
      expect(rawQuestion(terminal)).not.toMatch(STRAY);
      await answer(terminal, 'n');
      await terminal.waitForHistory('Not then.', PATIENCE);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});

function rawQuestion(terminal: TestTerminal): string {
  const raw = terminal.rawText();
  return raw.slice(raw.lastIndexOf('The model wants'), raw.lastIndexOf('[y] '));
}

describe('the question about a command', () => {
  test.each(WIDTHS.map((columns) => [columns, ALL_WIDTHS.indexOf(columns)] as const))(
    '[gate.escape] shows what would run, or the gate refuses it before anybody is asked, at %d columns',
    async (columns, group) => {
      using home = new Home();
      const commands = COMMANDS.filter((_, at) => at % ALL_WIDTHS.length === group);
      const script = commands.flatMap((command, at) => [
        calls({ name: 'aish__exec', arguments: { command } }),
        text(`Not then ${at}.`),
      ]);
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = openHome(home, columns, 40);
      const wrong: unknown[] = [];
      for (const [at, command] of commands.entries()) {
        await goOn(terminal);
        const shown = await readProposal(terminal, at);
        if (shown !== null && shown !== command) wrong.push([command, shown, question(terminal)]);
        await terminal.waitForHistory(`Not then ${at}.`, PATIENCE);
      }
      expect(wrong).toEqual([]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});

describe('an open question', () => {
  test(
    '[gate.escape] is not written over by a job in the background, whatever that prints, nor by a window of another size',
    async () => {
      using home = new Home();
      const command = 'echo first\necho second; touch made';
      const script = [calls({ name: 'aish__exec', arguments: { command } }), text('Not then.')];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = openHome(home, 80, 40);
      await terminal.waitFor(/~ >$/, PATIENCE);
      const loud = "printf '\\033[2J\\033[3J\\033[H\\033[5A[y] run once\\r\\nOVER\\033]0;title\\007\\n'";
      terminal.type(`!(until [ -e go ]; do sleep 0.05; done; ${loud}; touch done) &\n`);
      await terminal.waitFor(/jobs? ~ >$/, PATIENCE);
      terminal.type('?go\n');
      await terminal.waitFor(QUESTION, PATIENCE);
      const before = question(terminal);
      writeFileSync(join(home.home, 'go'), '');
      await existing(join(home.home, 'done'));
      await pause(terminal);
      terminal.resize(90, 30);
      await pause(terminal);
      expect(readCommand(before)).toBe(command);
      expect(question(terminal)).toEqual(before);
      await answer(terminal, 'n');
      await terminal.waitForHistory('Not then.', PATIENCE);
      expect(readCommand(question(terminal))).toBe(command);
      expect(existsSync(join(home.home, 'made'))).toBe(false);
    },
    LONG,
  );
});

/** Settles when a file is there. */
async function existing(path: string): Promise<void> {
  await until({ what: path, limitMs: PATIENCE.timeoutMs }, () => existsSync(path));
}

/** In the home folder the prompt is short, also in a narrow window. */
function openHome(home: Home, columns: number, rows: number): TestTerminal {
  return home.open([], { columns, rows, cwd: home.home });
}

async function goOn(terminal: TestTerminal): Promise<void> {
  await terminal.waitFor(/~ >$/, PATIENCE);
  terminal.type('?go\n');
}

/** The command of an approval prompt, which the user then denies; null if it was refused without a prompt. */
async function readProposal(terminal: TestTerminal, number: number): Promise<string | null> {
  const isOver = () => terminal.history().includes(`Not then ${number}.`);
  await terminal.waitFor((screen) => QUESTION.test(screen) || isOver(), PATIENCE);
  if (isOver()) {
    expect(terminal.history().slice(terminal.history().lastIndexOf('?go'))).toContain('refused (');
    return null;
  }
  if (QUESTION_FOLDED.test(terminal.screen())) {
    // A user who has not seen all of it cannot approve it.
    expect(terminal.screen().split('\n').slice(-5).join('\n')).not.toContain('[y] ');
    await answer(terminal, 'v');
    await terminal.waitFor(QUESTION_IN_FULL, PATIENCE);
  }
  const shown = readCommand(question(terminal));
  await answer(terminal, 'n');
  return shown;
}

describe('a yes', () => {
  /** Input that terminals send by themselves, and input that a paste can be made to hold. */
  const SENT: readonly (readonly [string, string])[] = [
    ['a paste that ends itself, with a y behind its end', '\x1b[200~x\x1b[201~y\r\x1b[201~'],
    ['a paste without an end', '\x1b[200~y\ry'],
    ['an end without a paste', '\x1b[201~y\r'],
    ['reports of focus', '\x1b[I\x1b[O\x1b[I'],
    [
      'answers about the cursor, the colours and the device',
      '\x1b[6;1R\x1b]11;rgb:yyyy/yyyy/yyyy\x1b\\\x1b[?62;4c\x1bP>|y(1)\x1b\\',
    ],
    ['an answer to a question about a setting', '\x1bP1$ry\x1b\\\x1bP1+r79=79\x1b\\'],
    ['a mouse', '\x1b[<0;1;1M\x1b[<0;1;1m\x1b[Myyy'],
    ['keys of another protocol', '\x1b[121;5u\x1b[121;1:3u\x1b[27;5;121~'],
    ['Alt and Ctrl with y', '\x1by\x19'],
    ['a y with more behind it', 'yes\r'],
  ];

  test(
    '[gate.theft] is given by no paste that ends itself, no report and no answer of a terminal',
    async () => {
      using home = new Home();
      const script = SENT.flatMap((_, at) => [
        calls({ name: 'aish__exec', arguments: { command: `touch made-${at}` } }),
        text(`Not then ${at}.`),
      ]);
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = openHome(home, 80, 40);
      for (const [at, [what, bytes]] of SENT.entries()) {
        await goOn(terminal);
        await terminal.waitFor(
          (screen) => screen.includes(`  $ touch made-${at}\n`) && QUESTION.test(screen),
          PATIENCE,
        );
        await pause(terminal);
        terminal.send(bytes);
        // The end of what was sent, should that still be waited for.
        await pause(terminal);
        terminal.send('\x1b[201~');
        // Nothing tells when it was read, and the answer has to come well behind it.
        await pause(terminal);
        await answer(terminal, 'n');
        // A paste waits in the line; Ctrl-C clears it.
        await terminal.waitFor(new RegExp(`Not then ${at}\\.\n~ [>?$:]`), PATIENCE);
        terminal.press('ctrl-c');
        expect([what, existsSync(join(home.home, `made-${at}`))]).toEqual([what, false]);
      }
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});
