import { findShell, type ShellChoice } from '../../../adapters/shell/program.ts';
import { readStartupKeys } from '../../../adapters/shell/startup-keys.ts';
import { moves } from '../../../core/editor/emacs-keys.ts';
import { type Key, type KeyHandler, KeyParser } from '../../../core/editor/keys.ts';
import type { ShellBinding, ShellKeys } from '../../../core/prompt/shell-keys.ts';

/** Keys of aish, and the functions of readline, zle and fish that do the same. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  'ctrl-a': 'beginning-of-line vi-beginning-of-line',
  'ctrl-e': 'end-of-line vi-end-of-line',
  left: 'backward-char vi-backward-char',
  right: 'forward-char forward-single-char vi-forward-char',
  'alt-b': 'backward-bigword backward-word vi-backward-word emacs-backward-word shell-backward-word',
  'alt-f': 'forward-bigword forward-word vi-forward-word emacs-forward-word shell-forward-word',
  'ctrl-l': 'clear-screen clear-display redraw-current-line redisplay repaint force-repaint',
  enter: 'accept-line execute',
  up: `previous-history up-history up-line-or-history up-line-or-search up-line-or-beginning-search history-search-backward
    history-beginning-search-backward history-beginning-search-backward-end history-substring-search-up up-or-search history-prefix-search-backward`,
  down: `next-history down-history down-line-or-history down-line-or-search down-line-or-beginning-search history-search-forward
    history-beginning-search-forward history-beginning-search-forward-end history-substring-search-down down-or-search history-prefix-search-forward`,
  'ctrl-r':
    'reverse-search-history history-incremental-search-backward history-incremental-pattern-search-backward history-pager',
  'ctrl-s': 'forward-search-history history-incremental-search-forward history-incremental-pattern-search-forward',
  'alt-.': 'history-token-search-backward yank-last-arg insert-last-argument insert-last-word',
  'ctrl-o': 'operate-and-get-next accept-line-and-down-history',
  'ctrl-d': 'delete-char-or-list delete-or-exit end-of-file',
  delete: 'delete-char vi-delete-char',
  backspace: 'backward-delete-char vi-backward-delete-char',
  'ctrl-v': 'quoted-insert vi-quoted-insert',
  'ctrl-t': 'transpose-chars',
  'alt-t': 'transpose-words',
  'alt-u': 'upcase-word up-case-word',
  'alt-l': 'downcase-word down-case-word',
  'alt-c': 'capitalize-word',
  'ctrl-k': 'kill-line',
  'ctrl-u': 'unix-line-discard backward-kill-line vi-kill-line',
  'ctrl-e ctrl-u': 'kill-whole-line kill-buffer',
  'alt-d': 'kill-word kill-bigword',
  'alt-backspace': 'backward-kill-word shell-backward-kill-word',
  'ctrl-w':
    'unix-word-rubout unix-filename-rubout backward-kill-path-component backward-kill-bigword vi-backward-kill-word',
  'alt-\\': 'delete-horizontal-space',
  'ctrl-y': 'yank',
  'alt-y': 'yank-pop',
  'ctrl-_': 'undo vi-undo-change',
  'alt-_': 'redo',
  'alt-r': 'revert-line',
  tab: `complete complete-and-search menu-complete expand-or-complete complete-word menu-expand-or-complete expand-or-complete-prefix
    possible-completions list-choices`,
  'alt-#': 'insert-comment pound-insert vi-pound-insert',
  'ctrl-x ctrl-e': 'edit-and-execute-command edit-command-line edit_command_buffer',
  'ctrl-]': 'character-search vi-find-next-char',
  'ctrl-alt-]': 'character-search-backward vi-find-prev-char',
  'alt-h': 'run-help __fish_man_page',
  'alt-s': 'sudo-command-line __fish_prepend_sudo',
  end: 'autosuggest-accept accept-autosuggestion',
};

/** Functions whose work aish does on other keys or by itself. */
const NEEDLESS =
  `cancel cancel-commandline expand-abbr suppress-autosuggestion pager-toggle-search self-insert self-insert-unmeta magic-space abort send-break reverse-menu-complete menu-complete-backward
  bracketed-paste bracketed-paste-begin bracketed-paste-magic url-quote-magic re-read-init-file undefined-key
  do-lowercase-version overwrite-mode`.split(/\s+/);

/** No startup file takes these keys away. */
const KEPT: ReadonlySet<string> = new Set(['enter', 'escape', 'ctrl-c', 'ctrl-\\']);

/** Keys of emacs that edit a line in the same way in every shell and in aish, so that macros may contain them. */
const SAME_EVERYWHERE: ReadonlySet<string> = new Set(
  `ctrl-a ctrl-b ctrl-d ctrl-e ctrl-f ctrl-h ctrl-k ctrl-t ctrl-u ctrl-w ctrl-y ctrl-_ alt-b alt-c alt-d alt-f alt-l alt-t alt-u
  backspace delete left right home end`.split(/\s+/),
);

/** The keys of the startup files: what they do here, and those that aish cannot take over. */
interface UserBindings {
  /** By names of keys, separated by blanks: the keys that do the same, or text to type. */
  readonly keys: ReadonlyMap<string, readonly Key[]>;
  /** The bindings that aish leaves out: names of keys, and their functions. */
  readonly left: readonly (readonly [keys: string, does: string])[];
}

