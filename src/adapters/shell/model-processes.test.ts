import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HAS_PROCESS_TABLE } from '../../../test/support/processes.ts';
import { useFolder } from '../../../test/support/test-folder.ts';
import { readIfThere, until } from '../../../test/support/until.ts';
import { ModelProcesses } from './model-processes.ts';

const folder = useFolder('model-processes');

/** The number of a process's terminal, as the kernel writes it. */
function terminalOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4];
}

/** A program on a terminal of its own that nobody here started: its parent is gone, and it has nothing of our environment. */
async function openForeign(): Promise<{ readonly pid: number; readonly opener: number }> {
  const file = join(folder, crypto.randomUUID());
  const code = `const child = Bun.spawn(['sleep', '60'], { terminal: { cols: 80, rows: 24 } });
    require('node:fs').writeFileSync(${JSON.stringify(file)}, child.pid + ' ' + process.pid + ';');
    await child.exited;`;
  const line = 'env -i PATH="$PATH" setsid "$0" -e "$1" >/dev/null 2>&1 &';
  Bun.spawnSync(['sh', '-c', line, process.execPath, code], { stdio: ['ignore', 'ignore', 'ignore'] });
  const told = await until(
    { what: 'a program on another terminal' },
    () => readIfThere(file),
    (text) => text.endsWith(';'),
  );
  const [pid = 0, opener = 0] = told.slice(0, -1).split(' ').map(Number);
  return { pid, opener };
}

/** The processes that are found when another program has the number of an ended terminal; null if yet another one took the number. */
async function findAtReusedTerminal(): Promise<readonly unknown[] | null> {
  const shell = Bun.spawn(['sleep', '60'], { terminal: { cols: 80, rows: 24 } });
  const processes = new ModelProcesses(shell.pid, process.pid);
  processes.begin();
  processes.find();
  const number = terminalOf(shell.pid);
  shell.kill('SIGKILL');
  await shell.exited;
  shell.terminal?.close();
  const foreign = [await openForeign()];
  const isReused = () => terminalOf(foreign.at(-1)?.pid ?? 0) === number;
  try {
    while (!isReused() && foreign.length < 5) foreign.push(await openForeign());
    return isReused() ? processes.find() : null;
  } finally {
    for (const { pid, opener } of foreign) for (const one of [pid, opener]) process.kill(one, 'SIGKILL');
  }
}

test.skipIf(!HAS_PROCESS_TABLE)('a terminal that gets the number of an ended one is of somebody else', async () => {
  let found: readonly unknown[] | null = null;
  // Tests beside this one open terminals, too.
  for (let round = 0; found === null && round < 20; round += 1) found = await findAtReusedTerminal();
  expect(found).toEqual([]);
});
