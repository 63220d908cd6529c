import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HistoryStore } from './history-store.ts';
import { type News, SharedFile } from './shared-file.ts';

setDefaultTimeout(60_000);

let directory = '';
let path = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aish-shared-'));
  path = join(directory, 'history.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Uses the store in a process of its own; `attached client` is the store, `write(line)` begins and ends a line. */
function start(body: string): Bun.Subprocess<'ignore', 'pipe', 'inherit'> {
  const program = `
    import { HistoryStore } from ${JSON.stringify(join(import.meta.dir, 'history-store.ts'))};
    const sink = { clear() {}, add() {}, end() {} };
    const store = new HistoryStore(${JSON.stringify(path)}, { limits: { maxLines: 100_000, duplicates: 'keep' }, sink });
    const write = (line) => {
      store.begin({ id: line, line, at: Date.now(), cwd: '/', route: 'command', who: 'user', session: String(process.pid) });
      store.end({ id: line, exit: 0, durationMs: 1 });
    };
    ${body}`;
  const script = join(directory, `${Bun.randomUUIDv7()}.ts`);
  writeFileSync(script, program);
  return Bun.spawn([process.execPath, script], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' });
}

/** All that is new, and whether the file was another one. */
function news(file: SharedFile): { text: string; isAnew: boolean } | null {
  const all: News[] = [];
  file.readNew((piece) => void all.push(piece));
  if (all.length === 0) return null;
  return { text: all.map(({ text }) => text).join(''), isAnew: all.some(({ isAnew }) => isAnew) };
}

function readEntries(): ReturnType<HistoryStore['entries']> {
  const sink = { clear() {}, add() {}, end() {} };
  return new HistoryStore(path, { limits: { maxLines: 100_000, duplicates: 'keep' }, sink }).entries();
}

test('writers that write the store anew under each other lose no line and no end', async () => {
  const body = (name: string, other: string) => `
    write('ready ${name}');
    const last = Date.now() + 50_000;
    while (!store.entries().some(({ line }) => line === 'ready ${other}')) {
      if (Date.now() > last) throw new Error('no line of the other writer: ' + JSON.stringify(store.entries()));
      Bun.sleepSync(1);
    }
    for (let at = 0; at < 600; at++) {
      write('${name} ' + at);
      if (at % 3 === 2) {
        write('junk of ${name} ' + at);
        store.remove(({ line }) => line.startsWith('junk of ${name}'));
      }
    }`;
  const writers = [start(body('one', 'two')), start(body('two', 'one'))];
  expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0]);
  const entries = readEntries();
  for (const name of ['one', 'two']) {
    const own = entries.filter(({ line }) => line.startsWith(`${name} `));
    expect(own.map(({ line }) => line)).toEqual(Array.from({ length: 600 }, (_, at) => `${name} ${at}`));
    expect(own.every(({ exit }) => exit === 0)).toBe(true);
  }
  expect(entries.filter(({ line }) => line.startsWith('junk'))).toEqual([]);
});

test('a process killed at whatever moment has lost no line it had written, and the store goes on', async () => {
  for (const lines of [1, 17, 40]) {
    const writer = start(`
      for (let at = 0; ; at++) {
        write('line ' + at);
        if (at % 7 === 6) store.remove(({ line }) => line === 'nothing such');
        process.stdout.write('line ' + at + '\\n');
      }`);
    let told = '';
    for await (const bytes of writer.stdout) {
      told += new TextDecoder().decode(bytes);
      if (told.split('\n').length > lines) break;
    }
    writer.kill('SIGKILL');
    await writer.exited;
    const kept = new Set(readEntries().map(({ line }) => line));
    expect(
      told
        .split('\n')
        .slice(0, -1)
        .filter((line) => !kept.has(line)),
    ).toEqual([]);
    const after = start(`write('after ${lines}');`);
    expect([await after.exited, readEntries().at(-1)?.line]).toEqual([0, `after ${lines}`]);
    rmSync(path);
  }
});

test('half a line is not read before it is whole', () => {
  const file = new SharedFile(path);
  file.append('one\n');
  appendFileSync(path, 'tw');
  const before = news(file);
  appendFileSync(path, 'o\n');
  expect([before, news(file), news(file)]).toEqual([
    { text: 'one\n', isAnew: true },
    { text: 'two\n', isAnew: false },
    null,
  ]);
});

test('lines longer than what is read at a time are whole', () => {
  const lines = ['a', 'b'.repeat(1_000_000), 'c', 'd'.repeat(130_000)].map((line) => `${line}\n`).join('');
  const file = new SharedFile(path);
  file.append(lines);
  const first = news(file);
  appendFileSync(path, 'e'.repeat(300_000));
  expect([first?.text === lines, news(file)]).toEqual([true, null]);
});

test('a replaced file is noticed, one of the same size too', () => {
  const [one, other] = [new SharedFile(path), new SharedFile(path)];
  one.append('abc\n');
  news(other);
  const replaced = [one.replace((text) => text.toUpperCase()), one.replace(() => 'xyz\n'), one.replace(() => null)];
  expect([replaced, news(other)]).toEqual([[true, true, false], { text: 'xyz\n', isAnew: true }]);
});

test('a file that cannot be written is left whole and the fault is told', () => {
  const file = new SharedFile(path);
  file.append('abc\n');
  expect(() =>
    file.replace(() => {
      throw new Error('broken');
    }),
  ).toThrow('broken');
  expect([readFileSync(path, 'utf8'), file.append('d\n')]).toEqual(['abc\n', true]);
});

test('without a path lines are kept in memory', () => {
  const file = new SharedFile(null);
  expect([
    file.append('a\n'),
    news(file),
    file.readAll(),
    file.replace((text) => `${text}b\n`),
    file.readAll(),
  ]).toEqual([false, null, 'a\n', true, 'a\nb\n']);
});
