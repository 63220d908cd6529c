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
import { logPath } from './event-log.ts';
import { formatHeader, formatRecord, LOG_VERSION, sealLine } from './log-line.ts';
import { indexPath, listIndexed, searchSessions } from './session-index.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1_800_000_000_000;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-index-'));
});
afterEach(() => {
  chmodSync(root, 0o700);
  rmSync(root, { recursive: true, force: true });
});

const cache = (): string => join(root, 'cache');

type ListOptions = Parameters<typeof listIndexed>[1];

const list = (filter: ListOptions = {}, patienceMs?: number) =>
  listIndexed({ stateDir: root, cacheDir: cache() }, filter, patienceMs);

const search = (words: string, options: Partial<Parameters<typeof searchSessions>[2]> = {}) =>
  searchSessions(words, { stateDir: root, cacheDir: cache() }, { now: NOW, ...options });

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
  record: { line, driver: 'user', exit: 0, cwd: '/', output, bytes: output.length, durationMs: 1 },
});

async function idsOf(words: string): Promise<readonly string[]> {
  return (await search(words))?.map(({ id }) => id) ?? ['called off'];
}

test('what was said, run and printed is found, with the words marked', async () => {
  write('a', NOW, said('why does the Build fail?'));
  write('b', NOW, ran('make build-all', 'ok'));
  write('c', NOW, ran('cat log', 'first line\nthe build\tstopped here'));
  const found = (await search('build')) ?? [];
  const shown = found.map(({ id, matches }) => [id, ...matches.map(({ kind, text, marks }) => [kind, text, marks])]);
  expect(shown.toSorted()).toEqual([
    ['a', ['said', 'why does the Build fail?', [[13, 18]]]],
    ['b', ['command', 'make build-all', [[5, 10]]]],
    ['c', ['output', 'first line the build stopped here', [[15, 20]]]],
  ]);
});

test('what was said goes before what was printed, and of two like ones the newer goes first', async () => {
  write('old', NOW - 90 * DAY, said('the network is slow'));
  write('out', NOW, ran('x', 'network '.concat('other words '.repeat(40))));
  write('new', NOW, said('the network is slow'));
  expect(await idsOf('network')).toEqual(['new', 'old', 'out']);
});

test('all words must be there, in one fact or at least in one session; words in quotes in a row', async () => {
  write('a', NOW, said('docker on a slow network'));
  write('b', NOW, said('docker'), said('a network', 2));
  write('c', NOW, said('docker alone'));
  expect([await idsOf('network docker'), await idsOf('"slow network"'), await idsOf('alone network')]).toEqual([
    ['a'],
    ['a'],
    [],
  ]);
  rmSync(dirname(logPath(root, 'a')), { recursive: true });
  expect(await idsOf('network docker')).toEqual(['b']);
});

test('a last word need not be typed to its end, and marks, letter case and blanks of a language do not count', async () => {
  write('a', NOW, said('Die Größe des Speichers'));
  write('b', NOW, said('磁盘空间不足'));
  write('c', NOW, said('call parse_line(x)'));
  expect([
    await idsOf('GROSSE'),
    await idsOf('grö'),
    await idsOf('空间'),
    await idsOf('parse_l'),
    await idsOf('-- | *'),
  ]).toEqual([[], ['a'], ['b'], ['c'], []]);
});

test('marks of the search language are letters like any others', async () => {
  write('a', NOW, said('NEAR(x AND y) OR "z"'));
  expect([
    await idsOf('AND'),
    await idsOf('NEAR('),
    await idsOf('said:x'),
    await idsOf('"'),
    await idsOf('x NOT y'),
  ]).toEqual([['a'], ['a'], [], [], []]);
});

test('only what a log holds beyond what is known of it is read, and names and turns follow', async () => {
  write('a', NOW, said('one'));
  expect(list().map(({ name, turns }) => [name, turns])).toEqual([[null, 1]]);
  append('a', 3, NOW, said('two', 2));
  append('a', 4, NOW, { type: 'session.named', name: 'mine', by: 'user' });
  append('a', 5, NOW, { type: 'session.named', name: 'of the model', by: 'model' });
  expect(list().map(({ name, turns, firstText }) => [name, turns, firstText])).toEqual([['mine', 2, 'one']]);
  expect([await idsOf('one'), await idsOf('two')]).toEqual([['a'], ['a']]);
});

test('a command that was cut short names its session, and is found once somebody went on', async () => {
  const record = {
    line: 'sleep 77',
    driver: 'user',
    exit: null,
    cwd: '/',
    output: '',
    bytes: 0,
    durationMs: 0,
  } as const;
  write('a', NOW, { type: 'command.started', line: 'sleep 77', driver: 'user' });
  write('b', NOW, { type: 'command.started', line: '', driver: 'user', private: true });
  const first = new Map(list().map(({ id, firstCommand }) => [id, firstCommand]));
  append('a', 3, NOW, { type: 'session.resumed', settings: DEFAULT_SETTINGS, lost: { ...record, cutShort: true } });
  expect([first.get('a'), first.get('b'), await idsOf('sleep')]).toEqual(['sleep 77', null, ['a']]);
});

test('a line that is half written is read when it is whole', async () => {
  write('a', NOW, said('one'));
  const line = formatRecord({ seq: 3, at: NOW, event: said('torn', 2) });
  appendFileSync(logPath(root, 'a'), line.slice(0, 30));
  expect(await idsOf('torn')).toEqual([]);
  appendFileSync(logPath(root, 'a'), line.slice(30));
  expect(await idsOf('torn')).toEqual(['a']);
});

