import { expect, test } from 'bun:test';
import { type IBufferLine, Terminal } from '@xterm/headless';
import { MemoryHistory } from '../../../../test/support/memory-history.ts';
import fc from '../../../../test/support/properties.ts';
import type { View } from '../../../core/terminal/layout.ts';
import { createTheme } from '../../../core/terminal/theme.ts';
import { LineEditor } from './line-editor.ts';

/*
 * The test compares the screen with a model of it after every step: finished text, then the rows that change, then the line. The model is a
 * wrapping of characters of its own, and knows nothing of earlier drawings. It uses two terminals: one that puts characters together as
 * Unicode does, and one that gives each code point columns of its own.
 */

type Step =
  | { readonly type: 'keys'; readonly bytes: string }
  | { readonly type: 'above'; readonly text: string }
  | { readonly type: 'live'; readonly rows: readonly string[] }
  | { readonly type: 'resize'; readonly columns: number; readonly rows?: number }
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
  Array.from({ length: 20 }, (_, at) => `higher ${at}`).join('\n'),
  'a \x1b]8;;http://here\x1b\\link that only the terminal knows\x1b]8;;\x1b\\ and more',
  '- one\n- 二つ 👍🏽\n- e\u0301',
  `= ${'a long note of many words '.repeat(5)}`,
  'a\n\n\x1b[1mb\x1b[0m',
];
const LIVE = [[], ['~ tok'], ['~ token 日本', '~ next'], ['~ 1', '~ 2 😀', '~ 3', '~ 4', '~ 5', '~ 6', '~ 7']];

const keys = (...from: readonly string[]) => fc.constantFrom(...from).map((bytes): Step => ({ type: 'keys', bytes }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: keys(...TEXTS) },
  { weight: 12, arbitrary: keys(...KEYS, ...ALT, ...CONTROLS) },
  { weight: 2, arbitrary: keys(...SEARCH) },
  { weight: 1, arbitrary: keys(...PASTES) },
  { weight: 1, arbitrary: keys('\r') },
  { weight: 3, arbitrary: fc.constantFrom(...NOTES).map((text): Step => ({ type: 'above', text })) },
  { weight: 4, arbitrary: fc.constantFrom(...LIVE).map((rows): Step => ({ type: 'live', rows })) },
  {
    weight: 2,
    arbitrary: fc
      .record({ columns: fc.constantFrom(20, 33, 80, 200), rows: fc.constantFrom(8, 12, 30) })
      .map((size): Step => ({ type: 'resize', ...size })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'blink' }) },
);

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function toGlyphs(text: string, label?: View['label']): Glyph[] {
  const plain = text.replace(/\x1b\[[0-9;]*m|\x1b\]8;;.*?\x1b\\/g, '');
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

/** A terminal of a size that stays or changes; a high one holds all that is ever printed. */
interface Place {
  readonly columns: number;
  readonly rows: number;
  readonly resizes: 'never' | 'columns' | 'both';
  readonly isJoining: boolean;
}

const PLACES = [
  { columns: 20, rows: 8, resizes: 'never' },
  { columns: 80, rows: 12, resizes: 'never' },
  { columns: 200, rows: 10, resizes: 'never' },
  { columns: 80, rows: 12, resizes: 'both' },
  { columns: 80, rows: 400, resizes: 'columns' },
].flatMap((place) => [true, false].map((isJoining) => ({ ...place, isJoining }) as Place));

/** One editor, its terminal, and what should be on it. */
class Play {
  readonly terminal: Terminal;
  readonly editor: LineEditor;
  readonly #place: Place;
  size: { columns: number; rows: number };
  notes: (readonly Glyph[])[] = [];
  live: readonly string[] = [];
  #written = Promise.resolve();
  /** Rows of the frame, live ones included. */
  #height = 0;

  constructor(place: Place) {
    const { columns, rows, isJoining } = place;
    this.size = { columns, rows };
    this.#place = place;
    this.terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 100_000 });
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
      highlight: (text) => (text.length > 2 ? [{ start: 1, end: 2, style: 'error' }] : []),
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
    } else this.#resize(step);
    await this.#written;
  }

  /** Rows for which a lower screen has no room go up, out of reach. */
  #resize({ columns, rows = 0 }: Extract<Step, { type: 'resize' }>): void {
    const { resizes } = this.#place;
    if (resizes === 'never') return;
    this.expected();
    const isHigher = resizes === 'both' && rows >= this.#height;
    this.size = { columns, rows: isHigher ? rows : this.size.rows };
    this.terminal.resize(columns, this.size.rows);
    this.editor.resized();
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

  /** The expected rows on the screen and above it, and the expected position of the cursor. */
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

  /** If a line is higher than the screen, any part of it may be drawn that holds the cursor. */
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
    const isFixed = this.#place.resizes === 'never';
    const moved = isFixed ? 0 : seen.row - cursor.row;
    const above = rows.length - this.#height;
    const onScreen = Math.max(0, rows.length - this.size.rows);
    const begin = !isFixed ? above : isEnd ? 0 : onScreen;
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
    if (!isFixed && (isEnd || this.size.rows >= 100)) this.#checkWords(above + moved);
  }

  /** Without characters of several code points, which the emulator itself puts in the wrong place when it folds a line anew. */
  #checkWords(end: number): void {
    const { active } = this.terminal.buffer;
    const { columns } = this.size;
    const words = Array.from({ length: end }, (_, at) => {
      const line = active.getLine(at);
      return Array.from({ length: columns }, (_, column) => line?.getCell(column)?.getChars() ?? '');
    });
    const wanted = this.notes.map((note) => note.flatMap(({ text }) => (/^[ -~]*$/.test(text) ? [...text] : text)));
    const squeeze = (lines: readonly (readonly string[])[]) =>
      lines
        .flat()
        .filter((character) => /^[\x21-\x7e\u3000-\u9fff]$/.test(character))
        .join('');
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
      seen += this.#place.isJoining ? chars : firstOf(chars);
      meant += this.#place.isJoining ? glyph.text : firstOf(glyph.text);
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

