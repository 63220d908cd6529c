import type { Bitmap } from './png.ts';

/** A sixel terminal keeps at least this many colours. */
const COLOURS = 255;
const BAND = 6;

/** An image no larger than a size, averaged down, on a background. */
export function scaleDown(
  { width, height, dots }: Bitmap,
  maxWidth: number,
  maxHeight: number,
  behind: number,
): Bitmap {
  const ratio = Math.min(1, maxWidth / width, maxHeight / height);
  const [newWidth, newHeight] = [Math.max(1, Math.floor(width * ratio)), Math.max(1, Math.floor(height * ratio))];
  const scaled = new Uint8Array(newWidth * newHeight * 4);
  for (let row = 0; row < newHeight; row++) {
    const [top, bottom] = rangeOf(row, newHeight, height);
    for (let column = 0; column < newWidth; column++) {
      const [left, right] = rangeOf(column, newWidth, width);
      const sums = [0, 0, 0];
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const at = (y * width + x) * 4;
          const opacity = (dots[at + 3] ?? 0) / 255;
          for (let part = 0; part < 3; part++)
            sums[part] = (sums[part] ?? 0) + (dots[at + part] ?? 0) * opacity + behind * (1 - opacity);
        }
      }
      const count = (bottom - top) * (right - left);
      const at = (row * newWidth + column) * 4;
      for (let part = 0; part < 3; part++) scaled[at + part] = Math.round((sums[part] ?? 0) / count);
      scaled[at + 3] = 255;
    }
  }
  return { width: newWidth, height: newHeight, dots: scaled };
}

function rangeOf(at: number, count: number, size: number): readonly [number, number] {
  const from = Math.floor((at * size) / count);
  return [from, Math.max(from + 1, Math.floor(((at + 1) * size) / count))];
}

/** The image as the sequence that sixel terminals draw, in at most 255 colours. */
export function encodeSixel({ width, height, dots }: Bitmap): string {
  const { palette, indexes } = quantize(dots);
  const percent = (value: number) => Math.round((value * 100) / 255);
  let output = `\x1bP0;1q"1;1;${width};${height}`;
  palette.forEach(([red, green, blue], at) => {
    output += `#${at};2;${percent(red)};${percent(green)};${percent(blue)}`;
  });
  for (let top = 0; top < height; top += BAND) output += encodeBand(indexes, width, top, Math.min(height, top + BAND));
  return `${output}\x1b\\`;
}

/** Six rows at a time, one colour after the other over the same rows. */
function encodeBand(indexes: Uint8Array, width: number, top: number, bottom: number): string {
  const lines = new Map<number, Uint8Array>();
  for (let row = top; row < bottom; row++) {
    for (let column = 0; column < width; column++) {
      const colour = indexes[row * width + column] ?? 0;
      const line = lines.get(colour) ?? new Uint8Array(width);
      line[column] = (line[column] ?? 0) | (1 << (row - top));
      lines.set(colour, line);
    }
  }
  const rows = [...lines].map(([colour, line]) => `#${colour}${runLengths(line)}`);
  return `${rows.join('$')}-`;
}

function runLengths(line: Uint8Array): string {
  let output = '';
  for (let at = 0; at < line.length; ) {
    let end = at + 1;
    while (end < line.length && line[end] === line[at]) end++;
    const sign = String.fromCharCode(63 + (line[at] ?? 0));
    // The empty end of a row needs no sign.
    if (end < line.length || line[at] !== 0) output += end - at > 3 ? `!${end - at}${sign}` : sign.repeat(end - at);
    at = end;
  }
  return output;
}

type Colour = readonly [number, number, number];

/** Colours in fives of bits, with how many dots have them. */
interface Bucket {
  readonly key: number;
  readonly count: number;
}

/** Chooses the colours by cutting the box of all colours at its longest side, where half of the dots lie on either side. */
function quantize(dots: Uint8Array): { readonly palette: readonly Colour[]; readonly indexes: Uint8Array } {
  const counts = new Map<number, number>();
  for (let at = 0; at < dots.length; at += 4) {
    const key = keyOf(dots, at);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const boxes = [toBox([...counts].map(([key, count]) => ({ key, count })))];
  while (boxes.length < COLOURS) {
    const at = boxes.reduce((best, { size }, other) => (size > (boxes[best]?.size ?? 0) ? other : best), 0);
    const widest = boxes[at];
    if (widest === undefined || widest.size === 0) break;
    boxes.splice(at, 1, ...halve(widest).map(toBox));
  }
  const indexOf = new Map(boxes.flatMap(({ buckets }, index) => buckets.map(({ key }) => [key, index] as const)));
  const indexes = new Uint8Array(dots.length / 4);
  for (let at = 0; at < indexes.length; at++) indexes[at] = indexOf.get(keyOf(dots, at * 4)) ?? 0;
  return { palette: boxes.map(({ buckets }) => averageOf(buckets)), indexes };
}

function keyOf(dots: Uint8Array, at: number): number {
  return (((dots[at] ?? 0) >> 3) << 10) | (((dots[at + 1] ?? 0) >> 3) << 5) | ((dots[at + 2] ?? 0) >> 3);
}

function partOf(key: number, side: number): number {
  return (key >> (10 - 5 * side)) & 31;
}

interface Box {
  readonly buckets: readonly Bucket[];
  readonly size: number;
  readonly side: number;
}

function toBox(buckets: readonly Bucket[]): Box {
  let best = { buckets, size: 0, side: 0 };
  for (let side = 0; side < 3; side++) {
    let [low, high] = [31, 0];
    for (const { key } of buckets) {
      low = Math.min(low, partOf(key, side));
      high = Math.max(high, partOf(key, side));
    }
    if (high - low > best.size) best = { buckets, size: high - low, side };
  }
  return best;
}

function halve({ buckets, side }: Box): readonly (readonly Bucket[])[] {
  const sorted = [...buckets].sort((one, other) => partOf(one.key, side) - partOf(other.key, side));
  const half = sorted.reduce((sum, { count }) => sum + count, 0) / 2;
  let passed = 0;
  let at = 0;
  while (at < sorted.length - 1 && passed < half) passed += sorted[at++]?.count ?? 0;
  return [sorted.slice(0, Math.max(1, at)), sorted.slice(Math.max(1, at))];
}

function averageOf(box: readonly Bucket[]): Colour {
  const total = Math.max(
    1,
    box.reduce((sum, { count }) => sum + count, 0),
  );
  const part = (side: number) =>
    Math.round((box.reduce((sum, { key, count }) => sum + partOf(key, side) * count, 0) / total) * (255 / 31));
  return [part(0), part(1), part(2)];
}
