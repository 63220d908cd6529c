import { mainOptions, type SubcommandRow, subcommandRows } from '../../setup/command-table.ts';
import type { Completes, OptionRow } from '../../setup/main-options.ts';

/** The completion script for fish. */
export function formatFishCompletion(): string {
  const rows = subcommandRows();
  const names = rows.map(({ name }) => name).join(' ');
  return [
    '# Completion of aish in fish: aish completion fish | source',
    `set -g __aish_subcommands ${names}`,
    'function __aish_names',
    '    command aish completion names $argv 2>/dev/null',
    'end',
    'complete -c aish -n "not __fish_seen_subcommand_from $__aish_subcommands" -f',
    ...mainOptions().map((option) => formatOption(option, '')),
    ...rows.flatMap((row) => formatSubcommand(row)),
    '',
  ].join('\n');
}

function formatSubcommand(row: SubcommandRow): readonly string[] {
  const inside = `__fish_seen_subcommand_from ${row.name}`;
  const actions = row.actions ?? [];
  const none = `${inside}; and not __fish_seen_subcommand_from ${actions.map(({ name }) => name).join(' ')}`;
  return [
    `complete -c aish -n "not __fish_seen_subcommand_from $__aish_subcommands" -a ${row.name} -d ${quote(row.summary)}`,
    ...(row.completes === 'file' ? [] : [`complete -c aish -n "${inside}" -f`]),
    ...(row.completes === undefined || row.completes === 'file'
      ? []
      : [`complete -c aish -n "${inside}" -f -a "${toWords(row.completes)}"`]),
    ...actions.map((action) => `complete -c aish -n "${none}" -f -a ${action.name} -d ${quote(action.summary)}`),
    ...actions.flatMap((action) =>
      action.completes === undefined
        ? []
        : [
            `complete -c aish -n "${inside}; and __fish_seen_subcommand_from ${action.name}" -f -a "${toWords(action.completes)}"`,
          ],
    ),
    ...(row.options ?? []).map((option) => formatOption(option, inside)),
  ];
}

function formatOption({ names, value, optional, choices, completes, summary }: OptionRow, condition: string): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const words = choices === undefined ? (completes === undefined ? '' : toWords(completes)) : choices.join(' ');
  const files = completes === 'file' || completes === 'folder';
  const parts = [
    'complete -c aish',
    ...(condition === '' ? [] : [`-n "${condition}"`]),
    ...flags,
    ...(value === undefined || optional === true ? [] : [files ? '-r' : '-x']),
    ...(words === '' ? [] : [`-a "${words}"`]),
    `-d ${quote(summary)}`,
  ];
  return parts.join(' ');
}

function toWords(completes: Completes): string {
  switch (completes) {
    case 'file':
      return '';
    case 'folder':
      return '(__fish_complete_directories)';
    case 'model':
    case 'session':
    case 'checkpoint':
      return `(__aish_names ${completes})`;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
