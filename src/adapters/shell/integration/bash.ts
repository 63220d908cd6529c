import { joinCommand } from '../../../core/commands/open-line.ts';
import { quote } from '../../../core/text/quote.ts';
import { type Integration, readSystemPrompt } from './integration.ts';

/**
 * bash without its line editor. aish's functions are defined before the user's files are read, so no alias can get into them; they are
 * read-only, so no `unset -f` takes them away. Every call of them has its output closed off, so neither `set -x` nor a DEBUG trap nor an
 * error of aish shows. Every call precedes `&& :`, so a status passed through fires no ERR trap and ends no shell under `set -e`.
 */
export const bash: Integration = {
  /**
   * No DEBUG trap is set while aish's code runs. `__aish_arm` puts it before the line that `eval` runs, so that it fires for the user's
   * commands and for none of aish's: programs that use one to see commands then see the user's line, as the newest of the history. An ERR
   * trap goes the same way, or it would fire once more for `eval` itself.
   */
  injection:
    ' __aish_st=$?; { __aish_clear; builtin trap -p ERR >|"$__aish_f/debug"; builtin trap - ERR; __aish_arm; __aish_as "$__aish_st" && :; } >/dev/null 2>&1; \\builtin \\eval "$__aish_c"; { __aish_end && :; } >"/dev/${__aish_z:__aish_q=0}" 2>&1\n',
  blank: '\0',
  /** Puts the hooks back and asks for the prompt again. */
  repair: ' { __aish_repair && :; } >"/dev/${__aish_z:__aish_q=0}" 2>&1\n',
  complete: ' { __aish_clear; \\builtin \\eval "$__aish_i"; __aish_repair && :; } >/dev/null 2>&1\n',
  dropsHooks: false,
  editor: null,
  toEntry: (line) => (line.includes('\n') ? joinCommand(line) : null),
  prepare: ({ folder, nonce, login, env, renderPrompt, withoutStartup }) => ({
    args: ['--noediting', '--rcfile', `${folder}/rc`, '-i'],
    env: {},
    secret: 'rc',
    files: {
      rc: `${definitions(folder, nonce, renderPrompt)}${startup(readSystemPrompt(env.PS1), { login, withoutStartup })}{ __aish_clear; \\builtin \\eval "$__aish_i"; } >/dev/null 2>&1\n`,
    },
  }),
};

const NO_STARTUP = `__aish_bye() { :; }
readonly -f __aish_bye
`;

/** Without a line editor `bind` only warns, so while the startup files run, its calls are noted. So is the place of an exit, and the
 * place where they are when aish asks with a signal. */
const NOTE_KEYS = `bind() { builtin printf '%s\\0' "$#" "$@" >>"$__aish_f/keys"; }
exit() {
  __aish_st=$?
  if (( BASH_SUBSHELL == 0 )); then __aish_place F "\${BASH_LINENO[0]}" "\${BASH_SOURCE[1]}"; fi
  if (( $# )); then builtin exit "$@"; else builtin exit "$__aish_st"; fi
}
trap '__aish_place G "$BASH_COMMAND" "\${BASH_SOURCE[0]}"' URG
`;

/** The startup files. `readPrompt` stands between those of the system and those of the user. */
function startup(readPrompt: string, { login, withoutStartup }: { login: boolean; withoutStartup: boolean }): string {
  if (withoutStartup) return `${NO_STARTUP}${readPrompt}`;
  return login ? `${SYSTEM_LOGIN}${readPrompt}${LOGIN}` : `${NO_STARTUP}${readPrompt}${NO_LOGIN}`;
}

const NO_LOGIN = `${NOTE_KEYS}if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi
`;

/** bash takes no startup file of aish when it is a login shell itself, so aish does a login shell's work for it: also at the end. */
const SYSTEM_LOGIN = `${NOTE_KEYS}__aish_bye() { if [[ -r ~/.bash_logout ]]; then . ~/.bash_logout; fi; }
readonly -f __aish_bye
logout() { builtin exit "$@"; }
if [[ -r /etc/profile ]]; then . /etc/profile; fi
`;

const LOGIN = `if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
elif [[ -r ~/.profile ]]; then . ~/.profile; fi
`;

/** The exports of a shell that ended before this one come back after the startup files; directory and depth are this shell's own. */
const INSTALL = `unset -f bind
__aish_started
if [[ -r $__aish_f/restore ]]; then
  __aish_p=$PWD __aish_st=$SHLVL
  . "$__aish_f/restore"
  PWD=$__aish_p SHLVL=$__aish_st __aish_p=
fi
__aish_install || :
`;

