import { expect, test } from 'bun:test';
import { useFolder } from '../../../test/support/test-folder.ts';
import { planSandbox } from '../../core/sandbox/sandbox-plan.ts';
import { FirstProcess, startChild } from './run-child.ts';
import { Supervisor } from './supervisor.ts';
import { NOTHING_LAID } from './visible-folders.ts';

const folder = useFolder('supervisor');
const COVERS = { visible: NOTHING_LAID, hidden: { files: [], pipes: [], folders: [], governing: [] }, kernel: [] };

/** Runs a command by a supervisor that is this shell script. */
async function runBy(script: string, idleMs?: number) {
  const child = startChild({ command: ['/bin/sh', '-c', script], cwd: '/', env: {}, hasInput: true });
  const supervisor = new Supervisor({ child, first: FirstProcess.expect(folder), isCounted: false }, idleMs);
  const plan = planSandbox('read-only', { cwd: '/', project: '/', home: '/', own: [] });
  let output = '';
  const onOutput = (bytes: Uint8Array): void => {
    output += Buffer.from(bytes).toString('utf8');
  };
  const signal = new AbortController().signal;
  const result = await supervisor.run({ text: 'echo x', plan, env: {}, signal, onOutput }, COVERS);
  const isFree = !supervisor.isBusy && !supervisor.hasEnded;
  if (idleMs !== undefined) await Bun.sleep(2 * idleMs);
  const hasEnded = supervisor.hasEnded;
  supervisor.end();
  return { result, output, isFree, hasEnded };
}

const frame = (kind: string, text: string) =>
  `printf '${kind}\\${text.length.toString(8).padStart(3, '0')}\\000\\000\\000${text}';`;
const READY = frame('R', '');

test.each([
  ['it cannot start', 'echo no perl >&2; exit 2', { result: 'no perl', isFree: false, hasEnded: true }],
  [
    'the system refuses a mount',
    `${READY} ${frame('F', 'mount /tmp')} cat`,
    { result: 'mount /tmp', isFree: true, hasEnded: false },
  ],
])('where %s, the reason is told and nothing has run', async (_, script, outcome) => {
  expect(await runBy(script)).toEqual({ ...outcome, output: '' });
});

test('a command whose supervisor ends counts as killed: it may have done anything', async () => {
  const script = `${READY} ${frame('O', 'begun')} exit 0`;
  expect(await runBy(script)).toEqual({
    result: { exit: 137, ended: null },
    output: 'begun',
    isFree: false,
    hasEnded: true,
  });
});

test('frames may come in pieces', async () => {
  const pieces = `${READY} printf 'O\\2'; sleep 0.05; printf '\\0\\0\\0a'; sleep 0.05; printf 'b'; ${frame('X', '3')} cat`;
  expect(await runBy(pieces)).toEqual({
    result: { exit: 3, ended: null },
    output: 'ab',
    isFree: true,
    hasEnded: false,
  });
});

test('a supervisor ends some time after its last command, and never while one runs', async () => {
  const script = `${READY} sleep 0.2; ${frame('X', '0')} cat`;
  expect(await runBy(script, 50)).toMatchObject({ result: { exit: 0, ended: null }, isFree: true, hasEnded: true });
});
