import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNoSandbox } from '../../adapters/sandbox/open-sandbox.ts';
import { OutputStore } from '../../adapters/store/outputs.ts';
import { classifyLine } from '../../core/policy/classify-line.ts';
import { USES_SHELL } from '../../core/sandbox/messages.ts';
import { SandboxRunner } from './sandbox-runner.ts';
import { SessionOutputs } from './session-outputs.ts';

const CONTEXT = { cwd: '/home/ann/project', project: '/home/ann/project', home: '/home/ann' };

function openAttached(sandbox = createNoSandbox('plan9')) {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-runner-'));
  const told: string[] = [];
  const store = new OutputStore({ folder });
  const redact = (text: string) => text;
  const outputs = new SessionOutputs({ store, records: () => [], redact, tell: (text) => told.push(text) });
  const runner = new SandboxRunner({
    open: async () => sandbox,
    sharedShell: { shell: null },
    outputs,
    home: CONTEXT.home,
    own: () => [],
    env: {},
    tell: (text) => told.push(text),
  });
  const whyNot = (line: string) => runner.whyNot(classifyLine(line, CONTEXT), CONTEXT);
  return { runner, told, whyNot, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test('where there is no sandbox nothing runs in it, and that is told once', async () => {
  using open = openAttached();
  expect([await open.whyNot('ls'), await open.whyNot('ls'), open.told]).toEqual([
    '',
    '',
    ['read-only commands need your approval, because there is no sandbox: aish has no sandbox for plan9'],
  ]);
});

test('nothing is told for a command that would be asked anyway', async () => {
  using open = openAttached();
  expect([await open.whyNot('cd src'), open.told]).toEqual([USES_SHELL, []]);
});

test('a sandbox that cannot be set up is in the way of the command', async () => {
  using open = openAttached();
  const ran = await open.runner.run({ line: 'ls', kind: 'read-only', context: CONTEXT }, new AbortController().signal);
  expect(ran).toEqual({ record: null, hidden: [], blocked: 'aish has no sandbox for plan9' });
});

test('it is known that there is no sandbox once that was found out', async () => {
  using open = openAttached();
  const before = open.runner.isKnownMissing;
  expect([before, await open.runner.whyMissing(), open.runner.isKnownMissing]).toEqual([
    false,
    'aish has no sandbox for plan9',
    true,
  ]);
});

test('the next command finds what it needs behind one that may run there, until its shell is begun', async () => {
  const isThere = [true, false, true];
  const sandbox = {
    ...createNoSandbox('plan9'),
    available: async () => null,
    isPrepared: () => isThere.shift() ?? true,
  };
  using open = openAttached(sandbox);
  expect([open.runner.isWarm, await open.whyNot('pwd')]).toEqual([false, null]);
  expect([open.runner.isWarm, open.runner.isWarm, open.runner.isWarm]).toEqual([true, false, true]);
  await open.runner.begin('pwd');
  expect(open.runner.isWarm).toBe(false);
});
