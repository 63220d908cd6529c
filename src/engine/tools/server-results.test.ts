import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toServerResult } from '../../adapters/mcp/result.ts';
import { OutputStore } from '../../adapters/store/outputs.ts';
import { SessionOutputs } from '../shell/session-outputs.ts';
import { keepFiles, keepText } from './server-results.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test('images of a tool are saved in files, and the text names each file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outputs-test-'));
  folders.push(folder);
  const result = toServerResult({
    content: [
      { type: 'text', text: 'two images' },
      { type: 'image', mimeType: 'image/png', data: 'AAEC' },
      { type: 'image', mimeType: 'image/png', data: 'AwQF' },
      { type: 'resource', resource: { uri: 'test://c', mimeType: 'image/webp', blob: 'AAAA' } },
      { type: 'text', text: 'after' },
    ],
  });
  const [one, two, three] = ['image-1.png', 'image-2.png', 'image-3.webp'].map((name) => join(folder, name));
  expect(keepFiles(result, folder)).toMatchObject({
    text: [
      'two images',
      `[image image/png 3 bytes saved ${one}]`,
      `[image image/png 3 bytes saved ${two}]`,
      `[resource test://c image/webp 3 bytes saved ${three}]`,
      'after',
    ].join('\n'),
    isError: false,
    images: [
      { path: one ?? '', mime: 'image/png', bytes: 3 },
      { path: two ?? '', mime: 'image/png', bytes: 3 },
      { path: three ?? '', mime: 'image/webp', bytes: 3 },
    ],
  });
  expect([...readFileSync(two ?? '')]).toEqual([3, 4, 5]);
});

test('of a flood of images only the first ones are saved', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outputs-test-'));
  folders.push(folder);
  const content = Array.from({ length: 60 }, () => ({ type: 'image', mimeType: 'image/png', data: 'AAEC' }));
  const { text, images } = keepFiles(toServerResult({ content }), folder);
  expect([images?.length, readdirSync(folder).length, text.split('\n').at(-1)]).toEqual([
    50,
    50,
    '[image image/png 3 bytes not saved: aish saves at most 50 files of one result]',
  ]);
});

test.each([50_000, 3_000_000])('a text of %d lines is kept whole under a handle', async (lines) => {
  const folder = mkdtempSync(join(tmpdir(), 'outputs-test-'));
  folders.push(folder);
  const options = { records: () => [], redact: (text: string) => text, tell: () => {} };
  const outputs = new SessionOutputs({ store: new OutputStore({ folder }), ...options });
  const text = Array.from({ length: lines }, (_, at) => `line ${at + 1}\n`).join('');
  const record = await keepText({ name: 'lab.read', arguments: {} }, { text, isError: false }, { outputs, cwd: '/w' });
  expect([record.handle, record.bytes, record.output.length < 20_000]).toEqual([1, text.length, true]);
  expect([...outputs.blocks(record)].join('')).toBe(text);
});
