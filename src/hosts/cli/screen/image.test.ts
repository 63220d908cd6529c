import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { type Capabilities, UNKNOWN_TERMINAL } from '../../../core/terminal/capabilities.ts';
import { formatImage } from './image.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Dots = (column: number, row: number) => readonly [number, number, number, number];

function chunk(name: string, data: Uint8Array): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  sum.writeUInt32BE(Bun.hash.crc32(named));
  return Buffer.concat([length, named, sum]);
}

function toPng(width: number, height: number, dots: Dots): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Array.from({ length: height }, (_, row) => [
    0,
    ...Array.from({ length: width }, (_, column) => dots(column, row)).flat(),
  ]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const RED_AND_BLUE = toPng(2, 1, (column) => (column === 0 ? [255, 0, 0, 255] : [0, 0, 255, 255]));

async function show(
  capabilities: Partial<Capabilities>,
  options: { readonly file?: Buffer } = {},
): Promise<{ readonly text: string; readonly data: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'i-'));
  folders.push(folder);
  const path = join(folder, 'a.png');
  const { file = RED_AND_BLUE } = options;
  writeFileSync(path, file);
  const view = { size: { columns: 200, rows: 24 }, capabilities: { ...UNKNOWN_TERMINAL, ...capabilities } };
  const text = await formatImage({ path, mime: 'image/png', bytes: file.length }, view);
  return { text: text.replace(path, 'PATH'), data: file.toString('base64') };
}

const LINE = / {2}image saved: PATH \(image\/png, [\d.]+ k?B\)\n$/;
const ONLY_LINE = new RegExp(`^${LINE.source}`);

describe('formatImage', () => {
  test('says where the image is, where it cannot be drawn', async () => {
    expect((await show({})).text).toMatch(ONLY_LINE);
  });

  test('only names what is broken, no image, or so large that it is meant to hurt', async () => {
    const pretend = (size: number): Buffer => {
      const huge = toPng(1, 1, () => [1, 2, 3, 4]);
      huge.writeUInt32BE(size, 16);
      huge.writeUInt32BE(size, 20);
      huge.writeUInt32BE(Bun.hash.crc32(huge.subarray(12, 29)), 29);
      return huge;
    };
    for (const file of [RED_AND_BLUE.subarray(0, 20), Buffer.from('no image'), pretend(7000), pretend(100_000)])
      for (const can of [{ sixel: true }, { kittyImages: true }])
        expect((await show(can, { file })).text).toMatch(ONLY_LINE);
    expect((await show({ sixel: true }, { file: RED_AND_BLUE.subarray(0, 40) })).text).toMatch(ONLY_LINE);
  });

  test('hands a PNG to a terminal of the kitty protocol as it is, and goes on below it', async () => {
    const { text, data } = await show({ kittyImages: true, cell: { width: 10, height: 20 } });
    const drawn = `\n\x1b[1A\x1b7  \x1b_Ga=T,f=100,q=2,C=1,c=1,r=1,m=0;${data}\x1b\\\x1b8\x1b[1B`;
    expect(text.slice(0, drawn.length)).toBe(drawn);
    expect(text.slice(drawn.length)).toMatch(ONLY_LINE);
  });

  test('hands any other image to such a terminal as a PNG', async () => {
    const file = await new Bun.Image(RED_AND_BLUE).webp({ lossless: true }).buffer();
    const { text } = await show({ kittyImages: true }, { file });
    const data = /m=0;([^\x1b]*)/.exec(text)?.[1] ?? '';
    expect(await new Bun.Image(Buffer.from(data, 'base64')).metadata()).toMatchObject({ width: 2, format: 'png' });
  });
});

describe('sixels', () => {
  /** The sequence of sixels in what is shown. */
  const sixels = async (file: Buffer, capabilities: Partial<Capabilities> = {}): Promise<string> =>
    /\x1bP[^\x1b]*\x1b\\/.exec((await show({ sixel: true, ...capabilities }, { file })).text)?.[0] ?? '';

  test('are drawn six rows at a time, one colour after the other', async () => {
    const colours = '#0;2;0;0;100#1;2;100;0;0';
    expect(await sixels(RED_AND_BLUE)).toBe(`\x1bP0;1q"1;1;2;1${colours}#1@$#0?@-\x1b\\`);
    const tall = toPng(5, 7, () => [255, 0, 0, 255]);
    expect(await sixels(tall)).toBe('\x1bP0;1q"1;1;5;7#0;2;100;0;0#0!5~-#0!5@-\x1b\\');
  });

  test('have at most as many colours as a terminal keeps', async () => {
    const noise = toPng(64, 64, (column, row) => [
      (column * row * 31) & 255,
      (row * 17) & 255,
      (column * 7) & 255,
      255,
    ]);
    expect((await sixels(noise)).match(/#\d+;2;/g)?.length).toBe(255);
  });

  test('show a large image smaller, and what is behind a transparent one', async () => {
    const half = toPng(960, 2, () => [0, 0, 0, 51]);
    expect(await sixels(half, { background: 'light' })).toBe('\x1bP0;1q"1;1;480;1#0;2;80;80;80#0!480@-\x1b\\');
  });
});
