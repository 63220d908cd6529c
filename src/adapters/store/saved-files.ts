import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileTooLarge } from './messages.ts';

/** Most bytes of one file, and of all such files of a session. */
const LARGEST = 20_000_000;
const MOST = 200_000_000;

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'image/bmp': 'bmp',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
};

/** Saves binary data of a tool for its owner only, deletes the oldest over the limit, and returns its path. */
export function saveFile(folder: string, bytes: Uint8Array, mime: string): string {
  if (bytes.length > LARGEST) throw fileTooLarge(bytes.length, LARGEST);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = listSaved(folder);
  let total = files.reduce((sum, file) => sum + file.bytes, bytes.length);
  for (const file of files) {
    if (total <= MOST) break;
    rmSync(file.path, { force: true });
    total -= file.bytes;
  }
  const kind = /^(image|audio)\//.exec(mime)?.[1] ?? 'file';
  const path = join(folder, `${kind}-${(files.at(-1)?.number ?? 0) + 1}.${ENDINGS[mime] ?? 'bin'}`);
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Oldest first. */
function listSaved(folder: string): { readonly number: number; readonly path: string; readonly bytes: number }[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const number = Number(/^(?:image|audio|file)-(\d+)\.[a-z0-9]+$/.exec(name)?.[1] ?? Number.NaN);
      const path = join(folder, name);
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      return Number.isNaN(number) ? [] : [{ number, path, bytes }];
    })
    .sort((one, other) => one.number - other.number);
}
