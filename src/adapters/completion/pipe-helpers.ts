/* The helper shells that are asked over a pipe: bash and fish. */

import { compareNames } from '../../core/completion/completion.ts';
import { splitBashWords } from '../../core/completion/cursor-context.ts';
import { scanLine } from '../../core/completion/scan-line.ts';
import { quote } from '../../core/text/quote.ts';
import { type HelperMatch, MOST_MATCHES, type PipeAnswer, type PipeDialect } from './helper-protocol.ts';

/**
 * A bash that completes as the user's does. It hides its standard input from startup files and completion functions, and answers each
 * request in a subshell.
 */
export const BASH: PipeDialect = {
  file: 'complete.bash',
  script: ({ exportsFile, withStartupFiles }) =>
    `__aish_exports=${quote(exportsFile ?? '')} __aish_startup=${withStartupFiles ? '1' : ''}\n${bashScript}`,
  words: (script) => ['--rcfile', script, '-i'],
  toQuestion: ({ cwd, exportsFile, line, rest = '' }, breaks) => {
    const { words, current, start } = splitBashWords(line, breaks);
    const behind = rest === '' ? [] : splitBashWords(rest, breaks).words;
    const counts = [String(behind.length), String(words.length + behind.length)];
    return {
      fields: [cwd, exportsFile ?? '', line + rest, rest, current, ...counts, ...words, ...behind],
      read: (answer) => toMatches(answer, start),
    };
  },
};

/** Some programs write their descriptions into the match: `name  (what it is)`. */
const DESCRIBED = /^(\S+)\s{2,}\((.+)\)$/;

/** Each once, and in order unless anyone who offers them has one: bash leaves both to its line editor. */
function toMatches({ matches, options }: PipeAnswer, start: number): readonly HelperMatch[] {
  const found = new Map<string, HelperMatch>();
  for (const one of matches) {
    const match = toBashMatch(one, start, options);
    if (!found.has(match.text)) found.set(match.text, match);
  }
  const all = [...found.values()];
  return options.has('nosort') ? all : all.sort((one, other) => compareNames(one.text, other.text));
}

function toBashMatch(match: string, start: number, options: ReadonlySet<string>): HelperMatch {
  if (options.has('filenames')) return { text: match, start, isPath: true, isQuoted: false };
  const [, name, description] = DESCRIBED.exec(match) ?? [];
  const text = name ?? match;
  const trimmed = text.trimEnd();
  const suffix = trimmed === text && options.has('nospace') ? '' : ' ';
  const plain = { text: trimmed, start, isPath: false, isQuoted: true, suffix };
  return description === undefined ? plain : { ...plain, description };
}

/**
 * The script of the helper bash. aish's functions come before the user's files, so that no alias gets into them. `complete -p` prints the
 * registered completions in a form made to be read again, and the script reads it so.
 */
