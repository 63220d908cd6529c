import { describe, expect, test } from 'bun:test';
import { Terminal } from '@xterm/headless';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { MemoryHistory } from '../../../../test/support/memory-history.ts';
import fc from '../../../../test/support/properties.ts';
import { createTheme, PLAIN_THEME } from '../../../core/terminal/theme.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import { LineEditor } from '../editor/line-editor.ts';
import { LiveAnswer } from './live-answer.ts';
import { View } from './view.ts';

const COLOURS = createTheme({ TERM: 'xterm-256color' });

/** An answer streamed above a real editor's prompt, in an emulator. */
class Desk {
  readonly clock = new ManualClock();
  readonly editor: LineEditor;
  readonly answer: LiveAnswer;
  /** All that was printed for good. */
  printed = '';
  bytes = 0;
  readonly #terminal: Terminal;
  #size: TerminalSize;
  #written = Promise.resolve();

  constructor(size: TerminalSize) {
    this.#size = size;
    this.#terminal = new Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true, scrollback: 10_000 });
    this.editor = new LineEditor({
      write: (text) => {
        this.bytes += Buffer.byteLength(text);
        this.#written = new Promise((resolve) => this.#terminal.write(text, resolve));
      },
      size: () => this.#size,
      prompt: () => '~ ',
      history: new MemoryHistory(),
      complete: () => [],
      routeMark: () => '> ',
      isComplete: () => true,
      theme: COLOURS,
    });
    this.answer = new LiveAnswer({
      print: (text, live) => {
        this.printed += text;
        this.editor.printAbove(text, live);
      },
      setLive: (rows) => this.editor.setLive(rows),
      size: () => this.#size,
      theme: COLOURS,
      clock: this.clock,
    });
    void this.editor.read();
  }

  async resize(columns: number): Promise<void> {
    // The emulator reads what was written a little later; a real terminal has read it when its window changes.
    await this.#written;
    this.#size = { columns, rows: this.#size.rows };
    this.#terminal.resize(columns, this.#size.rows);
    this.editor.resized(this.answer.resized());
  }

  /** Everything on the screen and above it, line by line as it was written. */
  async lines(): Promise<string[]> {
    await this.#written;
    const buffer = this.#terminal.buffer.active;
    const lines: string[] = [];
    for (let at = 0; at < buffer.length; at++) {
      const row = buffer.getLine(at);
      const text = row?.translateToString(false) ?? '';
      if (row?.isWrapped === true) lines.push((lines.pop() ?? '') + text);
      else lines.push(text);
    }
    const cut = lines.map((line) => line.trimEnd());
    while (cut.at(-1) === '') cut.pop();
    return cut;
  }

  close(): void {
    this.editor.close();
  }
}

const SOURCE = `# What the answer says

A paragraph of *several* words with \`code\` and **weight**, long enough to be folded more than once at most widths.

- one item which goes on for a while, and then some more
- [x] done

> quoted, and also rather long for a narrow window

| name | what | size |
|------|------|-----:|
| 日本語 | words in a cell | 200 |
| b | c | 3 |

\`\`\`ts
const text = "a rather long line of code that does not fit a narrow window";
return text;
\`\`\`
The end.
`;

/** Pieces as a model sends them. */
function toTokens(text: string): readonly string[] {
  return text.match(/\s?[^\s]{1,5}|\s/g) ?? [];
}

/** An answer whose rows and prints are seen one by one. */
function openAnswer(columns: number) {
  const shown: (readonly string[])[] = [];
  const clock = new ManualClock();
  const answer = new LiveAnswer({
    print: (text, live) => shown.push([text, ...(live ?? [])]),
    setLive: (rows) => shown.push(rows),
    size: () => ({ columns, rows: 24 }),
    theme: PLAIN_THEME,
    clock,
  });
  return { shown, clock, answer };
}

function whole(desk: Desk): void {
  desk.answer.push(SOURCE);
  desk.answer.endAnswer();
}

