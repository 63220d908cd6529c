import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { toSettings } from '../../core/session/settings.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { SharedShell } from './shared-shell.ts';

const openEngine = useEngines();

/** The shared shell of a session, which nobody watches. */
async function openShared(): Promise<{
  readonly sharedShell: SharedShell;
  readonly home: string;
  run(line: string): Promise<CommandRecord>;
}> {
  const home = new Home({ repository: false });
  const engine = openEngine({ home, config: DEFAULT_CONFIG });
  const { sharedShell } = await engine.open({ cwd: home.work, settings: toSettings(DEFAULT_CONFIG) });
  return {
    sharedShell,
    home: home.env.HOME ?? '',
    run: (line) => sharedShell.run(line, 'user', new AbortController().signal),
  };
}

test('a shell that was killed is followed by one with its directory and its exported variables', async () => {
  const { sharedShell, run } = await openShared();
  await run('cd /usr; export ONE=1; two=2');
  expect((await run('kill -9 $$')).exit).toBe(null);
  expect(sharedShell.endNotice).toBe(
    'the shell was killed (SIGKILL); a new shell starts in /usr, with your exported variables, but without your functions, aliases and options',
  );
  expect((await run('echo "$PWD $ONE ${two-none}"')).output).toBe('/usr 1 none\n');
  expect(sharedShell.endNotice).toBe(null);
});

test('in the place of a directory that is gone the nearest one above it is taken', async () => {
  const { sharedShell, run } = await openShared();
  const { cwd } = await run('mkdir -p a/b; cd a/b; rmdir "$PWD"');
  const above = cwd.replace(/\/b$/, '');
  await run('exit 3');
  expect(sharedShell.endNotice).toStartWith(
    `the shell ended with status 3, and ${above}/b no longer exists; a new shell starts in ${above}, `,
  );
  expect((await run('pwd')).output).toBe(`${above}\n`);
});

test('where nobody watches programs are told not to ask and not to page', async () => {
  const { run } = await openShared();
  const names = '$GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND $PAGER $GIT_PAGER';
  expect((await run(`echo "${names}"`)).output).toBe('0 noninteractive cat cat\n');
});

test('a startup file that ends the shell is told as the reason once, and the shell starts without it', async () => {
  const { sharedShell, run, home } = await openShared();
  writeFileSync(join(home, '.bashrc'), 'exit 1\n');
  expect((await run('echo lost')).exit).toBe(null);
  expect(sharedShell.endNotice).toStartWith(
    'the shell ended with status 1 at line 1 of ~/.bashrc, so it starts without your startup files',
  );
  expect((await run('echo seen')).output).toBe('seen\n');
  await run('kill -9 $$');
  expect(sharedShell.endNotice).toStartWith('the shell was killed (SIGKILL)');
  expect((await run('echo again')).output).toBe('again\n');
});
