import { describe, expect, test } from 'bun:test';
import { EditorDesk } from '../../../../test/support/editor-desk.ts';
import { MemoryHistory } from '../../../../test/support/memory-history.ts';
import type { Completion } from '../../../core/completion/completion.ts';
import { createTheme } from '../../../core/terminal/theme.ts';

const UP = '\x1b[A';
const DOWN = '\x1b[B';
const LEFT = '\x1b[D';

test('what is printed while the terminal is lent stands above the line afterwards', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const desk = new EditorDesk({ editExternally: () => promise });
  void desk.editor.read();
  desk.type('ls', '\x18', '\x05');
  const { bytes } = desk;
  desk.editor.printAbove('first\n');
  desk.editor.printAbove('a job is done\n');
  const during = desk.bytes.slice(bytes.length);
  resolve('ls -l\n');
  await new Promise((done) => setImmediate(done));
  expect([during, await desk.lines()]).toEqual(['', ['first', 'a job is done', '$ ls -l']]);
});

test('what a key changes in several places is drawn at once', async () => {
  const queued: string[] = [];
  let written = 0;
  const desk: EditorDesk = new EditorDesk({
    keyAtWork: (key) => {
      if (key !== 'enter') return false;
      queued.push(desk.editor.take());
      desk.editor.setLive(queued.map((line) => `queued: ${line}`));
      return true;
    },
  });
  desk.editor.show();
  desk.type('make all');
  desk.counts = () => written++;
  desk.type('\r');
  desk.editor.replace('taken back');
  expect([written, await desk.lines()]).toEqual([2, ['queued: make all', '$ taken back']]);
});

describe('a line', () => {
  test('is typed, edited and entered', async () => {
    const desk = new EditorDesk();
    const read = desk.editor.read();
    desk.type('echo wrld', LEFT, LEFT, LEFT, 'o', '\r');
    expect([await read, await desk.lines(), desk.editor.text]).toEqual([
      { type: 'line', text: 'echo world' },
      ['$ echo world'],
      '',
    ]);
  });

  test('goes on after a backslash and after Alt-Enter', async () => {
    const desk = new EditorDesk();
    const read = desk.editor.read();
    desk.type('a\\', '\r', 'b', '\x1b\r', 'c', '\r');
    expect([await read, await desk.lines()]).toEqual([{ type: 'line', text: 'a\\\nb\nc' }, ['$ a\\', '> b', '> c']]);
  });

  test('is given up by Ctrl-C, and Ctrl-D on an empty one ends the input', async () => {
    const desk = new EditorDesk();
    const first = desk.editor.read();
    desk.type('half', '\x03');
    const given = await first;
    const second = desk.editor.read();
    desk.type('\x04');
    expect([given, await second, await desk.lines()]).toEqual([
      { type: 'interrupt', wasEmpty: false },
      { type: 'eof' },
      ['$ half^C', '$'],
    ]);
  });

  test('shows one typed letter by writing one byte', () => {
    const desk = new EditorDesk();
    void desk.editor.read();
    desk.type('l');
    desk.bytes = '';
    desk.type('s');
    expect(desk.bytes).toBe('s');
  });

  test('shows letters before their colours are asked for, whatever comes between', async () => {
    const behind: (() => void)[] = [];
    const asked: string[] = [];
    const desk = new EditorDesk({
      theme: createTheme({ TERM: 'xterm-256color' }),
      behindEcho: (draw) => void behind.push(draw),
      highlight: (text) => {
        asked.push(text);
        return [];
      },
    });
    void desk.editor.read();
    desk.type('l', 's', ' ', '-');
    const before = [await desk.lines(), [...asked], behind.length];
    desk.editor.printAbove('a note\n');
    desk.type('a');
    for (const draw of behind) draw();
    expect([before, await desk.lines(), asked]).toEqual([
      [['$ ls -'], [], 1],
      ['a note', '$ ls -a'],
      ['ls -', 'ls -a'],
    ]);
  });

  test('is classified by what is folded in it, wherever that is asked', () => {
    const asked: string[] = [];
    const desk = new EditorDesk({
      theme: createTheme({ TERM: 'xterm-256color' }),
      routeMark: (text) => {
        asked.push(text);
        return '$ ';
      },
      highlight: (_, meant) => {
        asked.push(meant);
        return [];
      },
    });
    void desk.editor.read();
    const paste = Array.from({ length: 20 }, (_, at) => `echo ${at}`).join('\n');
    desk.type(`\x1b[200~${paste}\x1b[201~`, '\x03');
    expect(new Set(asked)).toEqual(new Set(['', paste]));
  });

  test('stays whole when text appears above it', async () => {
    const desk = new EditorDesk();
    void desk.editor.read();
    desk.type('half a li');
    desk.editor.printAbove('job 1 done');
    desk.type('ne');
    expect(await desk.lines()).toEqual(['job 1 done', '$ half a line']);
  });

  test('is kept while the editor is hidden', async () => {
    const desk = new EditorDesk();
    void desk.editor.read();
    desk.type('one');
    desk.editor.hide();
    desk.type(' two');
    const hidden = await desk.lines();
    desk.editor.show();
    expect([hidden, await desk.lines()]).toEqual([[], ['$ one two']]);
  });

  test('typed while nobody reads waits and does not run', async () => {
    const desk = new EditorDesk();
    desk.type('rm x', '\r', 'more');
    desk.editor.insert(' typed ahead\n');
    void desk.editor.read();
    expect([desk.editor.text, await desk.lines()]).toEqual([
      'rm x\nmore typed ahead',
      ['$ rm x', '> more typed ahead'],
    ]);
  });

  test('survives a narrower window', async () => {
    const desk = new EditorDesk({ columns: 30 });
    void desk.editor.read();
    desk.type('one two three four', '\x1b\r', 'five six seven eight');
    await desk.resize(12);
    expect(await desk.lines()).toEqual(['$ one two th', 'ree four', '> five six s', 'even eight']);
  });
});

