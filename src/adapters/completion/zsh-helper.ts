import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanLine } from '../../core/completion/scan-line.ts';
import { attempt } from '../../core/text/attempt.ts';
import { quote } from '../../core/text/quote.ts';
import { killGroup } from '../system/processes.ts';
import {
  endedError,
  type HelperMatch,
  type HelperOptions,
  type HelperProcess,
  type HelperRequest,
  MOST_MATCHES,
} from './helper-protocol.ts';

const MARK = '\x1b]7712;';
const FIELDS = 5;
const REQUEST_KEY = '\x07';

/**
 * A zsh that completes as the user's does, on a terminal of its own. Requests and answers lie in files of a folder that is ours; a mark
 * among its output, with a secret word, says that an answer is there.
 */
export class ZshHelper implements HelperProcess {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly #folder: string;
  readonly #begin: string;
  readonly #terminal: Bun.Terminal;
  readonly #waiting = new Map<string, { resolve(): void; reject(error: unknown): void }>();
  #output = '';
  #sequence = 0;
  #exported = '';

  constructor(options: HelperOptions) {
    this.#folder = options.folder;
    const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('hex');
    this.#begin = `${MARK}${nonce};`;
    writeStartFiles(options, nonce);
    const child = Bun.spawn([options.program, '-i'], {
      cwd: options.cwd,
      env: { ...options.env, ZDOTDIR: options.folder },
      terminal: {
        // Descriptions are cut to what has room in a row.
        cols: 250,
        rows: 24,
        data: (_terminal, bytes) => this.#receive(Buffer.from(bytes).toString('latin1')),
      },
    });
    if (child.terminal === undefined) throw new Error('this platform gives no pseudo-terminal');
    this.pid = child.pid;
    this.#terminal = child.terminal;
    this.ready = this.#until('ready');
    this.ready.catch(() => undefined);
    void child.exited.then(() => this.#end());
  }

  async ask(request: HelperRequest): Promise<readonly HelperMatch[] | null> {
    await this.ready;
    const id = String(++this.#sequence);
    const exported = request.exportsFile === null ? '' : tryRead(request.exportsFile);
    const isNew = exported !== this.#exported;
    this.#exported = exported;
    const fields = [id, request.cwd, request.exportsFile ?? '', isNew ? '1' : '0', request.line, request.rest ?? ''];
    writeFileSync(join(this.#folder, 'request'), fields.map((field) => field.replaceAll('\0', '')).join('\0'), {
      mode: 0o600,
    });
    const answered = this.#until(id);
    this.#terminal.write(REQUEST_KEY);
    await answered;
    const matches = readMatches(tryRead(join(this.#folder, 'answer')), request.line);
    return matches.length === 0 ? null : matches;
  }

  kill(): void {
    killGroup(this.pid);
    if (!this.#terminal.closed) this.#terminal.close();
  }

  #until(id: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.set(id, { resolve, reject });
    return promise;
  }

  #receive(text: string): void {
    this.#output = (this.#output + text).slice(-4096);
    for (;;) {
      const start = this.#output.indexOf(this.#begin);
      const end = start < 0 ? -1 : this.#output.indexOf('\x07', start);
      if (end < 0) return;
      const id = this.#output.slice(start + this.#begin.length, end);
      this.#output = this.#output.slice(end + 1);
      this.#waiting.get(id)?.resolve();
      this.#waiting.delete(id);
    }
  }

  #end(): void {
    for (const { reject } of this.#waiting.values()) reject(endedError());
    this.#waiting.clear();
    if (!this.#terminal.closed) this.#terminal.close();
  }
}

function writeStartFiles(options: HelperOptions, nonce: string): void {
  const { folder, cacheFolder, exportsFile, withStartupFiles, env } = options;
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  const home = env.ZDOTDIR === undefined ? 'unset ZDOTDIR' : `ZDOTDIR=${quote(env.ZDOTDIR)}`;
  const own = (name: string): string =>
    withStartupFiles
      ? `${home}\nif [[ -r \${ZDOTDIR:-$HOME}/${name} ]]; then . "\${ZDOTDIR:-$HOME}/${name}"; fi\n`
      : '';
  const exports =
    exportsFile === null ? '' : `if [[ -r ${quote(exportsFile)} ]]; then . ${quote(exportsFile)} 2>/dev/null; fi\n`;
  write('.zshenv', `${exports}${own('.zshenv')}ZDOTDIR=${quote(folder)}\n`);
  const variables = `__aish_folder=${quote(folder)} __aish_cache=${quote(cacheFolder)} __aish_nonce=${nonce}\n`;
  rmSync(join(folder, 'answer'), { force: true });
  write('.zshrc', `${own('.zshrc')}${home}\n${variables}${zshScript}`);
}

/** Reads what was noted of each match: what stands before it, itself, how it is shown, its suffix, and its kinds. */
function readMatches(answer: string, line: string): readonly HelperMatch[] {
  const fields = answer.split('\0');
  const word = scanLine(line, line.length)?.word;
  const start = word?.start ?? line.length;
  const found = new Map<string, HelperMatch>();
  for (let at = 0; at + FIELDS <= fields.length && found.size < MOST_MATCHES; at += FIELDS) {
    const [before = '', text = '', shown = '', suffix = '', kinds = ''] = fields.slice(at, at + FIELDS);
    const from = findPrefix(word?.raw ?? '', before);
    if (text === '' || from === null) continue;
    const match = toMatch(text, start + from, { shown, suffix, kinds });
    const known = found.get(match.text);
    if (known === undefined || (known.description === undefined && match.description !== undefined))
      found.set(match.text, match);
  }
  return [...found.values()];
}

/** The end of a prefix in the word, an opening quote in front of it or not; null if the word does not begin so. */
function findPrefix(raw: string, before: string): number | null {
  if (before === '') return 0;
  if (raw.startsWith(before)) return before.length;
  return raw.slice(1).startsWith(before) ? before.length + 1 : null;
}

interface Noted {
  readonly shown: string;
  readonly suffix: string;
  readonly kinds: string;
}

function toMatch(text: string, start: number, { shown, suffix, kinds }: Noted): HelperMatch {
  const isPath = kinds.charAt(1) === '1';
  const given = suffix.startsWith('1') ? suffix.slice(1) : null;
  // A slash or an equals sign is part of what goes in; the next word is not begun behind it.
  const isJoined = given !== null && given !== '' && given.trim() !== '';
  const match = {
    text: isJoined ? text + given : text,
    start,
    isPath,
    isQuoted: kinds.startsWith('1'),
    ...(given === null ? {} : { suffix: isJoined ? '' : given }),
  };
  const description = describe(text, shown).replace(/\s+/g, ' ');
  return description === '' ? match : { ...match, description };
}

/** The displayed text of a match is often `name  -- what it is`, or a row that begins with it. */
function describe(text: string, shown: string): string {
  const separated = /\s-- (.*)$/s.exec(shown)?.[1];
  if (separated !== undefined) return separated.trim();
  const row = shown.trim();
  return row === text || row === '' ? '' : (row.startsWith(`${text} `) ? row.slice(text.length) : row).trim();
}

function tryRead(path: string): string {
  return attempt(() => readFileSync(path, 'utf8'), '');
}

/**
 * The script that the helper zsh runs behind the user's startup files. Its completion system only works in its line editor, so the helper
 * uses a terminal of its own, and a key there starts a request. Every match passes through `compadd`, which notes it.
 */
const zshScript = String.raw`
unset HISTFILE TMOUT PERIOD
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