const bashScript = String.raw`if (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 402 )); then exit 0; fi
exec {__aish_in}<&0 {__aish_out}>&1 </dev/null >/dev/null 2>&1

# The registered way to complete a command, as text; loads it where it comes from a file of its own.
__aish_find() {
  local name=$1 short=${'$'}{1##*/} loader
  __aish_spec=
  for name in "$name" "$short"; do
    if __aish_spec=$(builtin complete -p -- "$name"); then __aish_worth; return; fi
  done
  loader=$(builtin complete -p -D)
  [[ $loader =~ ' -F '([^ ]+) ]] || return 1
  "${'$'}{BASH_REMATCH[1]}" "$1" '' ''
  for name in "$1" "$short"; do
    if __aish_spec=$(builtin complete -p -- "$name"); then __aish_worth; return; fi
  done
  __aish_spec=
  return 1
}

# What only offers files is left to us.
__aish_worth() {
  case $__aish_spec in *' -F _minimal '* | *' -F _comp_complete_minimal '*) ;; *) return 0 ;; esac
  __aish_spec=
  return 1
}

# An alias completes as what it stands for.
__aish_expand() {
  local -a first
  local tries=0
  while (( tries++ < 5 )) && [[ -n ${'$'}{BASH_ALIASES[${'$'}{COMP_WORDS[0]}]+set} ]] && (( ${'$'}{#COMP_WORDS[@]} > 1 )); do
    local text=${'$'}{BASH_ALIASES[${'$'}{COMP_WORDS[0]}]}
    case $text in *[\;\|\&\<\>\(\)\$\'\"\\]*) return 0 ;; esac
    builtin read -r -a first <<<"$text"
    if [[ ${'$'}{#first[@]} == 0 ]]; then return 0; fi
    COMP_LINE=$text${'$'}{COMP_LINE:${'$'}{#COMP_WORDS[0]}}
    if [[ ${'$'}{first[0]} == "${'$'}{COMP_WORDS[0]}" ]]; then tries=5; fi
    COMP_WORDS=("${'$'}{first[@]}" "${'$'}{COMP_WORDS[@]:1}")
  done
}

# Within a completion function this changes how its own answer is taken.
__aish_compopt() {
  while (( $# )); do
    case $1 in
    -o) __aish_options+=" $2"; shift ;;
    +o) __aish_options=${'$'}{__aish_options//" $2"/}; shift ;;
    *) return 0 ;;
    esac
    shift
  done
}

__aish_generate() {
  local func= program= plain= again=1
  local -a args=()
  builtin eval "set -- ${'$'}{__aish_spec#complete }"
  __aish_options=
  while (( $# > 1 )); do
    case $1 in
    -o) __aish_options+=" $2"; shift ;;
    -F) func=$2; shift ;;
    -C) program=$2; shift ;;
    -A | -G | -W | -P | -S | -X) args+=("$1" "$2"); plain=1; shift ;;
    -[abcdefgjksuv]*) args+=("$1"); plain=1 ;;
    esac
    shift
  done
  local previous=
  if (( COMP_CWORD > 0 )); then previous=${'$'}{COMP_WORDS[COMP_CWORD - 1]}; fi
  COMPREPLY=()
  if [[ -n $plain ]]; then builtin mapfile -t COMPREPLY < <(builtin compgen "${'$'}{args[@]}" -- "$__aish_current"); fi
  if [[ -n $program ]]; then
    local -a told
    builtin mapfile -t told < <(export COMP_LINE COMP_POINT COMP_TYPE COMP_KEY
      builtin eval "$program "'"${'$'}{COMP_WORDS[0]}" "$__aish_current" "$previous"')
    COMPREPLY+=("${'$'}{told[@]}")
  fi
  if [[ -n $func ]]; then
    "$func" "${'$'}{COMP_WORDS[0]}" "$__aish_current" "$previous"
    if [[ $? == 124 && -z $__aish_retried ]]; then
      __aish_retried=1
      __aish_find "${'$'}{COMP_WORDS[0]}" && __aish_generate
      return
    fi
  fi
  case "$__aish_options " in
  *' plusdirs '*) __aish_folders ;;
  *' dirnames '*) if (( ! ${'$'}{#COMPREPLY[@]} )); then __aish_folders; fi ;;
  esac
}

__aish_folders() {
  local -a folders
  builtin mapfile -t folders < <(builtin compgen -d -- "$__aish_current")
  COMPREPLY+=("${'$'}{folders[@]}")
  __aish_options+=' filenames'
}

__aish_reply() {
  local -a shown=("${'$'}{COMPREPLY[@]:0:2000}")
  builtin printf '%s\0' "${'$'}{COMP_WORDBREAKS-}" "${'$'}{__aish_options# }" "${'$'}{#shown[@]}" "${'$'}{shown[@]}" >&$__aish_out
}

__aish_answer() {
  local __aish_options= __aish_retried=
  compopt() { __aish_compopt "$@"; }
  if [[ -r $__aish_exports ]]; then . "$__aish_exports"; fi
  builtin cd -- "$__aish_cwd" || builtin exit
  __aish_generate
  __aish_reply
}

__aish_read() { IFS= builtin read -r -d '' -u "$__aish_in" "$1"; }

__aish_serve() {
  local __aish_cwd __aish_rest __aish_behind __aish_current __aish_count __aish_spec __aish_word COMP_LINE COMP_POINT COMP_CWORD COMP_TYPE=9 COMP_KEY=9
  local -a COMP_WORDS COMPREPLY
  while __aish_read __aish_cwd; do
    __aish_read __aish_exports
    __aish_read COMP_LINE
    __aish_read __aish_rest
    __aish_read __aish_current
    __aish_read __aish_behind
    __aish_read __aish_count
    COMP_WORDS=()
    while (( __aish_count-- > 0 )); do
      __aish_read __aish_word
      COMP_WORDS+=("$__aish_word")
    done
    COMPREPLY=()
    if ! __aish_find "${'$'}{COMP_WORDS[0]}"; then __aish_expand; __aish_find "${'$'}{COMP_WORDS[0]}"; fi
    COMP_POINT=$(( ${'$'}{#COMP_LINE} - ${'$'}{#__aish_rest} )) COMP_CWORD=$(( ${'$'}{#COMP_WORDS[@]} - 1 - __aish_behind ))
    if [[ -z $__aish_spec ]]; then
      __aish_options= __aish_reply
    else
      ( __aish_answer )
    fi
  done
}

if [[ -r $__aish_exports ]]; then . "$__aish_exports"; fi
if [[ -n $__aish_startup && -r ~/.bashrc ]]; then . ~/.bashrc; fi
{ set +o history +euxv; trap - DEBUG ERR RETURN EXIT; unset HISTFILE PROMPT_COMMAND TMOUT; } </dev/null
if [[ -z ${'$'}{BASH_COMPLETION_VERSINFO-} ]]; then
  for __aish_word in /usr/share/bash-completion /usr/local/share/bash-completion /opt/homebrew/share/bash-completion; do
    if [[ -r $__aish_word/bash_completion ]]; then . "$__aish_word/bash_completion"; break; fi
  done
fi
shopt -u failglob nullglob
builtin printf '%s\0' "${'$'}{COMP_WORDBREAKS-}" '' 0 >&$__aish_out
__aish_serve
builtin exit 0
`;

