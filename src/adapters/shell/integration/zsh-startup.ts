import { quote } from './integration.ts';

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
export const INSTALL = `{ __aish_started } >/dev/null 2>&1
if [[ ${'$'}{ZDOTDIR-} == $__aish_f ]]; then ${USE_OWN.trimEnd()}; fi
if [[ ${'$'}{HISTFILE-} == $__aish_f/* ]]; then HISTFILE=${'$'}{ZDOTDIR:-$HOME}/${'$'}{HISTFILE:t}; fi
if [[ -z $__aish_hs ]]; then
  typeset -g __aish_hi=0 __aish_hs=1
  if [[ -o hist_ignore_space ]]; then __aish_hi=1; fi
fi
if zmodload -e zsh/zle; then { builtin bindkey -L; builtin bindkey -lL main } >|$__aish_f/keys; fi 2>/dev/null
builtin unsetopt zle prompt_sp prompt_cr
builtin setopt hist_ignore_space
if [[ -r $__aish_f/restore ]]; then
  __aish_p=$PWD __aish_r=$SHLVL
  . $__aish_f/restore 2>/dev/null
  PWD=$__aish_p SHLVL=$__aish_r __aish_p=
fi
{ __aish_hooks } >/dev/null 2>&1
`;

/** Functions for the place in a startup file. */
export const PLACE = String.raw`# Notes where a startup file ends the shell, or where it is when aish asks with a signal.
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
