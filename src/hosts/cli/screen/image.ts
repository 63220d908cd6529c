import { readFileSync, statSync } from 'node:fs';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { formatByteSize } from '../../../core/text/truncate.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { SavedImage } from '../../../protocol/tool.ts';
import type { Capabilities } from './capability-replies.ts';
import { decodePng, readPngSize } from './png.ts';
import { encodeSixel, scaleDown } from './sixel.ts';
import { indentText } from './wrap.ts';

interface ImageView {
  readonly size: TerminalSize;
  readonly capabilities: Capabilities;
  /** Nothing but text: a screen reader, a terminal without sequences, a multiplexer that keeps images to itself. */
  readonly textOnly?: boolean;
}

/** A terminal that does not tell its cells gets images that fit small ones. */
const SMALL_CELL = { width: 6, height: 12 };
const MOST_COLUMNS = 80;
const MOST_ROWS = 24;
/** Bytes of a file that is sent to a terminal. */
const MOST_BYTES = 8_000_000;
/** The kitty protocol takes pieces of so many characters. */
const PIECE = 4096;

/** An image as the terminal draws it, with the line that says where it is; the line alone where it cannot be drawn. */
export function formatImage(image: SavedImage, view: ImageView): string {
  const { columns } = view.size;
  const about = `image saved: ${image.path} (${image.mime}, ${formatByteSize(image.bytes)})`;
  const line = `${indentText(escapeForDisplay(about), '  ', columns).join('\n')}\n`;
  return drawImage(image, view) + line;
}

/** An image as the terminal draws it; nothing where it cannot be drawn. */
export function drawImage({ path, bytes }: SavedImage, { size, capabilities, textOnly }: ImageView): string {
  const { kittyImages, sixel } = capabilities;
  const canDraw = textOnly !== true && (kittyImages || sixel) && size.rows > 4 && size.columns > 8;
  if (!canDraw || bytes > MOST_BYTES || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return '';
  const file = readFileSync(path);
  const natural = readPngSize(file);
  if (natural === null) return '';
  const cell = capabilities.cell ?? SMALL_CELL;
  const room = {
    width: Math.min(MOST_COLUMNS, size.columns - 2) * cell.width,
    height: Math.min(MOST_ROWS, size.rows - 3) * cell.height,
  };
  const ratio = Math.min(1, room.width / natural.width, room.height / natural.height);
  const columns = Math.max(1, Math.ceil((natural.width * ratio) / cell.width));
  const rows = Math.max(1, Math.ceil((natural.height * ratio) / cell.height));
  if (kittyImages) return place(toKitty(file, columns, rows), rows);
  const bitmap = decodePng(file);
  if (bitmap === null) return '';
  const behind = capabilities.background === 'light' ? 255 : 0;
  return place(encodeSixel(scaleDown(bitmap, room.width, room.height, behind)), rows);
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
