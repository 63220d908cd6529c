import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toServerResult } from '../../adapters/mcp/result.ts';
import { OutputStore } from '../../adapters/store/outputs.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { SessionOutputs } from '../shell/session-outputs.ts';
import { keepFiles, keepText, parseLinePattern, runOutputTool } from './tool-outputs.ts';

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

test('a file is saved for its owner only, under the next number and the ending of its kind', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'outputs-test-')), 'outputs');
  folders.push(dirname(folder));
  const kinds = ['image/jpeg', 'image/x-unheard-of', 'audio/wav', 'application/zip'];
  const returned = kinds.map((mime) => ({ label: `[${mime}]`, mime, data: 'AAEC' }));
  keepFiles({ text: returned.map(({ label }) => label).join('\n'), isError: false, returned }, folder);
  expect(readdirSync(folder).sort()).toEqual(['audio-3.wav', 'file-4.bin', 'image-1.jpg', 'image-2.bin']);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, 'image-1.jpg')).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('a file that is too large is refused and leaves nothing', () => {
  const folder = join(tmpdir(), crypto.randomUUID());
  const data = Buffer.alloc(20_000_001).toString('base64');
  const kept = keepFiles(
    { text: '[image]', isError: false, returned: [{ label: '[image]', mime: 'image/png', data }] },
    folder,
  );
  expect(kept.text).toBe('[image not saved: the file has 20.0 MB, but aish saves at most 20.0 MB]');
  expect(existsSync(folder)).toBe(false);
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

const output = Array.from({ length: 300 }, (_, at) =>
  at % 100 === 49 ? `ERROR at ${at + 1}\n` : `row ${at + 1}\n`,
).join('');
const record: CommandRecord = {
  ...{ line: 'make', driver: 'user', exit: 2, cwd: '/', bytes: output.length, durationMs: 1 },
  ...{ output, handle: 12 },
};
const outputs = new SessionOutputs({
  store: new OutputStore({ folder: '/nowhere' }),
  records: () => [record],
  redact: (text) => text.replaceAll('row 7\n', 'row …\n'),
  tell: () => {},
});

const ask = async (args: JsonObject) => (await runOutputTool(args, outputs, new AbortController().signal)).text;

test('a page is read from a line on, and says where it goes on', async () => {
  expect(await ask({ handle: '%12', from: 6, lines: 3 })).toBe(
    '%12 $ make · 300 lines\n6: row 6\n7: row …\n8: row 8\n[more lines: call again with from=9]',
  );
});

test('a search tells the lines with their numbers and what stands around them', async () => {
  expect(await ask({ handle: 12, search: 'error*2', context: 1, from: 200 })).toBe(
    '%12 $ make · 300 lines\n1 line matches\n249- row 249\n250: ERROR at 250\n251- row 251',
  );
});

test('a page after the end says so', async () => {
  expect(await ask({ handle: '12', from: 301 })).toBe('%12 $ make · 300 lines\n(no lines in this range)');
});

test('an unknown handle is an error the model can act on', async () => {
  expect(await runOutputTool({ handle: '%13' }, outputs, new AbortController().signal)).toEqual({
    text: 'there is no output %13',
    isError: true,
  });
});

const LINES = ['GET /a 200', 'get /b 404', 'POST /a 500', 'cost 3*4', 'a|b'];

test.each([
  ['get', ['GET /a 200', 'get /b 404']],
  ['get * 4', ['get /b 404']],
  ['get.*404', ['get /b 404']],
  ['404|500', ['get /b 404', 'POST /a 500']],
  ['3\\*4', ['cost 3*4']],
  ['a\\|b', ['a|b']],
  ['200 * get', []],
])('"%s" finds its lines', (pattern, found) => {
  expect(LINES.filter(parseLinePattern(pattern))).toEqual(found);
});

test('a hostile pattern takes no longer than a plain one', () => {
  const matches = parseLinePattern(`${'a*'.repeat(10_000)}b`);
  expect(matches('a'.repeat(200_000))).toBe(false);
});
