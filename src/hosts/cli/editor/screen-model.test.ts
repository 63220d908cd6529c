import { expect, test } from 'bun:test';
import { type IBufferLine, Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { createTheme } from '../screen/theme.ts';
import { MemoryHistory } from './history.ts';
import type { View } from './layout.ts';
import { LineEditor } from './line-editor.ts';

/*
 * The screen is compared with a model of it after every step: finished text, then the rows that change, then the line. The model
 * is a wrapping of characters of its own, and knows nothing of what was drawn before. Two terminals are asked: one that puts
 * characters together as Unicode does, and one that gives each code point columns of its own.
 */

type Step =
  | { readonly type: 'keys'; readonly bytes: string }
  | { readonly type: 'above'; readonly text: string }
  | { readonly type: 'live'; readonly rows: readonly string[] }
  | { readonly type: 'resize'; readonly columns: number }
  | { readonly type: 'blink' };

/** A character of the model: its text and its columns. */
interface Glyph {
  readonly text: string;
  readonly width: number;
}

const KEYS = ['\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D', '\x1b[H', '\x1b[F', '\x1b[3~', '\x7f', '\x1b\r'];
const ALT = [...'bfdtulcy.r'].map((letter) => `\x1b${letter}`);
const CONTROLS = [...'abefknptuwy_'].map((letter) => String.fromCharCode(letter.charCodeAt(0) & 0x1f));
const SEARCH = ['\x12', 'it', '\x12', '\x07', '\t', '\x1b3'];
const TEXTS = [
  'a',
  'x ',
  'word (a) ',
  'git',
  '日本',
  '한국어',
  'é',
  'e\u0301',
  '\u0301',
  '👨\u200d👩\u200d👧',
  '🇩🇪',
  '👍🏽',
  '❤\ufe0f',
  '😀',
  'שלום',
  'مرحبا',
  'क्षि',
  'a rather long piece of text that wraps ',
];
const PASTES = [
  'pasted\n\tlines 日\u202e',
  `${'long '.repeat(500)}`,
  Array.from({ length: 30 }, (_, at) => `row ${at}`).join('\n'),
].map((text) => `\x1b[200~${text}\x1b[201~`);
const NOTES = [
  'note',
  '- one\n- 二つ 👍🏽\n- e\u0301',
  `= ${'a long note of many words '.repeat(5)}`,
  'a\n\n\x1b[1mb\x1b[0m',
];
const LIVE = [[], ['~ tok'], ['~ token 日本', '~ next'], ['~ 1', '~ 2 😀', '~ 3', '~ 4', '~ 5', '~ 6', '~ 7']];

const keys = (...from: readonly string[]) => fc.constantFrom(...from).map((bytes): Step => ({ type: 'keys', bytes }));
const step = (widths: readonly number[]): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 16, arbitrary: keys(...TEXTS) },
    { weight: 12, arbitrary: keys(...KEYS, ...ALT, ...CONTROLS) },
    { weight: 2, arbitrary: keys(...SEARCH) },
    { weight: 1, arbitrary: keys(...PASTES) },
    { weight: 1, arbitrary: keys('\r') },
    { weight: 3, arbitrary: fc.constantFrom(...NOTES).map((text): Step => ({ type: 'above', text })) },
    { weight: 4, arbitrary: fc.constantFrom(...LIVE).map((rows): Step => ({ type: 'live', rows })) },
    {
      weight: widths.length > 1 ? 1 : 0,
      arbitrary: fc.constantFrom(...widths).map((columns): Step => ({ type: 'resize', columns })),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ type: 'blink' }) },
  );

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function toGlyphs(text: string, label?: View['label']): Glyph[] {
  const plain = text.replace(/\x1b\[[0-9;]*m/g, '');
  return plain.split(/([\ufdd0-\ufdef])/).flatMap((piece) => {
    const named = label?.(piece) ?? null;
    if (named !== null) return toGlyphs(named);
    return Array.from(segmenter.segment(piece), ({ segment }) => {
      if (segment === '\t') return { text: '    ', width: 4 };
      if (segment === '\u202e') return { text: '<U+202E>', width: 8 };
      const width = Bun.stringWidth(segment);
      return width === 0 ? { text: ` ${segment}`, width: 1 } : { text: segment, width };
    });
  });
}

function wrap(glyphs: readonly Glyph[], columns: number): Glyph[][] {
  const rows: Glyph[][] = [[]];
  let width = 0;
  for (const glyph of glyphs) {
    if (width + glyph.width > columns) {
      rows.push([]);
      width = 0;
    }
    rows.at(-1)?.push(glyph);
    width += glyph.width;
  }
  return rows;
}

const cut = (text: string, columns: number) => wrap(toGlyphs(text), columns)[0] ?? [];

/** The rows of a view and the row and column of its cursor. */
function model({ prompt, mark, text, cursor, ghost, below, label }: View, columns: number) {
  const lines = `${text.slice(0, cursor)}\x00${text.slice(cursor)}`.split('\n');
  const rows: Glyph[][] = [];
  let place = { row: 0, column: 0 };
  lines.forEach((line, at) => {
    const [before = '', after] = line.split('\x00');
    const first = toGlyphs(at === 0 ? prompt + mark : '> ');
    const rest = after === undefined ? [] : toGlyphs(after, label);
    const ended = at === lines.length - 1 ? toGlyphs(ghost.split('\n')[0] ?? '') : [];
    const whole = [...first, ...toGlyphs(before, label), ...rest, ...ended];
    if (after !== undefined) {
      const upTo = wrap([...first, ...toGlyphs(before, label), { text: '', width: rest[0]?.width ?? 1 }], columns);
      const last = upTo.at(-1) ?? [];
      place = {
        row: rows.length + upTo.length - 1,
        column: last.slice(0, -1).reduce((sum, glyph) => sum + glyph.width, 0),
      };
    }
    const wrapped = wrap(whole, columns);
    // A cursor behind a full row stands on a row of its own.
    while (after !== undefined && rows.length + wrapped.length <= place.row) wrapped.push([]);
    rows.push(...wrapped);
  });
  return { rows: [...rows, ...below.map((row) => cut(row, columns))], place };
}

/** Puts characters together as newer terminals do. */
function joinCharacters(terminal: Terminal): void {
  const value = (state: number, width: number, joins: boolean) => (state << 3) | (width << 1) | (joins ? 1 : 0);
  const FLAG = 1;
  const JOINER = 2;
  const widthOf = (codePoint: number) => Math.min(2, Bun.stringWidth(String.fromCodePoint(codePoint)));
  terminal.unicode.register({
    version: 'joined',
    wcwidth: (codePoint) => (widthOf(codePoint) === 2 ? 2 : widthOf(codePoint) === 1 ? 1 : 0),
    charProperties: (codePoint, preceding) => {
      const state = preceding >> 3;
      const width = (preceding >> 1) & 3;
      const character = String.fromCodePoint(codePoint);
      const isFlag = codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff;
      if (isFlag) return state === FLAG ? value(0, 2, true) : value(FLAG, 2, false);
      if (preceding !== 0 && codePoint === 0x200d) return value(JOINER, width, true);
      if (preceding !== 0 && codePoint === 0xfe0f) return value(0, 2, true);
      const isPart = /\p{M}|\p{Emoji_Modifier}/u.test(character) || state === JOINER;
      if (preceding !== 0 && isPart) return value(0, Math.max(width, widthOf(codePoint)), true);
      return value(0, widthOf(codePoint), false);
    },
  });
  terminal.unicode.activeVersion = 'joined';
}

/** One editor, its terminal, and what should be on it. */
class Play {
  readonly terminal: Terminal;
  readonly editor: LineEditor;
  size: { columns: number; rows: number };
  notes: (readonly Glyph[])[] = [];
  live: readonly string[] = [];
  #written = Promise.resolve();
  readonly #isJoining: boolean;
  /** Rows of the frame, live ones included. */
  #height = 0;

  constructor({ columns, rows, isJoining }: { columns: number; rows: number; isJoining: boolean }) {
    this.size = { columns, rows };
    this.#isJoining = isJoining;
    this.terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5000 });
    if (isJoining) joinCharacters(this.terminal);
    this.editor = new LineEditor({
      write: (text) => {
        this.#written = new Promise((resolve) => this.terminal.write(text, resolve));
      },
      size: () => this.size,
      prompt: () => 'here ',
      history: new MemoryHistory([
        'git status',
        'a line that is long enough to be wrapped somewhere',
        'x\ny',
        '日本 git',
      ]),
      complete: () => [],
      routeMark: () => '$ ',
      isComplete: () => true,
      reflow: 'not-cursor-line',
      theme: createTheme({ TERM: 'xterm' }),
      highlight: (text) => (text.length > 2 ? [{ start: 1, end: 2, look: 'error' }] : []),
    });
    void this.editor.read();
  }

  async take(step: Step): Promise<void> {
    const { editor } = this;
    if (step.type === 'keys') this.#press(step.bytes);
    else if (step.type === 'live') {
      this.live = step.rows;
      editor.setLive(step.rows);
    } else if (step.type === 'above') {
      editor.printAbove(step.text);
      this.notes.push(...step.text.split('\n').map((line) => toGlyphs(line)));
    } else if (step.type === 'blink') {
      editor.hide();
      editor.show();
    } else {
      this.size = { columns: step.columns, rows: this.size.rows };
      this.terminal.resize(step.columns, this.size.rows);
      editor.resized();
    }
    await this.#written;
  }

  #press(bytes: string): void {
    const { text, label } = this.editor.view;
    const left = text
      .split('\n')
      .map((line, at) => [...toGlyphs(at === 0 ? 'here $ ' : '> '), ...toGlyphs(line, label)]);
    this.editor.feed(Buffer.from(bytes));
    if (this.editor.isReading) return;
    this.notes.push(...left);
    void this.editor.read();
  }

  /** What should be on the screen and above it, and where the cursor should stand. */
  expected(): { rows: Glyph[][]; cursor: { row: number; column: number } } {
    const { columns, rows: height } = this.size;
    const line = model(this.editor.view, columns);
    const above = this.notes.flatMap((note) => wrap(note, columns));
    const room = Math.max(0, height - line.rows.length);
    const live = room === 0 ? [] : this.live.slice(-room).map((row) => cut(row, columns));
    const top = this.#topOf(line, height);
    const shown = line.rows.slice(top, top + height);
    const cursor = { row: above.length + live.length + line.place.row - top, column: line.place.column };
    this.#height = live.length + shown.length;
    return { rows: [...above, ...live, ...shown], cursor };
  }

  /** Of a line higher than the screen any part may be drawn that holds the cursor. */
  #topOf({ rows, place }: ReturnType<typeof model>, height: number): number {
    if (rows.length <= height) return 0;
    const top = place.row - this.terminal.buffer.active.cursorY;
    expect(top >= 0 && top <= rows.length - height).toBe(true);
    return top;
  }

  /** Compares the screen, at the end also all that has gone up from it. */
  check({ isEnd = false } = {}): void {
    const { rows, cursor } = this.expected();
    const buffer = this.terminal.buffer.active;
    const seen = { row: buffer.baseY + buffer.cursorY, column: buffer.cursorX };
    // Which rows of finished text are one line to the terminal depends on how they came about: after a resize only the words count.
    const moved = this.size.rows < 100 ? 0 : seen.row - cursor.row;
    const above = rows.length - this.#height;
    const onScreen = Math.max(0, rows.length - this.size.rows);
    const begin = this.size.rows >= 100 ? above : isEnd ? 0 : onScreen;
    const shown: string[] = [];
    const wanted: string[] = [];
    for (let at = begin; at < rows.length; at++) {
      const [one, other] = this.#compared(buffer.getLine(at + moved), rows[at] ?? []);
      shown.push(one);
      wanted.push(other);
    }
    for (let at = rows.length + moved; at < buffer.length; at++) {
      shown.push(buffer.getLine(at)?.translateToString(true).trimEnd() ?? '');
      wanted.push('');
    }
    expect(shown).toEqual(wanted);
    expect({ row: seen.row - moved, column: seen.column }).toEqual(cursor);
    if (this.size.rows >= 100) this.#checkWords(above + moved);
  }

  #checkWords(end: number): void {
    const { active } = this.terminal.buffer;
    const words = Array.from({ length: end }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    const wanted = this.notes.map((note) => note.map(({ text }) => text).join(''));
    const squeeze = (lines: readonly string[]) => lines.join('').replaceAll(/[^\x21-\x7e\u3000-\u9fff]/g, '');
    expect(squeeze(words)).toBe(squeeze(wanted));
  }

  /** The row as it is seen and as it is meant, with only the first code point of what this terminal does not join. */
  #compared(line: IBufferLine | undefined, row: readonly Glyph[]): [string, string] {
    let column = 0;
    let seen = '';
    let meant = '';
    for (const glyph of row) {
      const isOne = glyph.width <= 2 && glyph.text.length > 1 && !/^[\x20-\x7e]*$/.test(glyph.text);
      if (!isOne) {
        for (const piece of glyph.text) {
          seen += line?.getCell(column)?.getChars() || ' ';
          meant += piece;
          column += Math.max(1, Bun.stringWidth(piece));
        }
        continue;
      }
      const chars = [0, 1]
        .map((at) => (at < glyph.width ? (line?.getCell(column + at)?.getChars() ?? '') : ''))
        .join('');
      seen += this.#isJoining ? chars : firstOf(chars);
      meant += this.#isJoining ? glyph.text : firstOf(glyph.text);
      column += glyph.width;
    }
    const rest = line?.translateToString(true, column).trimEnd() ?? '';
    return [(seen + rest).trimEnd(), meant.trimEnd()];
  }

  close(): void {
    this.editor.close();
    this.terminal.dispose();
  }
}

