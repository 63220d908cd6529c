import { dirname, join } from 'node:path';
import { isViKeymap, ReadlineKeys, readFishKeys, readZleKeys, type ShellKeys } from '../../core/prompt/shell-keys.ts';
import { readText } from '../system/file-status.ts';
import { withTimeout } from '../system/patience.ts';
import { toShellKind } from './program.ts';

interface StartupKeysOptions {
  /** Path of the shell. */
  readonly program: string;
  /** Lies in the folder in which the shell writes what it reports. */
  readonly exportsFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Longest wait for the usual keys of zsh. */
const PATIENCE_MS = 2000;

/** The keys that the startup files of the shell have bound. The shell has no line editor, so nothing in it acts on them. */
export async function readStartupKeys({ program, exportsFile, env }: StartupKeysOptions): Promise<ShellKeys> {
  const reported = await tryRead(join(dirname(exportsFile), 'keys'));
  switch (toShellKind(program)) {
    case 'bash':
      return await readBashKeys(reported ?? '', env);
    case 'zsh':
      return reported === null ? NONE : readZleKeys(reported, await readUsualKeys(program, isViKeymap(reported)));
    case 'fish':
      return readFishKeys(reported ?? '');
    default:
      return NONE;
  }
}

const NONE: ShellKeys = { isVi: false, bindings: [] };

/** The file of readline first, as bash does; then what the startup files called `bind` with. */
async function readBashKeys(calls: string, env: StartupKeysOptions['env']): Promise<ShellKeys> {
  const home = env.HOME ?? '/';
  const own = env.INPUTRC ?? join(home, '.inputrc');
  const files = new Map<string, string>();
  for (const path of [own, '/etc/inputrc', ...included(calls)]) {
    const text = await tryRead(toPath(path, home));
    if (text === null) continue;
    files.set(toPath(path, home), text);
    for (const inner of included(text)) files.set(toPath(inner, home), (await tryRead(toPath(inner, home))) ?? '');
  }
  const keys = new ReadlineKeys((path) => files.get(toPath(path, home)) ?? null);
  keys.takeFile(files.get(own) ?? files.get('/etc/inputrc') ?? '');
  for (const call of splitCalls(calls)) keys.takeCall(call);
  return keys.keys;
}

/** Files that a file names, and those of `bind -f`. */
function included(text: string): readonly string[] {
  return [...text.matchAll(/^\s*\$include\s+(\S.*?)\s*$|(?:^|\0)-f\0([^\0]+)/gm)].map(
    ([, path, file]) => path ?? file ?? '',
  );
}

/** Each call is the number of its words, and the words. */
function splitCalls(text: string): readonly (readonly string[])[] {
  const words = text.split('\0');
  const calls: (readonly string[])[] = [];
  for (let at = 0; at < words.length - 1; ) {
    const count = Number(words[at]);
    calls.push(words.slice(at + 1, at + 1 + count));
    at += 1 + count;
  }
  return calls;
}

async function readUsualKeys(program: string, isVi: boolean): Promise<string> {
  const child = Bun.spawn([program, '-f', '-c', `bindkey ${isVi ? '-v' : '-e'}; bindkey -L`], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const text = await withTimeout(new Response(child.stdout).text(), PATIENCE_MS);
  if (text === undefined) child.kill();
  return text ?? '';
}

function toPath(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

function tryRead(path: string): Promise<string | null> {
  return readText(path).catch(() => null);
}
