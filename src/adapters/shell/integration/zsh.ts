import { quote } from '../../../core/text/quote.ts';
import { type Integration, readSystemPrompt } from './integration.ts';
import { INSTALL, keepZdotdir, PLACE, readOwn, restoreZdotdir, USE_OWN, WIDGETS } from './zsh-widgets.ts';

/**
 * zsh without its line editor. It looks for its files where ZDOTDIR says, so ours stand in front and each reads the user's own, with
 * ZDOTDIR as the user had it.
 *
 * The user's line comes in as an alias, so that zsh reads it just as if it had been typed: a line evaluated by another has the wrong
 * numbers of jobs and, in a pipeline that was stopped, cannot be brought back. An alias that is not whole would have zsh wait for more, and
 * one of several lines would be as many commands, so these are evaluated; so is what could take our hooks away, since then only what
 * stands behind it can tell of its end.
 */
export const zsh: Integration = {
  // The empty line leaves the status and all else as it is and brings the hook that takes the user's line; the second is that line.
  injection: '\n __aish_l\n',
  blank: '\n',
  // An interrupt while zsh waits for a line costs it the next one: that is an empty one.
  repair: '\n __aish_repair >/dev/null 2>&1\n',
  complete: '\n __aish_clear; \\builtin \\eval "$__aish_i"; __aish_repair >/dev/null 2>&1\n',
  dropsHooks: true,
  editor: null,
  toEntry: () => null,
  prepare: ({ folder, nonce, login, env, renderPrompt, withoutStartup }) => ({
    // Without the last two, a startup file that is cut short would leave a mark of an unfinished line before the prompt.
    args: [...(login ? ['-l'] : []), '-i', '+Z', '+o', 'prompt_sp', '+o', 'prompt_cr'],
    env: { ZDOTDIR: folder },
    secret: '.zshenv',
    files: {
      '.zshenv': `${definitions(folder, nonce, renderPrompt)}${restoreZdotdir(env.ZDOTDIR)}${readSystemPrompt(env.PS1)}${withoutStartup ? '' : readOwn('.zshenv')}${keepZdotdir(folder)}`,
      '.zprofile': `${USE_OWN}${withoutStartup ? '' : readOwn('.zprofile')}${keepZdotdir(folder)}`,
      '.zshrc': `${USE_OWN}if [[ $PS1 != $__aish_sz ]]; then ${readSystemPrompt(env.PS1).trimEnd().replace('\n', '; ')}; fi\n${withoutStartup ? '' : readOwn('.zshrc')}__aish_rest >/dev/null 2>&1; __aish_clear; \\builtin \\eval "$__aish_i"\n`,
    },
  }),
};

const VARIABLES =
  '__aish_n __aish_f __aish_i __aish_w __aish_s __aish_p __aish_hs __aish_ps __aish_r __aish_rp __aish_o __aish_hid __aish_k __aish_wh __aish_sy __aish_sz __aish_rr __aish_st __aish_away __aish_tr';

function definitions(folder: string, nonce: string, renderPrompt: boolean): string {
  return `typeset -g ${VARIABLES}
typeset -ga __aish_pc __aish_pe __aish_ah __aish_fixed
typeset -gA __aish_c
typeset +x ${VARIABLES} __aish_pc __aish_pe __aish_ah __aish_fixed
__aish_n='${nonce}' __aish_f=${quote(folder)} __aish_s=0 __aish_k=0 __aish_w=${renderPrompt ? '1' : ''}
__aish_i=${quote(INSTALL)}
typeset -gr __aish_n __aish_f __aish_i __aish_w
${FUNCTIONS}
${PLACE}
${WIDGETS}
{ __aish_mark "S;$TTY"; __aish_wait 0; __aish_mark R } 2>/dev/null
`;
}

