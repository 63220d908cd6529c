// Takes a step back and forth until it is killed; the test that starts it looks at what is left.
import { writeSync } from 'node:fs';
import { applyRestore } from '../../src/adapters/git/restore/apply.ts';
import { planRestore } from '../../src/adapters/git/restore/plan.ts';
import { USUAL_RETENTION } from '../../src/core/session/settings.ts';
import type { RestoreDirection } from '../../src/protocol/checkpoint.ts';

const [root = '', id = '', first = ''] = process.argv.slice(2);

/** One way and the other; a line tells that a restore begins, and another one that it comes to its first file. */
async function main(): Promise<never> {
  for (let direction: RestoreDirection = first === 'redo' ? 'redo' : 'undo'; ; direction = turn(direction)) {
    writeSync(1, `${direction}\n`);
    const shouldEnd = openLinger();
    await applyRestore(
      await planRestore({ cwd: root, id, direction }),
      {},
      { limits: USUAL_RETENTION, sessionId: 's1', shouldEnd },
    );
  }
}

/** Spends a moment between two files, so that a kill may fall there. */
function openLinger(): () => boolean {
  let isFirst = true;
  return () => {
    if (isFirst) writeSync(1, 'files\n');
    isFirst = false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    return false;
  };
}

function turn(direction: RestoreDirection): RestoreDirection {
  return direction === 'undo' ? 'redo' : 'undo';
}

await main();
