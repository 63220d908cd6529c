import { quote } from '../../../core/text/quote.ts';

/**
 * The widgets that the line editor of zsh runs at a prompt, and zsh without it does not: `zle-line-init`, handlers of `zle -F`, and the
 * prompt that they make with `zle reset-prompt`. They find the editor's variables, an empty hidden line, and a `zle` that succeeds.
 */
export const WIDGETS = String.raw`# Hooks of the user's prompt look whether the line editor is on. It is off when zsh reads a line, also where Ctrl-C drops the hooks.
__aish_zle_on() {
  # A trap of the user's stays, and the line editor looks off then.
  if [[ "$(<$__aish_f/debug)" == *(' INT'|'TRAPINT ()')* ]]; then return 0; fi
  setopt zle
  __aish_c[int]=1
  TRAPINT() {
    unsetopt zle
    return $(( 128 + $1 ))
  }
}
__aish_zle_off() {
  unsetopt zle
  if [[ -n ${'$'}{__aish_c[int]} ]]; then unfunction TRAPINT; fi
  __aish_c[int]=
}
__aish_in_editor() {
  if (( ${'$'}{+functions[zle]} )); then return 0; fi
  local BUFFER= LBUFFER= RBUFFER= PREBUFFER= PREDISPLAY= POSTDISPLAY= KEYS= KEYMAP=main CONTEXT=start ZLE_STATE='globalhistory insert'
  local WIDGET= LASTWIDGET= WIDGETFUNC= WIDGETSTYLE=
  local -i CURSOR=0 MARK=0 PENDING=0 KEYS_QUEUED_COUNT=0 REGION_ACTIVE=0
  local -a region_highlight
  functions[zle]=$functions[__aish_zle]
  setopt zle
  { "$@" } always {
    TRY_BLOCK_ERROR=0
    unsetopt zle
    unfunction zle
  }
}
# Stands for "zle" while widgets and handlers run.
__aish_zle() {
  case ${'$'}{1-} in
    ('' | -[RMUIcr]*) return 0 ;;
    (-*) builtin zle "$@"; return ;;
  esac
  local __aish_name=$1
  shift
  while [[ ${'$'}{1-} == -* ]]; do
    case $1 in
      (--) shift; break ;;
      (-[nK]) shift 2 ;;
      (*) shift ;;
    esac
  done
  if [[ ${'$'}{widgets[$__aish_name]-} == user:* ]]; then
    local WIDGET=$__aish_name
    ${'$'}{widgets[$__aish_name]#user:} "$@"
    return
  fi
  case ${'$'}{__aish_name#.} in
    (reset-prompt) if [[ -n ${'$'}{__aish_c[ed]} ]]; then __aish_c[zr]=1; else __aish_tell; fi ;;
    # A widget waits here for the line that is edited. What it sets behind that is no prompt for this line.
    (recursive-edit) __aish_c[at]=${'$'}{__aish_c[at]:-x${'$'}{PS1-}}; return 1 ;;
  esac
}
# What the line editor runs before it takes the first key.
__aish_init() {
  if [[ -z $__aish_w || ${'$'}{widgets[zle-line-init]-} != user:* ]]; then return 0; fi
  __aish_c[at]= __aish_c[ed]=1
  __aish_in_editor __aish_zle zle-line-init
  __aish_c[ed]=
  if [[ -n ${'$'}{__aish_c[at]} ]]; then __aish_prompt "${'$'}{__aish_c[at]#x}"; fi
}
# Until a line comes, handlers run when there is something for them to read.
__aish_listen() {
  local -A __aish_fds
  if [[ -z $__aish_w ]] || ! __aish_find_handlers; then return 0; fi
  { __aish_in_editor __aish_serve $1 } always { __aish_cover }
}
__aish_serve() {
  local __aish_last=$1 __aish_fd __aish_how __aish_err
  local -i __aish_calls=0
  __aish_unhide
  # A trap may have set one since it was covered.
  if [[ -z ${'$'}{PS1-} ]]; then __aish_prompt "$__aish_ps"; fi
  if [[ ${'$'}{PS1-} != $__aish_ps ]]; then __aish_tell; fi
  while __aish_await; do
    __aish_c[ed]=1 __aish_c[zr]=
    {
      case $__aish_how in
        (-w*) __aish_zle "${'$'}{__aish_how#-w }" $__aish_fd $__aish_err ;;
        (*) "${'$'}{__aish_how# }" $__aish_fd $__aish_err ;;
      esac
    } always { TRY_BLOCK_ERROR=0 __aish_c[ed]= }
    if [[ $__aish_err == hup ]]; then builtin zle -F $__aish_fd; fi
    if [[ -n ${'$'}{__aish_c[zr]} ]]; then __aish_tell; fi
  done
}
# Also where a signal's trap makes another prompt there is something to wait for.
__aish_find_handlers() {
  emulate -L zsh
  if ! zmodload -e zsh/zle; then return 1; fi
  local line words
  __aish_fds=()
  builtin zle -FL >|$__aish_f/handlers
  for line in ${'$'}{(f)"$(<$__aish_f/handlers)"}; do
    words=(${'$'}{=line})
    if [[ -e /dev/fd/$words[-2] ]]; then __aish_fds[$words[-2]]="${'$'}{words[3,-3]} $words[-1]"; fi
  done
  (( ${'$'}{#__aish_fds} + ${'$'}{+functions[TRAPUSR1]} + ${'$'}{+functions[TRAPUSR2]} )) && zmodload -F zsh/zselect b:zselect
}
# Finds the handler whose turn it is; fails when a line is there. One that does not read what is there is told that the other end has gone,
# as the line editor does then, and is taken away at last.
__aish_await() {
  emulate -L zsh
  __aish_find_handlers || return 1
  local -a ready
  if builtin zselect -t 0 -a ready -r 0 ${'$'}{(k)__aish_fds}; then
    (( ++__aish_calls ))
  else
    __aish_calls=0
    builtin zselect -a ready -r 0 ${'$'}{(k)__aish_fds} || return 1
  fi
  if (( ${'$'}{ready[(Ie)0]} )); then return 1; fi
  __aish_fd=${'$'}{ready[2]} __aish_how=${'$'}{__aish_fds[${'$'}{ready[2]}]} __aish_err=
  if (( __aish_calls > 200 )); then __aish_err=hup; fi
}
# The file has another name each time, so that none is read while it is written.
__aish_tell() {
  __aish_render $__aish_last
  __aish_c[q]=$(( __aish_c[q] + 1 ))
  builtin printf '%s\0' "${'$'}{__aish_r[1,8192]}" "${'$'}{__aish_rr[1,1024]}" >|$__aish_f/prompt-${'$'}{__aish_c[q]}
  __aish_mark "Q;${'$'}{__aish_c[q]}"
}`;

