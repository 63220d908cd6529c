import { expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { EstimateThread } from '../../adapters/impact/estimate-thread.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { CommandGate } from './command-gate.ts';
import { WarmWorker } from './line-classifier.ts';

// Threads take their time to begin where many others run.
setDefaultTimeout(60_000);

const root = useFolder('worker');

const ENDLESS = join(root, 'endless.ts');
writeFileSync(
  ENDLESS,
  `import { parentPort } from 'node:worker_threads';
parentPort.on('message', (request) => {
  while (request !== null);
});
parentPort.postMessage({ isReady: true });
`,
);
const BROKEN = join(root, 'broken.ts');
writeFileSync(BROKEN, 'throw new Error("it does not begin");');

/** A line that only a worker classifies. */
const LONG = 'ls | grep "$x"';

const rules = { approve: ['ls'], ask: [], deny: [] };

function gateWith(worker: WarmWorker): CommandGate {
  const start = () => Promise.reject(new Error('nothing is to be started'));
  return new CommandGate({
    sharedShell: { shell: null, start, placeNow: () => root },
    home: root,
    shell: () => 'bash',
    worker,
  });
}

function call(name: string, args: JsonObject): ToolCall {
  return { id: 'c', name, arguments: args, effect: name === 'aish.exec' ? 'exec' : 'write', origin: 'model' };
}

test.each([
  ['without an end', ENDLESS],
  ['that breaks', BROKEN],
])(
  'a line whose classification is one %s is asked about, whatever approves it, and blocks nothing',
  async (_, entry) => {
    const gate = gateWith(new WarmWorker(async () => new EstimateThread(entry, 100)));
    let beats = 0;
    const pulse = setInterval(() => {
      beats += 1;
    }, 1);
    const decided = await gate.decide(call('aish.exec', { command: LONG }), rules, 'read-only');
    clearInterval(pulse);
    expect(decided).toMatchObject({ class: 'unparseable', decision: 'ask' });
    expect(decided?.autoRun).toBeUndefined();
    expect(beats).toBeGreaterThan(0);
    expect((await gate.classify(LONG, { ...(await gate.context()), cwd: '/' })).classification.trace).toEqual([]);
  },
);

test('a command for a server that takes too long is asked about, too', async () => {
  const gate = gateWith(new WarmWorker(async () => new EstimateThread(ENDLESS, 100)));
  const decided = await gate.decide(call('box.run', { command: LONG }), rules);
  expect(decided).toMatchObject({ class: 'unparseable', decision: 'ask' });
});

test('the next line has a worker of its own after one that took too long', async () => {
  const entries = [ENDLESS, undefined];
  const worker = new WarmWorker(async () => {
    const entry = entries.shift();
    return entry === undefined ? new EstimateThread() : new EstimateThread(entry, 100);
  });
  const gate = gateWith(worker);
  const context = await gate.context();
  const lines = [LONG, 'pwd | grep "$x"', LONG];
  const classes: string[] = [];
  for (const line of lines) classes.push((await worker.classify(line, context)).class);
  expect(classes).toEqual(['unparseable', 'read-only', 'unparseable']);
});

test('lines that an expression may take exponentially long for are classified in time', async () => {
  const worker = new WarmWorker();
  const context = await gateWith(worker).context();
  const lines = [
    `sqlite3 a.db ".tables${' '.repeat(4000)}!"`,
    `sqlite3 a.db "${`.tables${' '.repeat(40)}!;`.repeat(10)}"`,
  ];
  const found = await Promise.all(lines.map((line) => worker.classify(line, context)));
  expect(found.map(({ trace }) => trace.length)).toEqual([1, 1]);
});

test('a worker that classifies a line is not given away', async () => {
  const worker = new WarmWorker(async () => new EstimateThread(ENDLESS, 100));
  const known = worker.classify(LONG, { cwd: root, home: root, project: root });
  expect(worker.take()).toBeNull();
  expect((await known).class).toBe('unparseable');
});

test('a worker that cannot be begun fails nothing but its line, and the next one is tried', async () => {
  const failed = Promise.reject<EstimateThread>(new Error('no thread'));
  const begun = [failed];
  const worker = new WarmWorker(() => begun.shift() ?? Promise.resolve(new EstimateThread()));
  worker.warm();
  await failed.catch(() => {});
  expect((await worker.classify(LONG, { cwd: root, home: root, project: root })).class).toBe('read-only');
  (await worker.take())?.stop();
});

test('while the model thinks, only what needs no shell begins', async () => {
  const begun: string[] = [];
  const sharedShell = {
    shell: null,
    placeNow: () => root,
    start: () => {
      begun.push('shell');
      return Promise.reject(new Error('no shell'));
    },
  };
  const warmed = Promise.withResolvers<void>();
  const sandbox = {
    whyNot: () => Promise.resolve(null),
    warm: () => {
      begun.push('sandbox');
      warmed.resolve();
      return warmed.promise;
    },
  };
  const gate = new CommandGate({ sharedShell, sandbox, home: root, shell: () => 'bash' });
  gate.prepare();
  gate.prepare('read-only');
  await warmed.promise;
  expect(begun).toEqual(['sandbox']);
  gate.warm('read-only');
  expect(begun).toContain('shell');
});

test('a short, plain line needs no worker, and one that may change something gets it for its impact preview', async () => {
  let begun = 0;
  const worker = new WarmWorker(() => {
    begun += 1;
    return Promise.reject(new Error('no worker'));
  });
  const gate = gateWith(worker);
  gate.warm('read-only');
  const place = { cwd: root, home: root, project: root };
  expect([(await gate.classify('ls -la | head', place)).classification.class, begun]).toEqual(['read-only', 0]);
  expect([(await gate.classify('touch made', place)).classification.class, begun]).toEqual(['mutating', 1]);
});
