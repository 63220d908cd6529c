import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readExported } from '../../../adapters/completion/helper-protocol.ts';
import { readVariable } from '../../../adapters/completion/live-names.ts';
import { definedOf } from '../../../adapters/config/paths.ts';
import { toShellKind } from '../../../adapters/shell/program.ts';
import { AishError } from '../../../protocol/error.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { KeyTaker } from '../approvals/key-prompt.ts';
import { EDITOR_HINT, formatEditorFailed, NO_EDITOR, NO_EDITOR_HINT } from './messages.ts';

/** The terminal, and the shell in which the program runs. */
interface ProgramDeps extends TerminalLent {
  /** The user's shell, and where it writes what it exports, which may name another editor than our own environment does. */
  readonly shell?: { readonly program: string; readonly exportsFile: string } | null;
}

/** Editors to try if neither VISUAL nor EDITOR is set. */
const USUAL_EDITORS = ['editor', 'vi', 'nano'];

/** Lets the user change a text in their own editor and returns what they saved. */
export async function editExternally(text: string, deps: ProgramDeps): Promise<string> {
  const program = await findEditor(deps);
  const folder = await mkdtemp(join(tmpdir(), 'aish-line-'));
  const path = join(folder, `${crypto.randomUUID().slice(0, 8)}.sh`);
  try {
    await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
    // As shells do: its name may hold arguments.
    const status = await runOnTerminal(await toCommand(`${program} "$1"`, [path], folder, deps), deps);
    if (status !== 0) throw new AishError('editor.failed', formatEditorFailed(program, status), { hint: EDITOR_HINT });
    return (await readFile(path, 'utf8')).replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findEditor({ env, cwd, shell }: ProgramDeps): Promise<string> {
  const exported = { env, cwd: cwd(), home: env.HOME ?? '/', exportsFile: shell?.exportsFile ?? null };
  const readLive = (name: string): Promise<string | undefined> => readVariable(name, exported);
  const [visual, editor, path = ''] = await Promise.all([readLive('VISUAL'), readLive('EDITOR'), readLive('PATH')]);
  const wanted = [visual, editor].find((name) => name !== undefined && name.trim() !== '');
  const found = wanted ?? USUAL_EDITORS.find((name) => Bun.which(name, { PATH: path }) !== null);
  if (found !== undefined) return found;
  throw new AishError('editor.none', NO_EDITOR, { hint: NO_EDITOR_HINT });
}

/** Opens the first manual page that exists; the answer is whether there is one. */
export async function openManual(pages: readonly string[], deps: ProgramDeps): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'aish-page-'));
  try {
    return (await runOnTerminal(await toCommand(OPEN_FIRST, pages, folder, deps), deps)) !== NO_PAGE;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const NO_PAGE = 93;
const OPEN_FIRST = `for page in "$@"; do
  if command man -w "$page" >/dev/null 2>&1; then command man "$page"; exit 0; fi
done
exit ${NO_PAGE}`;

/**
 * The program that runs a script with arguments: the user's shell if there is one, as only that reads its exports, and startup files are
 * not read again. The exports are written to the folder.
 */
async function toCommand(
  script: string,
  words: readonly string[],
  folder: string,
  { shell }: ProgramDeps,
): Promise<readonly string[]> {
  if (shell === null || shell === undefined) return ['/bin/sh', '-c', script, 'sh', ...words];
  const exports = join(folder, 'exports');
  await writeFile(exports, await readExported(shell.exportsFile), { mode: 0o600, flag: 'wx' });
  // sh reads the exports of fish, and the name of the editor, as the other shells do.
  const kind = toShellKind(shell.program);
  const plain = { bash: [shell.program, '--norc'], zsh: [shell.program, '-f'], fish: ['/bin/sh'] }[kind ?? 'bash'];
  return [...plain, '-c', `. "$1" 2>/dev/null\nshift\n${script}`, 'sh', exports, ...words];
}

/** The terminal of aish as another program has it for a while. */
export interface TerminalLent {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly size: () => TerminalSize;
  readonly write: (text: string) => void;
  /** Gives all keys to another reader until the answer is called. */
  readonly lendKeys: (taker: KeyTaker) => () => void;
}

/**
 * Runs a program on a terminal of its own, all of whose output and keys pass through: ours is being read already, and two readers would
 * each get half of the keys. Settles with its status, null when a signal ended it.
 */
export async function runOnTerminal(command: readonly string[], lent: TerminalLent): Promise<number | null> {
  const { Pty } = await import('../../../adapters/shell/pty.ts');
  const decoder = new TextDecoder();
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const pty = new Pty({
    command,
    cwd: lent.cwd(),
    env: definedOf(lent.env),
    size: lent.size(),
    onData: (bytes) => lent.write(decoder.decode(bytes, { stream: true })),
    onExit: resolve,
  });
  const onResize = (): void => pty.resize(lent.size());
  const giveBack = lent.lendKeys({ feed: (bytes) => pty.write(bytes) });
  process.on('SIGWINCH', onResize);
  try {
    return await promise;
  } finally {
    process.off('SIGWINCH', onResize);
    giveBack();
  }
}
