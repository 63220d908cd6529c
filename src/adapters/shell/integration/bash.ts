import type { Integration } from './integration.ts';
import { quote } from './quote.ts';

/**
 * bash without its line editor. Our functions are defined before the person's files are read, so no alias can get into them, and every
 * call of them has standard error closed off, so neither `set -x` nor a fault of ours shows.
 */
export const bash: Integration = {
  /**
   * Runs the line; `if` because a failing condition neither ends a shell under `set -e` nor fires an ERR trap, yet leaves `$?`.
   * It does not begin with `if`: after a syntax error bash takes no reserved word in the first place of the next line.
   */
  injection:
    ' __aish_st=$?; if { __aish_arm; } 2>/dev/null; then builtin eval "$__aish_c"; else builtin eval "$__aish_c"; fi; { __aish_end; } 2>/dev/null\n',
  /** Puts the hooks back and asks for the prompt again. */
  repair: ' { __aish_repair; } 2>/dev/null\n',
  prepare: ({ folder, nonce, login }) => ({
    args: ['--noediting', '--rcfile', `${folder}/rc`, '-i'],
    env: {},
    secret: 'rc',
    files: { rc: `${definitions(folder, nonce)}${login ? PROFILE_FILES : RC_FILE}${INSTALL}` },
  }),
};

const RC_FILE = `if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi
`;

const PROFILE_FILES = `if [[ -r /etc/profile ]]; then . /etc/profile; fi
if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
elif [[ -r ~/.profile ]]; then . ~/.profile; fi
`;

const INSTALL = `{ __aish_hooks; } 2>/dev/null
`;

function definitions(folder: string, nonce: string): string {
  return `__aish_n='${nonce}' __aish_f=${quote(folder)} __aish_s=0 __aish_p= __aish_c= __aish_ps=
__aish_hd='{ __aish_d; } 2>/dev/null' __aish_hb='{ __aish_b; } 2>/dev/null'
declare +x __aish_n __aish_f __aish_s __aish_p __aish_c __aish_ps __aish_hd __aish_hb
${FUNCTIONS}
if [[ -e /proc/self/fd/0 ]]; then { __aish_mark S; } 2>/dev/null; else { __aish_mark "S;$(tty)"; } 2>/dev/null; fi
{ __aish_wait 0; } 2>/dev/null
`;
}

const FUNCTIONS = String.raw`__aish_mark() { builtin printf '\e]7711;%s;%s\a' "$__aish_n" "$1" >/dev/tty; }
__aish_wait() {
  local REPLY
  while builtin read -r && [[ $REPLY != "$1" ]]; do :; done <"$__aish_f/ack"
}
__aish_d() {
  local st=$? where=$PWD
  st="${'$'}{1-$st}"
  __aish_s=$((__aish_s + 1)) __aish_p=1
  case $where in *[[:cntrl:]]*) where= ;; esac
  builtin printf '\e]7711;%s;D;%s;%s;%s\a' "$__aish_n" "$__aish_s" "$st" "$where" >/dev/tty
  case $- in *e*) return 0 ;; esac
  return "$st"
}
__aish_b() {
  local st=$?
  if [[ -z $__aish_p ]]; then __aish_d "$st" || :; fi
  __aish_names
  __aish_wait "$__aish_s"
  __aish_p= __aish_ps=${'$'}{PS1-} PS1=
  __aish_mark B
  case $- in *e*) return 0 ;; esac
  return "$st"
}
__aish_names() {
  {
    builtin printf '= alias\n'; builtin compgen -a || :
    builtin printf '= function\n'; builtin compgen -A function || :
    builtin printf '= builtin\n'; builtin compgen -b || :
    builtin printf '= keyword\n'; builtin compgen -k || :
    builtin printf '= path\n%s\n' "$PATH"
  } >|"$__aish_f/names"
}
__aish_hooks() {
  case "$(( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 ))" in
  1)
    local last=$(( ${'$'}{#PROMPT_COMMAND[@]} - 1 )) hook kept
    if (( last > 0 )) && [[ ${'$'}{PROMPT_COMMAND[0]-} == "$__aish_hd" && ${'$'}{PROMPT_COMMAND[last]-} == "$__aish_hb" ]]; then return 0; fi
    kept=()
    if (( last >= 0 )); then
      for hook in "${'$'}{PROMPT_COMMAND[@]}"; do
        if [[ -n $hook && $hook != *__aish_* ]]; then kept+=("$hook"); fi
      done
    fi
    PROMPT_COMMAND=("$__aish_hd" "${'$'}{kept[@]}" "$__aish_hb") ;;
  *)
    local user=${'$'}{PROMPT_COMMAND-}
    user=${'$'}{user#"$__aish_hd"} user=${'$'}{user%"$__aish_hb"}
    PROMPT_COMMAND=$__aish_hd$'\n'$user$'\n'$__aish_hb ;;
  esac
}
__aish_arm() {
  local st=$__aish_st REPLY how
  {
    builtin read -r how || :
    builtin read -r -d '' || :
  } <"$__aish_f/command"
  __aish_c=$REPLY
  if [[ $how == keep ]]; then builtin history -s -- "${'$'}{__aish_c%$'\n'}"; else __aish_forget; fi
  # A startup file read again goes by PS1 to see that a person is there.
  __aish_p= PS1=$__aish_ps
  __aish_hooks
  __aish_mark C
  return "$st"
}
# A line read while no leading blank hides it from the history stands there as the newest.
__aish_forget() {
  case ${'$'}{HISTCONTROL-} in *ignorespace* | *ignoreboth*) return 0 ;; esac
  if (( BASH_VERSINFO[0] >= 5 )); then builtin history -d -1 || :; else builtin history -d $((HISTCMD - 1)) || :; fi
}
__aish_end() {
  local st=$?
  __aish_hooks
  case $- in *e*) return 0 ;; esac
  return "$st"
}
__aish_repair() {
  local st=$?
  __aish_forget
  __aish_hooks
  case $- in *e*) return 0 ;; esac
  return "$st"
}`;