/** A fish that completes as the user's does, by `complete -C`. */
export const FISH: PipeDialect = {
  file: 'complete.fish',
  script: () => fishScript,
  words: (script, { withStartupFiles }) => [
    ...(withStartupFiles ? [] : ['--no-config']),
    '-c',
    `source ${quote(script)}`,
  ],
  toQuestion: ({ cwd, exportsFile, line }) => {
    const start = scanLine(line, line.length)?.word.start ?? line.length;
    return {
      fields: [cwd, exportsFile ?? '', line],
      read: ({ matches }) => matches.slice(0, MOST_MATCHES).map((row) => toFishMatch(row, start)),
    };
  },
};

/** A row is what takes the place of the word, and what it is behind a tab. */
function toFishMatch(row: string, start: number): HelperMatch {
  const [text = '', description = ''] = row.split('\t');
  const match = { text, start, isPath: text.includes('/'), isQuoted: false };
  return description === '' ? match : { ...match, description };
}

const fishScript = String.raw`# Without startup files fish does not know where its own completions are.
if not builtin set -q fish_complete_path[1]
    builtin set -g fish_complete_path $__fish_data_dir/vendor_completions.d $__fish_data_dir/completions
end
function __aish_field
    builtin read -z -d \x01 field; or exit
    builtin string collect -N -- $field
end
builtin printf '%s\0' '' '' 0
while true
    set -l cwd (__aish_field)
    set -l exports (__aish_field)
    set -l line (__aish_field)
    builtin test -r "$exports"; and builtin source $exports 2>/dev/null
    builtin cd $cwd 2>/dev/null
    set -l rows (complete -C "$line" 2>/dev/null </dev/null)
    builtin printf '%s\0' '' '' (count $rows) $rows
end
`;
