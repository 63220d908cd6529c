import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatByteSize } from '../../core/byte-size.ts';
import { AishError } from '../../protocol/error.ts';

/** Bytes of one picture, and of all that a session keeps. */
const LARGEST = 20_000_000;
const MOST = 200_000_000;

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'image/bmp': 'bmp',
};

/** Keeps a picture in a folder, for its owner only; the oldest go when there are too many. The answer is its path. */
export function saveImage(folder: string, bytes: Uint8Array, mime: string): string {
  if (bytes.length > LARGEST) {
    const size = `${formatByteSize(bytes.length)}, more than the ${formatByteSize(LARGEST)} that are kept`;
    throw new AishError('output.large', `the picture has ${size}`, { hint: 'ask for a smaller one' });
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const images = listImages(folder);
  let total = images.reduce((sum, image) => sum + image.bytes, bytes.length);
  for (const image of images) {
    if (total <= MOST) break;
    rmSync(image.path, { force: true });
    total -= image.bytes;
  }
  const path = join(folder, `image-${(images.at(-1)?.number ?? 0) + 1}.${ENDINGS[mime] ?? 'bin'}`);
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Oldest first. */
function listImages(folder: string): { readonly number: number; readonly path: string; readonly bytes: number }[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const number = Number(/^image-(\d+)\.[a-z]+$/.exec(name)?.[1] ?? Number.NaN);
      const path = join(folder, name);
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      return Number.isNaN(number) ? [] : [{ number, path, bytes }];
    })
    .sort((one, other) => one.number - other.number);
}