/** The changes to keys in the startup files of the shell. */
export interface StartupBindings extends Pick<UserBindings, 'left'> {
  readonly isVi: boolean;
  /** Adds their keys to those of the editor; null if they have none. */
  readonly wrap: ((others: KeyHandler) => KeyHandler) | null;
}

/** Asks the shell of this file for the keys of its startup files. */
export async function loadStartupBindings({
  exportsFile,
  ...choice
}: ShellChoice & { readonly exportsFile: string }): Promise<StartupBindings> {
  const { env } = choice;
  const keys = await readStartupKeys({ program: findShell(choice), exportsFile, env });
  if (keys.isVi) await import('../../../core/editor/vi-keys.ts');
  const bindings = toUserBindings(keys);
  const wrap = (others: KeyHandler): KeyHandler => new UserKeys(bindings, others);
  return { isVi: keys.isVi, left: bindings.left, wrap: bindings.keys.size === 0 ? null : wrap };
}

const BY_FUNCTION: ReadonlyMap<string, readonly Key[]> = new Map(
  Object.entries(FUNCTIONS).flatMap(([keys, names]) => names.split(/\s+/).map((name) => [name, toKeys(keys)] as const)),
);

function toKeys(names: string): readonly Key[] {
  return names.split(' ').map((key): Key => ({ type: 'key', key }));
}

/** The effect in aish of the keys of the startup files. */
export function toUserBindings({ bindings, isVi }: ShellKeys): UserBindings {
  const keys = new Map<string, readonly Key[]>();
  const left: (readonly [string, string])[] = [];
  for (const { sequence, to } of bindings) {
    const names = nameKeys(sequence);
    if (names === null || KEPT.has(names) || (to.type === 'function' && NEEDLESS.includes(to.name))) continue;
    const found = toAction(to, isVi);
    if (found === null) left.push([names, to.type === 'text' ? JSON.stringify(to.text) : to.name]);
    else if (!doesSame(names, found)) keys.set(names, found);
  }
  return { keys, left };
}

/** A key that moves to the same place already may do more here, such as Alt-Left in an empty line. */
function doesSame(names: string, [key]: readonly Key[]): boolean {
  return key?.type === 'key' && moves().get(names) !== undefined && moves().get(names) === moves().get(key.key);
}

/** Other control characters in a macro are keys of that shell's editor, which may do something else here, and so are keys of vi. */
function toAction(to: ShellBinding['to'], isVi: boolean): readonly Key[] | null {
  if (to.type === 'function') return BY_FUNCTION.get(to.name) ?? null;
  if (to.type === 'command') return null;
  const text = to.text.replace(/[\r\n]$/, '');
  const keys = readKeys(text);
  const isSame = (key: Key): boolean =>
    key.type === 'text' || (key.type === 'key' && !isVi && SAME_EVERYWHERE.has(key.key));
  if (keys.length === 0 || !keys.every(isSame)) return null;
  return text === to.text ? keys : [...keys, { type: 'key', key: 'enter' }];
}

function readKeys(sequence: string): readonly Key[] {
  const parser = new KeyParser();
  return [...parser.push(Buffer.from(sequence)), ...parser.flush()];
}

/** The names of the keys that send these characters; null for what no key sends, and for text. */
function nameKeys(sequence: string): string | null {
  const keys = readKeys(sequence);
  if (keys[0]?.type !== 'key') return null;
  return keys.flatMap((key) => (key.type === 'key' ? [key.key] : [...key.text])).join(' ');
}

/** Handles the keys of the startup files, and passes all others on. */
export class UserKeys implements KeyHandler {
  readonly mode = null;
  readonly selection = null;
  readonly #keys: UserBindings['keys'];
  readonly #beginnings: ReadonlySet<string>;
  readonly #others: KeyHandler;
  /** The keys of a sequence that has begun. */
  #begun: Key[] = [];

  constructor({ keys }: UserBindings, others: KeyHandler) {
    this.#keys = keys;
    this.#others = others;
    this.#beginnings = new Set([...keys.keys()].flatMap((names) => beginningsOf(names)));
  }

  begin(): void {
    this.#begun = [];
    this.#others.begin();
  }

  handle(key: Key): void {
    const [first = '', ...rest] = this.#begun.length > 0 && key.type === 'text' ? key.text : '';
    if (rest.length > 0) {
      // Fast typing comes in one piece; only its first letter belongs to the sequence.
      this.handle({ type: 'text', text: first });
      this.handle({ type: 'text', text: rest.join('') });
    } else this.#handleOne(key);
  }

  #handleOne(key: Key): void {
    const isFree = this.#begun.length === 0 && (key.type !== 'key' || this.#others.isWaiting === true);
    const name = key.type === 'key' ? key.key : key.type === 'text' ? key.text : '';
    const names = [...this.#begun.map((one) => (one.type === 'key' ? one.key : one.text)), name].join(' ');
    const action = isFree ? undefined : this.#keys.get(names);
    if (!isFree && action === undefined && this.#beginnings.has(names)) {
      this.#begun.push(key);
      return;
    }
    const keys = action ?? [...this.#begun, key];
    this.#begun = [];
    for (const one of keys) this.#others.handle(one);
  }
}

function beginningsOf(names: string): readonly string[] {
  const words = names.split(' ');
  return words.slice(1).map((_, at) => words.slice(0, at + 1).join(' '));
}