test('a log that was cut back and written on is read anew', async () => {
  write('a', NOW, said('apple'), said('banana', 2));
  expect(await idsOf('banana')).toEqual(['a']);
  const cut = readFileSync(logPath(root, 'a')).lastIndexOf('{"seq":3');
  truncateSync(logPath(root, 'a'), cut);
  append('a', 3, NOW, said('cherry, and a good deal more than there was', 2));
  expect([await idsOf('apple'), await idsOf('banana'), await idsOf('cherry')]).toEqual([['a'], [], ['a']]);
});

test('a session that was removed is found no more, nor is a word of it kept', async () => {
  write('a', NOW, said('zebra'));
  write('b', NOW, said('other'));
  expect([await idsOf('zebra'), list().length]).toEqual([['a'], 2]);
  rmSync(dirname(logPath(root, 'a')), { recursive: true });
  const onDisk = (): boolean =>
    readdirSync(cache()).some((name) => readFileSync(join(cache(), name)).includes('zebra'));
  expect(onDisk()).toBe(true);
  expect([await idsOf('zebra'), list().map(({ id }) => id), onDisk()]).toEqual([[], ['b'], false]);
});

test('an index that is missing, damaged or of another release is made again', () => {
  write('a', NOW, said('apple'));
  const shown = (): unknown => list().map(({ id, firstText }) => [id, firstText]);
  expect(shown()).toEqual([['a', 'apple']]);
  const whole = readFileSync(indexPath(cache()), 'utf8');
  const changed = whole.replace('apple', 'worms');
  const other = whole.replace('aish 1 ', 'aish 999 ');
  const damaged = [null, '', 'no index', changed, whole.slice(0, -9), other].map((content) => {
    if (content === null) rmSync(indexPath(cache()));
    else writeFileSync(indexPath(cache()), content);
    return [shown(), readFileSync(indexPath(cache()), 'utf8') === whole];
  });
  expect(damaged).toEqual(damaged.map(() => [[['a', 'apple']], true]));
});

test('where no index can be written sessions are listed and found all the same', async () => {
  write('a', NOW, said('apple'));
  writeFileSync(join(root, 'file'), '');
  const place = { stateDir: root, cacheDir: join(root, 'file', 'cache') };
  const found = await searchSessions('apple', place, { now: NOW });
  expect([listIndexed(place).map(({ firstText }) => firstText), found?.map(({ id }) => id)]).toEqual([
    ['apple'],
    ['a'],
  ]);
});

test('a search holds nothing else up, and is called off after a moment', async () => {
  for (let number = 0; number < 400; number += 1)
    write(`a${number}`, NOW + number, said(`text ${number} `.repeat(400)));
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  const { signal } = controller;
  expect(await search('399', { signal, sliceMs: 0 })).toBe(null);
  expect(await idsOf('399')).toEqual(['a399']);
});

test('a word is found in whatever way a log writes what stands around it, and with its letters in any form', async () => {
  write('a', NOW, said('one\ntwo\tthree "four" \u001bfive \\six'), ran('x', 'SEVENÄ\r\neight/nine_ten'));
  write('b', NOW, said('Ёлка и ŠKODA, ΣΟΦΊΑ'));
  write('c', NOW, said('xtwo twox'), said('long '.repeat(1_000_000), 2), said('behind', 3));
  const found: Record<string, readonly string[]> = {};
  for (const word of [
    '"two"',
    '"three"',
    '"four"',
    '"five"',
    '"six"',
    'sevena',
    '"eight nine ten"',
    'елка',
    'skoda',
    'σοφια',
    'behind',
    'two',
  ])
    found[word] = (await idsOf(word)).toSorted();
  expect(found).toEqual({
    '"two"': ['a'],
    '"three"': ['a'],
    '"four"': ['a'],
    '"five"': ['a'],
    '"six"': ['a'],
    sevena: ['a'],
    '"eight nine ten"': ['a'],
    елка: ['b'],
    skoda: ['b'],
    σοφια: ['b'],
    behind: ['c'],
    two: ['a', 'c'],
  });
});

test('lines of a later release are not read, and those of a directory are found alone', async () => {
  write('a', NOW, said('apple'));
  write('b', NOW, said('apple'));
  appendFileSync(logPath(root, 'b'), sealLine({ log: 'aish', version: LOG_VERSION + 1 }));
  append('b', 3, NOW, said('banana', 2));
  const here = await search('apple', { cwd: '/of/b' });
  expect([await idsOf('banana'), here?.map(({ id }) => id)]).toEqual([[], ['b']]);
});

test('a list without time for all logs tells of each all the same', async () => {
  for (let number = 0; number < 5; number += 1) write(`a${number}`, NOW, said(`text ${number}`));
  expect(
    list({}, 0)
      .map(({ firstText }) => firstText)
      .toSorted(),
  ).toEqual(['text 0', 'text 1', 'text 2', 'text 3', 'text 4']);
  expect(list({ cwd: '/of/a3' }).map(({ id }) => id)).toEqual(['a3']);
});

test('the index is for its owner alone, and holds no text that a log does not', async () => {
  write('a', NOW, said('apple'));
  list();
  expect(statSync(indexPath(cache())).mode & 0o777).toBe(0o600);
});

test('a log that a full disk ended before its first fact is no session', async () => {
  write('whole', NOW);
  for (const [id, text] of [
    ['empty', ''],
    ['headed', formatHeader()],
    ['torn', `${formatHeader()}{"seq":1,"at":17`],
  ] as const) {
    mkdirSync(dirname(logPath(root, id)), { recursive: true });
    writeFileSync(logPath(root, id), text);
  }
  expect(list().map(({ id }) => id)).toEqual(['whole']);
});
