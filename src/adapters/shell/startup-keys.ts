import { dirname, join } from 'node:path';
import {
  COMMANDS_FOLLOW,
  isViKeymap,
  readFishKeys,
  readReadlineKeys,
  readZleKeys,
  type ShellKeys,
} from '../../core/prompt/shell-keys.ts';
import { readText } from '../system/file-status.ts';
import { withTimeout } from '../system/patience.ts';
import { toShellKind } from './program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface StartupKeysOptions {
  /** Path of the shell. */
  readonly program: string;
  /** Lies in the folder in which the shell writes what it reports. */
  readonly exportsFile: string;
  readonly env: Environment;
}

/** Longest wait for the keys of a shell. */
const PATIENCE_MS = 2000;

/** The keys that the startup files of the shell have bound. The shell has no line editor, so nothing in it acts on them. */
export async function readStartupKeys({ program, exportsFile, env }: StartupKeysOptions): Promise<ShellKeys> {
  const reported = await tryRead(join(dirname(exportsFile), 'keys'));
  switch (toShellKind(program)) {
    case 'bash':
      return await readBashKeys(program, reported ?? '', env);
    case 'zsh':
      return reported === null ? NONE : await readZshKeys(program, reported, env);
    case 'fish':
      return readFishKeys(reported ?? '');
    default:
      return NONE;
  }
}

const NONE: ShellKeys = { isVi: false, bindings: [] };

/**
 * A bash without terminal and startup files reads the file of readline as any other, and is told what the startup files called `bind` with:
 * each call is the number of its words, and the words. A call may have chosen another keymap than the one in which typing begins.
 */
const REPEAT_CALLS = `while read -r -d '' count; do
  words=()
  while (( count-- > 0 )); do IFS= read -r -d '' word; words+=("$word"); done
  bind "\${words[@]}"
done >/dev/null
keymap=emacs-standard
if [[ $(bind -v) == *'editing-mode vi'* ]]; then keymap=vi-insert; fi
bind -m $keymap -p; bind -m $keymap -s; echo '${COMMANDS_FOLLOW}'; bind -m $keymap -X; bind -v`;

/** Settings that change the defaults of bash. */
const SETTINGS = /^set (?:editing-mode|convert-meta) .*$/gm;

async function readBashKeys(program: string, calls: string, env: Environment): Promise<ShellKeys> {
  // With -p, bash takes neither $BASH_ENV nor functions from the environment.
  const command = [program, '--norc', '-p', '-c', REPEAT_CALLS];
  const own = await run(command, env, calls);
  const settings = (own.match(SETTINGS) ?? []).map((setting) => `1\0${setting}\0`).join('');
  return readReadlineKeys(own, await run(command, { ...env, INPUTRC: '/dev/null' }, settings));
}

async function readZshKeys(program: string, own: string, env: Environment): Promise<ShellKeys> {
  const usual = `bindkey ${isViKeymap(own) ? '-v' : '-e'}; bindkey -L`;
  return readZleKeys(own, await run([program, '-f', '-c', usual], env));
}

async function run(command: readonly string[], env: Environment, input = ''): Promise<string> {
  const child = Bun.spawn([...command], { env, stdin: Buffer.from(input), stdout: 'pipe', stderr: 'ignore' });
  const text = await withTimeout(new Response(child.stdout).text(), PATIENCE_MS);
  if (text === undefined) child.kill();
  return text ?? '';
}

function tryRead(path: string): Promise<string | null> {
  return readText(path).catch(() => null);
}
