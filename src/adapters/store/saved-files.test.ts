import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { saveFile } from './saved-files.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'images-test-'));
  folders.push(folder);
  return join(folder, 'outputs');
}

test('an image is kept for its owner only, under the next number and the ending of its kind', () => {
  const folder = makeFolder();
  const paths = ['image/png', 'image/jpeg', 'image/x-unheard-of', 'audio/wav', 'application/zip'].map((mime, at) =>
    saveFile(folder, Buffer.from([at]), mime),
  );
  expect(paths).toEqual(
    ['image-1.png', 'image-2.jpg', 'image-3.bin', 'audio-4.wav', 'file-5.bin'].map((name) => join(folder, name)),
  );
  expect(paths.map((path) => [...readFileSync(path)])).toEqual([[0], [1], [2], [3], [4]]);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, 'image-1.png')).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('an image that is too large is refused and leaves nothing', () => {
  const folder = makeFolder();
  expect(() => saveFile(folder, new Uint8Array(20_000_001), 'image/png')).toThrow(AishError);
  expect(() => statSync(folder)).toThrow();
});
