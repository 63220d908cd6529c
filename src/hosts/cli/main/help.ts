import { writeSync } from 'node:fs';
import { VERSION } from '../../../protocol/version.ts';
import type { Subcommand } from '../setup/args.ts';
import {
  CALLS,
  EXIT_STATUSES,
  formatOption,
  formatSubcommand,
  mainOptions,
  optionsOf,
  type SubcommandRow,
  subcommandRows,
} from '../setup/command-table.ts';
import type { OptionRow } from '../setup/main-options.ts';

/** The help of aish, or of one subcommand. */
export function formatUsage(topic?: Subcommand): string {
  const row = subcommandRows().find(({ name }) => name === topic);
  return row === undefined ? formatAll() : formatOne(row);
}

function formatAll(): string {
  const statuses = EXIT_STATUSES.map(([status, meaning]) => `${status} ${meaning}`).join(', ');
  return [
    'aish: a shell you talk to',
    '',
    ...toRows(CALLS.map(({ usage, summary }) => [usage, summary])),
    ...toRows(subcommandRows().map((row) => [`aish ${row.name}`, row.summary])),
    '',
    ...formatOptions(mainOptions()),
    '',
    `Exit: ${statuses}.`,
    'Run `aish SUBCOMMAND --help` for details, or `:help` at the prompt.',
    '',
  ].join('\n');
}

function formatOne(row: SubcommandRow): string {
  const actions = (row.actions ?? []).map(
    ({ name, usage, summary }) => [[name, usage].filter((word) => word).join(' '), summary] as const,
  );
  return [
    `${formatSubcommand(row)}: ${row.summary}`,
    '',
    ...(actions.length === 0 ? [] : [...toRows(actions), '']),
    ...formatOptions(optionsOf(row)),
    '',
  ].join('\n');
}

function formatOptions(options: readonly OptionRow[]): readonly string[] {
  return toRows(options.map((option) => [formatOption(option), option.summary]));
}

const LEFT = 32;

/** Two columns. If the left text is too long, the right text starts on the next line. */
function toRows(rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.map(([left, right]) => {
    const gap = left.length + 2 > LEFT ? `\n  ${' '.repeat(LEFT)}` : ' '.repeat(LEFT - left.length);
    return `  ${left}${gap}${right}`;
  });
}

/** Prints the help. The answer is the exit status. */
export function printHelp(topic?: Subcommand): number {
  writeSync(1, formatUsage(topic));
  return 0;
}

/** The commit of a release, which the build fills in. */
declare const AISH_BUILD_COMMIT: string | undefined;

/** Prints name, version, commit and runtime. The answer is the exit status. */
export function printVersion(): number {
  const commit = typeof AISH_BUILD_COMMIT === 'string' ? `commit ${AISH_BUILD_COMMIT}, ` : '';
  writeSync(1, `aish ${VERSION} (${commit}Bun ${Bun.version})\n`);
  return 0;
}