/** The same steps each day, so that a red run is somebody's change; other seeds, more and longer runs are for the night. */
const SEEDS = (process.env.AISH_SCREEN_SEEDS ?? '7,26').split(',').map(Number);
const RUNS = Number(process.env.AISH_SCREEN_RUNS ?? 6);
const STEPS = Number(process.env.AISH_SCREEN_STEPS ?? 60);

async function play(steps: readonly Step[], place: Place): Promise<void> {
  const game = new Play(place);
  try {
    for (const one of steps) {
      await game.take(one);
      game.check();
    }
    game.check({ isEnd: true });
  } catch (thrown) {
    throw new Error(`on a screen of ${JSON.stringify(place)}`, { cause: thrown });
  } finally {
    game.close();
  }
}

for (const seed of SEEDS) {
  test(`after any step the screen shows exactly what it should: seed ${seed}`, async () => {
    const steps = fc.array(step, { minLength: STEPS / 2, maxLength: STEPS, size: 'max' });
    const playAll = (all: readonly Step[]) => Promise.all(PLACES.map((place) => play(all, place)));
    await fc.assert(
      fc.asyncProperty(steps, async (all) => void (await playAll(all))),
      { numRuns: RUNS, seed },
    );
  }, 1_800_000);
}

const typed = (...all: readonly string[]) => all.map((bytes): Step => ({ type: 'keys', bytes }));
const above = (text: string): Step => ({ type: 'above', text });
const resized = (columns: number): Step => ({ type: 'resize', columns });
const [LINES = '', LONG = '', ROWS = ''] = PASTES;
const TEXT = 'a rather long piece of text that wraps ';

/** Steps that lost a line printed before them, left one behind or misplaced the cursor, each as short as it can be. */
const LOST: Readonly<Record<string, readonly Step[]>> = {
  'a row that ends in an emoji of doubtful width, in a wider window': [
    resized(20),
    ...typed('\x1b\r', 'word (a) ', TEXT),
    above('note'),
    ...typed('😀', 'مرحبا', 'क्षि', TEXT, '❤\ufe0f'),
    resized(33),
  ],
  'rows below the cursor that were wrapped, in a wider window': [
    ...typed(LINES),
    above('- one\n- e\u0301'),
    ...typed(LONG),
    resized(20),
    ...typed('\x1b[A'),
    resized(33),
  ],
  'a search that stands below wrapped emoji, in a narrower window': [
    ...typed('x ', 'it', 'שלום', '❤\ufe0f', 'é', '👍🏽', TEXT),
    above('a\n\nb'),
    ...typed('\x12'),
    resized(20),
  ],
  'an entered line that fills its last row, in a narrower window': [
    ...typed('1234567890'.repeat(8).slice(7), '\r', 'next'),
    resized(33),
  ],
  'a note above a line of equal rows that is higher than the screen': [
    ...typed(LONG, '\t'),
    above(`= ${'a long note of many words '.repeat(5)}`),
    { type: 'resize', columns: 33, rows: 8 },
  ],
  'a paste opened before a mark that joins its last letter': typed(ROWS, '\u0301', '\x01', '\t'),
};

for (const [about, steps] of Object.entries(LOST)) {
  test(`the screen shows exactly what it should after ${about}`, async () => {
    await Promise.all(PLACES.map((place) => play(steps, place)));
  });
}