const firstOf = (text: string) => String.fromCodePoint(text.codePointAt(0) ?? 0);

const RUNS = Number(process.env.AISH_SCREEN_RUNS ?? 30);
/** The same steps each time, so that a red run is somebody's change; other seeds are for longer runs by hand. */
const SEED = Number(process.env.AISH_SCREEN_SEED ?? 7);
const STEPS = 60;

async function play(
  steps: readonly Step[],
  options: { columns: number; rows: number; isJoining: boolean },
): Promise<void> {
  const game = new Play(options);
  try {
    for (const one of steps) {
      await game.take(one);
      game.check();
    }
    game.check({ isEnd: true });
  } finally {
    game.close();
  }
}

const SCREENS = [
  { columns: 20, rows: 8, widths: [20] },
  { columns: 80, rows: 12, widths: [80] },
  { columns: 200, rows: 10, widths: [200] },
  { columns: 80, rows: 400, widths: [20, 33, 80, 200] },
];

for (const { columns, rows, widths } of SCREENS) {
  for (const isJoining of [true, false]) {
    const what = `${columns} columns, ${rows} rows${widths.length > 1 ? ' that change' : ''}, characters ${isJoining ? '' : 'not '}joined`;
    test(`after any step the screen shows exactly what it should: ${what}`, async () => {
      const steps = fc.array(step(widths), { minLength: STEPS / 2, maxLength: STEPS });
      await fc.assert(
        fc.asyncProperty(steps, (all) => play(all, { columns, rows, isJoining })),
        { numRuns: RUNS, seed: SEED },
      );
    }, 60_000);
  }
}
