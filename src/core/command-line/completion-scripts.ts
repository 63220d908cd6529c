import { optionsOf, SHELL_OPTIONS, SUBCOMMAND_ROWS, type SubcommandRow } from './command-table.ts';
import { formatSummary } from './help.ts';
import { type Completes, findOption, type OptionRow, splitOption } from './invocation.ts';

/*
 * Completion of aish in the user's shell. The scripts ask the program itself: `aish completion SHELL -- WORD…` prints what the last word
 * may become, one row each, or `:file` or `:folder`. They ask the aish of $PATH, because a path in the line may be of any program, and
 * no name in a row is expanded by the shell.
 */

const BASH = `# Completion of aish in bash: eval "$(aish completion bash)"
_aish() {
  local current=\${COMP_WORDS[COMP_CWORD]} word row rows
  local -a words=()
  # bash cuts --name=value in three.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == = ]] || words+=("$word"); done
  [[ $current == = ]] && current=
  rows=$(command aish completion bash -- "\${words[@]}" "$current" 2>/dev/null)
  case $rows in
    :file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
    :folder) compopt -o filenames; COMPREPLY=($(compgen -d -- "$current")) ;;
    *)
      COMPREPLY=() word=\${current#[\\"\\']}
      while IFS= read -r row; do
        [[ -n $row && $row == "$word"* ]] && COMPREPLY+=("$(printf %q "$row")")
      done <<<"$rows" ;;
  esac
}
complete -o bashdefault -o default -F _aish aish
`;

const ZSH = `#compdef aish
# Completion of aish in zsh: eval "$(aish completion zsh)", behind compinit
_aish() {
  local -a rows
  rows=("\${(@f)$(command aish completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $rows[1] in
    :file) compset -P '--*='; _files ;;
    :folder) compset -P '--*='; _files -/ ;;
    *) _describe -V aish rows ;;
  esac
}
if [[ $funcstack[1] == _aish ]]; then _aish "$@"; else compdef _aish aish; fi
`;

const FISH = `# Completion of aish in fish: aish completion fish | source
function __aish_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l prefix (string match -r -- '^--[^=]*=' "$current")
    set -l value (string replace -r -- '^--[^=]*=' '' "$current")
    set -l rows (command aish completion fish -- $words "$current" 2>/dev/null)
    switch "$rows[1]"
        case :file
            printf '%s\\n' "$prefix"(__fish_complete_path "$value")
        case :folder
            printf '%s\\n' "$prefix"(__fish_complete_directories "$value")
        case '*'
            printf '%s\\n' $rows
    end
end
complete -c aish -f -a '(__aish_complete)'
`;

/** The script for each shell, and how it wants a row: bash shows no summaries. */
export const COMPLETION_SHELLS = {
  bash: { script: BASH, row: ({ text }: Candidate) => text },
  zsh: { script: ZSH, row: ({ text, summary }: Candidate) => `${text.replaceAll(':', '\\:')}:${summary}` },
  fish: { script: FISH, row: ({ text, summary }: Candidate) => `${text}\t${summary}` },
} as const;

/** One thing that a word may become. */
export interface Candidate {
  readonly text: string;
  readonly summary: string;
}

/** The word at the cursor becomes one of these candidates, or a name of a kind behind a prefix. */
type WordCompletion =
  | { readonly type: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly type: 'names'; readonly kind: Completes; readonly prefix: string; readonly summary: string };

/** Completes the last word of a command line of aish. */
export function completeArgs(words: readonly string[]): WordCompletion {
  const current = words.at(-1) ?? '';
  const { row, action, hasMessage, open } = readBefore(words.slice(0, -1));
  if (open !== undefined) return completeValue(open, '');
  const options = optionsAt(row, action);
  if (current.startsWith('-')) {
    const option = current.includes('=') ? findOption(options, current) : undefined;
    return option === undefined ? toWords(options.flatMap(toCandidates)) : completeValue(option, `${splitOption(current)[0]}=`);
  }
  if (row === undefined) return hasMessage ? toNames('file') : toWords(SUBCOMMAND_ROWS.map(toCandidate));
  const actionRow = row.actions?.find(({ name }) => name === action);
  if (row.actions !== undefined && action === undefined) return toWords(row.actions.map(toCandidate));
  return toNames((actionRow ?? row).completes);
}

interface WordsBefore {
  readonly row?: SubcommandRow;
  readonly action?: string;
  /** The first word is no subcommand. */
  readonly hasMessage?: true;
  /** The last word is an option whose value comes next. */
  readonly open?: OptionRow;
}

function readBefore(words: readonly string[]): WordsBefore {
  let before: WordsBefore = {};
  for (const word of words) {
    const { open, ...rest } = before;
    before = rest;
    if (open !== undefined && !(open.optional === true && word.startsWith('-'))) continue;
    const option = findOption(optionsAt(before.row, before.action), word);
    if (option?.value !== undefined && splitOption(word)[1] === undefined) before = { ...before, open: option };
    if (word.startsWith('-') || before.hasMessage === true) continue;
    const row = SUBCOMMAND_ROWS.find(({ name }) => name === word);
    if (before.row === undefined) before = row === undefined ? { hasMessage: true } : { row };
    else if (before.action === undefined) before = { ...before, action: word };
  }
  return before;
}

/** The options that may stand here: of a subcommand, those that the action takes. */
function optionsAt(row: SubcommandRow | undefined, action: string | undefined): readonly OptionRow[] {
  if (row === undefined) return SHELL_OPTIONS;
  return optionsOf(row).filter(({ of }) => action === undefined || of === undefined || of.includes(action));
}

function completeValue({ choices, completes, summary }: OptionRow, prefix: string): WordCompletion {
  if (choices !== undefined) return toWords(choices.map((choice) => ({ text: prefix + choice, summary })));
  return completes === undefined ? toWords([]) : { type: 'names', kind: completes, prefix, summary };
}

function toWords(candidates: readonly Candidate[]): WordCompletion {
  return { type: 'words', candidates };
}

function toNames(kind: Completes | undefined): WordCompletion {
  return kind === undefined ? toWords([]) : { type: 'names', kind, prefix: '', summary: '' };
}

function toCandidate({ name, summary }: { readonly name: string; readonly summary: string }): Candidate {
  return { text: name, summary };
}

function toCandidates(option: OptionRow): readonly Candidate[] {
  return option.names.map((text) => ({ text, summary: formatSummary(option) }));
}
