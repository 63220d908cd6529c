import { cutTo, lineEnd, lineStart } from './edit.ts';
import { AFTER_CTRL_X, CHANGES, COMMANDS, DIRECTIONS, KILLS, MOVES } from './key-bindings.ts';
import type { Key, KeyHandler } from './keys.ts';
import type { Line } from './line.ts';
import { formatRepeatCount } from './messages.ts';

type Awaited = 'ctrl-x' | 'literal' | 'find' | 'find-back';

const MOST_TIMES = 1000;
/** Keys that need a second key. */
const BEGINNINGS: Readonly<Record<string, Awaited>> = {
  'ctrl-x': 'ctrl-x',
  'ctrl-v': 'literal',
  'ctrl-q': 'literal',
  'ctrl-]': 'find',
  'ctrl-alt-]': 'find-back',
  'alt-ctrl-]': 'find-back',
};

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
    else if (key.type === 'key' && BEGINNINGS[key.key] !== undefined) this.#awaited = BEGINNINGS[key.key] ?? null;
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
    const start = lineStart(state);
    const line = state.text.slice(start, lineEnd(state));
    const here = state.cursor - start;
    const at = way === 'find' ? line.indexOf(key.text, here + 1) : line.slice(0, here).lastIndexOf(key.text);
    if (at >= 0) buffer.moveTo(start + at);
  }

  #countTimes(key: Key): boolean {
    const digits = this.#times === null || key.type !== 'text' ? '' : key.text;
    const digit =
      key.type === 'key' ? (/^alt-([0-9])$/.exec(key.key)?.[1] ?? '') : /^[0-9]+$/.test(digits) ? digits : '';
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
    const { buffer } = this.#line;
    if (this.#acceptGhost(key)) return;
    const direction = DIRECTIONS[key];
    if (direction !== undefined && this.#line.travel(direction)) return;
    const move = MOVES[key];
    const change = CHANGES[key];
    const kill = KILLS[key];
    if (move !== undefined) buffer.moveTo(move(buffer.state));
    else if (change !== undefined) buffer.apply(change(buffer.state));
    else if (kill !== undefined) buffer.kill(cutTo(buffer.state, kill.to(buffer.state)), kill.direction);
    else if (COMMANDS[key] !== undefined) COMMANDS[key](this.#line);
    // Large letters with Alt are the small ones, as everywhere.
    else if (/^alt-[A-Z]$/.test(key)) this.#handleKey(key.toLowerCase());
  }

  #acceptGhost(key: string): boolean {
    const all = key === 'right' || key === 'end' || key === 'ctrl-f' || key === 'ctrl-e';
    if (all) return this.#line.acceptGhost('all');
    const word = key === 'alt-f' || key === 'ctrl-right' || key === 'alt-right';
    return word && this.#line.acceptGhost('word');
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
