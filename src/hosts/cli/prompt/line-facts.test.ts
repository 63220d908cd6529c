import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../test/support/until.ts';
import { EMPTY_STATE } from '../../../core/session/state.ts';
import { type KnownShell, LineFacts } from './line-facts.ts';

/** The facts about lines that are typed in a folder with a Makefile, beside a shell that knows `make` once it is ready. */
async function openFacts(state: { shell: KnownShell['state'] }) {
  const folder = mkdtempSync(join(tmpdir(), 'aish-line-facts-'));
  writeFileSync(join(folder, 'Makefile'), 'love:\n\techo love\n');
  const shell: KnownShell = {
    get state() {
      return state.shell;
    },
    lookup: (word) => (state.shell !== 'boot' && ['make', 'echo'].includes(word) ? 'file' : null),
    lookups: {
      news: 1,
      settled: () => null,
      list: async () => new Map(),
      aliases: new Map(),
      variables: [],
      options: [],
      directories: { named: new Map(), searched: [], stack: [], isStackOfCd: false },
      exportsFile: null,
    },
    report: { jobs: [] },
  };
  const client = { state: EMPTY_STATE };
  const place = { cwd: folder };
  const { promise: hasNews, resolve } = Promise.withResolvers<void>();
  const lines = new LineFacts({
    program: 'bash',
    env: { HOME: folder, PATH: process.env.PATH },
    context: () => ({
      client,
      shell,
      cwd: place.cwd,
      asksModel: true,
      isPrivate: false,
      history: { find: () => null, commands: () => [], numbered: () => undefined },
    }),
    onNews: resolve,
  });
  await lines.loaded();
  return { lines, place, hasNews, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

const neverBooted = (): Promise<boolean> => Promise.reject(new Error('nobody waits for the shell'));

test('no key waits for a disk: what it answers is news', async () => {
  using facts = await openFacts({ shell: 'ready' });
  const { lines } = facts;
  const typed = lines.understand('make love');
  expect([typed.route.type, typed.waitsFor]).toEqual(['message', 'answers']);
  await facts.hasNews;
  const known = lines.understand('make love');
  expect([known.route.type, known.waitsFor]).toEqual(['command', null]);
});

test('the reading of thousands of lines comes to rest', async () => {
  using facts = await openFacts({ shell: 'ready' });
  const pasted = Array.from({ length: 5000 }, (_, at) => `echo name${at}`).join('\n');
  facts.lines.understand(pasted);
  await until(
    { what: 'the last answer' },
    () => facts.lines.understand(pasted).waitsFor,
    (waitsFor) => waitsFor === null,
  );
  expect(facts.lines.understand(pasted)).toMatchObject({ route: { type: 'command' }, waitsFor: null });
});

test('an entered line waits for what disks answer', async () => {
  using facts = await openFacts({ shell: 'ready' });
  expect(await facts.lines.enter('make love', neverBooted)).toMatchObject({ type: 'run', route: { type: 'command' } });
});

test('a line that looks like a message waits for the shell to start, and then for the disks', async () => {
  const state: { shell: KnownShell['state'] } = { shell: 'boot' };
  using facts = await openFacts(state);
  const entered = facts.lines.enter('make love', async () => {
    state.shell = 'ready';
    return false;
  });
  expect(await entered).toMatchObject({ type: 'run', route: { type: 'command' } });
});

test('a line whose wait is called off comes back, and so does one whose shell takes too long', async () => {
  using facts = await openFacts({ shell: 'boot' });
  const { lines } = facts;
  expect(await lines.enter('make love', async () => true)).toMatchObject({ type: 'put back', because: 'called off' });
  expect(await lines.enter('hello you', async () => false)).toMatchObject({
    type: 'put back',
    because: 'still starting',
  });
});

test('while the shell starts no certain command and no certain message waits for it', async () => {
  using facts = await openFacts({ shell: 'boot' });
  const { lines } = facts;
  expect(await lines.enter('./configure -q', neverBooted)).toMatchObject({ type: 'run', route: { type: 'command' } });
  expect(await lines.enter('? hello', neverBooted)).toMatchObject({ type: 'run', route: { type: 'message' } });
});

test('a line is understood once as long as nothing else is known', async () => {
  using facts = await openFacts({ shell: 'ready' });
  const { lines, place } = facts;
  lines.understand('echo a');
  await lines.answers('echo a');
  const first = lines.understand('echo a');
  expect(lines.understand('echo a')).toBe(first);
  place.cwd = '/';
  expect(lines.understand('echo a')).not.toBe(first);
});

test('the shell is asked once whether a line is whole', async () => {
  using facts = await openFacts({ shell: 'ready' });
  const { lines } = facts;
  const asked = lines.isWhole('echo "a');
  expect(lines.isWhole('echo "a')).toBe(asked);
  expect(await asked).toBe(false);
  expect(await lines.enter('echo "a', neverBooted)).toMatchObject({ type: 'put back', because: 'goes on' });
});
