import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { type Capabilities, UNKNOWN_TERMINAL } from './capability-replies.ts';
import { formatImage } from './image.ts';
import { decodePng } from './png.ts';
import { encodeSixel, scaleDown } from './sixel.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Image {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  /** Rows, each with its filter byte. */
  readonly rows: readonly (readonly number[])[];
  readonly more?: readonly (readonly [string, readonly number[]])[];
}

function chunk(name: string, data: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
}

function toPng({ width, height, depth, type, rows, more = [] }: Image): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, type, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...more.map(([name, data]) => chunk(name, Buffer.from(data))),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const RED_AND_BLUE: Image = { width: 2, height: 1, depth: 8, type: 2, rows: [[0, 255, 0, 0, 0, 0, 255]] };

describe('decodePng', () => {
  const dots = (image: Image): number[] => [...(decodePng(toPng(image))?.dots ?? [])];

  test('reads every kind of sample', () => {
    expect(dots(RED_AND_BLUE)).toEqual([255, 0, 0, 255, 0, 0, 255, 255]);
    expect(dots({ width: 2, height: 1, depth: 1, type: 0, rows: [[0, 0b10000000]] })).toEqual([
      255, 255, 255, 255, 0, 0, 0, 255,
    ]);
    expect(dots({ width: 1, height: 1, depth: 16, type: 4, rows: [[0, 128, 9, 64, 9]] })).toEqual([128, 128, 128, 64]);
    expect(dots({ width: 1, height: 1, depth: 8, type: 6, rows: [[0, 1, 2, 3, 4]] })).toEqual([1, 2, 3, 4]);
    const more = [
      ['PLTE', [1, 2, 3, 4, 5, 6]],
      ['tRNS', [9]],
    ] as const;
    expect(dots({ width: 2, height: 1, depth: 4, type: 3, rows: [[0, 0x10]], more })).toEqual([
      4, 5, 6, 255, 1, 2, 3, 9,
    ]);
  });

  test('undoes every filter', () => {
    const rows = [
      [0, 10, 20, 30],
      [1, 5, 5, 5],
      [2, 1, 1, 1],
      [3, 10, 10, 10],
      [4, 1, 1, 1],
    ];
    const grey = dots({ width: 3, height: 5, depth: 8, type: 0, rows }).filter((_, at) => at % 4 === 0);
    expect(grey).toEqual([10, 20, 30, 5, 10, 15, 6, 11, 16, 13, 22, 29, 14, 23, 30]);
  });

  test('gives up on what is broken, no PNG, or so large that it is meant to hurt', () => {
    const whole = toPng(RED_AND_BLUE);
    const huge = toPng({ ...RED_AND_BLUE, width: 100_000, height: 100_000 });
    const short = toPng({ ...RED_AND_BLUE, height: 3 });
    expect([whole.subarray(0, 40), Buffer.from('GIF89a'), huge, short].map((file) => decodePng(file))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('encodeSixel', () => {
  test('draws six rows at a time, one colour after the other', () => {
    const bitmap = decodePng(toPng(RED_AND_BLUE));
    expect(bitmap === null ? '' : encodeSixel(bitmap)).toBe('\x1bP0;1q"1;1;2;1#0;2;0;0;100#1;2;100;0;0#1@$#0?@-\x1b\\');
  });

  test('has at most as many colours as a terminal keeps', () => {
    const dots = new Uint8Array(64 * 64 * 4).map((_, at) => (at * at * 31 + (at >> 2) * 17) & 0xff);
    const colours = encodeSixel({ width: 64, height: 64, dots }).match(/#\d+;2;/g) ?? [];
    expect(colours.length).toBe(255);
  });

  test('an image is averaged down onto its background', () => {
    const dots = new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0]);
    expect([...scaleDown({ width: 2, height: 1, dots }, 1, 1, 55).dots]).toEqual([155, 155, 155, 255]);
  });
});

describe('formatImage', () => {
  const show = (capabilities: Partial<Capabilities>, options: { columns?: number; textOnly?: boolean } = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'i-'));
    folders.push(folder);
    const path = join(folder, 'a.png');
    const file = toPng(RED_AND_BLUE);
    writeFileSync(path, file);
    const view = {
      size: { columns: options.columns ?? 80, rows: 24 },
      capabilities: { ...UNKNOWN_TERMINAL, ...capabilities },
      ...(options.textOnly === undefined ? {} : { textOnly: options.textOnly }),
    };
    const text = formatImage({ path, mime: 'image/png', bytes: file.length }, view);
    return { text: text.replace(path, 'PATH'), data: file.toString('base64') };
  };
  const LINE = /^ {2}image saved: PATH \(image\/png, \d+ B\)\n$/;

  test('says where the image is, where it cannot be drawn or must not be', () => {
    expect(show({}).text).toMatch(LINE);
    expect(show({ kittyImages: true }, { textOnly: true }).text).toMatch(LINE);
  });

  test('hands a PNG to a terminal of the kitty protocol as it is, and goes on below it', () => {
    const { text, data } = show({ kittyImages: true, cell: { width: 10, height: 20 } });
    expect(
      text.startsWith(`\n\x1b[1A\x1b7  \x1b_Ga=T,f=100,q=2,C=1,c=1,r=1,m=0;${data}\x1b\\\x1b8\x1b[1B  image saved: `),
    ).toBe(true);
  });

  test('draws it in sixels for a terminal that has these', () => {
    expect(show({ sixel: true }).text.startsWith('\n\x1b[1A\x1b7  \x1bP0;1q"1;1;2;1')).toBe(true);
  });
});
