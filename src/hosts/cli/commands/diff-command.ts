import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { lstatOrNull } from '../../../adapters/git/process/raw-path.ts';
import type { Options } from '../../../core/command-line/invocation.ts';
import { type DiffRequest, parseDiffRequest, splitAtEnd } from '../../../core/meta/meta-arguments.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatDiff } from '../screen/diff.ts';
import type { Theme } from '../screen/theme.ts';
import { screenOf } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { runtimeFolder, type Setup } from '../setup/setup.ts';
import { formatNoChanges, formatNoPath, NO_PATH_HINT, NO_STEP_CHANGES } from './messages.ts';
import { type OutputScreen, pagerLine, type ShownOutput } from './outputs.ts';

/** The screen for `:diff`. */
interface DiffScreen extends Omit<OutputScreen, 'live'> {
  readonly setup: Setup;
  /** Directory of the shell. */
  readonly cwd: string;
}

/** `:diff`: on the screen where it fits, else in the user's pager. */
export async function showDiff(request: DiffRequest, screen: DiffScreen): Promise<ShownOutput> {
  const { columns, rows, theme, setup, cwd, redact } = screen;
  const lines = formatLines(request, redact(await readDiff(request, cwd)), columns, theme);
  if (rows === null || lines.length < rows) return { type: 'print', text: lines.join('\n') };
  return { type: 'run-privately', line: writePage(lines, setup).line };
}

/** `aish diff`: in colours and with a pager at a terminal; as it is for anyone who reads a pipe. */
export async function runDiff(
  args: readonly string[],
  place: { readonly setup: Setup; readonly options: Pick<Options, 'color'> },
): Promise<number> {
  const { setup } = place;
  const [before, behind] = splitAtEnd(args);
  const words = before.filter((word) => word !== APART);
  const request = parseDiffRequest([...words, '--', ...behind]);
  const diff = await readDiff(request, setup.cwd, { apart: words.length < before.length });
  if (!isatty(1)) {
    PROCESS_OUTPUT.out(diff);
    return 0;
  }
  const { size, theme, isPlain, print } = screenOf(place);
  const lines = formatLines(request, diff, size.columns, theme);
  if (isPlain || lines.length < size.rows) print(lines);
  else await page(lines, setup);
  return 0;
}

/** Option for the checkpoints from before a folder was a git repository. */
const APART = '--apart';

async function readDiff(
  { id, paths, isStep }: DiffRequest,
  cwd: string,
  { apart } = { apart: false },
): Promise<string> {
  const { diffStep } = await import('../../../adapters/git/snapshot/timeline.ts');
  const step = { cwd, id: id ?? null, apart, of: isStep === true ? 'step' : 'since' } as const;
  const diff = await diffStep({ ...step, paths });
  for (const path of paths) {
    // One that is gone shows in what changed; a path in neither snapshot is a typo.
    const isThere = lstatOrNull(resolve(cwd, path)) !== null;
    if (!isThere && (await diffStep({ ...step, paths: [path] })) === '') throw noSuchPath(path);
  }
  return diff;
}

function noSuchPath(path: string): AishError {
  return new AishError('diff.no-path', formatNoPath(path), {
    hint: NO_PATH_HINT,
  });
}

function formatLines({ id, isStep }: DiffRequest, diff: string, columns: number, theme: Theme): readonly string[] {
  if (diff !== '') return formatDiff(diff, columns, theme);
  return [isStep === true ? NO_STEP_CHANGES : formatNoChanges(id)];
}

/** A file that the line for a pager shows and then removes: it holds what the project's files hold. */
function writePage(lines: readonly string[], setup: Setup): { readonly path: string; readonly line: string } {
  const path = join(runtimeFolder(setup), `diff-${process.pid}-${Date.now()}`);
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  return { path, line: pagerLine(path, { isRemoved: true }) };
}

async function page(lines: readonly string[], setup: Setup): Promise<void> {
  const { path, line } = writePage(lines, setup);
  try {
    await Bun.spawn(['/bin/sh', '-c', line], { stdio: ['inherit', 'inherit', 'inherit'], env: setup.env }).exited;
  } finally {
    rmSync(path, { force: true });
  }
}
