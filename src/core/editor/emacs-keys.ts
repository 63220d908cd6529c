import type { Direction } from '../prompt/directories.ts';
import { once } from '../text/memoize.ts';
import * as edit from './edit.ts';
import type { Key, KeyHandler } from './keys.ts';
import { LAST_ARGUMENT, type Line } from './line.ts';
import { formatRepeatCount } from './messages.ts';

type Awaited = 'ctrl-x' | 'literal' | 'find' | 'find-back';

const MOST_TIMES = 1000;

/** The target of a key that moves the cursor or cuts. */
type Offset = (state: edit.EditState) => number;

/** A command of the line, which a key runs. */
type Command = (line: Line) => void;

/** A table by key, made with the first key; in its rows blanks separate the keys that do the same. */
function byKey<Action>(rows: () => Readonly<Record<string, Action>>): () => ReadonlyMap<string, Action> {
  return once(() => new Map(Object.entries(rows()).flatMap(([keys, does]) => keys.split(' ').map((key) => [key, does] as const))));
}

/** Keys that move the cursor. */
export const moves = byKey<Offset>(() => ({
  'left ctrl-b': edit.leftOf,
  'right ctrl-f': edit.rightOf,
  'home ctrl-a': edit.lineStart,
  'end ctrl-e': edit.lineEnd,
  'ctrl-home alt-<': () => 0,
  'ctrl-end alt->': ({ text }) => text.length,
  'ctrl-left alt-left alt-b': edit.wordLeft,
  'ctrl-right alt-right alt-f': edit.wordRight,
}));

/** Changes the text without filling the kill ring. */
const change =
  (make: (state: edit.EditState) => edit.EditState): Command =>
  ({ buffer }) =>
    buffer.apply(make(buffer.state));

/** Cuts text from the cursor into the kill ring. */
const kill =
  (direction: 'before' | 'after', to: Offset): Command =>
  ({ buffer }) =>
    buffer.kill(edit.cutTo(buffer.state, to(buffer.state)), direction);

/** Keys that run a command of the line. */
export const commands = byKey<Command>(() => ({
  enter: (line) => line.enter(),
  'alt-enter shift-enter ctrl-enter': (line) => line.buffer.type('\n'),
  'backspace shift-backspace': (line) => line.buffer.delete('backward'),
  delete: (line) => line.buffer.delete('forward'),
  'ctrl-c': (line) => line.interrupt(),
  'ctrl-d': (line) => line.deleteOrEnd(),
  'ctrl-l': (line) => line.clearScreen(),
  'ctrl-r ctrl-s': (line) => line.startSearch(),
  'up ctrl-p': (line) => line.walk.step('up'),
  'down ctrl-n': (line) => line.walk.step('down'),
  'page-up alt-p': (line) => line.walk.stepHistory('up'),
  'page-down alt-n': (line) => line.walk.stepHistory('down'),
  'ctrl-y': (line) => line.buffer.yank(),
  'alt-y': (line) => line.buffer.yankPop(),
  'ctrl-_ ctrl-/ ctrl-z': (line) => line.buffer.undo(),
  'alt-_ ctrl-shift-z alt-/': (line) => line.buffer.redo(),
  'alt-r': (line) => line.buffer.revert(),
  'alt-#': (line) => line.comment(),
  'alt-e': (line) => line.editExternally(),
  'ctrl-@': (line) => line.buffer.type(' '),
  'alt-s': (line) => line.toggleSudo(),
  'alt-h': (line) => line.openManual(),
  [LAST_ARGUMENT]: (line) => line.insertLastArgument(),
  'ctrl-o': (line) => line.enterAndGetNext(),
  tab: (line) => line.openPlaceholder() || line.completing.ask(),
  'shift-tab': (line) => line.flip(),
  'ctrl-t': change(edit.transposeCharacters),
  'alt-t': change(edit.transposeWords),
  'alt-u': change((state) => edit.changeWord(state, (word) => word.toUpperCase())),
  'alt-l': change((state) => edit.changeWord(state, (word) => word.toLowerCase())),
  'alt-c': change((state) => edit.changeWord(state, edit.capitalize)),
  'alt-\\': change(edit.deleteBlanks),
  'ctrl-k': kill('after', endOrBreak),
  'ctrl-u': kill('before', startOrBreak),
  'ctrl-w': kill('before', edit.blankLeft),
  'alt-backspace ctrl-backspace': kill('before', edit.wordLeft),
  'alt-d alt-delete ctrl-delete': kill('after', edit.wordRight),
}));

/** Keys after Ctrl-X. */
export const AFTER_CTRL_X: Readonly<Record<string, Command>> = {
  'ctrl-e': (line) => line.editExternally(),
  'ctrl-u': (line) => line.buffer.undo(),
  'ctrl-r': (line) => line.buffer.redo(),
  backspace: kill('before', edit.lineStart),
};

