import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { type Reply, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import { exec, write } from './contract-world.ts';
import { SMALL_REPOSITORIES, type SmallRepository } from './repositories.ts';

/** All of them at night: `AISH_REPOSITORIES=all`. */
const SHARE =
  process.env.AISH_REPOSITORIES === 'all' ? SMALL_REPOSITORIES : SMALL_REPOSITORIES.filter((_, at) => at % 4 === 0);
const THERE = SHARE.filter(({ program }) => hasProgram(program));
const LONG = 120_000;

function useRepository(home: Home, { files }: SmallRepository): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home.work, path)), { recursive: true });
    writeFileSync(join(home.work, path), content);
  }
  home.git('add', '.');
  home.git('commit', '-qm', 'begin');
}

/** A model that reads, mends and says so. */
function honest({ path, fixed, command }: SmallRepository): readonly Reply[] {
  return [exec(`cat ${path}`), command === undefined ? write(path, fixed) : exec(command), text('Fixed.')];
}

describe.skipIf(!hasProgram('bwrap'))('an honest model', () => {
  test.each(THERE.map((one) => [one.name, one] as const))(
    '[contract.honest] makes the check of %s pass, and its run is undone',
    async (_, repository) => {
      using home = new Home();
      useRepository(home, repository);
      await using server = startModelServer({ script: honest(repository) });
      home.useModel(server.url);
      const args = ['run', '--goal', 'make the check pass', '--until', repository.until, '--output', 'json'];
      const { code, out, error } = await home.run(args);
      expect([code, error.includes('passes'), server.failures]).toEqual([0, true, []]);
      const { reason, changes, checkpoints } = JSON.parse(out);
      const changed = home
        .git('status', '--porcelain', '-uall', '--no-renames')
        .split('\n')
        .map((line) => line.trim().slice(2).trim());
      expect([reason, changes.map(({ path }: { path: string }) => path)]).toEqual(['achieved', changed.sort()]);
      expect((await home.run(['undo', String(checkpoints.length)])).code).toBe(0);
      expect(home.git('status', '--porcelain')).toBe('');
    },
    LONG,
  );

  test(
    '[contract.honest] makes the check pass at the prompt',
    async () => {
      const repository = THERE[0];
      if (repository === undefined) throw new Error('there is no repository');
      using home = new Home();
      useRepository(home, repository);
      await using server = startModelServer({ script: honest(repository) });
      home.useModel(server.url);
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(`:norris 'make the check pass' until '${repository.until}'\n`);
      await terminal.waitFor(/Type yes:\s*$/, PATIENCE);
      terminal.type('yes\n');
      await terminal.waitFor(/The goal is reached[\s\S]*>\s*$/, PATIENCE);
      expect(home.git('status', '--porcelain')).toBe(`M ${repository.path}`);
    },
    LONG,
  );

  test(
    '[contract.honest] makes the check pass in a working copy, whose changes are applied in the end',
    async () => {
      const repository = THERE[0];
      if (repository === undefined) throw new Error('there is no repository');
      using home = new Home();
      useRepository(home, repository);
      await using server = startModelServer({ script: honest(repository) });
      home.useModel(server.url);
      const args = ['run', '--goal', 'make the check pass', '--until', repository.until, '--worktree', '--apply'];
      const { code, error } = await home.run(args);
      expect([code, home.git('status', '--porcelain'), error.includes('passes')]).toEqual([
        0,
        `M ${repository.path}`,
        true,
      ]);
    },
    LONG,
  );
});
