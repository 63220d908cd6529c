import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_SETTINGS } from '../../core/session/state.ts';
import type { DurableEvent } from '../../protocol/event.ts';
import { formatHeader, formatRecord } from './log-line.ts';
import { SessionIndex } from './session-index.ts';
import { indexPath } from './session-index-database.ts';
import { logPath } from './sessions.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1_800_000_000_000;

let root: string;
let open: SessionIndex[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-index-'));
  open = [];
});
afterEach(() => {
  for (const index of open) index.close();
  chmodSync(root, 0o700);
  rmSync(root, { recursive: true, force: true });
});

const cache = (): string => join(root, 'cache');

function openIndex(cacheDir = cache()): SessionIndex {
  const index = SessionIndex.open({ stateDir: root, cacheDir });
  open.push(index);
  return index;
}

function write(id: string, at: number, ...events: readonly DurableEvent[]): void {
  const created: DurableEvent = { type: 'session.created', id, cwd: `/of/${id}`, settings: DEFAULT_SETTINGS };
  const lines = [created, ...events].map((event, place) => formatRecord({ seq: place + 1, at, event })).join('');
  mkdirSync(dirname(logPath(root, id)), { recursive: true });
  writeFileSync(logPath(root, id), formatHeader() + lines);
}

function append(id: string, seq: number, at: number, event: DurableEvent): void {
  appendFileSync(logPath(root, id), formatRecord({ seq, at, event }));
}

const said = (text: string, turn = 1): DurableEvent => ({ type: 'turn.started', turn, text });
const ran = (line: string, output: string): DurableEvent => ({
  type: 'command.completed',
  record: { line, driver: 'person', exit: 0, cwd: '/', output, bytes: output.length, durationMs: 1 },
});

function idsOf(index: SessionIndex, words: string): readonly string[] {
  return index.search(words, { now: NOW }).map(({ id }) => id);
}

test('what was said, run and printed is found, with the words marked', () => {
  write('a', NOW, said('why does the Build fail?'));
  write('b', NOW, ran('make build-all', 'ok'));
  write('c', NOW, ran('cat log', 'first line\nthe build\tstopped here'));
  const index = openIndex();
  const found = index.search('build', { now: NOW });
  const shown = found.map(({ id, matches }) => [id, ...matches.map(({ kind, text, marks }) => [kind, text, marks])]);
  expect(shown.toSorted()).toEqual([
    ['a', ['said', 'why does the Build fail?', [[13, 18]]]],
    ['b', ['command', 'make build-all', [[5, 10]]]],
    ['c', ['output', 'first line the build stopped here', [[15, 20]]]],
  ]);
});

test('what was said goes before what was printed, and of two like ones the newer goes first', () => {
  write('old', NOW - 90 * DAY, said('the network is slow'));
  write('out', NOW, ran('x', 'network '.concat('other words '.repeat(40))));
  write('new', NOW, said('the network is slow'));
  expect(idsOf(openIndex(), 'network')).toEqual(['new', 'old', 'out']);
});

test('all words must be there, in one fact or at least in one session; words in quotes in a row', () => {
  write('a', NOW, said('docker on a slow network'));
  write('b', NOW, said('docker'), said('a network', 2));
  write('c', NOW, said('docker alone'));
  const index = openIndex();
  expect([idsOf(index, 'network docker'), idsOf(index, '"slow network"'), idsOf(index, 'alone network')]).toEqual([
    ['a'],
    ['a'],
    [],
  ]);
  rmSync(dirname(logPath(root, 'a')), { recursive: true });
  expect(idsOf(index, 'network docker')).toEqual(['b']);
});

test('a last word need not be typed to its end, and marks, letter case and blanks of a language do not count', () => {
  write('a', NOW, said('Die Größe des Speichers'));
  write('b', NOW, said('磁盘空间不足'));
  write('c', NOW, said('call parse_line(x)'));
  const index = openIndex();
  expect([
    idsOf(index, 'GROSSE'),
    idsOf(index, 'grö'),
    idsOf(index, '空间'),
    idsOf(index, 'parse_l'),
    idsOf(index, '-- | *'),
  ]).toEqual([[], ['a'], ['b'], ['c'], []]);
});