const VARIABLES =
  '__aish_n __aish_f __aish_i __aish_w __aish_s __aish_p __aish_c __aish_t __aish_ps __aish_r __aish_rp __aish_nb __aish_ro __aish_ax __aish_bn __aish_x __aish_k __aish_wh __aish_hk __aish_sp __aish_ok __aish_ed __aish_sy __aish_q __aish_z __aish_tg __aish_tw';

function definitions(folder: string, nonce: string, renderPrompt: boolean): string {
  const hook = (name: string, file: string): string =>
    `{ __aish_st=$?; builtin trap -p DEBUG >|"$__aish_f/${file}"; builtin trap - DEBUG; ${name} "$__aish_st" && :; } >"/dev/\${__aish_z:__aish_q=0}" 2>&1`;
  return `__aish_i=${quote(INSTALL)}
__aish_s=0 __aish_p= __aish_c= __aish_t= __aish_ps= __aish_r= __aish_rp= __aish_nb= __aish_ro= __aish_ax= __aish_bn= __aish_x= __aish_k=0 __aish_wh= __aish_sp= __aish_ok= __aish_st= __aish_ed= __aish_sy= __aish_q=0 __aish_z=null __aish_tg= __aish_tw=
__aish_n='${nonce}' __aish_hk='${nonce}' __aish_f=${quote(folder)} __aish_w=${renderPrompt ? '1' : ''}
__aish_hd=${quote(hook('__aish_d', 'debug'))} __aish_hb=${quote(hook('__aish_b', 'debug-late'))}
declare +x ${VARIABLES} __aish_hd __aish_hb
${FUNCTIONS}
readonly __aish_n __aish_f __aish_z __aish_i __aish_w __aish_hd __aish_hb
readonly -f ${[...FUNCTIONS.matchAll(/^(__aish_\w+)\(\)/gm)].map(([, name]) => name).join(' ')}
if [[ -e /proc/self/fd/0 ]]; then { __aish_mark S; } 2>/dev/null; else { __aish_mark "S;$(tty)"; } 2>/dev/null; fi
{ __aish_wait 0; __aish_mark R; } 2>/dev/null
`;
}

