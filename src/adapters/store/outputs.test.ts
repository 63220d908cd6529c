import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecretByteStream } from '../../core/secrets/live-stream.ts';
import { createSecretMatcher } from '../../core/secrets/matcher.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { OutputStore, type OutputStoreOptions } from './outputs.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<OutputStoreOptions> = {}): { store: OutputStore; folder: string } {
  const root = mkdtempSync(join(tmpdir(), 'outputs-test-'));
  folders.push(root);
  const folder = join(root, 'outputs');
  return { store: new OutputStore({ folder, ...options }), folder };
}

/** Takes an output in pieces of this size. */
async function take(store: OutputStore, text: string | Buffer, piece = 1000) {
  const { handle, capture } = store.begin(0);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) capture.write(bytes.subarray(at, at + piece));
  return { handle, captured: await store.finish(handle, capture) };
}

function record(handle: number, output: string, more: Partial<CommandRecord> = {}): CommandRecord {
  return {
    line: 'x',
    driver: 'user',
    exit: 0,
    cwd: '/',
    output,
    bytes: output.length,
    durationMs: 1,
    handle,
    ...more,
  };
}

const GAP = { from: 0, to: 0, lines: 1, errors: [] };
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\r\n`).join('');

test('a small output has no file, and its colours are remembered', async () => {
  const { store, folder } = open();
  const { handle, captured } = await take(store, '\x1b[31mred\x1b[0m\r\n');
  expect([captured.lines, captured.small?.length, existsSync(folder)]).toEqual([1, 14, false]);
  expect(store.small(record(handle, 'red\n'))).toBe('\x1b[31mred\x1b[0m\r\n');
  expect(new OutputStore({ folder }).small(record(handle, 'red\n'))).toBe('red\n');
});

test('a large output is on disk byte by byte, for its owner alone, and its text is made from it', async () => {
  const { store, folder } = open();
  const raw = `\x1b[1m${numbered(5000)}10%\r50%\r100%\r\n`;
  const { handle, captured } = await take(store, raw, 777);
  const path = await store.rawFile(record(handle, '', { gap: GAP }));
  expect([path, captured.lines, captured.missing, captured.problem]).toEqual([join(folder, '1.out'), 5001, 0, null]);
  expect(readFileSync(path, 'utf8')).toBe(raw);
  expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  const text = readFileSync(await store.plainFile(record(handle, '', { gap: GAP })), 'utf8');
  expect(text).toBe(`${numbered(5000).replaceAll('\r', '')}100%\n`);
});

test('an output over the limit keeps its beginning and its last lines, and says between them what is missing', async () => {
  const { store } = open({ limits: { head: 40_000, tail: 2000 } });
  const raw = numbered(10_000);
  const { handle, captured } = await take(store, raw, 4096);
  const end = raw.slice(raw.indexOf('\n', raw.length - 2000) + 1);
  const missing = raw.length - 40_000 - end.length;
  expect([captured.bytes, captured.missing]).toEqual([raw.length, missing]);
  expect(readFileSync(await store.rawFile(record(handle, '', { gap: GAP })), 'utf8')).toBe(
    `${raw.slice(0, 40_000)}\r\n[… ${missing} bytes left out …]\r\n${end}`,
  );
});

test('no file holds a secret or half of one: cut by pieces, by the end of the beginning, or by the beginning of the end', async () => {
  const value = 'Zebra4Crossing8Giraffe';
  const { redact, bytes } = coverOf(value);
  const { store, folder } = open({ limits: { head: 40_000, tail: 2000 }, secrets: { redact, byteStream: bytes } });
  const filler = '-'.repeat(39_990);
  const cut = `${filler}${value}\n${filler}\nerror: ${value}\n${value.repeat(90)}\n${value}\nthe end\n`;
  await take(store, cut, 7);
  const { handle } = await take(store, `${value}\n`.repeat(1700), 13);
  const { handle: small } = await take(store, `small ${value}\n`);
  await store.plainFile(record(handle, '', { gap: GAP }));
  await store.rawFile(record(small, 'small'));
  const files = readdirSync(folder).sort();
  expect(files).toEqual(['1.out', '2.out', '2.txt', '3.out']);
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(texts.filter((text) => /[Zz]ebra|Crossing|Giraffe/.test(text))).toEqual([]);
  expect([texts[0]?.endsWith('\nthe end\n'), texts[1]?.slice(0, 22)]).toEqual([true, '⟨secret:K⟩\n⟨secret:K⟩\n']);
  expect(store.small(record(small, 'small'))).toBe(`small ${value}\n`);
});

function coverOf(value: string) {
  const matcher = createSecretMatcher([{ name: 'K', value, from: 'test' }]);
  const bytes = (): SecretByteStream => {
    const stream = matcher.stream();
    return {
      push: (piece) => Buffer.from(stream.push(Buffer.from(piece).toString())),
      end: () => Buffer.from(stream.end()),
    };
  };
  return { redact: matcher.redact, bytes };
}

test('the oldest outputs go when a session keeps too much', async () => {
  const { store, folder } = open({ total: 150_000 });
  for (let at = 0; at < 4; at += 1) await take(store, 'x'.repeat(60_000));
  expect(readdirSync(folder).sort()).toEqual(['3.out', '4.out']);
  expect(() => [...store.blocks(record(1, 'head', { gap: GAP }))]).toThrow('aish no longer has the whole output %1');
});

test('numbers go on after those of the log and of files nobody told of', async () => {
  const { store, folder } = open();
  await take(store, 'x'.repeat(40_000));
  await take(store, 'x'.repeat(40_000));
  expect(new OutputStore({ folder }).begin(0).handle).toBe(3);
  expect(new OutputStore({ folder }).begin(11).handle).toBe(12);
});

test('error-looking lines are found with their numbers, wherever the pieces are cut', async () => {
  const raw = `${numbered(4000)}\x1b[31mError\x1b[0m: one\r\n${numbered(10)}make: cannot go on`;
  for (const piece of [13, 1000, 70_000]) {
    const { captured } = await take(open().store, raw, piece);
    expect(captured.errors).toEqual([
      { line: 4001, text: 'Error: one' },
      { line: 4012, text: 'make: cannot go on' },
    ]);
  }
});

test('a disk that cannot be written loses the file and not the command', async () => {
  const { store } = open({ folder: '/dev/null/outputs' });
  const { captured } = await take(store, 'x'.repeat(50_000));
  expect(captured.bytes).toBe(50_000);
  expect(captured.problem).toContain('ENOTDIR');
});
