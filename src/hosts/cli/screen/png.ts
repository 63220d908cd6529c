import { inflateSync } from 'node:zlib';
import { attempt } from '../../../core/text/attempt.ts';

/** An image as colours: four bytes a dot, red, green, blue and how opaque, row by row. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly dots: Uint8Array;
}

/** More dots than any screen shows are not unpacked: a small file may hold a very large image. */
const MOST_DOTS = 9_000_000;
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Samples of a dot by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  readonly channels: number;
}

/** Width and height of a PNG, or null for anything else. */
export function readPngSize(file: Uint8Array): { readonly width: number; readonly height: number } | null {
  if (file.length < 33 || SIGNATURE.some((byte, at) => file[at] !== byte)) return null;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return width > 0 && height > 0 ? { width, height } : null;
}

/** Unpacks a PNG. Null for what is none, is broken, too large, or interlaced, which next to nobody writes. */
export function decodePng(file: Uint8Array): Bitmap | null {
  const header = readHeader(file);
  if (header === null) return null;
  const chunks = readChunks(file);
  const rowBytes = Math.ceil((header.width * header.channels * header.depth) / 8);
  const expected = (rowBytes + 1) * header.height;
  const packed = Buffer.concat(chunks.filter(({ name }) => name === 'IDAT').map(({ data }) => data));
  const raw = inflate(packed, expected);
  if (raw === null || raw.length < expected) return null;
  unfilter(raw, rowBytes, header);
  const find = (name: string) => chunks.find((chunk) => chunk.name === name)?.data ?? new Uint8Array(0);
  return toBitmap(raw, rowBytes, header, { palette: find('PLTE'), opacity: find('tRNS') });
}

function readHeader(file: Uint8Array): Header | null {
  const size = readPngSize(file);
  if (size === null || size.width * size.height > MOST_DOTS) return null;
  const [depth = 0, type = -1, , , interlaced] = file.subarray(24, 29);
  const channels = CHANNELS[type];
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth) || interlaced !== 0) return null;
  return { ...size, depth, type, channels };
}

function readChunks(file: Uint8Array): { readonly name: string; readonly data: Uint8Array }[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks: { readonly name: string; readonly data: Uint8Array }[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = view.getUint32(at);
    const data = file.subarray(at + 8, at + 8 + length);
    chunks.push({ name: String.fromCharCode(...file.subarray(at + 4, at + 8)), data });
    at += length + 12;
  }
  return chunks;
}

function inflate(packed: Uint8Array, expected: number): Uint8Array | null {
  // A broken image is shown as a path.
  return attempt(() => inflateSync(packed, { maxOutputLength: expected + 1024 }), null);
}

/** Each row says how it differs from its neighbours (PNG, part 9); afterwards it stands there itself. */
function unfilter(raw: Uint8Array, rowBytes: number, { height, channels, depth }: Header): void {
  const step = Math.max(1, (channels * depth) >> 3);
  for (let row = 0; row < height; row++) {
    const start = row * (rowBytes + 1) + 1;
    const filter = raw[start - 1] ?? 0;
    for (let at = 0; at < rowBytes; at++) {
      const left = at >= step ? (raw[start + at - step] ?? 0) : 0;
      const up = row > 0 ? (raw[start + at - rowBytes - 1] ?? 0) : 0;
      const corner = row > 0 && at >= step ? (raw[start + at - rowBytes - 1 - step] ?? 0) : 0;
      raw[start + at] = (raw[start + at] ?? 0) + predict(filter, left, up, corner);
    }
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const guess = left + up - corner;
      const [byLeft, byUp, byCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner;
    }
    default:
      return 0;
  }
}

function toBitmap(
  raw: Uint8Array,
  rowBytes: number,
  { width, height, depth, type, channels }: Header,
  { palette, opacity }: { readonly palette: Uint8Array; readonly opacity: Uint8Array },
): Bitmap {
  const dots = new Uint8Array(width * height * 4);
  const scale = type === 3 ? 1 : 255 / (2 ** Math.min(8, depth) - 1);
  for (let row = 0; row < height; row++) {
    const start = row * (rowBytes + 1) + 1;
    for (let column = 0; column < width; column++) {
      const sample = (channel: number) => readSample(raw, start, column * channels + channel, depth) * scale;
      const at = (row * width + column) * 4;
      const first = sample(0);
      const isGrey = type === 0 || type === 4;
      for (let part = 0; part < 3; part++)
        dots[at + part] = type === 3 ? (palette[first * 3 + part] ?? 0) : isGrey || part === 0 ? first : sample(part);
      dots[at + 3] = type === 3 ? (opacity[first] ?? 255) : type >= 4 ? sample(channels - 1) : 255;
    }
  }
  return { width, height, dots };
}

/** One sample; of sixteen bits the upper eight. */
function readSample(raw: Uint8Array, start: number, index: number, depth: number): number {
  if (depth === 8) return raw[start + index] ?? 0;
  if (depth === 16) return raw[start + index * 2] ?? 0;
  const bit = index * depth;
  return ((raw[start + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
}
