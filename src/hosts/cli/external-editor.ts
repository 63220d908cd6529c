import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readExported } from '../../adapters/completion/helper-protocol.ts';
import { readVariable } from '../../adapters/completion/live-names.ts';
import type { TerminalSize } from '../../protocol/client.ts';
import { AishError } from '../../protocol/error.ts';
import type { KeyTaker } from './keyboard.ts';

/** What the person's editor needs of the terminal. */
export interface ExternalEditorParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  /** The person's shell, and where it writes what it exports, which may name another editor than our own environment does. */
  readonly shell?: { readonly program: string; readonly exportsFile: string } | null;
  readonly size: () => TerminalSize;
  readonly write: (text: string) => void;
  /** Gives all keys to somebody until the answer is called. */
  readonly lendKeys: (taker: KeyTaker) => () => void;
}

/** Tried where neither VISUAL nor EDITOR is set. */
const USUAL_EDITORS = ['editor', 'vi', 'nano'];

/**
 * Lets the person change a text in their own editor and returns what they saved. It runs on a terminal of its own, all of whose output
 * and keys pass through: ours is being read already, and two readers would each get half of the keys.
 */
export async function editExternally(text: string, parts: ExternalEditorParts): Promise<string> {
  const program = await findEditor(parts);
  const folder = await mkdtemp(join(tmpdir(), 'aish-line-'));
  const path = join(folder, `${crypto.randomUUID().slice(0, 8)}.sh`);
  try {
    await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
    const status = await runEditor(program, path, parts);
    if (status !== 0) {
      const how = status === null ? 'was ended by a signal' : `ended with status ${status}`;
      throw new AishError('editor.failed', `${program} ${how}; the line is as it was`, {
        hint: 'VISUAL or EDITOR names the editor',
      });
    }
    return (await readFile(path, 'utf8')).replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findEditor({ env, cwd, shell }: ExternalEditorParts): Promise<string> {
  const exported = { env, cwd: cwd(), home: env.HOME ?? '/', exportsFile: shell?.exportsFile ?? null };
  const readLive = (name: string): Promise<string | undefined> => readVariable(name, exported);
  const [visual, editor, path = ''] = await Promise.all([readLive('VISUAL'), readLive('EDITOR'), readLive('PATH')]);
  const wanted = [visual, editor].find((name) => name !== undefined && name.trim() !== '');
  const found = wanted ?? USUAL_EDITORS.find((name) => Bun.which(name, { PATH: path }) !== null);
  if (found !== undefined) return found;
  throw new AishError('editor.none', 'there is no editor: neither VISUAL nor EDITOR is set, and no vi is installed', {
    hint: 'export EDITOR=…',
  });
}

/** What runs the editor: the person's shell where there is one, as only that reads its exports, and startup files are not read again. */
async function toCommand(program: string, path: string, { shell }: ExternalEditorParts): Promise<readonly string[]> {
  if (shell === null || shell === undefined) return ['/bin/sh', '-c', `${program} "$1"`, 'sh', path];
  const exports = join(dirname(path), 'exports');
  await writeFile(exports, await readExported(shell.exportsFile), { mode: 0o600, flag: 'wx' });
  const plain = basename(shell.program).startsWith('zsh') ? ['-f'] : ['--norc'];
  return [shell.program, ...plain, '-c', `. "$2" 2>/dev/null\n${program} "$1"`, 'sh', path, exports];
}

/** Runs the editor as shells do: its name may hold arguments. Settles with its status, null when a signal ended it. */
async function runEditor(program: string, path: string, parts: ExternalEditorParts): Promise<number | null> {
  const { Pty } = await import('../../adapters/shell/pty.ts');
  const decoder = new TextDecoder();
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const pty = new Pty({
    command: await toCommand(program, path, parts),
    cwd: parts.cwd(),
    env: definedOf(parts.env),
    size: parts.size(),
    onData: (bytes) => parts.write(decoder.decode(bytes, { stream: true })),
    onExit: resolve,
  });
  const onResize = (): void => pty.resize(parts.size());
  const giveBack = parts.lendKeys({ feed: (bytes) => pty.write(bytes) });
  process.on('SIGWINCH', onResize);
  try {
    return await promise;
  } finally {
    process.off('SIGWINCH', onResize);
    giveBack();
  }
}

function definedOf(env: ExternalEditorParts['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