/** Sets ZDOTDIR as the user had it. */
export function restoreZdotdir(own: string | undefined): string {
  return own === undefined ? 'unset ZDOTDIR\n' : `export ZDOTDIR=${quote(own)}\n`;
}

/** Reads a startup file of the user. */
export function readOwn(name: string): string {
  return `if [[ -r \${ZDOTDIR:-$HOME}/${name} ]]; then setopt zle; { . "\${ZDOTDIR:-$HOME}/${name}" } always { unsetopt zle }; fi\n`;
}

/** Remembers where the user's files are, and has zsh look for its next file with us. */
export function keepZdotdir(folder: string): string {
  return `typeset -g __aish_z=\${ZDOTDIR-} __aish_zs=\${+ZDOTDIR} __aish_sz=$PS1\nZDOTDIR=${quote(folder)}\n`;
}

/** ZDOTDIR as the user's files left it. */
export const USE_OWN = `if (( __aish_zs )); then ZDOTDIR=$__aish_z; else unset ZDOTDIR; fi
`;

/** Sets aish up behind the startup files. */
export const INSTALL = `{ __aish_started; } >/dev/null 2>&1
if [[ ${'$'}{ZDOTDIR-} == $__aish_f ]]; then ${USE_OWN.trimEnd()}; fi
if [[ ${'$'}{HISTFILE-} == $__aish_f/* ]]; then HISTFILE=${'$'}{ZDOTDIR:-$HOME}/${'$'}{HISTFILE:t}; fi
if [[ -z $__aish_hs ]]; then
  typeset -g __aish_hi=0 __aish_hs=1
  if [[ -o hist_ignore_space ]]; then __aish_hi=1; fi
fi
if zmodload -e zsh/zle; then { builtin bindkey -L; builtin bindkey -lL main; } >|$__aish_f/keys; fi 2>/dev/null
builtin unsetopt zle prompt_sp prompt_cr
builtin setopt hist_ignore_space
if [[ -r $__aish_f/restore ]]; then
  __aish_p=$PWD __aish_r=$SHLVL
  . $__aish_f/restore 2>/dev/null
  PWD=$__aish_p SHLVL=$__aish_r __aish_p=
fi
{ __aish_hooks; } >/dev/null 2>&1
`;

/** Functions for the place in a startup file. */
export const PLACE = `# Notes where a startup file ends the shell, or where it is when aish asks with a signal.
__aish_place() {
  local place=${'$'}{1%:*} line=${'$'}{1##*:}
  if [[ $place == *[[:cntrl:]]* || $place == $__aish_f/* || $place == zsh ]]; then place= line=; fi
  __aish_mark "$2;$line;$place"
}
__aish_exited() { __aish_place "${'$'}{funcfiletrace[1]-}" F }
TRAPURG() { __aish_place "${'$'}{funcfiletrace[1]-}" G }
typeset -ga zshexit_functions=(__aish_exited)
__aish_started() {
  if [[ ${'$'}{functions[TRAPURG]-} == *__aish_place* ]]; then unfunction TRAPURG; fi
  emulate -L zsh
  if [[ ${'$'}{(t)zshexit_functions} != *readonly* ]]; then typeset -ga zshexit_functions=(${'$'}{zshexit_functions:#__aish_exited}); fi
}`;
