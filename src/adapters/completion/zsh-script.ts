/**
 * What the helper zsh runs behind the person's startup files. Its completion system only works in its line editor, so the helper sits at
 * a terminal of its own, and a key there starts a request. Every match passes through `compadd`, where it is noted.
 */
export const zshScript = String.raw`
unset HISTFILE TMOUT PERIOD
# Completion asks git for names; no watcher that a repository names is started for that.
export GIT_OPTIONAL_LOCKS=0 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=false
SAVEHIST=0 PROMPT= RPROMPT= PS2= LISTMAX=0
precmd_functions=() preexec_functions=() chpwd_functions=() periodic_functions=() zshaddhistory_functions=() zshexit_functions=()
unfunction precmd preexec chpwd periodic zshaddhistory zshexit 2>/dev/null
trap - DEBUG ZERR EXIT INT 2>/dev/null
setopt zle no_monitor no_beep no_auto_pushd no_prompt_cr no_prompt_sp no_xtrace no_verbose no_err_exit no_err_return no_share_history no_inc_append_history
if (( ! ${'$'}{+functions[_main_complete]} || ! ${'$'}{+_comps} )); then
  autoload -Uz compinit
  compinit -i -d "$__aish_cache/zcompdump-$ZSH_VERSION"
fi
# Each match with words of its own: in a group only the last would have them.
zstyle ':completion:*' list-separator --
zstyle ':completion:*' list-grouped no
zstyle ':completion:*' verbose yes
typeset -ga __aish_found

# Without any option of its own: completion functions set theirs.
compadd() {
  local __aish_at=1 __aish_word __aish_letter __aish_value __aish_tells
  local -A __aish_given
  while (( __aish_at <= $# )); do
    __aish_word="${'$'}{argv[__aish_at]}"
    if [[ "$__aish_word" != -?* || "$__aish_word" == -- ]]; then break; fi
    __aish_word="${'$'}{__aish_word#-}"
    while [[ -n "$__aish_word" ]]; do
      __aish_letter="${'$'}{__aish_word[1]}"
      __aish_word="${'$'}{__aish_word[2,-1]}"
      case "$__aish_letter" in
      (O|A|D) __aish_tells=1; break ;;
      (P|S|p|s|i|I|W|d|J|V|X|x|M|F|r|R|E)
        if [[ -n "$__aish_word" ]]; then __aish_value="$__aish_word"; else (( __aish_at++ )); __aish_value="${'$'}{argv[__aish_at]}"; fi
        __aish_given[$__aish_letter]="$__aish_value"
        __aish_word= ;;
      (o)
        case "${'$'}{argv[__aish_at+1]}" in (match|nosort|numeric|reverse|*,*) (( __aish_at++ )) ;; esac
        __aish_word= ;;
      (*) __aish_given[$__aish_letter]=1 ;;
      esac
    done
    (( __aish_at++ ))
  done
  if [[ -n "$__aish_tells" ]]; then builtin compadd "$@"; return; fi
  local -a __aish_hits __aish_shown
  if [[ -n "${'$'}{__aish_given[d]}" ]]; then
    if [[ "${'$'}{__aish_given[d]}" == \(*\) ]]; then __aish_shown=( "${'$'}{(@Q)${'$'}{(z)__aish_given[d][2,-2]}}" )
    else __aish_shown=( "${'$'}{(@P)__aish_given[d]}" ); fi
    builtin compadd -O __aish_hits -D __aish_shown "$@"
  else
    builtin compadd -O __aish_hits "$@"
  fi
  for (( __aish_at = 1; __aish_at <= ${'$'}{#__aish_hits}; __aish_at++ )); do
    __aish_found+=( "${'$'}{(j::)${'$'}{:-$IPREFIX${'$'}{__aish_given[i]}}}" )
    __aish_found+=( "${'$'}{__aish_given[P]}${'$'}{__aish_given[p]}${'$'}{__aish_hits[__aish_at]}${'$'}{__aish_given[s]}" )
    __aish_found+=( "${'$'}{__aish_shown[__aish_at]}" )
    __aish_found+=( "${'$'}{+__aish_given[S]}${'$'}{__aish_given[S]}" )
    __aish_found+=( "${'$'}{+__aish_given[Q]}${'$'}{+__aish_given[f]}" )
  done
  builtin compadd "$@"
}

__aish_gather() {
  _main_complete
  compstate[insert]= compstate[list]=
}

__aish_request() {
  local -a fields
  fields=( "${'$'}{(@0)"$(<$__aish_folder/request)"}" )
  if [[ -r "${'$'}{fields[3]}" && "${'$'}{fields[4]}" == 1 ]]; then . "${'$'}{fields[3]}" 2>/dev/null; fi
  builtin cd -q -- "${'$'}{fields[2]}" 2>/dev/null
  __aish_found=()
  BUFFER="${'$'}{fields[5]}${'$'}{fields[6]}" CURSOR=${'$'}{#fields[5]}
  zle __aish_list
  BUFFER=
  builtin print -rN -- "${'$'}{(@)__aish_found[1,10000]}" >| "$__aish_folder/answer"
  builtin print -rn -- $'\e]'"7712;$__aish_nonce;${'$'}{fields[1]}"$'\a' >/dev/tty
}

zle -C __aish_list list-choices __aish_gather
zle -N __aish_request
__aish_ready() {
  local hook
  for hook in zle-line-init zle-line-finish zle-line-pre-redraw zle-keymap-select zle-isearch-update zle-history-line-set; do
    zle -D $hook
  done
  precmd_functions=()
  bindkey -N __aish
  bindkey -M __aish '^G' __aish_request
  bindkey -A __aish main
  builtin print -rn -- $'\e]'"7712;$__aish_nonce;ready"$'\a' >/dev/tty
} 2>/dev/null
precmd_functions=(__aish_ready)
`;