describe('LiveAnswer', () => {
  test('leaves the same screen whether the answer came at once or in pieces, at any width', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 10 });
    const pauses = fc.constantFrom(0, 5, 20, 60);
    await fc.assert(
      fc.asyncProperty(cuts, pauses, fc.constantFrom(20, 40, 80, 200), async (sizes, pause, columns) => {
        const [streamed, atOnce] = [new Desk({ columns, rows: 12 }), new Desk({ columns, rows: 12 })];
        for (let at = 0, turn = 0; at < SOURCE.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          streamed.answer.push(SOURCE.slice(at, at + size));
          streamed.clock.pass(pause);
          at += size;
        }
        streamed.answer.endAnswer();
        whole(atOnce);
        expect(await streamed.lines()).toEqual(await atOnce.lines());
        streamed.close();
        atOnce.close();
      }),
      { numRuns: 40 },
    );
  });

  test('what was printed stands there whole after any resizes, and the typed line under it', async () => {
    const widths = fc.array(fc.constantFrom(20, 33, 40, 80, 200), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(widths, fc.integer({ min: 5, max: 40 }), async (resizes, every) => {
        const desk = new Desk({ columns: 80, rows: 30 });
        desk.editor.feed(Buffer.from('typed'));
        for (const [at, token] of toTokens(SOURCE).entries()) {
          desk.answer.push(token);
          desk.clock.pass(20);
          if (at % every === 0) await desk.resize(resizes[(at / every) % resizes.length] ?? 80);
        }
        desk.answer.endAnswer();
        const expected = `${desk.printed.replace(/\x1b\[[0-9;]*m/g, '')}~ > typed`
          .split('\n')
          .map((line) => line.trimEnd());
        expect(await desk.lines()).toEqual(expected);
        desk.close();
      }),
      { numRuns: 30 },
    );
  });

  test('draws the first piece at once, and those of one moment together', () => {
    const { shown, clock, answer } = openAnswer(80);
    answer.push('one');
    for (const token of [' two', ' three', ' four']) answer.push(token);
    expect(shown).toEqual([['one']]);
    clock.pass(100);
    expect(shown).toEqual([['one'], ['one two three four']]);
  });

  test('tells what is waited for from the first second on, and leaves nothing of it', () => {
    const { shown, clock, answer } = openAnswer(40);
    answer.wait('thinking');
    clock.pass(2500);
    answer.print('a notice\n');
    clock.pass(5000);
    expect(shown).toEqual([
      ['  thinking · 1.0 s · Ctrl-C stops'],
      ['  thinking · 2.0 s · Ctrl-C stops'],
      ['a notice\n'],
    ]);
  });

  test('shows how far a call is at once, and its time goes on', () => {
    const { shown, clock, answer } = openAnswer(60);
    answer.relabel('nothing is waited for');
    answer.wait('fs.copy');
    clock.pass(1000);
    answer.relabel('fs.copy: 40 % · third file');
    clock.pass(1000);
    answer.stopWaiting();
    expect(shown).toEqual([
      ['  fs.copy · 1.0 s · Ctrl-C stops'],
      ['  fs.copy: 40 % · third file · 1.0 s · Ctrl-C stops'],
      ['  fs.copy: 40 % · third file · 2.0 s · Ctrl-C stops'],
      [],
    ]);
  });

  test('tells of the checkpoint that an approved call waits for', () => {
    const shown: (readonly string[])[] = [];
    const clock = new ManualClock();
    const size = () => ({ columns: 60, rows: 24 });
    const view = new View({ print: () => {}, setLive: (rows) => shown.push(rows), size, theme: PLAIN_THEME, clock });
    const call = {
      id: 'c1',
      name: 'aish.exec',
      arguments: { command: 'make' },
      effect: 'exec',
      origin: 'model',
    } as const;
    view.show({ type: 'step.completed', text: '', calls: [call], finish: 'tool_calls', model: 'm' }, 0);
    view.show({ type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user' }, 0);
    clock.pass(1000);
    expect(shown.at(-1)).toEqual(['  making a checkpoint · 1.0 s · Ctrl-C stops']);
  });

  test('shows how far a request is, and that the model thinks when it answers', () => {
    const { shown, clock, answer } = openAnswer(60);
    answer.wait('thinking');
    clock.pass(1000);
    answer.follow({ type: 'request.progress', percent: null });
    answer.follow({ type: 'request.progress', percent: 45 });
    answer.follow({ type: 'reasoning.delta', text: 'Hm' });
    answer.stopWaiting();
    expect(shown).toEqual([
      ['  thinking · 1.0 s · Ctrl-C stops'],
      ['  queued · 1.0 s · Ctrl-C stops'],
      ['  reading the prompt 45 % · 1.0 s · Ctrl-C stops'],
      ['  thinking · 1.0 s · Ctrl-C stops'],
      [],
    ]);
  });

  test('reports a stream that has stalled until its next byte, and no timer runs when nothing streams', async () => {
    const desk = new Desk({ columns: 60, rows: 12 });
    desk.answer.push('The first words.');
    for (const wait of [9000, 9000]) {
      desk.clock.pass(wait);
      desk.answer.push('');
    }
    expect(await desk.lines()).toEqual(['The first words.', '~ >']);
    desk.clock.pass(12_000);
    const stalled = '  the model sends nothing · 12 s · Ctrl-C stops';
    expect(await desk.lines()).toEqual(['The first words.', stalled, '~ >']);
    desk.answer.print('a notice\n');
    expect(await desk.lines()).toEqual(['a notice', 'The first words.', stalled, '~ >']);
    desk.answer.push(' And more.');
    expect(await desk.lines()).toEqual(['a notice', 'The first words. And more.', '~ >']);
    desk.answer.endAnswer();
    expect(desk.clock.isIdle).toBe(true);
    desk.close();
  });

  test('counts down to the next try, and says so once where nothing may be drawn twice', () => {
    const clock = new ManualClock();
    const rows: (readonly string[])[] = [];
    const format = (leftMs: number) => (leftMs > 0 ? `again in ${leftMs} ms` : 'again');
    const stage = { size: () => ({ columns: 80, rows: 24 }), theme: PLAIN_THEME, clock };
    const live = new LiveAnswer({ ...stage, print: () => {}, setLive: (shown) => rows.push(shown) });
    live.countDown(format, 2000);
    clock.pass(1000);
    clock.pass(1500);
    expect(rows).toEqual([
      ['  again in 2000 ms · Ctrl-C stops'],
      ['  again in 1000 ms · Ctrl-C stops'],
      ['  again · Ctrl-C stops'],
    ]);
    live.stopWaiting();
    const printed: string[] = [];
    const plain = new LiveAnswer({ ...stage, print: (text) => printed.push(text) });
    plain.countDown(format, 2000);
    clock.pass(3000);
    expect(printed).toEqual(['again in 2000 ms\n']);
    plain.stopWaiting();
  });

  test('shows the time in a narrow window, behind a reason of several rows', () => {
    const { shown, answer } = openAnswer(40);
    answer.countDown(() => 'cloud is rate-limiting requests (1 of 4): Busy; aish tries again in 8 s', 8000);
    answer.countDown(() => 'the model sends nothing · 13 s', 8000);
    answer.stopWaiting();
    expect(shown.filter((rows) => rows.length > 0)).toEqual([
      ['  cloud is rate-limiting requests (1 of', '  4): Busy; aish tries again in 8 s ·', '  Ctrl-C stops'],
      ['  the model sends nothing · 13 s'],
    ]);
  });

  test('draws nothing twice where nothing may be drawn twice', () => {
    let printed = '';
    const clock = new ManualClock();
    const answer = new LiveAnswer({
      print: (text) => {
        printed += text;
      },
      size: () => ({ columns: 20, rows: 24 }),
      theme: PLAIN_THEME,
      clock,
    });
    answer.wait('thinking');
    clock.pass(31_000);
    for (const token of toTokens('A line of words\nand the next')) {
      answer.push(token);
      clock.pass(100);
    }
    expect(printed).toBe('thinking, 10 s\nthinking, 30 s\nA line of words\n');
    answer.endAnswer();
    expect(printed).toEndWith('A line of words\nand the next\n');
  });
});

