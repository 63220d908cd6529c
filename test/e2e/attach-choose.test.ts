import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE, runLine } from '../support/at-prompt.ts';
import { openAttachedClient } from '../support/attached-terminal.ts';
import { pause } from '../support/conversation.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

/** Settles when so many sessions can be joined. */
async function sessionServers(home: Home, count: number): Promise<void> {
  const folder = join(home.root, 'run', 'aish');
  const open = (): number => readdirSync(folder).filter((name) => /^\w{12}\.sock$/.test(name)).length;
  await until({ what: `${count} sessions that can be joined` }, open, (found) => found === count);
}

/** A prompt in a folder of its own below the home, whose session has a name. */
async function openIn(home: Home, folder: string, name: string): Promise<TestTerminal> {
  const cwd = join(home.work, folder);
  mkdirSync(cwd, { recursive: true });
  const terminal = home.open([], { cwd });
  await runLine(terminal, 'true');
  terminal.type(`:name ${name}\n`);
  await terminal.waitForHistory(`session name: ${name}`, PATIENCE);
  return terminal;
}

test('[attach.choose] of several open sessions the only one of this directory is joined', async () => {
  using home = new Home();
  await using site = await openIn(home, 'site', 'the site');
  await sessionServers(home, 1);
  // A terminal that joined its own session would take no key any more.
  expect(await runLine(site, `${AISH} attach`)).toContain('aish: this terminal is in that session already');
  await using __ = await openIn(home, 'docs', 'the docs');
  await sessionServers(home, 2);
  await using attached = home.open(['attach'], { cwd: join(home.work, 'site') });
  expect(await openAttachedClient(attached)).toEndWith('at the site >');
});

test('[attach.choose] of several a user chooses by name, and none is joined by Escape', async () => {
  using home = new Home();
  await using _ = await openIn(home, 'site', 'the site');
  await using __ = await openIn(home, 'docs', 'the docs');
  await sessionServers(home, 2);
  await using attached = home.open(['attach']);
  await attached.waitFor(
    (screen) => /join:/.test(screen) && screen.includes('the docs') && screen.includes('the site'),
    PATIENCE,
  );
  await pause(attached);
  attached.type('si');
  await attached.waitFor((screen) => screen.includes('> ') && !screen.includes('the docs'), PATIENCE);
  attached.press('enter');
  expect(await openAttachedClient(attached)).toEndWith('at the site >');
  await using left = home.open(['attach']);
  await left.waitFor(/join: [\s\S]*the docs/, PATIENCE);
  await pause(left);
  left.press('escape');
  expect(await left.ended()).toBe(1);
});

test('[attach.choose] where nobody can choose, all that are open are listed with directory and name', async () => {
  using home = new Home();
  await using _ = await openIn(home, 'site', 'the site');
  await using __ = await openIn(home, 'docs', 'the docs');
  await sessionServers(home, 2);
  const { code, error } = await home.run(['attach']);
  expect(code).toBe(1);
  expect(error).toMatch(/^aish: 2 open sessions match:\n(?: {2}\w{12} .*\n){2} {2}name one: aish attach ID\n$/);
  expect(error).toMatch(/\n {2}\w{12} {2}opened \d+ s ago {2}\S+\/docs {2}the docs\n/);
  expect(error).toMatch(/\n {2}\w{12} {2}opened \d+ s ago {2}\S+\/site {2}the site\n/);
});

test('[attach.choose] a copy is called so that it can be told from its origin, and nobody is said to have named it', async () => {
  using home = new Home();
  await using owner = await openIn(home, 'site', 'the site');
  await sessionServers(home, 1);
  owner.type('exit\n');
  expect(await owner.ended()).toBe(0);
  const [id = ''] = readdirSync(join(home.state, 'sessions'));
  await using copy = home.open(['--resume', id, '--fork']);
  await copy.waitForHistory('(the site (fork))', PATIENCE);
  await sessionServers(home, 1);
  await using attached = home.open(['attach']);
  expect(await openAttachedClient(attached)).toEndWith('at the site (fork) >');
  expect(attached.history()).not.toContain(':name the site (fork)');
});
