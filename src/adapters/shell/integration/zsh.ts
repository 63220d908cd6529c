import type { Integration } from './integration.ts';
import { quote } from './quote.ts';

/**
 * zsh without its line editor. It looks for its files where ZDOTDIR says, so ours stand in front and each reads the person's own, with
 * ZDOTDIR as the person had it.
 */
export const zsh: Integration = {
  // Every compound command takes a job number of its own, so this holds none: the person's first job is [2], not [3].
  injection: ' __aish_arm 2>/dev/null; builtin eval "$__aish_c"; __aish_end 2>/dev/null\n',
  repair: ' __aish_repair 2>/dev/null\n',
  prepare: ({ folder, nonce, login, env }) => ({
    args: [...(login ? ['-l'] : []), '-i', '+Z'],
    env: { ZDOTDIR: folder },
    secret: '.zshenv',
    files: {
      '.zshenv': `${definitions(folder, nonce)}${restoreZdotdir(env.ZDOTDIR)}${readOwn('.zshenv')}${keepZdotdir(folder)}`,
      '.zprofile': `${USE_OWN}${readOwn('.zprofile')}${keepZdotdir(folder)}`,
      '.zshrc': `${USE_OWN}${readOwn('.zshrc')}${INSTALL}`,
    },
  }),
};

function restoreZdotdir(own: string | undefined): string {
  return own === undefined ? 'unset ZDOTDIR\n' : `export ZDOTDIR=${quote(own)}\n`;
}

function readOwn(name: string): string {
  return `if [[ -r \${ZDOTDIR:-$HOME}/${name} ]]; then . "\${ZDOTDIR:-$HOME}/${name}"; fi\n`;
}

/** Remembers where the person's files are, and has zsh look for its next file with us. */
function keepZdotdir(folder: string): string {
  return `typeset -g __aish_z=\${ZDOTDIR-} __aish_zs=\${+ZDOTDIR}\nZDOTDIR=${quote(folder)}\n`;
}

const USE_OWN = `if (( __aish_zs )); then ZDOTDIR=$__aish_z; else unset ZDOTDIR; fi
`;

const INSTALL = String.raw`if [[ ${'$'}{HISTFILE-} == $__aish_f/* ]]; then HISTFILE=${'$'}{ZDOTDIR:-$HOME}/${'$'}{HISTFILE:t}; fi
typeset -g __aish_hi=0
if [[ -o hist_ignore_space ]]; then __aish_hi=1; fi
unsetopt zle prompt_sp prompt_cr
setopt hist_ignore_space
{ __aish_hooks } 2>/dev/null
`;

function definitions(folder: string, nonce: string): string {
  return `typeset -g __aish_n='${nonce}' __aish_f=${quote(folder)} __aish_s=0 __aish_p= __aish_c= __aish_ps=
typeset +x __aish_n __aish_f __aish_s __aish_p __aish_c __aish_ps
${FUNCTIONS}
{ __aish_mark "S;$TTY"; __aish_wait 0 } 2>/dev/null
`;
}

const FUNCTIONS = String.raw`__aish_mark() { builtin printf '\e]7711;%s;%s\a' "$__aish_n" "$1" >/dev/tty }
__aish_wait() {
  local REPLY
  while builtin read -r && [[ $REPLY != "$1" ]]; do :; done <"$__aish_f/ack"
}
__aish_d() { {
  local st=${'$'}{1-$?}
  emulate -L zsh
  local where=$PWD
  __aish_s=$(( __aish_s + 1 )) __aish_p=1
  case $where in (*[[:cntrl:]]*) where= ;; esac
  builtin printf '\e]7711;%s;D;%s;%s;%s\a' "$__aish_n" "$__aish_s" "$st" "$where" >/dev/tty
  return $st
} 2>/dev/null }
__aish_b() { {
  local st=$?
  emulate -L zsh
  setopt localtraps
  trap '' INT
  if [[ -z $__aish_p ]]; then __aish_d $st || :; fi
  __aish_names
  __aish_wait $__aish_s
  __aish_p= __aish_ps=${'$'}{PS1-} PS1= RPS1=
  __aish_mark B
  return $st
} 2>/dev/null }
__aish_names() {
  {
    print -rl -- '= alias' ${'$'}{(k)aliases} ${'$'}{(k)galiases} '= function' ${'$'}{(k)functions} '= builtin' ${'$'}{(k)builtins}
    print -rl -- '= keyword' $reswords '= path' $PATH
  } >|$__aish_f/names
}
# Not under local options: what it sets is to last.
__aish_hooks() {
  unsetopt zle prompt_sp prompt_cr
  setopt hist_ignore_space
  if [[ ${'$'}{precmd_functions[1]-} == __aish_d && ${'$'}{precmd_functions[-1]-} == __aish_b ]]; then return 0; fi
  typeset -ga precmd_functions
  precmd_functions=(__aish_d ${'$'}{precmd_functions:#__aish_*} __aish_b)
}
__aish_arm() {
  local st=$? line=
  __aish_read
  if [[ -n $line ]]; then __aish_remember "$line"; fi
  __aish_p= PS1=$__aish_ps
  __aish_hooks
  __aish_mark C
  if [[ -o errexit ]]; then return 0; fi
  return $st
}
__aish_read() {
  emulate -L zsh
  local how
  { IFS= builtin read -r how; IFS= builtin read -r -d '' __aish_c } <$__aish_f/command
  line=${'$'}{__aish_c%$'\n'}
  if [[ $how != keep || ( $__aish_hi == 1 && $line == ' '* ) ]]; then line=; fi
}
__aish_remember() {
  if [[ -o hist_ignore_dups || -o hist_ignore_all_dups ]] && [[ ${'$'}{history[$(( HISTCMD - 1 ))]-} == "$1" ]]; then return 0; fi
  builtin print -rs -- "$1"
}
__aish_end() {
  local st=$?
  __aish_hooks
  if [[ -o errexit ]]; then return 0; fi
  return $st
}
__aish_repair() {
  local st=$?
  __aish_hooks
  if [[ -o errexit ]]; then return 0; fi
  return $st
}`;
