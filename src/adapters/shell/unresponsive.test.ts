import { describe, expect, test } from 'bun:test';
import { hasProgram } from '../../../test/support/programs.ts';
import { inForeground, openTestShell, type TestShell } from '../../../test/support/test-shell.ts';
import { until } from '../../../test/support/until.ts';
import { readingPlaceOf } from '../system/process-table.ts';
import { formatReplaced, formatRestarted, LOST, UNRESPONSIVE } from './messages.ts';

/** Lines after which the shell takes lines as before, and cannot report their ends. */
const SILENCING = {
  bash: ['ulimit -n 5', 'enable -n builtin', 'enable -n printf', 'set -r'],
  zsh: ['ulimit -n 5', 'disable builtin', 'disable printf', 'set -r'],
} as const;

/** Lines that are reported, and after which no line could be. */
const BREAKING = { bash: 'enable -n read', zsh: 'disable -f __aish_b' } as const;

/** Programs that a user puts in the place of the shell, with a line for each that prints `42`, and lines that go elsewhere and end it. */
const PROGRAMS = [
  { name: 'sh', asks: 'echo $((40+2))\n', leaves: ['cd /\n', 'exit 3\n'] },
  { name: 'fish', asks: 'math 40 + 2\n', leaves: ['cd /\n', 'exit 3\n'] },
  { name: 'python3', asks: 'print(40 + 2)\n', leaves: ['import os; os.chdir("/")\n', 'exit(3)\n'] },
].filter(({ name }) => hasProgram(name));

/** fish reads all manual pages in the background unless this folder is there. */
const NO_MANUAL_PAGES = { '.local/share/fish/generated_completions/none.fish': '' };

/** The place in its program at which the shell waits for a line, once it does. */
function atPrompt(t: TestShell): Promise<string | null> {
  return until(
    { what: 'the shell at its prompt' },
    () => readingPlaceOf(t.shell.pid),
    (place) => place !== null,
  );
}

function type(t: TestShell, keys: string): void {
  t.shell.write(Buffer.from(keys));
}

describe.each(['bash', 'zsh'] as const)('%s', (program) => {
  test.each([...SILENCING[program]])(
    'a shell that "%s" made silent is reported once, and the keys go to it until it ends',
    async (line) => {
      await using t = openTestShell(program);
      await t.ready();
      await atPrompt(t);
      const record = t.run(line);
      await t.until(() => t.troubles.length > 0);
      expect([t.troubles, t.shell.unresponsive, t.shell.state]).toEqual([[LOST], { why: 'lost' }, 'running']);
      type(t, 'cd /; exit 3\n');
      expect((await record).exit).toBe(3);
      await t.until(() => t.shell.state === 'ended');
      expect([t.troubles, t.shell.exitCode, t.shell.unresponsive]).toEqual([[LOST], 3, { why: 'lost' }]);
    },
  );

  test('a shell that reports again is as before', async () => {
    await using t = openTestShell(program);
    await t.ready();
    await atPrompt(t);
    const record = t.run(program === 'bash' ? 'enable -n builtin' : 'disable builtin');
    await t.until(() => t.troubles.length > 0);
    type(t, 'enable builtin\n');
    if (program === 'zsh') type(t, 'true\n');
    await record;
    await t.ready();
    expect([t.shell.unresponsive, (await t.run('(exit 7)')).exit, t.troubles]).toEqual([null, 7, [LOST]]);
  });

  test('the model types nothing: a shell that its command made silent is started again', async () => {
    await using t = openTestShell(program);
    await t.ready();
    await atPrompt(t);
    expect((await t.shell.run('ulimit -n 5', { driver: 'model' })).exit).toBe(null);
    expect(t.troubles).toEqual([UNRESPONSIVE]);
  });

  test.each(['read x', 'while read x && [ "$x" != 1 ]; do :; done', 'select a in b; do break; done'])(
    'a shell that reads the terminal by "%s" waits elsewhere than at its prompt',
    async (line) => {
      await using t = openTestShell(program);
      await t.ready();
      const place = await atPrompt(t);
      const record = t.run(line);
      await until(
        { what: 'the shell at its reading' },
        () => readingPlaceOf(t.shell.pid),
        (found) => found !== null && found !== place,
      );
      type(t, '1\n');
      await record;
      expect([(await t.run('(exit 7)')).exit, t.troubles]).toEqual([7, []]);
      expect(await atPrompt(t)).toBe(place);
    },
  );

  test.each(PROGRAMS)('$name in the place of the shell gets the keys and that is reported once', async (given) => {
    const { name, asks, leaves } = given;
    await using t = openTestShell(program, { files: NO_MANUAL_PAGES });
    let shown = '';
    t.shell.watch((bytes) => {
      shown += Buffer.from(bytes).toString('utf8');
    });
    const record = t.run(`exec ${Bun.which(name)}`);
    await t.until(() => t.troubles.length > 0);
    const [said = ''] = t.troubles;
    const by = t.shell.unresponsive?.why === 'replaced' ? t.shell.unresponsive.by : '';
    expect(said).toBe(formatReplaced(by));
    type(t, asks);
    await until({ what: 'an answer' }, () => /(?:^|[^0-9])42\r/.test(shown));
    const [goes = '', ends = ''] = leaves;
    type(t, goes);
    await until({ what: 'the other directory' }, () => t.shell.directory === '/');
    type(t, ends);
    expect([(await record).exit, (await record).cwd]).toEqual([3, '/']);
    await t.until(() => t.shell.state === 'ended');
    expect([t.troubles, t.shell.unresponsive?.why]).toEqual([[said], 'replaced']);
  });

  test('a program that a startup file puts in the place of the shell is ended, so the shell starts without that file', async () => {
    const rc = 'exec cat\n';
    await using t = openTestShell(program, { files: { '.bashrc': rc, '.zshrc': rc } });
    await t.until(() => t.shell.state === 'ended');
    expect([t.troubles, t.shell.hasStarted]).toEqual([[formatRestarted('cat', 'starting')], false]);
  });

  test(`after "${BREAKING[program]}" no line runs, and that is reported`, async () => {
    await using t = openTestShell(program);
    await t.run(BREAKING[program]);
    const record = t.run('echo no');
    await inForeground(t.shell, program);
    type(t, 'typed');
    expect([(await record).exit, (await record).output]).toEqual([null, '']);
    await t.until(() => t.shell.state === 'ended');
    expect([t.troubles, t.typedAhead()]).toEqual([[UNRESPONSIVE], 'typed']);
  });
});
