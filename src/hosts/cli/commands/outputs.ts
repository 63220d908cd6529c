import { readFileSync, statSync } from 'node:fs';
import { countOutputLines } from '../../../core/context/output-excerpt.ts';
import { formatUnifiedDiff } from '../../../core/text/diff.ts';
import { sanitizeColoured, sanitizeText } from '../../../core/text/sanitize.ts';
import { formatByteSize } from '../../../core/text/truncate.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import { quote } from '../../../engine/shell/session-outputs.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatDiff } from '../screen/diff.ts';
import { formatTable } from '../screen/table.ts';
import type { Theme } from '../screen/theme.ts';
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
  const coloured = rows === null || countOutputLines(record) < rows ? outputs.coloured(record) : null;
  if (coloured !== null) return { type: 'print', text: sanitizeColoured(redact(coloured)).trimEnd() };
  if (rows === null) return { type: 'print', text: redact(await readBeginning(handle, await outputs.rawFile(record))) };
  return { type: 'run-privately', line: pagerLine(await outputs.rawFile(record)) };
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
    await outputs.plainFile(findOutput(one, context.live)),
    await outputs.plainFile(findOutput(other, context.live)),
  ];
  if (paths.some((path) => statSync(path).size > MOST_COMPARED)) {
    throw new AishError('output.too-large', messages.formatTooLarge(one, other), {
      hint: messages.formatRunDiff(`diff -u ${paths.map(quote).join(' ')} | less`),
    });
  }
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
  if (record === null) {
    throw new AishError('output.unknown', messages.formatNoOutput(handle), { hint: messages.LISTS_OUTPUTS });
  }
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