const FUNCTIONS = String.raw`# A function may stand in the way of what we use.
__aish_clear() {
  local ok=
  if (( ! ${'$'}{+__aish_c} )); then
    typeset -ga __aish_pc __aish_pe __aish_ah __aish_fixed
    typeset -gA __aish_c
  fi
  builtin eval 'ok=1'
  if [[ -n $ok || -z ${'$'}{functions[builtin]-} ]]; then return 0; fi
  unfunction builtin
  __aish_mark "B;builtin"
}
__aish_mark() { builtin printf '\e]7711;%s;%s\a' "$__aish_n" "$1" >/dev/tty }
__aish_as() { return $1 }
__aish_wait() {
  local REPLY
  while builtin read -r && [[ $REPLY != "$1" ]]; do
    if [[ $REPLY == again && $1 != 0 ]]; then __aish_mark "W;$1"; fi
  done <"$__aish_f/ack"
}
# A DEBUG trap would see our own commands: it is away until the user's next line begins. Under the options of this function it does not fire
# before the first command, which takes it away. zsh lists it last.
emulate zsh -o no_debug_before_cmd -o no_xtrace -c '__aish_rest() {
  __aish_st=$? && [[ -z $__aish_away ]] && builtin trap >|$__aish_f/debug && __aish_away=1 && builtin trap - DEBUG || return 0
  __aish_tr=$(<$__aish_f/debug)
  if [[ $__aish_tr != *DEBUG* ]]; then __aish_tr=; return 0; fi
  builtin trap >|$__aish_f/traps
  __aish_tr=${'$'}{__aish_tr#"$(<$__aish_f/traps)"}
}'
# Under the user's options, which a function that the trap consists of takes over. The text of the trap has no aliases any more.
__aish_watch() {
  setopt localoptions
  unsetopt aliases allexport localtraps
  __aish_away=
  if [[ -z $__aish_tr ]]; then return 0; fi
  builtin eval "$__aish_tr"
}
# Said at the end of the line, and by the first hook where the line was cut off before its end.
__aish_d() { {
  local st=${'$'}{1-$?}
  __aish_clear
  if (( $# )); then unsetopt zle; else __aish_zle_on; fi
  __aish_blank
  __aish_say $st
} >/dev/null 2>&1 }
# Not under local options, as with all that is to last. What the user's line chose is kept from its end until the next begins.
__aish_blank() {
  if [[ -n $__aish_hs ]]; then return 0; fi
  if [[ -o hist_ignore_space ]]; then __aish_note 1; else __aish_note 0; fi
  setopt hist_ignore_space
}
__aish_note() {
  emulate -L zsh
  __aish_hs=1 __aish_hi=$1
}
__aish_say() {
  local st=$1
  emulate -L zsh
  if [[ -n $__aish_p ]]; then return $st; fi
  if [[ ${'$'}{zshexit_functions[-1]-} == __aish_leave ]]; then
    __aish_free
    zshexit_functions[-1]=()
  fi
  local where=$PWD
  __aish_p=1
  __aish_give_back
  # It may hold a secret, and is nothing to the next command.
  __aish_c[line]=
  case $where in (*[[:cntrl:]]*) where= ;; esac
  builtin printf '\e]7711;%s;D;%s;%s;%s\a' "$__aish_n" "$st" "$__aish_k" "$where" >/dev/tty
  return $st
}
__aish_b() { {
  local st=$?
  __aish_init
  __aish_zle_off
  __aish_settle $st
  __aish_listen $st
  return $st
} >/dev/null 2>&1 }
__aish_settle() {
  local st=$1 __aish_dup= __aish_op=
  if [[ -o hist_ignore_all_dups ]]; then __aish_dup=erase; elif [[ -o hist_ignore_dups ]]; then __aish_dup=ignore; fi
  __aish_render $st
  # The user's own: from here on the options are ours.
  __aish_op="${'$'}{(kj.:.)options[(R)on]}"
  emulate -L zsh
  setopt localtraps
  trap '' INT
  __aish_d $st || :
  __aish_report
  __aish_free
  __aish_cover
  __aish_s=$(( ${'$'}{__aish_s:-SECONDS * 100000 + RANDOM} + 1 ))
  # Nobody answers what could not be said.
  __aish_mark "W;$__aish_s" && __aish_wait $__aish_s
  { builtin export -p; builtin printf '\0' } 1<>$__aish_f/exports
  __aish_names
}
__aish_cover() {
  emulate -L zsh
  __aish_hide
  __aish_ps=${'$'}{PS1-}
  __aish_prompt ''
}
__aish_uncover() {
  __aish_unhide
  __aish_prompt "$__aish_ps"
}
# Either name of a prompt may be read-only without the other one. The right prompt stays, since only the line editor shows it.
__aish_prompt() {
  if [[ ${'$'}{(t)PS1} != *readonly* ]]; then PS1=$1; elif [[ ${'$'}{(t)PROMPT} != *readonly* ]]; then PROMPT=$1; fi
}
# What the user made read-only and we must change, is so again while a line runs.
__aish_free() {
  local name
  for name in preexec_functions zshaddhistory_functions zshexit_functions; do
    if [[ ${'$'}{parameters[$name]-} == *readonly* ]]; then
      typeset -g +r $name
      __aish_fixed+=($name)
    fi
  done
}
__aish_fix() {
  if (( ${'$'}{#__aish_fixed} )); then typeset -gr $__aish_fixed; fi
  __aish_fixed=()
}
# Under the user's own options, which say what a prompt may hold. One that fails is left alone until it is another one.
__aish_render() {
  setopt localoptions
  unsetopt nounset allexport
  # Of the two names of the right prompt only the one that was set has a value.
  local right=${'$'}{RPROMPT-${'$'}{RPS1-}}
  __aish_r= __aish_rr=
  if [[ -z $__aish_w || $__aish_rp == "x${'$'}{PS1-}$right" ]]; then return 0; fi
  __aish_rp="x$PS1$right"
  if __aish_as $1; then __aish_r=${'$'}{(%%)PS1}; else __aish_r=${'$'}{(%%)PS1}; fi
  if __aish_as $1; then __aish_rr=${'$'}{(%%)right}; else __aish_rr=${'$'}{(%%)right}; fi
  __aish_rp=
}
# Each file is written over and ends with a NUL: to empty it first would cost more than all the rest.
__aish_report() {
  local control= own=1 pushed=
  # What "print -z" left for the line editor.
  builtin read -rz pushed
  if [[ -n $__aish_sy && $PS1 == *"$__aish_sy" && -z ${'$'}{RPROMPT-${'$'}{RPS1-}} ]]; then own=; fi
  if [[ $__aish_dup == ignore ]]; then control=ignoredups; elif [[ -n $__aish_dup ]]; then control=erasedups; fi
  {
    builtin printf '%s\0' "${'$'}{__aish_r[1,8192]}" "${'$'}{__aish_rr[1,1024]}" "$own" "${'$'}{VIRTUAL_ENV_PROMPT:-${'$'}{VIRTUAL_ENV:-${'$'}{CONDA_DEFAULT_ENV-}}}"
    if (( ${'$'}{#jobstates} )); then builtin jobs; fi
    builtin printf '\0zsh\0%s\0%s\0%s\0' "$control" "${'$'}{HISTORY_IGNORE-}" "${'$'}{pushed[1,8192]}"
  } 1<>$__aish_f/report
}
# Read behind the prompt, so it is written behind it.
__aish_names() {
  {
    builtin print -rl -- '= alias' ${'$'}{(k)aliases} ${'$'}{(k)galiases} \
      '= meaning' ${'$'}{(qqqq)aliases} ${'$'}{(qqqq)galiases} '= function' ${'$'}{(k)functions} '= builtin' ${'$'}{(k)builtins} \
      '= keyword' $reswords '= variable' ${'$'}{(k)parameters} '= named' "${'$'}{(@kv)nameddirs}" \
      '= cdpath' $cdpath '= cd-stack' $dirstack '= path' $PATH '= option' $__aish_op '= end'
    builtin printf '%s\0' $__aish_s
  } 1<>$__aish_f/names
}
# Hooks that see a line before it runs, or before it is remembered, are to see the user's and none of ours; those of the prompt are not to
# run for our empty line.
__aish_hide() {
  __aish_hid=1
  __aish_pc=($precmd_functions) __aish_pe=($preexec_functions) __aish_ah=($zshaddhistory_functions)
  typeset -ga preexec_functions=() zshaddhistory_functions=()
  if [[ ${'$'}{(t)precmd_functions} == *readonly* ]]; then __aish_hid=but-prompt; else precmd_functions=(__aish_arm); fi
  local name
  for name in precmd preexec zshaddhistory; do
    if (( ${'$'}{+functions[$name]} )); then
      functions[__aish_own_$name]=$functions[$name]
      unfunction $name
    fi
  done
}
__aish_unhide() {
  emulate -L zsh
  if [[ -z $__aish_hid ]]; then return 0; fi
  if [[ $__aish_hid != but-prompt ]]; then typeset -ga precmd_functions=($__aish_pc); fi
  __aish_hid=
  typeset -ga preexec_functions=($__aish_pe) zshaddhistory_functions=($__aish_ah)
  local name
  for name in precmd preexec zshaddhistory; do
    if (( ${'$'}{+functions[__aish_own_$name]} )); then
      functions[$name]=$functions[__aish_own_$name]
      unfunction __aish_own_$name
    fi
  done
}
# Not under local options: what it sets is to last.
__aish_hooks() {
  builtin unsetopt zle prompt_sp prompt_cr
  if [[ ${'$'}{(t)precmd_functions-} == *readonly* ]]; then typeset -g +r precmd_functions; fi
  if [[ "${'$'}{precmd_functions[1]-} ${'$'}{precmd_functions[2]-}" == "__aish_rest __aish_d" && ${'$'}{precmd_functions[-1]-} == __aish_b ]]; then return 0; fi
  typeset -ga precmd_functions
  precmd_functions=(__aish_rest __aish_d "${'$'}{precmd_functions[@]:#__aish_*}" __aish_b)
}
# Hands a status on, unless that would end the shell or set off a trap of the user's.
__aish_pass() {
  local REPLY
  if (( $1 == 0 )) || [[ -o errexit || -o errreturn ]]; then return 0; fi
  builtin trap >|$__aish_f/traps
  REPLY=$(<$__aish_f/traps)
  if [[ $REPLY == *ERR* || -n ${'$'}{functions[TRAPZERR]-}${'$'}{functions[TRAPERR]-} ]]; then return 0; fi
  return $1
}
# For our empty line: takes the user's, which the next one stands for.
__aish_arm() { {
  __aish_clear
  local how= text='\builtin \eval "${'$'}{__aish_c[line]}${'$'}{__aish_c[line]::=}"; __aish_rest >/dev/null 2>&1; __aish_end >/dev/null 2>&1'
  if __aish_read && __aish_is_whole "${'$'}{__aish_c[line]%$'\n'}"; then text=${'$'}{__aish_c[line]%$'\n'}; fi
  preexec_functions=(__aish_go)
  builtin alias -- "__aish_l=$text" || :
} >/dev/null 2>&1 }
# Where there are no aliases, or our hook cannot be set for the empty line.
__aish_l() {
  if [[ -n $__aish_hid ]]; then
    __aish_read
    __aish_go
  fi >/dev/null 2>&1
  builtin eval "${'$'}{__aish_c[line]}${'$'}{__aish_c[line]::=}"
  __aish_rest >/dev/null 2>&1
  __aish_end >/dev/null 2>&1
}
# Whether zsh would take a line for commands that end with it: what comes behind it must be one of its own. Under the user's own options,
# which say what a command is.
__aish_is_whole() {
  if [[ $1 == *($'\n'|'<<'|precmd|source|zshrc|eval|'. ')* || $1 != *[^[:space:]]* || ! -o aliases ]]; then return 1; fi
  if [[ ${'$'}{functions[${'$'}{1%%[[:space:]]*}]-} == *precmd* ]]; then return 1; fi
  setopt localoptions
  unsetopt allexport
  { functions[__aish_try]=$1$'\n__aish_next' } always { TRY_BLOCK_ERROR=0 }
  if [[ ${'$'}{functions[__aish_try]-} != *$'\n\t__aish_next' ]]; then return 1; fi
  unfunction __aish_try
}
# A line may go elsewhere and end the shell there.
__aish_leave() {
  if [[ $PWD != *[[:cntrl:]]* ]]; then __aish_mark "X;$PWD"; fi
}
__aish_read() {
  emulate -L zsh
  setopt localtraps
  trap '' INT
  # Not by "read -d", which looks at the terminal's modes and sets them anew.
  local line="$(<$__aish_f/command)"
  how=${'$'}{line%%$'\n'*}
  # Where everything that is set is exported, nothing of this shall be.
  __aish_c[line]=${'$'}{line#*$'\n'}$'\n' __aish_c[how]=${'$'}{how%% *}
  line=${'$'}{how#* }
  __aish_c[number]=${'$'}{line%% *} __aish_c[held]=${'$'}{${'$'}{line#${'$'}{line%% *}}# }
}
# For the line that stands for the user's, as it begins.
__aish_go() { {
  local line=${'$'}{__aish_c[line]%$'\n'}
  __aish_begin
  builtin unalias __aish_l || :
  if [[ ${'$'}{__aish_c[how]} == keep && ( $__aish_hi == 0 || $line != ' '* ) ]]; then __aish_remember "$line"; fi
  __aish_hooks
  if (( ! __aish_hi )); then unsetopt hist_ignore_space; fi
  # It edits with the line editor of zsh, which reads no line of ours.
  if [[ $line == *vared* ]]; then setopt zle; fi
  __aish_preexec
  __aish_mark C
  __aish_watch
} >/dev/null 2>&1 }
__aish_begin() {
  emulate -L zsh
  __aish_uncover
  __aish_p= __aish_hs=
  __aish_k=${'$'}{__aish_c[number]-} __aish_wh=${'$'}{__aish_c[held]-} __aish_c[held]=
  if [[ -n $__aish_wh ]]; then typeset -g +x ${'$'}{=__aish_wh}; fi
  if [[ $line == *(exit|logout)* ]]; then typeset -ga zshexit_functions=($zshexit_functions __aish_leave); fi
  __aish_fix
}
# What the command was not to have stayed with the shell. What the command itself made of it stays.
__aish_give_back() {
  local name
  for name in ${'$'}{=__aish_wh}; do
    if (( ${'$'}{(P)+name} )); then typeset -gx $name || :; fi
  done
  __aish_wh=
}
__aish_preexec() {
  local __aish_o
  for __aish_o in preexec "${'$'}{preexec_functions[@]}"; do
    if (( ${'$'}{+functions[$__aish_o]} )); then $__aish_o "$line" "$line" "$line"; fi
  done
}
__aish_remember() {
  local __aish_o
  for __aish_o in zshaddhistory "${'$'}{zshaddhistory_functions[@]}"; do
    if (( ${'$'}{+functions[$__aish_o]} )); then $__aish_o "$1"$'\n' || return 0; fi
  done
  if [[ -o hist_ignore_dups || -o hist_ignore_all_dups ]] && [[ ${'$'}{history[$(( HISTCMD - 1 ))]-} == "$1" ]]; then return 0; fi
  builtin print -rs -- "$1"
  # zsh itself writes a line read from a file at the next one only.
  if [[ -o inc_append_history || -o share_history ]] && [[ -n ${'$'}{HISTFILE-} ]]; then builtin fc -AI; fi
}
__aish_end() {
  local st=$__aish_st
  __aish_unhide
  __aish_hooks
  __aish_d $st || :
  __aish_pass $st
}
__aish_repair() {
  local st=$?
  __aish_p=
  __aish_unhide
  __aish_hooks
  __aish_pass $st
}`;