test('marks of the search language are letters like any others', () => {
  write('a', NOW, said('NEAR(x AND y) OR "z"'));
  const index = openIndex();
  expect([
    idsOf(index, 'AND'),
    idsOf(index, 'NEAR('),
    idsOf(index, 'said:x'),
    idsOf(index, '"'),
    idsOf(index, 'x NOT y'),
  ]).toEqual([['a'], ['a'], [], [], []]);
});

test('only what a log holds beyond what is known of it is read, and names and turns follow', () => {
  write('a', NOW, said('one'));
  const index = openIndex();
  expect(index.list().map(({ name, turns }) => [name, turns])).toEqual([[null, 1]]);
  append('a', 3, NOW, said('two', 2));
  append('a', 4, NOW, { type: 'session.named', name: 'mine', by: 'person' });
  append('a', 5, NOW, { type: 'session.named', name: 'of the model', by: 'model' });
  expect(index.list().map(({ name, turns, firstText }) => [name, turns, firstText])).toEqual([['mine', 2, 'one']]);
  expect([idsOf(index, 'one'), idsOf(index, 'two')]).toEqual([['a'], ['a']]);
});

test('a command that was cut short names its session, and is found once somebody went on', () => {
  const record = {
    line: 'sleep 77',
    driver: 'person',
    exit: null,
    cwd: '/',
    output: '',
    bytes: 0,
    durationMs: 0,
  } as const;
  write('a', NOW, { type: 'command.started', line: 'sleep 77', driver: 'person' });
  write('b', NOW, { type: 'command.started', line: '', driver: 'person', private: true });
  const index = openIndex();
  const first = new Map(index.list().map(({ id, firstCommand }) => [id, firstCommand]));
  append('a', 3, NOW, { type: 'session.resumed', settings: DEFAULT_SETTINGS, lost: { ...record, cutShort: true } });
  expect([first.get('a'), first.get('b'), idsOf(index, 'sleep')]).toEqual(['sleep 77', null, ['a']]);
});

test('a line that is half written is read when it is whole', () => {
  write('a', NOW, said('one'));
  const line = formatRecord({ seq: 3, at: NOW, event: said('torn', 2) });
  appendFileSync(logPath(root, 'a'), line.slice(0, 30));
  const index = openIndex();
  expect(idsOf(index, 'torn')).toEqual([]);
  appendFileSync(logPath(root, 'a'), line.slice(30));
  expect(idsOf(index, 'torn')).toEqual(['a']);
});

test('a log that was cut back and written on is read anew', () => {
  write('a', NOW, said('apple'), said('banana', 2));
  const index = openIndex();
  expect(idsOf(index, 'banana')).toEqual(['a']);
  const cut = readFileSync(logPath(root, 'a')).lastIndexOf('{"seq":3');
  truncateSync(logPath(root, 'a'), cut);
  append('a', 3, NOW, said('cherry, and a good deal more than there was', 2));
  expect([idsOf(index, 'apple'), idsOf(index, 'banana'), idsOf(index, 'cherry')]).toEqual([['a'], [], ['a']]);
});

test('a session that was removed is found no more, nor is a word of it kept', () => {
  write('a', NOW, said('zebra'));
  write('b', NOW, said('other'));
  const index = openIndex();
  expect(idsOf(index, 'zebra')).toEqual(['a']);
  rmSync(dirname(logPath(root, 'a')), { recursive: true });
  const onDisk = (): boolean =>
    readdirSync(cache()).some((name) => readFileSync(join(cache(), name)).includes('zebra'));
  expect(onDisk()).toBe(true);
  expect([idsOf(index, 'zebra'), index.list().map(({ id }) => id), onDisk()]).toEqual([[], ['b'], false]);
});

test('an index that is missing, damaged or of another release is made again', () => {
  write('a', NOW, said('apple'));
  const answers: unknown[] = [];
  const ask = (): void => {
    const index = openIndex();
    answers.push([idsOf(index, 'apple'), index.isKept]);
    index.close();
  };
  ask();
  rmSync(indexPath(cache()));
  ask();
  writeFileSync(indexPath(cache()), 'this is no database, and it is long enough to be looked at as one '.repeat(99));
  ask();
  const other = new Database(indexPath(cache()));
  other.run('PRAGMA user_version = 999');
  other.close();
  ask();
  expect(answers).toEqual(Array.from({ length: 4 }, () => [['a'], true]));
});

