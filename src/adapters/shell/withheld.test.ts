import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestShell, type TestShell } from '../../../test/support/test-shell.ts';

const VALUE = 'canary-of-the-withheld-test';
const ENV = { A_TOKEN: VALUE, B_TOKEN: `${VALUE}-b`, PLAIN: 'seen' };
const PRINT = 'env | grep -E "^(A_TOKEN|B_TOKEN|PLAIN|C_TOKEN)=" | sort | tr "\\n" ";"';

/** A line of the model, without what is withheld. */
function runModel({ shell }: TestShell, line: string, withheld: readonly string[] = ['A_TOKEN'], signal?: AbortSignal) {
  return shell.run(line, { driver: 'model', remember: false, withheld, signal });
}

async function exported(opened: TestShell): Promise<string> {
  return (await opened.run(PRINT)).output.trim();
}

const ALL = `A_TOKEN=${VALUE};B_TOKEN=${VALUE}-b;PLAIN=seen;`;

for (const program of ['bash', 'zsh'] as const) {
  test(`${program}: a withheld variable is in no program's environment, and the user's next command has it`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    expect((await runModel(opened, PRINT)).output.trim()).toBe(`B_TOKEN=${VALUE}-b;PLAIN=seen;`);
    expect((await runModel(opened, PRINT, ['A_TOKEN', 'B_TOKEN'])).output.trim()).toBe('PLAIN=seen;');
    expect(await exported(opened)).toBe(ALL);
  });

  test(`${program}: what a failing, an evaluated and a line of several commands leave is exported again`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    for (const line of [
      'false',
      'eval "exit_code() { return 3; }"; exit_code',
      'true\nfalse',
      '((',
      'set -e; true; set +e',
    ]) {
      await runModel(opened, line);
      expect(await exported(opened)).toBe(ALL);
    }
  });

  test(`${program}: after a Ctrl-C the variable is exported again`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    const controller = new AbortController();
    const ran = opened.shell.run('echo begun; sleep 60', {
      driver: 'model',
      withheld: ['A_TOKEN'],
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect((await ran).exit).toBe(130);
    expect(await exported(opened)).toBe(ALL);
  });

  test(`${program}: a job that the command leaves in the background stays without it`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    const job = 'mkfifo go; (read x <go; printenv A_TOKEN >>said; echo over >>said; echo >done) & mkfifo done';
    await runModel(opened, job);
    await opened.run('echo >go; read x <done; wait');
    expect(readFileSync(join(opened.home, 'said'), 'utf8')).toBe('over\n');
    expect(await exported(opened)).toBe(ALL);
  });

  test(`${program}: a value that the command itself gives the variable stays, and one it takes away is gone`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    await runModel(opened, 'export A_TOKEN=another; unset B_TOKEN', ['A_TOKEN', 'B_TOKEN']);
    expect(await exported(opened)).toBe('A_TOKEN=another;PLAIN=seen;');
  });

  test(`${program}: a variable that cannot be written is withheld and given back like any other`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    await opened.run('readonly A_TOKEN');
    expect((await runModel(opened, PRINT)).output.trim()).toBe(`B_TOKEN=${VALUE}-b;PLAIN=seen;`);
    expect(await exported(opened)).toBe(ALL);
  });

  test(`${program}: functions and aliases of the user get no more than the command`, async () => {
    const rc = "tell() { printenv A_TOKEN || echo none; }\nalias told='printenv A_TOKEN || echo none'\n";
    await using opened = openTestShell(program, { env: ENV, files: { [`.${program}rc`]: rc } });
    expect((await runModel(opened, 'tell')).output).toBe('none\n');
    expect((await runModel(opened, 'told')).output).toBe('none\n');
    expect((await opened.run('tell')).output).toBe(`${VALUE}\n`);
  });

  test(`${program}: what the shell exports is told whole for one that takes its place, also when the command ends it`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    await opened.run('true');
    await runModel(opened, 'exit 3');
    await opened.until(() => opened.shell.state === 'ended');
    expect(opened.shell.exports).toContain(VALUE);
  });

  test(`${program}: the line lies in no file once it runs`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    await opened.ready();
    const folder = join(opened.home, 'runtime', readdirSync(join(opened.home, 'runtime'))[0] ?? '');
    const untilGone = `until test -z "$(tr -d '\\0\\n' <${join(folder, 'command')})"; do :; done; echo gone`;
    for (const line of [untilGone, `: ${'long '.repeat(2000)}; ${untilGone}`]) {
      expect((await runModel(opened, line)).output.trim()).toBe('gone');
      expect(readFileSync(join(folder, 'command'), 'utf8').replace(/[\0\n]/g, '')).toBe('');
    }
  });

  test(`${program}: the next command finds nothing of the one before`, async () => {
    await using opened = openTestShell(program, { env: ENV });
    await runModel(opened, ' printf %s another-canary >/dev/null', []);
    const { output } = await runModel(opened, 'set | grep -a "another-canar[y]" || echo nothing', []);
    expect(output).toBe('nothing\n');
  });
}
