import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openTestShell, type TestShell } from '../support/test-shell.ts';
import { type Aspect, type FidelityCommand, reasonFor, type ShellName } from './command.ts';
import { DirectShell, MORE, READY } from './direct-shell.ts';
import { type Observation, probeLine, type Seen, toObservation } from './observe.ts';

/** The files every command finds in its directory. */
const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo\nthree\n',
  'b.txt': 'two\nthree\nfour\n',
  'dir/inner.txt': 'inner\n',
  'with space.txt': 'spaced\n',
  'plain.sh': '#!/bin/sh\necho never\n',
  'run.sh': '#!/bin/sh\necho "ran with $# arguments"\nexit 4\n',
};

/** Prompts that can be told from output, and no history of earlier shells. */
const STARTUP: Readonly<Record<ShellName, string>> = {
  bash: `PS1='${READY}' PS2='${MORE}'\nunset HISTFILE\n`,
  zsh: `PS1='${READY}' PS2='${MORE}' HISTSIZE=100\nunset HISTFILE\nunsetopt zle prompt_sp prompt_cr\n`,
};
const STARTUP_FILE: Readonly<Record<ShellName, string>> = { bash: '.bashrc', zsh: '.zshrc' };
const DIRECT_ARGS: Readonly<Record<ShellName, readonly string[]>> = { bash: ['--noediting', '-i'], zsh: ['-i', '+Z'] };

/** The results of one command in the shell used directly and through aish. */
export interface Comparison {
  readonly direct: Observation;
  readonly ours: Observation;
}

/** Runs a command in both, each in a fresh shell in a fresh directory. */
export async function compare(command: FidelityCommand, shell: ShellName): Promise<Comparison> {
  const [direct, ours] = await Promise.all([runDirect(command, shell), runOurs(command, shell)]);
  return { direct, ours };
}

/** Aspects that are not the same, each with both sides; the first is the shell used directly. */
export function differences({ direct, ours }: Comparison): Partial<Record<Aspect, readonly [string, string]>> {
  const aspects = Object.keys(direct).filter(isAspectOf(direct));
  return Object.fromEntries(
    aspects
      .filter((aspect) => direct[aspect] !== ours[aspect])
      .map((aspect) => [aspect, [direct[aspect], ours[aspect]]]),
  );
}

/** The faults of a command: aspects that differ without a reason, and reasons for equal aspects. */
export function faults(command: FidelityCommand, shell: ShellName, comparison: Comparison): Record<string, unknown> {
  const found = differences(comparison);
  const aspects = Object.keys(comparison.direct).filter(isAspectOf(comparison.direct));
  const stale = aspects.filter(
    (aspect) => reasonFor(command, aspect, shell) !== undefined && found[aspect] === undefined,
  );
  const unexplained = Object.entries(found).filter(
    ([aspect]) => !isAspectOf(comparison.direct)(aspect) || reasonFor(command, aspect, shell) === undefined,
  );
  return {
    ...Object.fromEntries(unexplained),
    ...Object.fromEntries(stale.map((aspect) => [aspect, 'is the same by now: take the reason out of the table'])),
  };
}

function isAspectOf(observation: Observation): (name: string) => name is Aspect {
  return (name): name is Aspect => name in observation;
}

/** A folder for the probe and for our runtime files, outside of where commands look. */
function makeScratch(): string {
  return mkdtempSync(join(tmpdir(), 'fidelity-'));
}

function prepareFiles(home: string): void {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  chmodSync(join(home, 'run.sh'), 0o755);
}

async function runDirect(command: FidelityCommand, shell: ShellName): Promise<Observation> {
  const home = mkdtempSync(join(tmpdir(), 'shell-test-'));
  const scratch = makeScratch();
  prepareFiles(home);
  writeFileSync(join(home, STARTUP_FILE[shell]), STARTUP[shell]);
  const program = Bun.which(shell) ?? shell;
  const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', SHELL: program };
  const direct = new DirectShell({ program, args: DIRECT_ARGS[shell], cwd: home, env });
  try {
    await direct.ready();
    for (const line of command.before ?? []) await direct.run(line);
    const seen = await direct.run(command.line, command.keys);
    const probe = seen.ended ? null : await direct.run(probeLine(shell, join(scratch, 'probe')));
    return toObservation(seen, { home, scratch, probe: { direct: probe } });
  } finally {
    await direct.close();
    for (const folder of [home, scratch]) rmSync(folder, { recursive: true, force: true });
  }
}

async function runOurs(command: FidelityCommand, shell: ShellName): Promise<Observation> {
  const scratch = makeScratch();
  const program = Bun.which(shell) ?? shell;
  const files = { [STARTUP_FILE[shell]]: STARTUP[shell] };
  const ours = openTestShell(program, { files, runtimeDir: join(scratch, 'runtime') });
  try {
    prepareFiles(ours.home);
    await ours.ready();
    for (const line of command.before ?? []) await ours.run(line);
    const seen = await runSeen(ours, command);
    const probe = seen.ended ? null : await ours.run(probeLine(shell, join(scratch, 'probe')));
    return toObservation(seen, { home: ours.home, scratch, probe: { ours: probe, states: ours.states } });
  } finally {
    await ours[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runSeen({ shell, until }: TestShell, command: FidelityCommand): Promise<Seen> {
  const parts: Uint8Array[] = [];
  let { keys } = command;
  const onOutput = (bytes: Uint8Array): void => {
    parts.push(bytes.slice());
    if (keys === undefined || !Buffer.concat(parts).includes(keys.after)) return;
    shell.write(Buffer.from(keys.send));
    keys = undefined;
  };
  const { exit, cwd } = await shell.run(command.line, { driver: 'user', onOutput });
  // A shell that ends settles its command first.
  await until(() => shell.state === 'ready' || shell.state === 'ended');
  return { exit, cwd, ended: shell.state === 'ended', output: Buffer.concat(parts) };
}