const FUNCTIONS = String.raw`# A function may stand in the way of what we use. In this mode nothing stands in the way of "unset".
__aish_clear() {
  __aish_ok=
  builtin eval '__aish_ok=1'
  if [[ -n $__aish_ok ]]; then return 0; fi
  local posix=${'$'}{POSIXLY_CORRECT+set}
  POSIXLY_CORRECT=1
  unset -f builtin eval printf read local return set shopt history command
  if [[ -z $posix ]]; then unset POSIXLY_CORRECT; fi
  builtin eval '__aish_mark "B;builtin"'
}
__aish_mark() { builtin printf '\e]7711;%s;%s\a' "$__aish_n" "$1" >/dev/tty; }
# The trap and the function that note the place are the user's, if a startup file has set others.
__aish_started() {
  local REPLY
  { builtin trap -p URG; builtin declare -f exit; } >|"$__aish_f/debug"
  builtin read -r -d '' <"$__aish_f/debug"
  case $REPLY in 'trap -- '*'__aish_place G'*) builtin trap - URG ;; esac
  case $REPLY in *'__aish_place F'*) unset -f exit ;; esac
}
__aish_place() {
  if [[ $3 == "$__aish_f"/* ]]; then __aish_mark "$1;"; else
    case $2$3 in *[[:cntrl:]]*) __aish_mark "$1;" ;; *) __aish_mark "$1;${'$'}{2%%;*};$3" ;; esac
  fi
}
__aish_as() { return "$1"; }
__aish_wait() {
  local REPLY
  while builtin read -r && [[ $REPLY != "$1" ]]; do
    if [[ $REPLY == again && $1 != 0 ]]; then __aish_mark "W;$1"; fi
  done <"$__aish_f/ack"
}
# Said at the end of the line, and by the first hook where the line was cut off before its end.
__aish_d() {
  __aish_clear
  if [[ -n $__aish_p || ( -n $__aish_ro && ${'$'}{2-} != now ) ]]; then return "$1"; fi
  local where=$PWD
  __aish_p=1
  __aish_give_back
  __aish_unwatch_exit
  case $where in *[[:cntrl:]]*) where= ;; esac
  builtin printf '\e]7711;%s;D;%s;%s;%s\a' "$__aish_n" "$1" "$__aish_k" "$where" >/dev/tty
  return "$1"
}
__aish_b() {
  if [[ -n $__aish_ro && ${'$'}{2-} != now ]]; then return "$1"; fi
  __aish_d "$1"
  __aish_ax=
  # What we set shall be in no program's environment.
  case $- in *a*) set +a; __aish_ax=1; builtin export -n ${VARIABLES} __aish_st __aish_hd __aish_hb ;; esac
  __aish_debug
  __aish_blank
  __aish_render "$1"
  __aish_report
  case $- in *b*) __aish_nb= ;; *) __aish_nb=1; set -b ;; esac
  __aish_p= __aish_s=$(( ${'$'}{__aish_s:-SECONDS * 100000 + RANDOM} + 1 ))
  # Nobody answers what could not be said.
  __aish_mark "W;$__aish_s" && __aish_wait "$__aish_s"
  { builtin export -p; builtin printf '\0'; } 1<>"$__aish_f/exports"
  __aish_names
  # It may hold a secret, and is nothing to the next command.
  __aish_c=
  if [[ -n $__aish_sp ]]; then __aish_mark P; fi
  return "$1"
}
# A prompt that cannot be set is shown by the shell itself, which is said before it.
__aish_blank() {
  __aish_ps=${'$'}{PS1-} __aish_sp=
  if [[ -n ${'$'}{PS1+x} && ${'$'}{PS1@a} == *r* ]]; then __aish_sp=1; else PS1=; fi
}
# What a hook set up at this very prompt counts as set up before it, and shall not take our own work for the user's command.
__aish_debug() {
  local late=debug
  if [[ -s $__aish_f/debug-late ]]; then
    late=debug-late
    if builtin declare -F __bp_interactive_mode; then __bp_interactive_mode; fi
  fi
  local before=$__aish_t words
  __aish_t=
  if [[ -s $__aish_f/$late ]]; then builtin read -r -d '' __aish_t <"$__aish_f/$late"; fi
  # In its POSIX mode bash lists a trap that is not set.
  if [[ $__aish_t == 'trap -- - DEBUG'* ]]; then __aish_t=; fi
  if [[ -n $__aish_tw && -n $__aish_t ]]; then
    builtin eval "words=($__aish_t)"
    if [[ ${'$'}{words[2]-} == "$__aish_tw" ]]; then __aish_t=$before; fi
  fi
}
# The trap of the user gets a condition, so that it fires for no command of ours: the redirection behind the line ends it. A line that may
# look at the trap gets it as it is.
__aish_guard() {
  __aish_q=1 __aish_tg=$__aish_t __aish_tw=
  case $__aish_c in *trap* | *eval* | *source* | *'. '*) return 0 ;; esac
  local words
  builtin eval "words=($__aish_t)"
  if [[ -z ${'$'}{words[2]-} ]]; then return 0; fi
  __aish_tw='case ${'$'}{__aish_q-} in 1) '"${'$'}{words[2]}"$'\n;; esac'
  builtin printf -v __aish_tg 'trap -- %q DEBUG' "$__aish_tw"
}
# A prompt whose rendering fails ends the hook in the middle; it is left alone until it is another one.
__aish_render() {
  __aish_r=
  if [[ -z $__aish_w || ( -n $__aish_rp && $__aish_rp == "$__aish_ps" ) ]]; then return 0; fi
  local nounset=
  case $- in *u*) nounset=1; set +u ;; esac
  __aish_rp=$__aish_ps
  if __aish_as "$1"; then __aish_r=${'$'}{__aish_ps@P}; else __aish_r=${'$'}{__aish_ps@P}; fi
  __aish_rp=
  if [[ -n $nounset ]]; then set -u; fi
}
# Each file is written over and ends with a NUL: to empty it first would cost more than all the rest.
__aish_report() {
  local own=1
  if [[ -n $__aish_sy && $__aish_ps == *"$__aish_sy" ]]; then own=; fi
  {
    builtin printf '%s\0' "${'$'}{__aish_r:0:8192}" '' "$own" "${'$'}{VIRTUAL_ENV_PROMPT:-${'$'}{VIRTUAL_ENV:-${'$'}{CONDA_DEFAULT_ENV-}}}"
    builtin jobs -r; builtin jobs -s
    builtin printf '\0bash\0%s\0%s\0' "${'$'}{HISTCONTROL-}" "${'$'}{HISTIGNORE-}"
  } 1<>"$__aish_f/report"
}
# Read behind the prompt, so it is written behind it.
__aish_names() {
  # Builtins hardly ever come and go.
  if [[ -z $__aish_bn || $__aish_c == *enable* ]]; then __aish_builtins; fi
  local IFS=$'\n' __aish_cd=${'$'}{CDPATH-}
  {
    builtin echo "= alias
${'$'}{!BASH_ALIASES[*]}
= meaning"
    builtin printf '%q\n' "${'$'}{BASH_ALIASES[@]-}"
    builtin echo "= path
${'$'}{PATH-}
= cdpath
${'$'}{__aish_cd//:/$IFS}
= stack
${'$'}{DIRSTACK[*]:1}
= option
${'$'}{BASHOPTS-}:$SHELLOPTS:keys=$__aish_ed
$__aish_bn
= function"
    builtin compgen -A function
    builtin printf '= variable\n'; builtin compgen -v
    builtin printf '= end\n%s\0' "$__aish_s"
  } 1<>"$__aish_f/names"
}
__aish_builtins() {
  { builtin printf '= builtin\n'; builtin compgen -b; builtin printf '= keyword\n'; builtin compgen -k; } >|"$__aish_f/names"
  builtin read -r -d '' __aish_bn <"$__aish_f/names"
}
# Where PROMPT_COMMAND cannot be set any more, the end of each line does what the hooks would. Mostly all is as we left it.
__aish_hooks() {
  if [[ ${'$'}{PROMPT_COMMAND[*]-} == "${'$'}{__aish_hk-none}" ]]; then return 0; fi
  __aish_ro=
  local hook kept=() first=$__aish_hd last=$__aish_hb nl=$'\n'
  case "$(( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 ))" in
  1)
    # Under set -u only an array that is set has a length, and only a variable that is set has attributes.
    local hooks=("${'$'}{PROMPT_COMMAND[@]-}")
    local end=$(( ${'$'}{#hooks[@]} - 1 ))
    if (( end > 0 )) && [[ ${'$'}{hooks[0]} == "$first"* && ${'$'}{hooks[end]} == "$last" ]]; then
      __aish_hk=${'$'}{PROMPT_COMMAND[*]}
      return 0
    fi
    if [[ ( $- != *u* || -n ${'$'}{PROMPT_COMMAND[*]+x} ) && ${'$'}{PROMPT_COMMAND@a} == *r* ]]; then __aish_ro=1; return 0; fi
    # Another program may have joined one of ours and one of its own to one text.
    for hook in "${'$'}{hooks[@]}"; do
      hook=${'$'}{hook//"$first"/:} hook=${'$'}{hook//"$last"/:}
      while [[ $hook == :"$nl"* ]]; do hook=${'$'}{hook#:"$nl"}; done
      if [[ -n $hook && $hook != : ]]; then kept+=("$hook"); fi
    done
    # Programs that know nothing of an array look for what they put there in its first text: that stays one.
    PROMPT_COMMAND=("$first${'$'}{kept[0]:+$nl${'$'}{kept[0]}}" "${'$'}{kept[@]:1}" "$last") ;;
  *)
    local user=${'$'}{PROMPT_COMMAND-}
    user=${'$'}{user//"$first"/:} user=${'$'}{user//"$last"/:}
    PROMPT_COMMAND=$first$'\n'$user$'\n'$last ;;
  esac
  __aish_hk=${'$'}{PROMPT_COMMAND[*]-}
}
# A line may go elsewhere and end the shell there: only a trap sees that, so such a line has one, unless the user has one or looks at them.
__aish_watch_exit() {
  case $1 in *trap*) return 0 ;; *exit* | *logout*) ;; *) return 0 ;; esac
  builtin trap -p EXIT >|"$__aish_f/debug"
  if [[ -s $__aish_f/debug ]]; then return 0; fi
  __aish_x=1
  builtin trap '{ __aish_leave; } 2>/dev/null; __aish_bye' EXIT
}
__aish_unwatch_exit() {
  if [[ -n $__aish_x ]]; then builtin trap - EXIT; fi
  __aish_x=
}
__aish_leave() {
  case $PWD in *[[:cntrl:]]*) ;; *) __aish_mark "X;$PWD" ;; esac
}
__aish_arm() {
  local REPLY how entry= failed=
  if [[ -s $__aish_f/debug ]]; then builtin read -r -d '' failed <"$__aish_f/debug" || :; fi
  {
    builtin read -r -d ''
    # Only a line of several has another form.
    if [[ $REPLY == *$'\n'*$'\n'*$'\n' ]]; then IFS= builtin read -r -d '' entry; fi
  } <"$__aish_f/command"
  # Where the shell reads no more, nothing shall pass for the line.
  if [[ -z $REPLY ]]; then return 1; fi
  how=${'$'}{REPLY%%$'\n'*} __aish_c=${'$'}{REPLY#*$'\n'}
  REPLY=${'$'}{how#* } how=${'$'}{how%% *}
  __aish_k=${'$'}{REPLY%% *} __aish_wh=${'$'}{REPLY#"$__aish_k"}
  if [[ -z $entry ]] || shopt -q lithist || ! shopt -q cmdhist; then entry=${'$'}{__aish_c%$'\n'}; fi
  if [[ ! -o history ]]; then :; elif [[ $how == keep ]]; then __aish_remember "$entry"; else __aish_forget; fi
  # A startup file read again goes by PS1 to see that a user is there.
  __aish_p=
  if [[ -z $__aish_sp ]]; then PS1=$__aish_ps; fi
  if [[ -n $__aish_nb ]]; then set +b; fi
  __aish_hooks
  __aish_edit
  __aish_watch_exit "$__aish_c"
  if [[ -n $__aish_ax ]]; then set -a; fi
  __aish_withhold
  # Only a subshell sets a status again without firing the trap.
  if [[ -n $__aish_t$failed ]]; then
    local again=
    if [[ $__aish_st != 0 ]]; then again="(\\builtin \\exit $__aish_st) && :"; fi
    __aish_guard
    __aish_c="{ $failed"$'\n'"$__aish_tg"$'\n'"$again"$'\n'"} >/dev/null 2>&1"$'\n'$__aish_c
  fi
  __aish_mark C
}
# A bash without its line editor does not survive "set -o vi" in a line that is evaluated, so the line is noted instead of run. With a line
# editor, which a startup file turned on, it would not survive "set +o vi".
__aish_edit() {
  local IFS=' ' words
  case $__aish_c in *set*[-+]o*) ;; *) return 0 ;; esac
  builtin read -r -a words <<<"$__aish_c"
  case "${'$'}{words[*]}" in
  'set -o vi' | 'set -o emacs') __aish_ed=${'$'}{words[2]} ;;
  'set +o vi' | 'set +o emacs') __aish_ed=none ;;
  *) return 0 ;;
  esac
  __aish_c=$':\n'
}
# What the command is not to have stays with the shell and goes to no program. What the command itself makes of it stays.
__aish_withhold() {
  local IFS=' '
  if [[ -n $__aish_wh ]]; then builtin export -n $__aish_wh; fi
}
__aish_give_back() {
  local name IFS=' '
  for name in $__aish_wh; do
    if [[ -n ${'$'}{!name+x} ]]; then builtin export "$name"; fi
  done
  __aish_wh=
}
# bash repeats the newest line but the one it has read itself. Ours counts as older, and would repeat itself without end.
__aish_remember() {
  builtin history -s -- "$1"
  case $1 in 'fc -s' | 'fc -s '* | 'fc -e -' | 'fc -e - '*) ;; *) return 0 ;; esac
  local HISTTIMEFORMAT= last
  last=$(builtin history 1)
  if [[ $last != *"$1" ]]; then return 0; fi
  __aish_drop
  last=$(builtin history 1)
  if [[ -n $last ]]; then builtin history -s -- "${'$'}{last#*[0-9][* ] }"; fi
}
__aish_drop() {
  if (( BASH_VERSINFO[0] >= 5 )); then builtin history -d -1; else builtin history -d $((HISTCMD - 1)); fi
}
# A line read while no leading blank hides it from the history stands there as the newest.
__aish_forget() {
  case ${'$'}{HISTCONTROL-} in *ignorespace* | *ignoreboth*) return 0 ;; esac
  __aish_drop
}
__aish_install() {
  __aish_hooks
  if [[ -n $__aish_ro ]]; then __aish_b 0 now; fi
}
__aish_end() {
  local st=$?
  __aish_hooks
  __aish_d "$st" now
  if [[ -n $__aish_ro ]]; then __aish_b "$st" now; fi
  return "$st"
}
__aish_repair() {
  local st=$?
  if [[ -o history ]]; then __aish_forget; fi
  __aish_as "$st"
  __aish_end
}`;
