import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './aish.ts';
import { PATIENCE, prompted, runLine } from './at-prompt.ts';
import type { TestTerminal } from './terminal.ts';
import { until } from './until.ts';

/** The empty line of an attached client. */
const SEAT = /(?:^|\n)at .+ >$/;

/** Settles with the screen when an attached client waits for a line. */
export function openAttachedClient(terminal: TestTerminal): Promise<string> {
  return terminal.waitFor(SEAT, PATIENCE);
}

/**
 * Enters a line at an attached client, and settles with the screen when this, which the line prints, shows and the attached client waits
 * again.
 */
export async function enter(terminal: TestTerminal, line: string, shows: string | RegExp): Promise<string> {
  await openAttachedClient(terminal);
  terminal.type(`${line}\n`);
  await terminal.waitForHistory(shows, PATIENCE);
  return openAttachedClient(terminal);
}

/** Opens an attached client at the session of an owner, who has run these lines. */
export async function openAttached(
  home: Home,
  owner: TestTerminal,
  lines: readonly string[] = [],
): Promise<TestTerminal> {
  await prompted(owner);
  for (const line of lines) await runLine(owner, line);
  await serverOf(home);
  const attached = home.open(['attach']);
  await openAttachedClient(attached);
  return attached;
}

/** Settles with the id of the session when the owner can be joined; fails where no door is opened in all that time. */
export async function serverOf(home: Home): Promise<string> {
  const folder = join(home.root, 'run', 'aish');
  const names = (): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
  const isSessionServer = (name: string): boolean => /^\w{12}\.sock$/.test(name);
  const found = await until({ what: 'a session that can be joined' }, names, (all) => all.some(isSessionServer));
  return found.find(isSessionServer)?.replace('.sock', '') ?? '';
}
