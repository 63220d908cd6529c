import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import fc from '../../../../test/support/properties.ts';
import { openTerminal } from '../../../../test/support/terminal.ts';
import { useFolder } from '../../../../test/support/test-folder.ts';
import {
  type Capabilities,
  knowsLinks,
  mayAsk,
  QUESTIONS,
  questionsFor,
  ReplyReader,
  UNKNOWN_TERMINAL,
} from '../../../core/terminal/capabilities.ts';
import { TerminalQuestions } from './tty.ts';

const HOME = useFolder('tty');

const PROGRAM = `
  import { openTty } from ${JSON.stringify(`${import.meta.dir}/tty.ts`)};
  const tty = openTty({
    input: (bytes) => {
      const text = new TextDecoder().decode(bytes);
      if (text === 'q') { tty.close(); return; }
      if (text === 'x') throw new Error('a bug');
      tty.write('[' + text + ']');
    },
    resized: () => tty.write('<' + tty.size().columns + 'x' + tty.size().rows + '>'),
    ended: (signal) => { tty.write('ended ' + signal); tty.close(); process.exit(7); },
  });
  tty.setRaw();
  tty.write('ready ');
  tty.start();
`;

function start() {
  // The shell tells the modes after the program has gone.
  const script = '"$0" -e "$1"; code=$?; printf "\\ncode %s " $code; stty -a | grep -o -- "-\\?icanon"';
  const env = { PATH: process.env.PATH ?? '', HOME };
  return openTerminal({
    command: '/bin/sh',
    args: ['-c', script, process.execPath, PROGRAM],
    env,
    columns: 60,
    rows: 10,
  });
}

test('passes on what is typed and leaves the terminal as it was', async () => {
  await using terminal = start();
  await terminal.waitFor('ready');
  terminal.type('a');
  await terminal.waitFor('[a]');
  terminal.press('ctrl-c');
  // The next key may not arrive in one piece with this one.
  await terminal.waitFor('[a][');
  terminal.resize(50, 9);
  await terminal.waitFor('<50x9>');
  terminal.type('q');
  expect(await terminal.waitFor(/code 0 icanon/)).toContain('code 0 icanon');
});

test('leaves the terminal as it was when a bug ends the program', async () => {
  await using terminal = start();
  await terminal.waitFor('ready');
  terminal.type('x');
  expect(await terminal.waitFor(/code \d+ -?icanon/)).toContain('code 1 icanon');
});

const ATTRIBUTES = '\x1b[?62;4;22c';
const ALL = [
  '\x1b[?2026;2$y',
  '\x1b[?0u',
  '\x1b]11;rgb:ffff/fafa/f0f0\x1b\\',
  '\x1bP>|WezTerm 20240203\x1b\\',
  '\x1b[6;20;9t',
  '\x1b_Gi=4211;OK\x1b\\',
  ATTRIBUTES,
];

const KNOWN: Capabilities = {
  synchronized: true,
  background: 'light',
  kittyKeyboard: true,
  sixel: true,
  kittyImages: true,
  name: 'WezTerm 20240203',
  cell: { width: 9, height: 20 },
};

/** Keys of every kind, among them those that begin like an answer. */
const KEYS = [
  'a',
  '日',
  '\x1b[A',
  '\x1b[1;5C',
  '\x1b[3~',
  '\x1b[13;2u',
  '\x1bOP',
  '\x1bf',
  '\r',
  '\x1b[200~paste\x1b[201~',
  '\x1b[6~',
];

describe('ReplyReader', () => {
  test('reads what a terminal that knows everything answers', () => {
    const reader = new ReplyReader();
    expect([reader.take(ALL.join('')), reader.capabilities, reader.isDone]).toEqual(['', KNOWN, true]);
  });

  test('passes every key on and no answer, wherever the stream is cut', () => {
    const mixed = fc.array(fc.constantFrom(...KEYS), { minLength: ALL.length, maxLength: 20 });
    fc.assert(
      fc.property(mixed, fc.integer({ min: 1, max: 7 }), (keys, size) => {
        const stream = keys.map((key, at) => key + (ALL[at] ?? '')).join('');
        const bytes = Buffer.from(stream).toString('latin1');
        const reader = new ReplyReader();
        let passed = '';
        for (let at = 0; at < bytes.length; at += size) passed += reader.take(bytes.slice(at, at + size));
        passed += reader.release();
        expect(Buffer.from(passed, 'latin1').toString()).toBe(keys.join(''));
        expect(reader.capabilities).toEqual(KNOWN);
      }),
    );
  });

  test('after the last answer everything is for others, also what looks like one', () => {
    const reader = new ReplyReader();
    reader.take(ATTRIBUTES);
    expect([reader.take(ALL.join('')), reader.capabilities]).toEqual([
      ALL.join(''),
      { ...UNKNOWN_TERMINAL, sixel: true },
    ]);
  });

  test('a second answer to one question is of somebody else', () => {
    const reader = new ReplyReader();
    expect(reader.take('\x1b[?2026;2$y\x1b[?2026;1$y')).toBe('\x1b[?2026;1$y');
  });

  test('a mode that is not known, a colour that is not understood and an error are a no', () => {
    const reader = new ReplyReader();
    reader.take('\x1b[?2026;0$y\x1b]11;red\x07\x1b_Gi=4211;ENOTSUP\x1b\\\x1b[6;0;0t\x1b[?6c');
    expect([reader.capabilities, reader.isDone]).toEqual([UNKNOWN_TERMINAL, true]);
  });

  test('backgrounds are told by their brightness, in any number of digits', () => {
    const read = (colour: string) => {
      const reader = new ReplyReader();
      reader.take(`\x1b]11;${colour}\x07`);
      return reader.capabilities.background;
    };
    expect(
      ['rgb:f/f/f', 'rgb:28/2c/34', 'rgb:0000/2b2b/3636', 'rgba:fdfd/f6f6/e3e3/ffff', 'nonsense'].map(read),
    ).toEqual(['light', 'dark', 'dark', 'light', null]);
  });
});

