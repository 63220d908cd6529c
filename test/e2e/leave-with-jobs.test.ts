import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { survivors } from '../support/processes.ts';
import { hasProgram } from '../support/programs.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (program) => {
  describe.skipIf(!hasProgram(program))('a job when the user exits', () => {
    test.each([
      ['running', 'Ctrl-D', '\x04'],
      ['running', 'exit', 'exit\n'],
      ['stopped', 'Ctrl-D', '\x04'],
      ['stopped', 'exit', 'exit\n'],
    ])('[shell.jobs] %s, at %s: aish says what becomes of it, and is right', async (state, _, leave) => {
      using home = new Home();
      const pidFile = join(home.work, 'pid');
      writeFileSync(join(home.work, 'job'), 'echo $$ > pid\nexec sleep 60\n');
      await using terminal = home.open([], { env: { SHELL: Bun.which(program) ?? '' } });
      await prompted(terminal);
      terminal.type(`sh ./job${state === 'running' ? ' &' : ''}\n`);
      const pid = await until(
        { what: 'the number of the job' },
        () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0),
        (found) => found > 0,
      );
      if (state === 'stopped') terminal.press('ctrl-z');
      await terminal.waitFor(/\n(?:\[\w+\] )?1 job [^\n]*>$/, PATIENCE);
      terminal.type(leave);
      const goesOn = program === 'bash' && state === 'running';
      await terminal.waitFor(`Exit again to leave; it ${goesOn ? 'goes on' : 'ends'}.`, PATIENCE);
      await terminal.waitFor(/>$/, PATIENCE);
      terminal.type(leave);
      await terminal.ended();
      // Fails if the process is gone.
      if (goesOn) process.kill(pid, 'SIGKILL');
      else expect(await survivors([pid])).toEqual([]);
    });
  });
});
