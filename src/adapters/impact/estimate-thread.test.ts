import { expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { useFolder } from '../../../test/support/test-folder.ts';
import { classifyLine } from '../../core/policy/classify-line.ts';
import type { ChangeReport } from '../../protocol/change-report.ts';
import { EstimateThread, estimateInThread, type ThreadOptions } from './estimate-thread.ts';

// Each starts programs or threads, which take their time where many others run.
setDefaultTimeout(120_000);

const root = useFolder('estimate');
mkdirSync(join(root, 'src/deep'), { recursive: true });
for (const name of ['src/a', 'src/b', 'src/deep/c']) writeFileSync(join(root, name), 'text');

const PATIENCE_MS = 60_000;
const context = { cwd: root, home: '/nowhere', project: root };
const told = ({ effects }: ChangeReport) => effects.map(({ kind, files, folders }) => [kind, files, folders]);

function prepared(line: string) {
  return { estimated: { classification: classifyLine(line, context) }, context };
}

async function answers(
  line: string,
  options: Partial<ThreadOptions>,
  signal = new AbortController().signal,
): Promise<readonly ChangeReport[]> {
  const all: ChangeReport[] = [];
  const limits = { limit: PATIENCE_MS, longest: PATIENCE_MS, ...options };
  for await (const one of estimateInThread(async () => prepared(line), signal, limits)) all.push(one);
  return all;
}

/** A thread that tells something and then waits for a pipe that nobody writes to, as one waits for a lost disk. */
class LostThread {
  readonly entry = join(root, 'lost.ts');
  readonly #pipe = join(root, 'pipe');

  constructor(report: ChangeReport) {
    rmSync(this.#pipe, { force: true });
    execFileSync('mkfifo', [this.#pipe]);
    const lines = [
      "import { openSync } from 'node:fs';",
      "import { parentPort } from 'node:worker_threads';",
      "parentPort.once('message', () => {",
      `  parentPort.postMessage(${JSON.stringify({ report, isLast: false })});`,
      `  setImmediate(() => openSync(${JSON.stringify(this.#pipe)}, 'r'));`,
      '});',
    ];
    writeFileSync(this.entry, lines.join('\n'));
  }

  /** The disk is back. */
  [Symbol.dispose](): void {
    closeSync(openSync(this.#pipe, constants.O_RDWR | constants.O_NONBLOCK));
  }
}

test('what is counted in time is told once', async () => {
  const all = await answers('rm -rf src', {});
  expect([all.map(told), all.map(({ counting }) => counting)]).toEqual([[[['deletes', 3, 2]]], [undefined]]);
});

test('an answer that came before all was counted says so, and the whole follows', async () => {
  const [first, whole, ...more] = await answers('rm -rf src', { limit: 0 });
  expect(first).toEqual({
    effects: [],
    hosts: [],
    unknown: [],
    notes: [],
    counting: true,
  });
  expect([whole === undefined ? null : told(whole), whole?.counting, more]).toEqual([
    [['deletes', 3, 2]],
    undefined,
    [],
  ]);
});

test('the first answer waits for no preparation', async () => {
  const ready = Promise.withResolvers<void>();
  const prepare = async () => {
    await ready.promise;
    return prepared('rm -rf src');
  };
  const counting = estimateInThread(prepare, new AbortController().signal, { limit: 0, longest: PATIENCE_MS });
  const first = await counting.next();
  ready.resolve();
  const last = await counting.next();
  expect([first.value?.counting, last.value === undefined ? null : told(last.value)]).toEqual([
    true,
    [['deletes', 3, 2]],
  ]);
});

test('a thread that does not come back is given up, and what it had told stays told', async () => {
  const [effect] = (await answers('rm -rf src', {}))[0]?.effects ?? [];
  if (effect === undefined) throw new Error('nothing was counted');
  const report: ChangeReport = { effects: [{ ...effect, atLeast: true }], hosts: [], unknown: ['a'], notes: [] };
  using lost = new LostThread(report);
  // It has told that, and is lost, once its answer is no longer that nothing is known; the limits grow until it is.
  for (let longest = 50; ; longest *= 2) {
    const all = await answers('rm -rf src', { limit: longest, longest, thread: new EstimateThread(lost.entry) });
    if (all[0]?.effects.length === 0) continue;
    expect(all).toEqual([{ ...report, unknown: ['a', 'perhaps more changes (the estimate was cut off)'] }]);
    break;
  }
});

test('a counting that is stopped has no more to say', async () => {
  const controller = new AbortController();
  const counting = estimateInThread(
    async () => {
      controller.abort();
      return prepared('rm -rf src');
    },
    controller.signal,
    { limit: PATIENCE_MS, longest: PATIENCE_MS },
  );
  expect(await counting.next()).toEqual({ value: undefined, done: true });
  expect(await answers('rm -rf src', {}, AbortSignal.abort())).toEqual([]);
});

test('a thread that cannot be begun is told as a failure', async () => {
  const entry = join(root, 'broken.ts');
  writeFileSync(entry, "throw new Error('it is broken');");
  await expect(answers('rm -rf src', { thread: new EstimateThread(entry) })).rejects.toMatchObject({
    code: 'impact.failed',
    message: 'it is broken',
  });
});

test.if(process.platform === 'linux')('a thread that stands back leaves the others where they are', async () => {
  const entry = join(root, 'back.ts');
  const lines = [
    "import { getPriority } from 'node:os';",
    "import { parentPort } from 'node:worker_threads';",
    `import { standBack } from ${JSON.stringify(join(import.meta.dir, 'pace.ts'))};`,
    'standBack();',
    'parentPort.postMessage(getPriority(0));',
  ];
  writeFileSync(entry, lines.join('\n'));
  const before = getPriority(0);
  const back = await new Promise((resolve) => new Worker(entry).once('message', resolve));
  expect([back, getPriority(0)]).toEqual([Math.max(before, 3), before]);
});
