import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ForegroundProgram, foregroundPrograms, sshProgram } from '../fidelity/programs.ts';
import { findSshd, startSshServer } from '../fidelity/ssh-server.ts';
import { AISH, Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { makeFakeSudo } from '../support/fake-sudo.ts';
import { hasProgram } from '../support/programs.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(180_000);

/** Settles at the prompt; tmux itself has the alternate screen of the outer terminal. */
async function backAtPrompt(terminal: TestTerminal, where: Where): Promise<void> {
  await prompted(terminal);
  expect(terminal.isAlternate()).toBe(where.inTmux);
}

interface Where {
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

/** Uses a program as a person does: starts it, stops it, fetches it back, and leaves it. */
async function use(terminal: TestTerminal, program: ForegroundProgram, where: Where): Promise<void> {
  terminal.type(`${program.line}\n`);
  await terminal.waitFor(program.stands, PATIENCE);
  if (program.suspend !== undefined) {
    terminal.send(program.suspend);
    await backAtPrompt(terminal, where);
    // Nothing of the program's may stand there when it is to stand there again.
    terminal.type('clear\n');
    await terminal.waitFor((screen) => !screen.includes('\n') && screen.endsWith(' >'), PATIENCE);
    terminal.type('fg\n');
    await standsAgain(terminal, program);
  }
  terminal.send(program.leave);
  await backAtPrompt(terminal, where);
  if (program.leaves !== undefined) expect(terminal.screen()).toMatch(program.leaves);
}

/** Uses all of them one after the other, and looks at the terminal's modes before and after each. */
async function useAll(
  terminal: TestTerminal,
  home: Home,
  programs: readonly ForegroundProgram[],
  where: Where = { inTmux: false },
): Promise<void> {
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

function personWith(): { home: Home; env: Record<string, string> } {
  const home = new Home();
  writeFileSync(join(home.work, '.gitignore'), 'before\nafter\nchoice\nnumbers\n');
  writeFileSync(join(home.work, 'numbers'), Array.from({ length: 500 }, (_, index) => `${index + 1}\n`).join(''));
  const bin = makeFakeSudo(home);
  return { home, env: { ...home.env, PATH: `${bin}:${home.env.PATH}`, GIT_PAGER: 'cat' } };
}

for (const shell of ['bash', 'zsh']) {
  describe.skipIf(!hasProgram(shell))(shell, () => {
    test('[fidelity.programs] programs have the terminal, stop, come back, and leave it as it was', async () => {
      const { home, env } = personWith();
      using _home = home;
      await using terminal = home.open([], { env: { ...env, SHELL: Bun.which(shell) ?? shell } });
      await useAll(terminal, home, foregroundPrograms(home));
    });

    test.skipIf(!HAS_SSH)(
      '[fidelity.ssh] ssh to a loopback server: keys, Ctrl-Z by its escape, fg and the status',
      async () => {
        const { home, env } = personWith();
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
    const { home, env } = personWith();
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
