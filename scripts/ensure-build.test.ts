import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AS_NOBODY, asOtherUser } from '../test/support/other-user.ts';
import { ROOT } from './steps.ts';

setDefaultTimeout(60_000);

const MAIN = 'src/hosts/main.ts';

/** A checkout with a program of one line, which says what it runs as, and how it was called. */
let checkout = '';

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'aish-checkout-'));
  for (const name of ['bin', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.base.json'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  write(MAIN, 'one');
  write('src/adapters/impact/estimate-worker.ts', 'worker');
  write('src/protocol/version.ts', '');
  for (const part of ['shell', 'print']) write(`src/hosts/cli/main/${part}.ts`, part);
});

afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(path: string, word: string): void {
  const text = `export const VERSION = '${word}';
const way = import.meta.dir.startsWith('/$bunfs/') ? 'build' : 'source';
console.log(way, '${word}', ...process.argv.slice(2));\n`;
  cpSync(join(ROOT, path), join(checkout, path));
  writeFileSync(join(checkout, path), text);
}

/** Runs `npm start`, but without npm: its output, and its text about a build. */
function start(as: readonly string[] = []): { out: string; said: string } {
  letClockTick();
  const line = 'sh scripts/ensure-build && ./bin/aish "$@"';
  const done = Bun.spawnSync([...as, 'sh', '-c', line, 'sh', 'a b'], { cwd: checkout });
  return { out: done.stdout.toString(), said: done.stderr.toString() };
}

/** A build that begins within a tick of the clock behind a change counts as older. */
const letClockTick = (): void => Bun.sleepSync(50);

const BUILDING = expect.stringMatching(/^aish: building the program .*\n$/);

describe('a start of a checkout', () => {
  test('builds the program once, and says so', () => {
    expect(start()).toEqual({ out: 'build one a b\n', said: BUILDING });
    expect(start()).toEqual({ out: 'build one a b\n', said: '' });
  });

  test.each([
    ['is changed', () => write(MAIN, 'two'), 'two'],
    ['is removed', () => rmSync(join(checkout, 'src/adapters/impact/unused.ts')), 'one'],
    ['is new', () => write('src/adapters/impact/estimate-thread.ts', 'more'), 'one'],
  ])('builds it again if a source %s, and until then the launcher runs the source', (_, change, word) => {
    writeFileSync(join(checkout, 'src/adapters/impact/unused.ts'), '');
    start();
    change();
    const done = Bun.spawnSync([join(checkout, 'bin/aish')], { cwd: '/' });
    expect(done.stdout.toString()).toBe(`source ${word}\n`);
    expect(start()).toEqual({ out: `build ${word} a b\n`, said: BUILDING });
  });

  test('does not build it again for a test', () => {
    writeFileSync(join(checkout, 'src/hosts/main.test.ts'), 'one');
    start();
    writeFileSync(join(checkout, 'src/hosts/main.test.ts'), 'two');
    expect(start().said).toBe('');
  });

  test('runs the source if the program does not build', () => {
    writeFileSync(join(checkout, 'src/adapters/impact/estimate-worker.ts'), 'this is no program');
    expect(start()).toEqual({ out: 'source one a b\n', said: expect.stringContaining('aish: running from source\n') });
    expect(readdirSync(join(checkout, 'dist'))).toEqual([]);
  });

  test('takes only the `find` of the system, whatever PATH names', () => {
    start();
    const fake = join(checkout, 'find');
    writeFileSync(fake, '#!/bin/sh\necho ran >&2\nexit 1\n');
    chmodSync(fake, 0o755);
    const env = { PATH: `${checkout}:${process.env.PATH}` };
    const done = Bun.spawnSync([join(checkout, 'bin/aish')], { cwd: checkout, env });
    expect([done.stdout.toString(), done.stderr.toString()]).toEqual(['build one\n', '']);
  });

  test('two at once both run the build and leave nothing else', async () => {
    letClockTick();
    const starts = [1, 2].map(() =>
      Bun.spawn(['sh', '-c', 'sh scripts/ensure-build && ./bin/aish'], { cwd: checkout, stderr: 'ignore' }),
    );
    const printed = await Promise.all(starts.map((child) => new Response(child.stdout).text()));
    expect(printed).toEqual(['build one\n', 'build one\n']);
    expect(readdirSync(join(checkout, 'dist'))).toEqual(['aish']);
  });

  test('removes what a build left that was killed', async () => {
    const gone = Bun.spawn(['true']);
    await gone.exited;
    cpSync(join(checkout, 'src'), join(checkout, `dist/.build-${gone.pid}-x`), { recursive: true });
    start();
    expect(readdirSync(join(checkout, 'dist'))).toEqual(['aish']);
  });

  const nobody = asOtherUser();
  test.skipIf(nobody === null)('runs the source where the user may not write', () => {
    chmodSync(checkout, 0o755);
    expect(start(AS_NOBODY)).toEqual({ out: 'source one a b\n', said: '' });
  });

  test('builds it again if a source changed while the compiler ran', async () => {
    mkdirSync(join(checkout, 'dist'));
    const begun = Promise.withResolvers<void>();
    using _watcher = watchFolder(join(checkout, 'dist'), begun.resolve);
    const child = Bun.spawn(['sh', 'scripts/ensure-build'], { cwd: checkout, stderr: 'ignore' });
    await begun.promise;
    write(MAIN, 'two');
    await child.exited;
    expect(start()).toEqual({ out: 'build two a b\n', said: BUILDING });
  });
});

/** Calls back at the first name in a folder. */
function watchFolder(folder: string, begun: () => void): Disposable {
  const watcher = watch(folder, () => begun());
  return { [Symbol.dispose]: () => watcher.close() };
}
