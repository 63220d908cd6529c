import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lstatOrNull } from '../../../adapters/git/process/raw-path.ts';
import { isTerminal } from '../../../adapters/system/system-calls.ts';
import { readArgs } from '../../../core/command-line/subcommand-args.ts';
import { countOutputLines } from '../../../core/context/output-excerpt.ts';
import { type DiffRequest, parseDiffRequest } from '../../../core/meta/meta-arguments.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import type { Theme } from '../../../core/terminal/theme.ts';
import { formatUnifiedDiff } from '../../../core/text/diff.ts';
import { quote } from '../../../core/text/quote.ts';
import { sanitizeColoured, sanitizeText } from '../../../core/text/sanitize.ts';
import { formatByteSize } from '../../../core/text/truncate.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatDiff } from '../screen/diff.ts';
import { type StartContext, screenOf } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { runtimeFolder, type Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';

/** The screen that shows outputs. */
export interface OutputScreen {
  readonly live: LiveSession;
  readonly theme: Theme;
  readonly columns: number;
  /** Null to print as much as possible, without a pager. */
  readonly rows: number | null;
  /** Redacts secrets of an output. */
  readonly redact: (text: string) => string;
}

/** A shown output: text, or a line for the shell that runs the pager. */
export type ShownOutput =
  | { readonly type: 'print'; readonly text: string }
  | { readonly type: 'run-privately'; readonly line: string };

/** Outputs listed at most. */
const LISTED = 20;
/** Upper limit of the bytes printed without a pager. */
const MOST_PRINTED = 1024 * 1024;
/** Larger outputs need `diff` itself. */
const MOST_COMPARED = 4 * 1024 * 1024;

/** `:output`: the list, or one output: on the screen where it fits, else in the user's pager. */
export async function showOutput(handle: number | undefined, context: OutputScreen): Promise<ShownOutput> {
  const { outputs } = context.live;
  if (handle === undefined) return { type: 'print', text: formatOutputs(outputs.records) };
  const record = findOutput(handle, context.live);
  if (record.cutShort === true) return { type: 'print', text: messages.formatCutShort(handle) };
  if (record.bytes === 0) return { type: 'print', text: messages.formatEmpty(handle) };
  const { rows, redact } = context;
  const coloured = rows === null || countOutputLines(record) < rows ? outputs.store.small(record) : null;
  if (coloured !== null) return { type: 'print', text: sanitizeColoured(redact(coloured)).trimEnd() };
  if (rows === null)
    return { type: 'print', text: redact(await readBeginning(handle, await outputs.store.rawFile(record))) };
  return { type: 'run-privately', line: pagerLine(await outputs.store.rawFile(record)) };
}

/** Files hold no secrets that were known at the time. */
async function readBeginning(handle: number, path: string): Promise<string> {
  const file = Bun.file(path);
  const text = sanitizeColoured(await file.slice(0, MOST_PRINTED).text()).trimEnd();
  const more = file.size - MOST_PRINTED;
  if (more <= 0) return text;
  return `${text}\n${messages.formatMoreOutput(formatByteSize(more), handle)}`;
}

/** `:diff %12 %15`: what two commands printed, compared as text. */
export async function diffOutputs([one, other]: readonly [number, number], context: OutputScreen): Promise<string> {
  const { outputs } = context.live;
  const paths = [
    await outputs.store.plainFile(findOutput(one, context.live)),
    await outputs.store.plainFile(findOutput(other, context.live)),
  ];
  if (paths.some((path) => statSync(path).size > MOST_COMPARED))
    throw new AishError('output.too-large', messages.formatTooLarge(one, other), {
      hint: messages.formatRunDiff(`diff -u ${paths.map(quote).join(' ')} | less`),
    });
  const [before = '', after = ''] = paths.map((path) => readFileSync(path, 'utf8'));
  const diff = context.redact(formatUnifiedDiff({ path: 'output', before, after }));
  if (diff === '') return messages.formatSame(one, other);
  const named = diff.replace('--- a/output\n+++ b/output\n', `--- %${one}\n+++ %${other}\n`);
  return formatDiff(named, context.columns, context.theme).join('\n');
}

/** A line that shows a file in the pager of the user's shell: `$PAGER` as it stands there, else less, else none. */
export function pagerLine(path: string, { isRemoved = false }: { readonly isRemoved?: boolean } = {}): string {
  const pager = '${PAGER:-$(if command -v less >/dev/null; then echo less -R; else echo cat; fi)}';
  const after = isRemoved ? `; command rm -f -- ${quote(path)}` : '';
  return `LESS="${'${LESS--R}'}" eval "${pager} <"${quote(quote(path))}${after}`;
}

function findOutput(handle: number, { outputs }: LiveSession): CommandRecord {
  const record = outputs.find(handle);
  if (record === null)
    throw new AishError('output.unknown', messages.formatNoOutput(handle), { hint: messages.LISTS_OUTPUTS });
  return record;
}

function formatOutputs(records: readonly CommandRecord[]): string {
  if (records.length === 0) return messages.NO_OUTPUTS;
  return formatTable(
    records.slice(-LISTED).map((record) => [
      `%${record.handle}`,
      formatByteSize(record.bytes).padStart(8),
      record.exit === 0 ? 'ok' : record.cutShort === true ? messages.CUT_SHORT : `exit ${record.exit ?? '?'}`,
      sanitizeText(`${record.driver === 'model' ? '(model) ' : ''}${record.line}`)
        .replaceAll('\n', ' ')
        .slice(0, 100),
    ]),
  );
}

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
export async function runDiff(args: readonly string[], place: StartContext): Promise<number> {
  const { setup } = place;
  const { words, behind, options } = readArgs('diff', args);
  const named = parseDiffRequest([...words.slice(0, words.length - behind.length), '--', ...behind]);
  const request = options.has('--step') ? { ...named, isStep: true as const } : named;
  const diff = await readDiff(request, setup.cwd, { apart: options.has('--apart') });
  if (!isTerminal(1)) {
    PROCESS_OUTPUT.out(diff);
    return 0;
  }
  const { size, theme, isPlain, print } = screenOf(place);
  const lines = formatLines(request, diff, size.columns, theme);
  if (isPlain || lines.length < size.rows) print(lines);
  else await page(lines, setup);
  return 0;
}

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
    if (!isThere && (await diffStep({ ...step, paths: [path] })) === '')
      throw new AishError('diff.no-path', messages.formatNoPath(path), { hint: messages.NO_PATH_HINT });
  }
  return diff;
}

function formatLines({ id, isStep }: DiffRequest, diff: string, columns: number, theme: Theme): readonly string[] {
  if (diff !== '') return formatDiff(diff, columns, theme);
  return [isStep === true ? messages.NO_STEP_CHANGES : messages.formatNoChanges(id)];
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
