import { expect, test } from 'bun:test';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { leadsTo } from '../../adapters/files/named-file.ts';
import { toSettings } from '../../core/session/settings.ts';
import { EMPTY_STATE } from '../../core/session/state.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { Settings } from '../../protocol/settings.ts';
import { CommandGate } from '../policy/command-gate.ts';
import { tellableProblem } from './decide-call.ts';

const PROBLEM = '"old" was not found\n  the most similar line is 2: "NOTE=call bob"';

/** The text that the model gets without approval about a failing edit, by the path it names. */
function tellerIn(home: Home, more: Partial<Settings>) {
  const settings = { ...toSettings(DEFAULT_CONFIG), ...more };
  const sharedShell = {
    shell: null,
    cwd: home.work,
    placeNow: () => home.work,
    start: () => Promise.reject(new Error()),
  };
  const gate = new CommandGate({ sharedShell, home: home.home, shell: () => 'bash' });
  return (path: string) => {
    const call = {
      id: 'c',
      name: 'aish.edit_file',
      arguments: { path, old: 'x', new: 'y' },
      effect: 'write',
      origin: 'model',
    } as const;
    const preview = { undoable: true, problem: PROBLEM, path: leadsTo(resolve(home.work, path)) };
    return tellableProblem(call, preview, { state: () => ({ ...EMPTY_STATE, settings }) }, { gate, sharedShell });
  };
}

const MODES: readonly Partial<Settings>[] = [
  { autoRun: 'read-only' },
  { autoRun: 'none' },
  { approve: 'read-only' },
  { approve: 'all' },
  { autoApprove: { 'aish.read_file': true } },
];

test('what is kept from others is not tried out without asking, in no mode and by no link', async () => {
  using home = new Home();
  writeFileSync(join(home.work, '.env'), 'NOTE=call bob\n');
  symlinkSync(join(home.work, '.env'), join(home.work, 'link'));
  mkdirSync(join(home.home, '.new'));
  writeFileSync(join(home.home, '.new/state'), 'NOTE=call bob\n', { mode: 0o600 });
  for (const mode of MODES) {
    const tell = tellerIn(home, mode);
    expect(await Promise.all(['.env', 'link', join(home.home, '.new/state')].map(tell))).toEqual([null, null, null]);
  }
});

test('of a file with another name only the bare fact is told, of any other of the project the hint, too', async () => {
  using home = new Home();
  writeFileSync(join(home.work, '.env'), 'NOTE=call bob\n');
  linkSync(join(home.work, '.env'), join(home.work, 'hard'));
  writeFileSync(join(home.work, 'plain'), 'NOTE=call bob\n');
  for (const mode of MODES.filter(({ autoRun }) => autoRun !== 'none')) {
    const tell = tellerIn(home, { autoRun: 'read-only', ...mode });
    expect(await Promise.all(['hard', 'plain'].map(tell))).toEqual(['"old" was not found', PROBLEM]);
  }
});