/** Questions at a terminal that the test answers for. */
function open() {
  const clock = new ManualClock();
  const seen = { written: '', delivered: '', answers: [] as Capabilities[] };
  const questions = new TerminalQuestions({
    write: (text) => {
      seen.written += text;
    },
    deliver: (bytes) => {
      seen.delivered += Buffer.from(bytes).toString();
    },
    answered: (capabilities) => seen.answers.push(capabilities),
    clock,
  });
  const type = (text: string) => Buffer.from(questions.take(Buffer.from(text))).toString();
  return { questions, clock, seen, type };
}

describe('TerminalQuestions', () => {
  test('asks once, and tells as soon as the last answer is there', () => {
    const { questions, seen, type } = open();
    questions.ask({});
    questions.ask({});
    expect([seen.written, type(ALL.join('')), seen.answers]).toEqual([QUESTIONS, '', [KNOWN]]);
  });

  test('touches nothing before it has asked', () => {
    const { type } = open();
    expect(type(ALL.join(''))).toBe(ALL.join(''));
  });

  test('a terminal that answers nothing is one that knows nothing, after a while', () => {
    const { questions, clock, seen } = open();
    questions.ask({});
    clock.pass(999);
    expect(seen.answers).toEqual([]);
    clock.pass(1);
    expect(seen.answers).toEqual([UNKNOWN_TERMINAL]);
  });

  test('answers that come late reach nobody, and still count', () => {
    const { questions, clock, seen, type } = open();
    questions.ask({});
    clock.pass(5000);
    expect([type('ls'), type(`${ALL.join('')}x`)]).toEqual(['ls', 'x']);
    expect(seen.answers).toEqual([UNKNOWN_TERMINAL, KNOWN]);
  });

  test('the Escape key is handed on after a moment, and not swallowed', () => {
    const { questions, clock, seen, type } = open();
    questions.ask({});
    expect([type('\x1b'), seen.delivered]).toEqual(['', '']);
    clock.pass(25);
    expect(seen.delivered).toBe('\x1b');
  });

  test('who leaves waits for the answers, but not for ever', async () => {
    const quick = open();
    quick.questions.ask({});
    const leaving = quick.questions.settled();
    quick.type(ALL.join(''));
    await leaving;
    const silent = open();
    silent.questions.ask({});
    const patient = silent.questions.settled();
    silent.clock.pass(150);
    await patient;
  });
});

test('links are for terminals that are known to have them, never behind a multiplexer', () => {
  const at = (environment: Record<string, string>, name: string | null = null) => knowsLinks(environment, { name });
  expect([
    at({ TERM: 'xterm-256color' }),
    at({ TERM: 'xterm-256color' }, 'kitty(0.35.2)'),
    at({ TERM: 'xterm-256color', VTE_VERSION: '7600' }),
    at({ TERM: 'tmux-256color', TMUX: '/tmp/x', TERM_PROGRAM: 'iTerm.app' }),
    at({ TERM: 'xterm-256color' }, 'XTerm(390)'),
  ]).toEqual([false, true, true, false, false]);
});

test('a terminal without sequences is not asked', () => {
  expect(['xterm', 'dumb', '', 'linux'].map((TERM) => mayAsk({ TERM })).concat(mayAsk({}))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('a multiplexer is not asked about graphics, because it shows the question as the title of its window', () => {
  const asks = (environment: Record<string, string>) => questionsFor(environment).includes('\x1b_G');
  const inside = [{ TMUX: '/tmp/tmux-0/default,1,0' }, { STY: '1.pts' }, { TERM: 'tmux-256color' }, { TERM: 'screen' }];
  expect([{}, { TERM: 'xterm-kitty' }, ...inside].map(asks)).toEqual([true, true, false, false, false, false]);
});
