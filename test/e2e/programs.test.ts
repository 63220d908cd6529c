import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ForegroundProgram, foregroundPrograms, sshProgram } from '../fidelity/programs.ts';
import { findSshd, startSshServer, writeLogin } from '../fidelity/ssh-server.ts';
import { AISH, Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { makeFakeSudo } from '../support/fake-sudo.ts';
import { readsKeys } from '../support/processes.ts';
import { hasProgram } from '../support/programs.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

/** Settles at the prompt; tmux itself has the alternate screen of the outer terminal. */
async function backAtPrompt(terminal: TestTerminal, where: Where): Promise<void> {
  await prompted(terminal);
  expect(terminal.isAlternate()).toBe(where.inTmux);
}

interface Where {
  /** The folder in which programs are started. */
  readonly folder: string;
  readonly inTmux: boolean;
}

const HAS_SSH = hasProgram('ssh') && findSshd() !== null;

/** A program that does not draw itself anew shows where it is when a key is pressed; pressed too early, it is lost. */
async function standsAgain(terminal: TestTerminal, program: ForegroundProgram): Promise<void> {
  const { stands, standsAgain: wanted = stands, wake } = program;
  if (wake === undefined) return void (await terminal.waitFor(wanted, PATIENCE));
  const pressing = setInterval(() => terminal.send(wake), 400);
  await terminal.waitFor(wanted, PATIENCE).finally(() => clearInterval(pressing));
}

/** Uses a program as a user does: starts it, stops it, fetches it back, and leaves it. */
async function use(terminal: TestTerminal, program: ForegroundProgram, where: Where): Promise<void> {
  terminal.type(`${program.line}\n`);
  await terminal.waitFor(program.stands, PATIENCE);
  if (program.suspend !== undefined) {
    await readsKeys(where.folder);
    terminal.send(program.suspend);
    await backAtPrompt(terminal, where);
    // Nothing of the program's may stand there when it is to stand there again.
    terminal.type('clear\n');
    await terminal.waitFor((screen) => !screen.includes('\n') && screen.endsWith(' >'), PATIENCE);
    terminal.type('fg\n');
    await standsAgain(terminal, program);
  }
  await readsKeys(where.folder);
  terminal.send(program.leave);
  await backAtPrompt(terminal, where);
  if (program.leaves !== undefined) expect(terminal.screen()).toMatch(program.leaves);
}

/** Uses all of them one after the other, and looks at the terminal's modes before and after each. */
async function useAll(
  terminal: TestTerminal,
  home: Home,
  programs: readonly ForegroundProgram[],
  { inTmux = false }: Partial<Pick<Where, 'inTmux'>> = {},
): Promise<void> {
  const where = { inTmux, folder: realpathSync(home.work) };
  await runLine(terminal, 'stty -a >before');
  const before = readFileSync(join(home.work, 'before'), 'utf8');
  for (const program of programs) {
    if (program.needs !== undefined && !hasProgram(program.needs)) continue;
    await use(terminal, program, where);
    terminal.type(`clear; stty -a >after; echo "whole after ${program.name}"\n`);
    await terminal.waitFor((screen) => screen.startsWith(`whole after ${program.name}\n`), PATIENCE);
    await prompted(terminal);
    expect({ [program.name]: readFileSync(join(home.work, 'after'), 'utf8') }).toEqual({ [program.name]: before });
  }
  expect(terminal.rawText()).not.toContain('walrus');
  expect(isOnDisk(home.root, 'walrus')).toBe(false);
}

function userWith(): { home: Home; env: Record<string, string> } {
  const home = new Home();
  writeFileSync(join(home.work, '.gitignore'), 'before\nafter\nchoice\nnumbers\n');
  writeFileSync(join(home.work, 'numbers'), Array.from({ length: 500 }, (_, index) => `${index + 1}\n`).join(''));
  const bin = makeFakeSudo(home);
  return { home, env: { ...home.env, PATH: `${bin}:${home.env.PATH}`, GIT_PAGER: 'cat' } };
}

for (const shell of ['bash', 'zsh']) {
  describe.skipIf(!hasProgram(shell))(shell, () => {
    test('[fidelity.programs] programs have the terminal, stop, come back, and leave it as it was', async () => {
      const { home, env } = userWith();
      using _home = home;
      await using terminal = home.open([], { env: { ...env, SHELL: Bun.which(shell) ?? shell } });
      await useAll(terminal, home, foregroundPrograms(home));
    });

    test.skipIf(!HAS_SSH)(
      '[fidelity.ssh] ssh to a loopback server: keys, Ctrl-Z by its escape, fg and the status',
      async () => {
        const { home, env } = userWith();
        using _home = home;
        await using server = await startSshServer(join(home.root, 'ssh'));
        await using terminal = home.open([], { env: { ...env, SHELL: Bun.which(shell) ?? shell } });
        await useAll(terminal, home, [sshProgram(server.config)]);
      },
    );
  });
}

describe.skipIf(!hasProgram('tmux'))('tmux', () => {
  test('[fidelity.tmux] inside a real tmux the same programs work', async () => {
    const { home, env } = userWith();
    using _home = home;
    const configuration = join(home.root, 'tmux.conf');
    writeFileSync(
      configuration,
      'set -g status off\nset -g default-terminal screen-256color\nset -s escape-time 10\nset -g exit-empty on\n',
    );
    const tmux = ['-L', 'test', '-f', configuration];
    const tmuxEnv = { ...env, TMUX_TMPDIR: join(home.root, 'run') };
    await using terminal = openTerminal({
      command: 'tmux',
      args: [...tmux, 'new-session', AISH],
      cwd: home.work,
      columns: 100,
      rows: 30,
      env: tmuxEnv,
    });
    try {
      const ssh = hasProgram('ssh') && findSshd() !== null;
      await using server = ssh ? await startSshServer(join(home.root, 'ssh')) : null;
      await prompted(terminal);
      const programs = [...foregroundPrograms(home), ...(server === null ? [] : [sshProgram(server.config)])];
      await useAll(terminal, home, programs, { inTmux: true });
    } finally {
      Bun.spawnSync(['tmux', ...tmux, 'kill-server'], { env: tmuxEnv });
    }
  });
});

describe.skipIf(!HAS_SSH)('as the login shell of a host', () => {
  /** A host whose login shell aish is, and the words with which a program is run for it. */
  async function openHost(home: Home) {
    const login = writeLogin(home.root, AISH, home.env);
    const server = await startSshServer(join(home.root, 'ssh'), login);
    const far = async (...command: string[]): Promise<{ exit: number; out: string; err: string }> => {
      const done = Bun.spawn(command, {
        cwd: home.work,
        env: home.env,
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err] = await Promise.all([new Response(done.stdout).text(), new Response(done.stderr).text()]);
      return { exit: await done.exited, out, err };
    };
    return { server, far };
  }

  test('[fidelity.login] ssh with a command, scp and rsync pass through untouched, with their status', async () => {
    using home = new Home();
    writeFileSync(join(home.home, '.bash_profile'), 'echo noise of the profile\n');
    const { server, far } = await openHost(home);
    await using _server = server;
    const ssh = ['ssh', '-F', server.config, 'loopback'];
    expect(await far(...ssh, 'echo "$0 out"; echo err >&2; exit 7')).toEqual({
      exit: 7,
      out: expect.stringMatching(/^\S*bash out\n$/),
      err: 'err\n',
    });
    expect(
      await far('sh', '-c', `printf 'a\\0b\\377' | ssh -F ${server.config} loopback 'cat >piped; wc -c <piped'`),
    ).toMatchObject({ exit: 0, out: '4\n' });
    writeFileSync(join(home.work, 'sent'), 'by scp\n');
    for (const how of [[], ['-O']]) {
      const name = `got${how.length}`;
      expect(await far('scp', '-q', ...how, '-F', server.config, 'sent', `loopback:${name}`)).toEqual({
        exit: 0,
        out: '',
        err: '',
      });
      expect(readFileSync(join(home.home, name), 'utf8')).toBe('by scp\n');
    }
    if (!hasProgram('rsync')) return;
    expect(await far('rsync', '-a', '-e', `ssh -F ${server.config}`, 'sent', 'loopback:synced')).toEqual({
      exit: 0,
      out: '',
      err: '',
    });
    expect(readFileSync(join(home.home, 'synced'), 'utf8')).toBe('by scp\n');
  });

  test('[fidelity.login] ssh to it alone is the prompt, after the profile files, and hands its status on', async () => {
    using home = new Home();
    writeFileSync(join(home.home, '.bash_profile'), 'export FROM_PROFILE=yes\n');
    const { server } = await openHost(home);
    await using _server = server;
    await using terminal = openTerminal({
      command: 'ssh',
      args: ['-F', server.config, 'loopback'],
      cwd: home.work,
      columns: 100,
      rows: 30,
      env: home.env,
    });
    expect(await runLine(terminal, 'echo "profile: $FROM_PROFILE, tty: $(tty | cut -c-8)"')).toContain(
      'profile: yes, tty: /dev/pts',
    );
    terminal.type('exit 5\n');
    expect(await terminal.ended()).toBe(5);
  });
});

describe.skipIf(!hasProgram('screen'))('screen', () => {
  test('[fidelity.screen] inside GNU screen a command, vim, Ctrl-Z and fg work', async () => {
    const { home, env } = userWith();
    using _home = home;
    const folder = join(home.root, 'screens');
    mkdirSync(folder, { mode: 0o700 });
    const configuration = join(home.root, 'screenrc');
    writeFileSync(configuration, 'startup_message off\naltscreen on\nterm screen-256color\nescape ^Oo\n');
    const screenEnv = { ...env, SCREENDIR: folder, SHELL: Bun.which('bash') ?? 'bash' };
    await using terminal = openTerminal({
      command: 'screen',
      args: ['-c', configuration, '-S', 'test', AISH],
      cwd: home.work,
      columns: 100,
      rows: 30,
      env: screenEnv,
    });
    try {
      await runLine(terminal, 'echo "in $TERM"');
      await terminal.waitFor('in screen-256color');
      const programs = foregroundPrograms(home).filter(({ name }) =>
        ['vim', 'less', 'less behind a pipe'].includes(name),
      );
      await useAll(terminal, home, programs, { inTmux: terminal.isAlternate() });
    } finally {
      Bun.spawnSync(['screen', '-S', 'test', '-X', 'quit'], { env: screenEnv });
    }
  });
});
