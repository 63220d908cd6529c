import { optionsOf, SHELL_OPTIONS, SUBCOMMAND_ROWS, type SubcommandRow } from './command-table.ts';
import { longName } from './help.ts';
import type { Completes, OptionRow } from './main-options.ts';

/* The scripts that complete aish in the user's shell, made from the table of its command line. */

/** The shells with a completion script, each with its script. */
export const COMPLETION_SCRIPTS: ReadonlyMap<string, () => string> = new Map([
  ['bash', formatBashCompletion],
  ['zsh', formatZshCompletion],
  ['fish', formatFishCompletion],
]);

/** The completion script for bash, which needs nothing but bash. */
function formatBashCompletion(): string {
  const options = [...SHELL_OPTIONS, ...SUBCOMMAND_ROWS.flatMap((row) => row.options ?? [])];
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
  .flatMap((option) => formatBashValue(option))
  .join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $subcommand in
${SUBCOMMAND_ROWS.map((row) => `      ${row.name}) ${offerWords(optionsOf(row).flatMap(({ names }) => names))} ;;`).join('\n')}
      *) ${offerWords(SHELL_OPTIONS.flatMap(({ names }) => names))} ;;
    esac
    return
  fi
  case $subcommand in
    '') ${offerWords(SUBCOMMAND_ROWS.map(({ name }) => name))} ;;
${SUBCOMMAND_ROWS.flatMap((row) => formatBashCase(row)).join('\n')}
  esac
}
complete -o bashdefault -o default -F _aish aish
`;
}

function distinct(options: readonly OptionRow[]): readonly OptionRow[] {
  return options.filter((one, at) => options.findIndex((other) => longName(other) === longName(one)) === at);
}

function formatBashValue({ names, choices, completes, value }: OptionRow): readonly string[] {
  if (value === undefined) return [];
  const offer = choices !== undefined ? offerWords(choices) : completes === undefined ? 'COMPREPLY=()' : offerKind(completes);
  return [`    ${names.join('|')}) ${offer}; return ;;`];
}

function formatBashCase({ name, actions, completes }: SubcommandRow): readonly string[] {
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

/** The completion script for zsh, for `eval` as well as for a folder of `fpath`. */
function formatZshCompletion(): string {
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
${SUBCOMMAND_ROWS.map(({ name, summary }) => `    ${quoteForZsh(`${name}:${summary}`)}`).join('\n')}
  )
  _describe -t commands 'subcommand' rows
}
_aish() {
  local words_of_aish=$words[1] curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C -s \\
${SHELL_OPTIONS.flatMap((option) => formatZshOption(option))
  .map((spec) => `    ${spec} \\`)
  .join('\n')}
    '1: :_aish_subcommands' \\
    '*:: :->rest'
  [[ $state == rest ]] || return 0
  case $line[1] in
${SUBCOMMAND_ROWS.map((row) => formatZshCase(row)).join('\n')}
    *) _files ;;
  esac
}
if [[ $funcstack[1] == _aish ]]; then _aish "$@"; else compdef _aish aish; fi
`;
}

function formatZshCase(row: SubcommandRow): string {
  const specs = [...optionsOf(row).flatMap((option) => formatZshOption(option)), ...formatZshOperands(row)];
  return `    ${row.name}) _arguments ${specs.join(' ')} ;;`;
}

function formatZshOperands({ actions, completes }: SubcommandRow): readonly string[] {
  if (actions === undefined) return completes === undefined ? [] : [quoteForZsh(`*: :${toZshAction(completes)}`)];
  const names = actions.map(({ name, summary }) => `${name}\\:${quoteForZsh(summary)}`).join(' ');
  const kinds = actions.flatMap((action) => action.completes ?? []);
  const [kind] = kinds;
  return [
    `"1: :((${names.replaceAll('"', '\\"').replaceAll('$', '\\$')}))"`,
    ...(kind === undefined ? [] : [quoteForZsh(`2: :${toZshAction(kind)}`)]),
  ];
}

/** `--output[summary]:FORMAT:(a b)`; long options take their value behind `=` too. */
function formatZshOption({ names, value, optional, choices, completes, summary }: OptionRow): readonly string[] {
  const others = names.length > 1 ? `(${names.join(' ')})` : '';
  return names.map((name) => {
    if (value === undefined) return quoteForZsh(`${others}${name}[${summary}]`);
    const action = choices === undefined ? (completes === undefined ? ' ' : toZshAction(completes)) : `(${choices.join(' ')})`;
    const colon = optional === true ? '::' : ':';
    return quoteForZsh(
      `${others}${name}${name.startsWith('--') ? '=' : ''}[${summary}]${colon}${value}:${action.replaceAll('::', '\\:\\:')}`,
    );
  });
}

function toZshAction(completes: Completes): string {
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

function quoteForZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The completion script for fish. */
function formatFishCompletion(): string {
  const names = SUBCOMMAND_ROWS.map(({ name }) => name).join(' ');
  return [
    '# Completion of aish in fish: aish completion fish | source',
    `set -g __aish_subcommands ${names}`,
    'function __aish_names',
    '    command aish completion names $argv 2>/dev/null',
    'end',
    'complete -c aish -n "not __fish_seen_subcommand_from $__aish_subcommands" -f',
    ...SHELL_OPTIONS.map((option) => formatFishOption(option, '')),
    ...SUBCOMMAND_ROWS.flatMap((row) => formatFishSubcommand(row)),
    '',
  ].join('\n');
}

function formatFishSubcommand(row: SubcommandRow): readonly string[] {
  const inside = `__fish_seen_subcommand_from ${row.name}`;
  const actions = row.actions ?? [];
  const none = `${inside}; and not __fish_seen_subcommand_from ${actions.map(({ name }) => name).join(' ')}`;
  return [
    `complete -c aish -n "not __fish_seen_subcommand_from $__aish_subcommands" -a ${row.name} -d ${quoteForFish(row.summary)}`,
    ...(row.completes === 'file' ? [] : [`complete -c aish -n "${inside}" -f`]),
    ...(row.completes === undefined || row.completes === 'file'
      ? []
      : [`complete -c aish -n "${inside}" -f -a "${toFishWords(row.completes)}"`]),
    ...actions.map((action) => `complete -c aish -n "${none}" -f -a ${action.name} -d ${quoteForFish(action.summary)}`),
    ...actions.flatMap((action) =>
      action.completes === undefined
        ? []
        : [`complete -c aish -n "${inside}; and __fish_seen_subcommand_from ${action.name}" -f -a "${toFishWords(action.completes)}"`],
    ),
    ...(row.options ?? []).map((option) => formatFishOption(option, inside)),
  ];
}

function formatFishOption({ names, value, optional, choices, completes, summary }: OptionRow, condition: string): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const words = choices === undefined ? (completes === undefined ? '' : toFishWords(completes)) : choices.join(' ');
  const files = completes === 'file' || completes === 'folder';
  const parts = [
    'complete -c aish',
    ...(condition === '' ? [] : [`-n "${condition}"`]),
    ...flags,
    ...(value === undefined || optional === true ? [] : [files ? '-r' : '-x']),
    ...(words === '' ? [] : [`-a "${words}"`]),
    `-d ${quoteForFish(summary)}`,
  ];
  return parts.join(' ');
}

function toFishWords(completes: Completes): string {
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

function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
