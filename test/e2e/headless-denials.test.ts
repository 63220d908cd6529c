import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { calls, held, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';

function results(server: ModelServer): unknown[] {
  const messages = server.requests.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

const edit = (path: string, old: string) => calls({ name: 'aish__edit_file', arguments: { path, old, new: 'C' } });
const write = (path: string) => calls({ name: 'aish__write_file', arguments: { path, content: 'x\n' } });

describe('headless', () => {
  test('[cli.denied] a call that would fail is no denial: the model is told why, and can mend it', async () => {
    using home = new Home();
    writeFileSync(join(home.work, 'cc'), 'c 1\nc 2\n');
    const script = [edit('cc', 'c'), edit('none', 'c'), edit('cc', 'c 2'), text('Done.')];
    await using server = startModelServer({ script });
    home.useModel(server.url);
    expect(await home.run(['-p', 'go', '--approve', 'all'])).toEqual({ code: 0, out: 'Done.\n', error: '' });
    expect(results(server)).toEqual([
      expect.stringContaining('"old" occurs 2 times (lines 1, 2)'),
      expect.stringContaining('none does not exist'),
      expect.stringContaining('edited'),
    ]);
    expect(readFileSync(join(home.work, 'cc'), 'utf8')).toBe('c 1\nC\n');
    expect(server.failures).toEqual([]);
  });

  test('[cli.denied] no such call tells what is in a secret file or elsewhere, while reading that is not approved', async () => {
    using home = new Home();
    writeFileSync(join(home.work, '.env'), 'A=1\nA=2\n');
    writeFileSync(join(home.home, 'diary'), 'dear\ndear\n');
    const script = [
      edit('.env', 'A='),
      edit('.env.local', 'A='),
      edit('../home/diary', 'dear'),
      edit('../home/none', 'x'),
      text('No.'),
    ];
    await using server = startModelServer({ script });
    home.useModel(server.url);
    const denied = '[aish] tool call denied: nobody is there to approve it';
    expect((await home.run(['-p', 'go'])).code).toBe(3);
    expect(results(server)).toEqual(Array(4).fill(denied));
    await using other = startModelServer({ script: [edit('none', 'x'), text('No.')] });
    home.useModel(other.url);
    expect((await home.run(['-p', 'go'], { cwd: home.home })).code).toBe(3);
    expect(results(other)).toEqual([denied]);
    expect([server.failures, other.failures]).toEqual([[], []]);
  });

  test('[cli.approve] what cannot be undone is left out: the line says why, where it is asked, and so reads the model', async () => {
    using home = new Home();
    writeFileSync(join(home.work, '.gitignore'), 'out\n');
    await using server = startModelServer({ script: [write('out'), write('../home/far'), text('No.')] });
    home.useModel(server.url);
    const { code, error } = await home.run(['-p', 'go', '--approve', 'all']);
    expect(code).toBe(3);
    expect(error.split('\n')).toEqual([
      'aish: denied: aish.write_file: this call cannot be undone: git ignores this file, so no checkpoint holds it',
      `aish: denied: aish.write_file: this call cannot be undone: ${home.home}/far is outside the work tree ${home.work}`,
      expect.stringMatching(/^ {2}to decide yourself, resume the session: aish --resume [a-z0-9]{12}$/),
      '',
    ]);
    expect(results(server)).toEqual([
      '[aish] tool call denied: this call cannot be undone: git ignores this file, so no checkpoint holds it, and nobody is there to approve it',
      expect.stringMatching(/^\[aish\] tool call denied: this call cannot be undone: .* is outside the work tree /),
    ]);
    expect(server.failures).toEqual([]);
  });

  test('[cli.denied] standard error says of each denied call what was denied and why, and the log holds the code', async () => {
    using home = new Home();
    const read = calls({ name: 'aish__read_file', arguments: { path: 'README' } });
    const exec = calls({ name: 'aish__exec', arguments: { command: 'make all' } });
    await using server = startModelServer({ script: [write('a'), read, exec, text('No.')] });
    home.useModel(server.url);
    const { code, error } = await home.run(['-p', 'go']);
    expect([code, error.split('\n')]).toEqual([
      3,
      [
        'aish: denied: aish.write_file: no rule allows this call, and nobody is there to approve it; --approve all allows it',
        'aish: denied: aish.read_file: no rule allows this call, and nobody is there to approve it; --approve read-only allows it',
        'aish: denied: make all: no [safety] rule allows this command, and --approve does not apply to commands',
        expect.stringMatching(/^ {2}to decide yourself, resume the session: aish --resume [a-z0-9]{12}$/),
        '',
      ],
    ]);
    expect(decisions(home)).toEqual(['not-approved', 'not-approved', 'no-command-rule']);
  });

  test('[cli.denied] after a halt it is said that the halt denies, and a mode on the command line ends it', async () => {
    using home = new Home();
    const never = new Promise<void>(() => {});
    await using server = startModelServer({
      script: [
        held(text('x'), never, 0),
        write('a'),
        text('No.'),
        write('a'),
        text('Written.'),
        write('b'),
        text('Too.'),
      ],
    });
    home.useModel(server.url);
    const halted = home.start(['-p', 'go']);
    await server.requested(1);
    halted.kill('SIGHUP');
    expect(await halted.exited).toBe(129);
    const plain = await home.run(['-p', '--continue', 'go on']);
    expect([plain.code, plain.error.split('\n')[0], decisions(home)]).toEqual([
      3,
      'aish: denied: aish.write_file: the session was halted, so every call needs approval; pass --approve with ask, read-only or all to continue',
      ['halted'],
    ]);
    expect(existsSync(join(home.work, 'a'))).toBe(false);
    const lifted = await home.run(['-p', '--continue', '--approve', 'all', 'go on']);
    expect(lifted).toEqual({ code: 0, out: 'Written.\n', error: '' });
    // It is over for good, not for this run alone.
    expect((await home.run(['-p', '--continue', '--approve', 'all', 'go on'])).code).toBe(0);
    expect([existsSync(join(home.work, 'a')), existsSync(join(home.work, 'b'))]).toEqual([true, true]);
  });

  test.skipIf(!hasProgram('bwrap'))(
    '[cli.denied] a command that only looks is denied where there is no sandbox, which is said once',
    async () => {
      using home = new Home({ sandbox: true });
      const look = calls({ name: 'aish__exec', arguments: { command: 'ls' } });
      await using server = startModelServer({ script: [look, look, text('No.'), text('Fine.')] });
      home.useModel(server.url);
      const program = realpathSync(Bun.which('bwrap') ?? '');
      // On a machine of its own, where the program of the sandbox is no program.
      const elsewhere = ['bwrap', '--dev-bind', '/', '/', '--bind', '/dev/null', program, AISH, '-p', 'go'];
      const run = async (): Promise<[number, string[]]> => {
        const child = Bun.spawn(elsewhere, {
          cwd: home.work,
          env: home.env,
          stdin: 'ignore',
          stdout: 'ignore',
          stderr: 'pipe',
        });
        const error = await new Response(child.stderr).text();
        return [await child.exited, error.split('\n').filter((line) => line.includes('bubblewrap'))];
      };
      expect(await run()).toEqual([3, [expect.stringMatching(/^aish: .*: bubblewrap is not installed/)]]);
      expect(await run()).toEqual([0, []]);
    },
  );
});

/** The codes of what was denied, in the newest session. */
function decisions(home: Home): string[] {
  const sessions = join(home.state, 'sessions');
  const [id = ''] = readdirSync(sessions);
  const lines = readFileSync(join(sessions, id, 'log.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const events = lines.map((line): { event?: { type: string; code?: string } } => JSON.parse(line));
  return events.flatMap(({ event }) => (event?.type === 'approval.decided' ? [event.code ?? ''] : []));
}
