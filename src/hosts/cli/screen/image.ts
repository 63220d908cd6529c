import { statSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import type { Capabilities } from '../../../core/terminal/capabilities.ts';
import { indentText } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { formatByteSize } from '../../../core/text/truncate.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { SavedImage } from '../../../protocol/tool.ts';

interface ImageView {
  readonly size: TerminalSize;
  readonly capabilities: Capabilities;
}

/** A terminal that does not tell its cells gets images that fit small ones. */
const SMALL_CELL = { width: 6, height: 12 };
const MOST_COLUMNS = 80;
const MOST_ROWS = 24;
/** Bytes of a file that is sent to a terminal. */
const MOST_BYTES = 8_000_000;
/** More dots than any screen shows are not unpacked: a small file may hold a very large image. */
const MOST_DOTS = 9_000_000;
/** The same for a terminal, which unpacks the image itself; screenshots of the largest screens are smaller. */
const MOST_SENT_DOTS = 36_000_000;
/** The kitty protocol takes pieces of so many characters. */
const PIECE = 4096;
/** A sixel terminal keeps at least this many colours. */
const COLOURS = 255;
/** Rows of dots that one line of sixels holds. */
const BAND = 6;

/** An image as the terminal draws it, with the line that says where it is; the line alone where it cannot be drawn. */
export async function formatImage(image: SavedImage, view: ImageView): Promise<string> {
  const about = `image saved: ${image.path} (${image.mime}, ${formatByteSize(image.bytes)})`;
  const line = `${indentText(escapeForDisplay(about), '  ', view.size.columns).join('\n')}\n`;
  return (await drawImage(image, view)) + line;
}

/** An image as the terminal draws it; nothing where it cannot be drawn. */
export async function drawImage({ path, bytes }: SavedImage, { size, capabilities }: ImageView): Promise<string> {
  const canDraw = (capabilities.kittyImages || capabilities.sixel) && size.rows > 4 && size.columns > 8;
  if (!canDraw || bytes > MOST_BYTES || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return '';
  // A file that is no image, or a broken one, is only named.
  return draw(path, size, capabilities).catch(() => '');
}

async function draw(path: string, size: TerminalSize, capabilities: Capabilities): Promise<string> {
  const file = await Bun.file(path).bytes();
  const natural = await new Bun.Image(file).metadata();
  if (natural.width * natural.height > MOST_SENT_DOTS) return '';
  const cell = capabilities.cell ?? SMALL_CELL;
  const room = {
    width: Math.min(MOST_COLUMNS, size.columns - 2) * cell.width,
    height: Math.min(MOST_ROWS, size.rows - 3) * cell.height,
  };
  const ratio = Math.min(1, room.width / natural.width, room.height / natural.height);
  const columns = Math.max(1, Math.ceil((natural.width * ratio) / cell.width));
  const rows = Math.max(1, Math.ceil((natural.height * ratio) / cell.height));
  if (capabilities.kittyImages) {
    const png = natural.format === 'png' ? file : await new Bun.Image(file, { maxPixels: MOST_DOTS }).png().bytes();
    return place(toKitty(png, columns, rows), rows);
  }
  const scaled = new Bun.Image(file, { maxPixels: MOST_DOTS })
    .resize(room.width, room.height, { filter: 'box', fit: 'inside', withoutEnlargement: true })
    .png({ palette: true, colors: COLOURS });
  return place(toSixel(await scaled.bytes(), capabilities.background === 'light' ? 255 : 0), rows);
}

/** Makes room for the image first, so that it never scrolls while it is drawn, and goes on below it wherever the cursor is left. */
function place(image: string, rows: number): string {
  return `${'\n'.repeat(rows)}\x1b[${rows}A\x1b7  ${image}\x1b8\x1b[${rows}B`;
}

/** The file as it is, in pieces; the terminal scales it, keeps its cursor where it was and answers nothing. */
function toKitty(file: Uint8Array, columns: number, rows: number): string {
  const data = Buffer.from(file).toString('base64');
  const pieces = data.match(new RegExp(`.{1,${PIECE}}`, 'g')) ?? [];
  return pieces
    .map((piece, at) => {
      const first = at === 0 ? `a=T,f=100,q=2,C=1,c=${columns},r=${rows},` : 'q=2,';
      return `\x1b_G${first}m=${at < pieces.length - 1 ? 1 : 0};${piece}\x1b\\`;
    })
    .join('');
}

/** A PNG with a palette, as Bun writes it (a byte for each dot, no filters), as the sequence that sixel terminals draw. */
function toSixel(png: Uint8Array, behind: number): string {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks = new Map<string, Buffer[]>();
  for (let at = 8; at + 12 <= png.length; at += view.getUint32(at) + 12) {
    const name = String.fromCharCode(...png.subarray(at + 4, at + 8));
    chunks.set(name, [...(chunks.get(name) ?? []), Buffer.from(png.subarray(at + 8, at + 8 + view.getUint32(at)))]);
  }
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const find = (name: string) => Buffer.concat(chunks.get(name) ?? []);
  const dots = inflateSync(find('IDAT'));
  let output = `\x1bP0;1q"1;1;${width};${height}${toColours(find('PLTE'), find('tRNS'), behind)}`;
  for (let top = 0; top < height; top += BAND) output += encodeBand(dots, width, top, Math.min(height, top + BAND));
  return `${output}\x1b\\`;
}

/** The colours of a palette on a background, in percent. */
function toColours(palette: Uint8Array, opacity: Uint8Array, behind: number): string {
  let colours = '';
  for (let at = 0; at * 3 < palette.length; at++) {
    const share = (opacity[at] ?? 255) / 255;
    const parts = palette.subarray(at * 3, at * 3 + 3);
    const percents = Array.from(parts, (part) => Math.round(((part * share + behind * (1 - share)) * 100) / 255));
    colours += `#${at};2;${percents.join(';')}`;
  }
  return colours;
}

/** Six rows at a time, one colour after the other over the same rows. A row of dots begins with the byte of its filter. */
function encodeBand(dots: Uint8Array, width: number, top: number, bottom: number): string {
  const lines = new Map<number, Uint8Array>();
  for (let row = top; row < bottom; row++) {
    for (let column = 0; column < width; column++) {
      const colour = dots[row * (width + 1) + 1 + column] ?? 0;
      const line = lines.get(colour) ?? new Uint8Array(width);
      line[column] = (line[column] ?? 0) | (1 << (row - top));
      lines.set(colour, line);
    }
  }
  const rows = [...lines].map(([colour, line]) => `#${colour}${runLengths(line)}`);
  return `${rows.join('$')}-`;
}

/** A line of sixels with its runs counted; the empty end of a row needs no sign. */
function runLengths(line: Uint8Array): string {
  const signs = Array.from(line, (bits) => String.fromCharCode(63 + bits)).join('');
  return signs.replace(/\?+$/, '').replace(/(.)\1{3,}/g, (run, sign: string) => `!${run.length}${sign}`);
}
