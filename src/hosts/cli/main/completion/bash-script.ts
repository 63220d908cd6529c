import { longName, mainOptions, optionsOf, type SubcommandRow, subcommandRows } from '../../setup/command-table.ts';
import type { Completes, OptionRow } from '../../setup/main-options.ts';

/** The completion script for bash, which needs nothing but bash. */
export function formatBashCompletion(): string {
  const rows = subcommandRows();
  const options = [...mainOptions(), ...rows.flatMap((row) => row.options ?? [])];
  const valued = options.filter(({ value, optional }) => value !== undefined && optional !== true);
  return `# Completion of aish in bash: eval "$(aish completion bash)"
_aish() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} subcommand= action= word at
  # bash cuts --name=value in three.
  if [[ $current == = ]]; then current=
  elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case $word in
      ${valued.flatMap(({ names }) => names).join('|')}) [[ \${COMP_WORDS[at+1]} == = ]] || ((at++)) ;;
      =) ((at++)) ;;
      -*) ;;
      *)
        if [[ -z $subcommand ]]; then subcommand=$word
        elif [[ -z $action ]]; then action=$word
        fi ;;
    esac
  done
  case $before in
${distinct(options)
  .flatMap((option) => formatValue(option))
  .join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $subcommand in
${rows.map((row) => `      ${row.name}) ${offerWords(optionNames(optionsOf(row)))} ;;`).join('\n')}
      *) ${offerWords(optionNames(mainOptions()))} ;;
    esac
    return
  fi
  case $subcommand in
    '') ${offerWords(rows.map(({ name }) => name))} ;;
${rows.flatMap((row) => formatSubcommandCase(row)).join('\n')}
  esac
}
complete -o bashdefault -o default -F _aish aish
`;
}

function distinct(options: readonly OptionRow[]): readonly OptionRow[] {
  return options.filter((one, at) => options.findIndex((other) => longName(other) === longName(one)) === at);
}

function optionNames(options: readonly OptionRow[]): readonly string[] {
  return options.flatMap(({ names }) => names);
}

function formatValue({ names, choices, completes, value }: OptionRow): readonly string[] {
  if (value === undefined) return [];
  const offer =
    choices !== undefined ? offerWords(choices) : completes === undefined ? 'COMPREPLY=()' : offerKind(completes);
  return [`    ${names.join('|')}) ${offer}; return ;;`];
}

function formatSubcommandCase({ name, actions, completes }: SubcommandRow): readonly string[] {
  if (actions === undefined) return completes === undefined ? [] : [`    ${name}) ${offerKind(completes)} ;;`];
  const cases = actions.flatMap((action) =>
    action.completes === undefined ? [] : [`        ${action.name}) ${offerKind(action.completes)} ;;`],
  );
  return [
    `    ${name})
      case $action in
        '') ${offerWords(actions.map((action) => action.name))} ;;`,
    ...cases,
    `      esac ;;`,
  ];
}

function offerWords(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`;
}

function offerKind(completes: Completes): string {
  switch (completes) {
    case 'file':
      return 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))';
    case 'folder':
      return 'compopt -o filenames; COMPREPLY=($(compgen -d -- "$current"))';
    case 'model':
    case 'session':
    case 'checkpoint':
      return `COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" completion names ${completes} 2>/dev/null)" -- "$current"))`;
  }
}