describe('a paste', () => {
  test.each([
    ['in one line', 'some words of a line '.repeat(50_000)],
    ['in many lines', 'git status && echo "done"\n'.repeat(40_000)],
  ])('of a million characters %s costs the keys behind it little: they look at its beginning only', (_, paste) => {
    const asked: number[] = [];
    const routeMark = (text: string): string => {
      asked.push(text.length);
      return '$ ';
    };
    const highlight = (_text: string, meant = ''): readonly [] => {
      asked.push(meant.length);
      return [];
    };
    const desk = new EditorDesk({ routeMark, highlight, theme: createTheme({ TERM: 'xterm-256color' }) });
    void desk.editor.read();
    desk.type(`\x1b[200~${paste}\x1b[201~`, 'x', 'y', '\x1b[D', '\x7f');
    expect([asked.length > 4, Math.max(...asked)]).toEqual([true, 402]);
  });

  test('of a hundred lines is folded and never runs by itself', async () => {
    const desk = new EditorDesk();
    const read = desk.editor.read();
    const text = Array.from({ length: 100 }, (_, at) => `echo ${at}`).join('\r\n');
    desk.type(`\x1b[200~${text}\r\n\x1b[201~`);
    const before = desk.editor.text;
    desk.type('\r');
    const entered = await read;
    const lines = await desk.lines();
    expect([before, entered, lines]).toEqual([
      text.replaceAll('\r\n', '\n'),
      { type: 'line', text: text.replaceAll('\r\n', '\n') },
      ['$ [pasted 100 lines]'],
    ]);
  });

  test('without brackets is taken for one by its line end in the middle', async () => {
    const desk = new EditorDesk();
    void desk.editor.read();
    desk.type('rm a\rrm b\r');
    expect(desk.editor.text).toBe('rm a\nrm b');
  });

  test('shows what it hides', async () => {
    const desk = new EditorDesk();
    void desk.editor.read();
    desk.type('\x1b[200~ls \u202e\x1b]0;x\x07\x1b[201~');
    expect(await desk.lines()).toEqual(['$ ls <U+202E><U+001B>]0;x<U+0007>']);
  });
});

describe('history', () => {
  const history = () => new MemoryHistory(['git status', 'ls', 'git log', 'make']);

  test('is walked by prefix, and back to what was typed', () => {
    const desk = new EditorDesk({ history: history() });
    void desk.editor.read();
    const seen: string[] = [];
    for (const key of ['git', UP, UP, UP, DOWN, DOWN]) {
      desk.type(key);
      seen.push(desk.editor.text);
    }
    expect(seen).toEqual(['git', 'git log', 'git status', 'git status', 'git log', 'git']);
  });

  test('offers the rest of a line, which Right takes', async () => {
    const desk = new EditorDesk({ history: history(), theme: createTheme({ TERM: 'xterm' }) });
    void desk.editor.read();
    desk.type('git s');
    const shown = await desk.lines();
    desk.type('\x1b[C');
    expect([shown, desk.editor.text]).toEqual([['$ git status'], 'git status']);
  });

  test('is searched with Ctrl-R', async () => {
    const desk = new EditorDesk({ history: history() });
    const read = desk.editor.read();
    desk.type('\x12', 'git', '\x12');
    const shown = await desk.lines();
    desk.type('\r');
    expect([shown, await read]).toEqual([
      ['$ git status', 'search: git  2 lines everywhere · Ctrl-T', '       git log', '>      git status'],
      { type: 'line', text: 'git status' },
    ]);
  });
});

