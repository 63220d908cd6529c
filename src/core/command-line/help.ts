import { VERSION } from '../../protocol/version.ts';
import { toColumns } from '../meta/help-text.ts';
import { wrapText } from '../terminal/wrap.ts';
import { CALLS, EXIT_STATUSES, optionsOf, SHELL_OPTIONS, SUBCOMMAND_ROWS, type SubcommandRow } from './command-table.ts';
import type { OptionRow, Subcommand } from './invocation.ts';

/** The commit of a release, which the build fills in. */
declare const AISH_BUILD_COMMIT: string | undefined;

/** Name, version, commit and runtime. */
export function formatVersion(bun: string): string {
  const commit = typeof AISH_BUILD_COMMIT === 'string' ? `commit ${AISH_BUILD_COMMIT}, ` : '';
  return `aish ${VERSION} (${commit}Bun ${bun})\n`;
}

/** The help of aish, or of one subcommand, in a window of this width. */
export function formatUsage(topic?: Subcommand, columns = Number.POSITIVE_INFINITY): string {
  const row = SUBCOMMAND_ROWS.find(({ name }) => name === topic);
  return wrapText(row === undefined ? formatAll(columns) : formatOne(row, columns), columns);
}

function formatAll(columns: number): string {
  const statuses = EXIT_STATUSES.map(([status, meaning]) => `${status} ${meaning}`).join(', ');
  return [
    'aish: a shell you talk to',
    '',
    ...toRows(
      CALLS.map(({ usage, summary }) => [usage, summary]),
      columns,
    ),
    ...toRows(
      SUBCOMMAND_ROWS.map((row) => [`aish ${row.name}`, row.summary]),
      columns,
    ),
    '',
    ...formatOptions(SHELL_OPTIONS, columns),
    '',
    `Exit: ${statuses}.`,
    'Run `aish SUBCOMMAND --help` for details, or `:help` at the prompt.',
    '',
  ].join('\n');
}

function formatOne(row: SubcommandRow, columns: number): string {
  const actions = (row.actions ?? []).map(({ name, usage, summary }) => [[name, usage].filter((word) => word).join(' '), summary] as const);
  return [
    `${formatSubcommand(row)}: ${row.summary}`,
    '',
    ...(actions.length === 0 ? [] : [...toRows(actions, columns), '']),
    ...formatOptions(optionsOf(row), columns),
    '',
  ].join('\n');
}

function formatOptions(options: readonly OptionRow[], columns: number): readonly string[] {
  return toRows(
    options.map((option) => [formatOption(option), formatSummary(option)]),
    columns,
  );
}

/** Width of the left column. */
const LEFT = 30;

function toRows(rows: readonly (readonly [string, string])[], columns: number): readonly string[] {
  return toColumns(rows, LEFT, columns, '  ');
}

/** The summary of an option, behind the actions that take it. */
export function formatSummary({ of, summary }: OptionRow): string {
  return of === undefined ? summary : `${of.join(', ')}: ${summary}`;
}

/** An option as it is typed: `-p, --print`, `--output FORMAT`. */
export function formatOption({ names, value, optional, choices }: OptionRow): string {
  const shown = [...names].sort((one, other) => one.length - other.length).join(', ');
  if (value === undefined) return shown;
  const filled = choices === undefined || choices.length > 3 ? value : choices.join('|');
  return `${shown} ${optional === true ? `[${filled}]` : filled}`;
}

/** A subcommand as it is typed: `aish undo [N | ID]`, `aish config [ACTION]`. */
export function formatSubcommand({ name, usage, actions }: SubcommandRow): string {
  return ['aish', name, actions === undefined ? usage : '[ACTION]'].filter((word) => word).join(' ');
}