/** Two thousand tokens of an answer as models give it: prose, lists, a table, code. */
function longAnswer(): readonly string[] {
  const code = `\`\`\`ts\n${'export function double(value: number): number {\n  return value * 2; // twice\n}\n\n'.repeat(6)}\`\`\`\n`;
  const table = `| option | what it does | default |\n|---|---|---|\n${Array.from({ length: 12 }, (_, at) => `| --flag-${at} | turns the ${at}th thing on, and says so | ${at % 3 === 0 ? 'on' : 'off'} |`).join('\n')}\n`;
  const prose = `${SOURCE.split('\n')[2]} `.repeat(3);
  const text = `${prose}\n\n- ${prose}\n- ${prose}\n\n${code}\n${table}\n${prose}\n`;
  const tokens = toTokens(text.repeat(3)).slice(0, 2000);
  return tokens;
}

test.each([40, 80, 200])(
  'an answer of two thousand tokens takes at most three bytes a byte at two hundred tokens a second, %d columns wide',
  (columns) => {
    const desk = new Desk({ columns, rows: 24 });
    const tokens = longAnswer();
    const before = desk.bytes;
    for (const token of tokens) {
      desk.answer.push(token);
      desk.clock.pass(5);
    }
    desk.answer.endAnswer();
    const source = Buffer.byteLength(tokens.join(''));
    if (process.env.AISH_TELL !== undefined)
      console.log(columns, tokens.length, source, (desk.bytes - before) / source);
    expect((desk.bytes - before) / source).toBeLessThanOrEqual(3);
    desk.close();
  },
);
