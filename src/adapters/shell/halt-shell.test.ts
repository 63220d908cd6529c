import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HAS_PROCESS_TABLE, survivors } from '../../../test/support/processes.ts';
import { openTestShell, type TestShell } from '../../../test/support/test-shell.ts';
import { until } from '../../../test/support/until.ts';

/** A process that ignores signals, and reports when it has begun. */
const STUBBORN = `sh -c 'trap "" INT TERM HUP; echo $$ >>pids; while :; do sleep 1; done'`;

/** How a command of the model may keep something running, and what it would do next. */
const SHAPES: readonly (readonly [string, string])[] = [
  ['a command that ends at once', "sh -c 'echo $$ >>pids; exec sleep 60'; touch late"],
  ['one that pays no heed', `${STUBBORN}; touch late`],
  ['the first of alternatives', `${STUBBORN} || touch late`],
  ['a loop', `while :; do ${STUBBORN}; touch late; done`],
  ['a function', `f() { ${STUBBORN}; touch late; }; f`],
  ['a subshell', `( ${STUBBORN}; touch late )`],
  ['a substitution', `x=$(${STUBBORN}); touch late`],
  ['a pipeline', `${STUBBORN} | cat; touch late`],
  ['one beside its job', `${STUBBORN} & sleep 60; touch late`],
  ['a session of its own', `setsid ${STUBBORN} & sleep 60; touch late`],
  ['a daemon', `(setsid ${STUBBORN} >/dev/null 2>&1 &) ; sleep 60; touch late`],
  ['one that is stopped', `${STUBBORN} & until [ -s pids ]; do sleep 0.02; done; kill -STOP $!; sleep 60; touch late`],
];

/** On a busy machine a shell takes longer to its prompt than users wait. */
const PATIENT = { shellMs: 30_000, mostMs: 40_000 };

/** Settles with the processes that have told their numbers. */
function begun(t: TestShell): Promise<readonly number[]> {
  const file = join(t.home, 'pids');
  const read = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : []);
  // Events of a folder come too seldom to be counted on.
  return until({ what: 'a process that tells its number' }, read, ({ length }) => length > 0);
}

describe.skipIf(!HAS_PROCESS_TABLE).each(['bash', 'zsh'] as const)('a halt in %s', (program) => {
  test.each(SHAPES)('ends %s, does nothing after it, and leaves the shell', async (_shape, line) => {
    await using t = openTestShell(program);
    await t.run('kept=1');
    const stop = new AbortController();
    const running = t.shell.run(line, { driver: 'model', signal: stop.signal });
    const pids = await begun(t);
    stop.abort();
    const report = await t.shell.halt(PATIENT);
    expect(report.left).toEqual([]);
    await running;
    expect(await survivors(pids, 0)).toEqual([]);
    expect((await t.run('echo "$kept"')).output).toBe('1\n');
    expect(existsSync(join(t.home, 'late'))).toBe(false);
  });

  test('ends what an earlier command of the model left behind, and nothing of the user', async () => {
    await using t = openTestShell(program);
    const own = await t.run('sleep 300 & echo $!');
    const other = await t.run(
      "(setsid sh -c 'echo $$ >own; exec sleep 300' &); until [ -s own ]; do sleep 0.02; done; cat own",
    );
    await Bun.sleep(30); // Processes are dated to a hundredth of a second.
    await t.shell.run(`${STUBBORN} & until [ -s pids ]; do sleep 0.02; done`, { driver: 'model' });
    const pids = await begun(t);
    expect(await t.shell.halt()).toMatchObject({ left: [] });
    expect(await survivors(pids, 0)).toEqual([]);
    const kept = [own, other].map(({ output }) => Number(output.trim().split('\n').at(-1)));
    expect((await survivors(kept, 0)).length).toBe(2);
    for (const pid of kept) process.kill(pid, 'SIGKILL');
  });

  test('ends what something of the model started after its command', async () => {
    await using t = openTestShell(program);
    const server = `sh -c 'until [ -e go ]; do sleep 0.02; done; sleep 300 & echo $! >worker; wait'`;
    await t.shell.run(`${server} &`, { driver: 'model' });
    const told = await t.run('touch go; until [ -s worker ]; do sleep 0.02; done; cat worker');
    const worker = Number(told.output.trim().split('\n').at(-1));
    expect((await survivors([worker], 0)).length).toBe(1);
    expect(await t.shell.halt()).toMatchObject({ left: [] });
    expect(await survivors([worker], 0)).toEqual([]);
  });

  test('leaves a command of the user alone', async () => {
    await using t = openTestShell(program);
    const running = t.run("sh -c 'echo $$ >pids; exec sleep 0.8'");
    await begun(t);
    expect(await t.shell.halt()).toEqual({ ended: 0, left: [] });
    expect((await running).exit).toBe(0);
  });

  test('ends the shell where it does not come back', async () => {
    await using t = openTestShell(program);
    const running = t.shell.run("trap '' INT TERM; echo $$ >pids; while :; do :; done", { driver: 'model' });
    await begun(t);
    expect(await t.shell.halt()).toEqual({ ended: 0, left: [], shellEnded: true });
    await running;
  });
});