/** At the end of a line the line break is what is left to kill. */
function endOrBreak(state: edit.EditState): number {
  const end = edit.lineEnd(state);
  return end === state.cursor ? Math.min(end + 1, state.text.length) : end;
}

function startOrBreak(state: edit.EditState): number {
  const start = edit.lineStart(state);
  return start === state.cursor ? Math.max(start - 1, 0) : start;
}

/** Keys that go to another directory where the line is empty. */
const DIRECTIONS: Readonly<Record<string, Direction>> = { 'alt-left': 'back', 'alt-right': 'forward' };

/** Keys that need a second key. */
const beginnings = byKey<Awaited>(() => ({
  'ctrl-x': 'ctrl-x',
  'ctrl-v ctrl-q': 'literal',
  'ctrl-]': 'find',
  'ctrl-alt-] alt-ctrl-]': 'find-back',
}));

/** Keys that accept the suggestion behind the text, or its first word. */
const acceptances = byKey<'all' | 'word'>(() => ({
  'right end ctrl-f ctrl-e': 'all',
  'alt-f ctrl-right alt-right': 'word',
}));

/** The keys of emacs, as in every shell. */
export class EmacsKeys implements KeyHandler {
  readonly mode = null;
  readonly selection = null;
  readonly #line: Line;
  #awaited: Awaited | null = null;
  /** The repeat count of the next key, typed with Alt. */
  #times: number | null = null;

  constructor(line: Line) {
    this.#line = line;
  }

  get isWaiting(): boolean {
    return this.#awaited !== null;
  }

  begin(): void {
    this.#awaited = null;
    this.#times = null;
  }

  handle(key: Key): void {
    const awaited = this.#awaited;
    this.#awaited = null;
    if (awaited !== null) this.#handleAwaited(awaited, key);
    else if (key.type === 'key' && beginnings().get(key.key) !== undefined) this.#awaited = beginnings().get(key.key) ?? null;
    else if (!this.#countTimes(key)) this.#repeat(key);
  }

  #handleAwaited(awaited: Awaited, key: Key): void {
    if (awaited === 'ctrl-x') {
      if (key.type === 'key') AFTER_CTRL_X[key.key]?.(this.#line);
    } else if (awaited === 'literal') this.#line.buffer.type(literalOf(key));
    else this.#find(awaited, key);
  }

  /** To the next or the last such character of the line. */
  #find(way: 'find' | 'find-back', key: Key): void {
    if (key.type !== 'text') return;
    const { buffer } = this.#line;
    const { state } = buffer;
    const start = edit.lineStart(state);
    const line = state.text.slice(start, edit.lineEnd(state));
    const here = state.cursor - start;
    const at = way === 'find' ? line.indexOf(key.text, here + 1) : line.slice(0, here).lastIndexOf(key.text);
    if (at >= 0) buffer.moveTo(start + at);
  }

  #countTimes(key: Key): boolean {
    const digits = this.#times === null || key.type !== 'text' ? '' : key.text;
    const digit = key.type === 'key' ? (/^alt-([0-9])$/.exec(key.key)?.[1] ?? '') : /^[0-9]+$/.test(digits) ? digits : '';
    if (digit === '') return false;
    this.#times = Math.min(MOST_TIMES, Number(`${this.#times ?? ''}${digit}`));
    this.#line.hint = formatRepeatCount(this.#times);
    return true;
  }

  #repeat(key: Key): void {
    const times = this.#times ?? 1;
    this.#times = null;
    if (key.type === 'paste') this.#line.insertPaste(key.text);
    else if (key.type === 'text') this.#line.type(key.text.repeat(times));
    else for (let at = 0; at < times; at++) this.#handleKey(key.key);
  }

  #handleKey(key: string): void {
    const line = this.#line;
    const [accepts, direction, move, command] = [acceptances().get(key), DIRECTIONS[key], moves().get(key), commands().get(key)];
    if (accepts !== undefined && line.acceptGhost(accepts)) return;
    if (direction !== undefined && line.travel(direction)) return;
    if (move !== undefined) line.buffer.moveTo(move(line.buffer.state));
    else if (command !== undefined) command(line);
    // Large letters with Alt are the small ones, as everywhere.
    else if (/^alt-[A-Z]$/.test(key)) this.#handleKey(key.toLowerCase());
  }
}

const LITERALS: Readonly<Record<string, string>> = {
  tab: '\t',
  enter: '\r',
  escape: '\x1b',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  delete: '\x1b[3~',
  'shift-tab': '\x1b[Z',
};

/** The characters that a key sends, for a user who wants them in the text; empty where nobody can tell. */
function literalOf(key: Key): string {
  if (key.type !== 'key') return key.text;
  const named = LITERALS[key.key];
  if (named !== undefined) return named;
  const control = /^ctrl-([@-_a-z])$/.exec(key.key)?.[1];
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
  const alt = /^alt-(.+)$/.exec(key.key)?.[1];
  if (alt === undefined) return '';
  return `\x1b${alt.length === 1 ? alt : literalOf({ type: 'key', key: alt })}`;
}