test('an index that is damaged while it is in use is made again', () => {
  for (let number = 0; number < 40; number += 1) write(`a${number}`, NOW, said(`apple ${number} ${'w '.repeat(200)}`));
  const index = openIndex();
  expect(idsOf(index, 'apple')).toHaveLength(20);
  index.close();
  const { size } = statSync(indexPath(cache()));
  const bytes = readFileSync(indexPath(cache()));
  bytes.fill(0x5a, Math.floor(size / 3), Math.floor(size * 0.9));
  writeFileSync(indexPath(cache()), bytes);
  expect(idsOf(openIndex(), 'apple')).toHaveLength(20);
});

test('where no index can be written sessions are found all the same', () => {
  write('a', NOW, said('apple'));
  writeFileSync(join(root, 'file'), '');
  const index = openIndex(join(root, 'file', 'cache'));
  expect([idsOf(index, 'apple'), index.isKept]).toEqual([['a'], false]);
});

test('an index another process holds is read as it is, and says that it is behind', () => {
  write('a', NOW, said('apple'));
  const index = openIndex();
  expect(idsOf(index, 'apple')).toEqual(['a']);
  const other = new Database(indexPath(cache()));
  other.run('BEGIN IMMEDIATE');
  write('b', NOW, said('apple'));
  expect([idsOf(index, 'apple'), index.isBehind, index.list().length]).toEqual([['a'], true, 2]);
  other.run('COMMIT');
  other.close();
  expect([idsOf(index, 'apple').toSorted(), index.isBehind]).toEqual([['a', 'b'], false]);
});

test('two indexes of one folder take a log in once', () => {
  write('a', NOW, said('apple'));
  const [one, two] = [openIndex(), openIndex()];
  expect([idsOf(one, 'apple'), idsOf(two, 'apple')]).toEqual([['a'], ['a']]);
  append('a', 3, NOW, said('banana', 2));
  expect([idsOf(two, 'banana'), idsOf(one, 'banana'), one.search('banana', { now: NOW })[0]?.count]).toEqual([
    ['a'],
    ['a'],
    1,
  ]);
});

test('an index that is far behind catches up without holding up what else goes on', async () => {
  for (let number = 0; number < 30; number += 1) write(`a${number}`, NOW, said(`text ${number}`));
  const index = openIndex();
  let turns = 0;
  const ticking = setInterval(() => {
    turns += 1;
  }, 0);
  await index.catchUp();
  clearInterval(ticking);
  expect([turns > 0, index.list({}, 0).length, index.isBehind]).toEqual([true, 30, false]);
});

test('a list without time for all logs tells of each all the same', () => {
  for (let number = 0; number < 5; number += 1) write(`a${number}`, NOW, said(`text ${number}`));
  const index = openIndex();
  expect(
    index
      .list({}, 0)
      .map(({ firstText }) => firstText)
      .toSorted(),
  ).toEqual(['text 0', 'text 1', 'text 2', 'text 3', 'text 4']);
  expect([index.isBehind, index.list({ cwd: '/of/a3' }).map(({ id }) => id)]).toEqual([true, ['a3']]);
});

test('the index is for its owner alone, and holds no text that a log does not', () => {
  write('a', NOW, said('apple'));
  const index = openIndex();
  idsOf(index, 'apple');
  expect(statSync(indexPath(cache())).mode & 0o777).toBe(0o600);
});

test('a log that a full disk ended before its first fact is no session', () => {
  write('whole', NOW);
  for (const [id, text] of [
    ['empty', ''],
    ['headed', formatHeader()],
    ['torn', `${formatHeader()}{"seq":1,"at":17`],
  ] as const) {
    mkdirSync(dirname(logPath(root, id)), { recursive: true });
    writeFileSync(logPath(root, id), text);
  }
  expect(
    openIndex()
      .list()
      .map(({ id }) => id),
  ).toEqual(['whole']);
});
