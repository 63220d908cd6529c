import { mainOptions, optionsOf, type SubcommandRow, subcommandRows } from '../../setup/command-table.ts';
import type { Completes, OptionRow } from '../../setup/main-options.ts';

/** The completion script for zsh, for `eval` as well as for a folder of `fpath`. */
export function formatZshCompletion(): string {
  const rows = subcommandRows();
  return `#compdef aish
# Completion of aish in zsh: eval "$(aish completion zsh)", behind compinit
_aish_names() {
  local -a names
  names=(\${(f)"$("\${words_of_aish:-aish}" completion names $1 2>/dev/null)"})
  compadd -a names
}
_aish_subcommands() {
  local -a rows
  rows=(
${rows.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  _describe -t commands 'subcommand' rows
}
_aish() {
  local words_of_aish=$words[1] curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C -s \\
${mainOptions()
  .flatMap((option) => formatOptionSpecs(option))
  .map((spec) => `    ${spec} \\`)
  .join('\n')}
    '1: :_aish_subcommands' \\
    '*:: :->rest'
  [[ $state == rest ]] || return 0
  case $line[1] in
${rows.map((row) => formatSubcommandCase(row)).join('\n')}
    *) _files ;;
  esac
}
if [[ $funcstack[1] == _aish ]]; then _aish "$@"; else compdef _aish aish; fi
`;
}

function formatSubcommandCase(row: SubcommandRow): string {
  const specs = [...optionsOf(row).flatMap((option) => formatOptionSpecs(option)), ...formatOperands(row)];
  return `    ${row.name}) _arguments ${specs.join(' ')} ;;`;
}

function formatOperands({ actions, completes }: SubcommandRow): readonly string[] {
  if (actions === undefined) return completes === undefined ? [] : [quote(`*: :${toAction(completes)}`)];
  const names = actions.map(({ name, summary }) => `${name}\\:${quote(summary)}`).join(' ');
  const kinds = actions.flatMap((action) => action.completes ?? []);
  const [kind] = kinds;
  return [
    `"1: :((${names.replaceAll('"', '\\"').replaceAll('$', '\\$')}))"`,
    ...(kind === undefined ? [] : [quote(`2: :${toAction(kind)}`)]),
  ];
}

/** `--output[summary]:FORMAT:(a b)`; long options take their value behind `=` too. */
function formatOptionSpecs({ names, value, optional, choices, completes, summary }: OptionRow): readonly string[] {
  const others = names.length > 1 ? `(${names.join(' ')})` : '';
  return names.map((name) => {
    if (value === undefined) return quote(`${others}${name}[${summary}]`);
    const action =
      choices === undefined ? (completes === undefined ? ' ' : toAction(completes)) : `(${choices.join(' ')})`;
    const colon = optional === true ? '::' : ':';
    return quote(
      `${others}${name}${name.startsWith('--') ? '=' : ''}[${summary}]${colon}${value}:${action.replaceAll('::', '\\:\\:')}`,
    );
  });
}

function toAction(completes: Completes): string {
  switch (completes) {
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'model':
    case 'session':
    case 'checkpoint':
      // The blank keeps zsh from putting arguments of its own before ours.
      return ` _aish_names ${completes}`;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