describe('completion', () => {
  const complete = ({ text }: { readonly text: string }): Completion[] => {
    const start = text.lastIndexOf(' ') + 1;
    return ['status', 'stash', 'log']
      .filter((one) => one.startsWith(text.slice(start)))
      .map((one) => ({ start, text: one }));
  };

  test('puts the only candidate in', () => {
    const desk = new EditorDesk({ complete });
    void desk.editor.read();
    desk.type('git l\t');
    expect(desk.editor.text).toBe('git log ');
  });

  test('a walk through the menu is one step to undo, however far it went', () => {
    const desk = new EditorDesk({ complete });
    void desk.editor.read();
    desk.type('git s\t', '\t', '\t', '\t', '\r', ' x');
    const texts = [desk.editor.text];
    for (let times = 0; times < 3; times++) {
      desk.type('\x1f');
      texts.push(desk.editor.text);
    }
    expect(texts).toEqual(['git status x', 'git status', 'git sta', 'git s']);
  });

  test('shows a menu, walks it, and Enter takes without running', async () => {
    const desk = new EditorDesk({ complete: (request) => Promise.resolve(complete(request)) });
    void desk.editor.read();
    desk.type('git s\t');
    await Promise.resolve();
    const opened = [desk.editor.text, await desk.lines()];
    desk.type('\t', '\t');
    const walked = await desk.lines();
    desk.type('\r');
    expect([opened, walked, desk.editor.text, await desk.lines()]).toEqual([
      ['git sta', ['$ git sta', '  status    stash']],
      ['$ git stash', '  status  > stash'],
      'git stash',
      ['$ git stash'],
    ]);
  });
});

test('typing on narrows the menu, erasing widens it, and its height stays', async () => {
  const complete = (): Completion[] =>
    ['status', 'stash', 'start'].map((text) => ({ start: 4, text, description: `what ${text} does` }));
  const desk = new EditorDesk({ complete });
  void desk.editor.read();
  desk.type('git st\t');
  const opened = await desk.lines();
  desk.type('t');
  const narrowed = await desk.lines();
  desk.type('\x7f');
  const widened = await desk.lines();
  desk.type('x');
  expect([opened, narrowed, widened, await desk.lines()]).toEqual([
    ['$ git sta', '  status  what status does', '  stash   what stash does', '  start   what start does'],
    ['$ git stat', '  status  what status does'],
    ['$ git sta', '  status  what status does', '  stash   what stash does', '  start   what start does'],
    ['$ git stax'],
  ]);
});

test('Shift-Tab writes the line so that it goes the other way, and the cursor stays at its letter', () => {
  const desk = new EditorDesk({ flip: (text) => (text.startsWith('?') ? text.slice(1) : `?${text}`) });
  desk.type('make it', '\x1b[D', '\x1b[Z', 'X');
  expect(desk.editor.text).toBe('?make iXt');
  desk.type('\x1b[Z');
  expect(desk.editor.text).toBe('make iXt');
});

test('a line that somebody finds complete a moment later is entered then, and what was typed behind it is the next one', async () => {
  const asked = Promise.withResolvers<boolean>();
  const desk = new EditorDesk({ isComplete: () => asked.promise });
  const read = desk.editor.read();
  desk.type('repeat 2 ls', '\r', 'wh');
  expect(desk.editor.text).toBe('repeat 2 ls\nwh');
  asked.resolve(true);
  expect(await read).toEqual({ type: 'line', text: 'repeat 2 ls' });
  expect(desk.editor.text).toBe('wh');
});

test('a line that nobody finds complete goes on', async () => {
  const asked = Promise.withResolvers<boolean>();
  const desk = new EditorDesk({ isComplete: () => asked.promise });
  void desk.editor.read();
  desk.type('repeat 2', '\r');
  asked.resolve(false);
  await asked.promise;
  desk.type('ls');
  expect(desk.editor.text).toBe('repeat 2\nls');
  desk.editor.close();
});

test('an entered line leaves the mark that is right by then, and keys behind it wait for that', async () => {
  let mark = '? ';
  const known = Promise.withResolvers<void>();
  const desk = new EditorDesk({ routeMark: () => mark, settled: (text) => (text === 'made' ? known.promise : null) });
  const first = desk.editor.read();
  desk.type(...'made', '\r', ...'next', '\r', ...'more');
  expect(desk.editor.text).toBe('made');
  mark = '$ ';
  known.resolve();
  expect(await first).toEqual({ type: 'line', text: 'made' });
  expect((await desk.lines())[0]).toBe('$ made');
  await Promise.resolve();
  // Nobody waits for a line: Enter may not lose or run what is typed.
  expect(desk.editor.text).toBe('next\nmore');
});

test('a line that waits for its mark when the editor is closed is not entered', async () => {
  const known = Promise.withResolvers<void>();
  const desk = new EditorDesk({ settled: () => known.promise });
  const reading = desk.editor.read();
  desk.type('made\r');
  desk.editor.close();
  known.resolve();
  expect(await reading).toEqual({ type: 'eof' });
});

test('a closed editor shows nothing more, as when a signal ends an approval prompt', async () => {
  const desk = new EditorDesk();
  void desk.editor.read();
  desk.type('typed');
  desk.editor.close();
  const before = await desk.lines();
  desk.editor.show();
  expect(await desk.lines()).toEqual(before);
});
