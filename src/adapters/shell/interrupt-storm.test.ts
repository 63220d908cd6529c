import { expect, test } from 'bun:test';
import { Random } from '../../../test/fidelity/random.ts';
import { SEED } from '../../../test/support/seed.ts';
import { openTestShell, type TestShell } from '../../../test/support/test-shell.ts';
import type { CommandRecord } from '../../protocol/command.ts';

/** So many lines in each shell; the long run takes 2,000. */
const LINES = Number(process.env.AISH_STORM_LINES ?? 120);
const CTRL_C = Buffer.from('\x03');
/** The echo of Ctrl-C, and the prompt of a shell whose hooks were interrupted: of zsh `host% `, of bash `user@host:~$ ` or `bash-5.2$ `. */
const NOISE = /\^C|[\w.-]+[%#$](?: |\n|$)|[\w.-]+[@%#$][^\n]*[%#$] |\n/g;

/**
 * A Ctrl-C makes the kernel drop what is on its way to us, our marks among it, and may stop the shell in our own hooks. Whenever it comes,
 * the record of a line holds what that line printed or nothing, never ours or another's, and the shell takes the next.
 */
test.each(['bash', 'zsh'] as const)(
  '%s does not lose its place, whenever Ctrl-C comes',
  async (program) => {
    await using stack = new AsyncDisposableStack();
    const random = new Random(SEED);
    let t = stack.use(openTestShell(program));
    const wrong: unknown[] = [];
    for (let number = 1; number <= LINES; number += 1) {
      const running = t.run(lineOf(number, random));
      if (random.next() < 0.5) await press(t, random);
      const record = await running;
      if (!isRight(record, number)) wrong.push(record);
      if (t.troubles.length > 0) wrong.push(t.troubles);
      // A bash that is stopped as it leaves `eval` takes its input to be at its end, with or without us; anyone who holds it starts another.
      if (t.shell.state === 'ended') t = stack.use(openTestShell(program));
    }
    expect(wrong).toEqual([]);
  },
  120_000,
);

function lineOf(number: number, random: Random): string {
  const kind = random.next();
  if (kind < 0.6) return `echo ${number}`;
  return kind < 0.8 ? `sleep 0.02; echo ${number}` : `/bin/echo ${number}`;
}

/** Once or twice, at some moment: before the line has begun, while it runs, as it ends, or while hooks run. */
async function press(t: TestShell, random: Random): Promise<void> {
  const rounds = random.below(30);
  for (let round = 0; round < rounds; round += 1) await new Promise(setImmediate);
  if (random.next() < 0.5) await Bun.sleep(random.below(12));
  if (random.next() < 0.5) t.shell.interrupt();
  else t.shell.write(CTRL_C);
  if (random.next() < 0.3) t.shell.interrupt();
}

function isRight({ exit, output }: CommandRecord, number: number): boolean {
  const said = output.replace(NOISE, '').replace(/exit$/, '');
  return (said === '' || said === String(number)) && [0, 1, 130, null].includes(exit);
}
