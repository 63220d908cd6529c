import { nextBoundary, previousBoundary, toGraphemes } from '../terminal/graphemes.ts';
import { cutTo, type EditState, lineEnd, lineStart, replaceBetween } from './edit.ts';
import { moves } from './emacs-keys.ts';
import type { Key, KeyHandler, KeyMode, Span } from './keys.ts';
import type { Line } from './line.ts';
import type { Find, Reach, ViCommand } from './vi-commands.ts';
import * as vi from './vi-commands.ts';
import * as motions from './vi-commands.ts';

const MOST_TIMES = 1000;
const ESCAPE: Key = { type: 'key', key: 'escape' };
const OPPOSITE = { f: 'F', F: 'f', t: 'T', T: 't' } as const;
/** The keys of vi; in insert mode, the emacs keys. */
export class ViKeys implements KeyHandler {
  readonly #line: Line;
  readonly #insertKeys: KeyHandler;
  #mode: KeyMode = 'insert';
  /** Keys of a command that is not complete. */
  #keys = '';
  #find: Find | null = null;
  /** The beginning of the selection. */
  #anchor = 0;
  /** The selection is of whole lines. */
  #takesLines = false;
  /** The last change and what was typed in it, for the dot; null while there was none. */
  #change: { readonly command: ViCommand; readonly typed: Key[] } | null = null;
  #isRecording = false;
  /** Steps that could be undone before the change that goes on in insert mode: all of it is one more. */
  #depth: number | null = null;
  /** The text last killed by whole lines: put in above or below, not within. */
  #lines: string | null = null;

  constructor(line: Line, insertKeys: KeyHandler) {
    this.#line = line;
    this.#insertKeys = insertKeys;
  }

  get mode(): KeyMode {
    return this.#mode;
  }

  /** The piece that is selected; null outside of visual mode. */
  get selection(): Span | null {
    if (this.#mode !== 'visual') return null;
    const { text, cursor } = this.#state;
    if (this.#takesLines) return motions.linesBetween(text, this.#anchor, cursor);
    const [start, last] = this.#anchor < cursor ? [this.#anchor, cursor] : [cursor, this.#anchor];
    return { start, end: nextBoundary(text, last) };
  }

  begin(): void {
    this.#insertKeys.begin();
    this.#mode = 'insert';
    this.#keys = '';
    this.#isRecording = false;
    this.#depth = null;
  }

  handle(key: Key): void {
    // Escape and a letter typed fast look like the letter with Alt.
    const letter = key.type === 'key' ? /^alt-(.)$/u.exec(key.key)?.[1] : undefined;
    const keys: readonly Key[] = letter === undefined ? [key] : [ESCAPE, { type: 'text', text: letter }];
    for (const one of keys) this.#handleOne(one);
  }

  #handleOne(key: Key): void {
    if (this.#mode === 'insert' || this.#mode === 'replace') this.#insert(key);
    else if (key.type === 'paste') this.#line.insertPaste(key.text);
    else if (key.type === 'text') for (const letter of toGraphemes(key.text)) this.#take(letter, key);
    else this.#handleNamed(key.key);
    if (this.#mode === 'normal') this.#stayOnCharacter();
  }

  get #state(): EditState {
    return this.#line.buffer.state;
  }

  #insert(key: Key): void {
    if (key.type === 'key' && (key.key === 'escape' || key.key === 'ctrl-[')) {
      this.#toNormal();
      return;
    }
    if (this.#isRecording) this.#change?.typed.push(key);
    if (this.#mode === 'replace' && key.type === 'text') this.#line.buffer.apply(vi.overwrite(this.#state, key.text));
    else if (this.#mode === 'replace' && key.type === 'key' && key.key === 'backspace') this.#move(motions.reachOf(this.#state, 'h', 1));
    else if (key.type === 'key' && key.key === 'ctrl-w') this.#deleteWordBefore();
    else this.#insertKeys.handle(key);
  }

  #toNormal(): void {
    const { text, cursor } = this.#state;
    this.#mode = 'normal';
    this.#keys = '';
    this.#isRecording = false;
    if (this.#depth !== null) this.#line.buffer.joinUndo(this.#depth);
    this.#depth = null;
    if (cursor > lineStart(this.#state)) this.#line.buffer.moveTo(previousBoundary(text, cursor));
  }

  #deleteWordBefore(): void {
    const reach = motions.reachOf(this.#state, 'b', 1);
    if (reach !== null) this.#line.buffer.kill(cutTo(this.#state, reach.to), 'before');
  }

  #handleNamed(key: string): void {
    const letter = vi.LETTERS_OF_KEYS[key];
    if (key === 'escape') this.#leave();
    else if (key === 'ctrl-r') this.#line.buffer.redo();
    else if (letter !== undefined) this.#take(letter, { type: 'key', key });
    else if (key === 'delete') this.#take('x', { type: 'text', text: 'x' });
    else if (key === 'enter' || moves().get(key) !== undefined || !/^ctrl-[a-z]$/.test(key) || 'clodxpn'.includes(key.slice(5)))
      this.#insertKeys.handle({ type: 'key', key });
  }

  /** Gives up what was begun: a selection, the beginning of a command. */
  #leave(): void {
    this.#mode = 'normal';
    this.#keys = '';
  }

  #take(letter: string, key: Key): void {
    if (this.#mode === 'insert' || this.#mode === 'replace') {
      // The letters before have begun to insert.
      this.#insert(key.type === 'text' ? { type: 'text', text: letter } : key);
      return;
    }
    this.#keys += letter;
    this.#depth = this.#line.buffer.undoDepth;
    if (this.#mode === 'visual' && this.#takeVisual()) return;
    const command = this.#mode === 'visual' ? vi.parseVisual(this.#keys) : vi.parseVi(this.#keys);
    if (command === null) return;
    this.#keys = '';
    if (command !== 'unknown') this.#run(command);
  }

  /** Runs the keys on a selection; false when the keys are no command for one. */
  #takeVisual(): boolean {
    const keys = this.#keys;
    const span = this.selection;
    if (span === null || keys === 'r') return keys === 'r';
    const operator = vi.findVisualOperator(keys);
    const { text, cursor } = this.#state;
    if (operator !== undefined) {
      this.#leave();
      if (this.#takesLines || /^[DXCSRY]$/.test(keys)) this.#operateOnLines(operator, motions.linesBetween(text, span.start, span.end));
      else this.#operate(operator, span);
    } else if (keys === 'o') {
      this.#keys = '';
      this.#line.buffer.moveTo(this.#anchor);
      this.#anchor = cursor;
    } else if (keys === 'p' || keys === 'P' || /^r./su.test(keys)) this.#replaceSelection(keys, span);
    else if (keys === (this.#takesLines ? 'V' : 'v')) this.#leave();
    else return false;
    return true;
  }

  /** With what was killed last, which `p` swaps for what stood there, or each character with the one behind `r`. */
  #replaceSelection(keys: string, { start, end }: Span): void {
    const { buffer } = this.#line;
    const { text } = this.#state;
    const old = text.slice(start, end);
    const added = keys.startsWith('r') ? vi.replaceEach(old, keys.slice(1)) : buffer.lastKill.replace(/^\n|\n$/g, '');
    this.#leave();
    if (keys === 'p') buffer.copy(old);
    if (keys === 'p') this.#lines = this.#takesLines ? buffer.lastKill : null;
    buffer.apply(replaceBetween(text, [start, end], buffer.placeholders.fold(added), start));
  }

  #run(command: ViCommand): void {
    const changes =
      command.type === 'operate' ? command.operator !== 'y' : command.type === 'simple' && 'pP~rRiIaAoOJ'.includes(command.key);
    if (changes) this.#change = { command, typed: [] };
    this.#carryOut(command);
    this.#isRecording = changes && this.#mode !== 'normal';
  }

  #carryOut(command: ViCommand): void {
    const times = Math.min(command.times, MOST_TIMES);
    if (command.type === 'simple') this.#simple(command.key, command.argument, times);
    else if (command.type === 'move') this.#moveTo(command.target, command.hasTimes ? times : 1);
    else this.#operateOn(command.operator, command.target, times);
  }

  #moveTo(target: string, times: number): void {
    if ((target === 'j' || target === 'k') && this.#mode !== 'visual') {
      for (let at = 0; at < times; at++) this.#line.walk.step(target === 'k' ? 'up' : 'down');
      return;
    }
    if (!motions.isObject(target)) {
      this.#move(this.#reach(target, times));
      return;
    }
    const span = motions.findObject(this.#state, target);
    if (span === null || span.end <= span.start) return;
    this.#anchor = span.start;
    this.#line.buffer.moveTo(previousBoundary(this.#state.text, span.end));
  }

  #move(reach: Reach | null): void {
    if (reach !== null) this.#line.buffer.moveTo(reach.to);
  }

  #reach(target: string, times: number): Reach | null {
    const find = motions.parseFind(target);
    if (find !== null) this.#find = find;
    else if (target !== ';' && target !== ',') return motions.reachOf(this.#state, target, times);
    if (this.#find === null) return null;
    const way = target === ',' ? OPPOSITE[this.#find.way] : this.#find.way;
    return motions.reachOfFind(this.#state, { ...this.#find, way }, times);
  }

  #operateOn(operator: string, target: string, times: number): void {
    const reach = /^(?:[jkG]|gg)$/.test(target) ? this.#reach(target, times) : null;
    if (target === 'lines' || reach?.isLinewise === true) {
      const { text, cursor } = this.#state;
      const lines = reach === null ? motions.linesFrom(this.#state, times) : motions.linesBetween(text, cursor, reach.to);
      this.#operateOnLines(operator, lines);
      return;
    }
    const isObject = motions.isObject(target);
    const span = isObject ? motions.findObject(this.#state, target) : this.#spanOf(operator, target, times);
    if (span === null) return;
    if (span.end > span.start) this.#operate(operator, span);
    else if (operator === 'c') this.#startInsert(span.start);
  }

  #spanOf(operator: string, target: string, times: number): Span | null {
    const { text, cursor } = this.#state;
    // `cw` leaves the blank behind the word alone.
    const isWord = operator === 'c' && /^[wW]$/.test(target) && /\S/.test(text[cursor] ?? '');
    const reach = isWord
      ? motions.reachOf({ text, cursor: Math.max(0, cursor - 1) }, target === 'w' ? 'e' : 'E', times)
      : this.#reach(target, times);
    if (reach === null) return null;
    const [start, last] = reach.to < cursor ? [reach.to, cursor] : [cursor, reach.to];
    return { start, end: reach.isInclusive ? nextBoundary(text, last) : last };
  }

  /** Works on whole lines, given without the line break behind them. */
  #operateOnLines(operator: string, { start, end }: Span): void {
    const { text } = this.#state;
    if (operator !== 'd') {
      this.#operate(operator, { start, end });
      this.#lines = operator === 'y' || operator === 'c' ? this.#line.buffer.lastKill : this.#lines;
      return;
    }
    // The line break goes with the line, that before the last line too.
    const span = end < text.length ? { start, end: end + 1 } : { start: Math.max(0, start - 1), end };
    this.#operate('d', span);
    this.#lines = this.#line.buffer.lastKill;
    this.#line.buffer.moveTo(motions.firstInLine(this.#state));
  }

  #operate(operator: string, { start, end }: Span): void {
    const { buffer } = this.#line;
    const { text } = this.#state;
    const piece = text.slice(start, end);
    this.#lines = null;
    if (operator === 'y') {
      buffer.copy(piece);
      buffer.moveTo(start);
    } else if (operator === 'd' || operator === 'c') {
      buffer.breakUndo();
      buffer.kill(cutTo({ text, cursor: start }, end), 'after');
      if (operator === 'c') this.#mode = 'insert';
    } else buffer.apply(replaceBetween(text, [start, end], vi.changeCase(operator, piece), start));
  }

  #startInsert(at: number): void {
    this.#line.buffer.moveTo(at);
    this.#mode = 'insert';
  }

  #simple(key: string, argument: string, times: number): void {
    const line = this.#line;
    if (this.#startMode(key)) return;
    const repeat = (act: () => void): void => {
      for (let at = 0; at < times; at++) act();
    };
    if (key === 'r') line.buffer.apply(vi.replaceCharacters(this.#state, argument, times));
    else if (key === '~') line.buffer.apply(vi.switchCase(this.#state, times));
    else if (key === 'p' || key === 'P') this.#put(key, times);
    else if (key === 'J') line.buffer.apply(vi.joinLines(this.#state));
    else if (key === 'u') repeat(() => line.buffer.undo());
    else if (key === '.') this.#again();
    else if (key === '/' || key === '?') line.startSearch('');
    else if (key === 'n' || key === 'N') repeat(() => line.searchAgain(key === 'n' ? 1 : -1));
    else if (key === '#') line.comment();
  }

  /** True for the keys after which letters mean something else. */
  #startMode(key: string): boolean {
    const { text, cursor } = this.#state;
    if (key === 'i') this.#startInsert(cursor);
    else if (key === 'I') this.#startInsert(motions.firstInLine(this.#state));
    else if (key === 'a') this.#startInsert(cursor === lineEnd(this.#state) ? cursor : nextBoundary(text, cursor));
    else if (key === 'A') this.#startInsert(lineEnd(this.#state));
    else if (key === 'o' || key === 'O') {
      this.#line.buffer.apply(vi.openLine(this.#state, key));
      this.#mode = 'insert';
    } else if (key === 'R') this.#mode = 'replace';
    else if (key === 'v' || key === 'V') {
      if (this.#mode !== 'visual') this.#anchor = cursor;
      this.#takesLines = key === 'V';
      this.#mode = 'visual';
    } else return false;
    return true;
  }

  #put(key: 'p' | 'P', times: number): void {
    const { buffer } = this.#line;
    const piece = buffer.lastKill;
    if (piece === '') return;
    const isLines = this.#lines === piece;
    const added = isLines ? piece.replace(/^\n|\n$/g, '') : piece;
    const fold = (text: string): string => buffer.placeholders.fold(text);
    buffer.apply(vi.put(this.#state, key, { added, isLines, times, fold }));
  }

  /** The last change once more, with what was typed in it. */
  #again(): void {
    const change = this.#change;
    if (change === null) return;
    this.#carryOut(change.command);
    if (this.#mode === 'normal') return;
    this.#isRecording = false;
    for (const key of change.typed) this.#insert(key);
    this.#toNormal();
  }

  /** In normal mode the cursor stands on a character, not behind the last. */
  #stayOnCharacter(): void {
    const { text, cursor } = this.#state;
    const isBehind = cursor === lineEnd(this.#state) && cursor > lineStart(this.#state);
    if (isBehind) this.#line.buffer.moveTo(previousBoundary(text, cursor));
  }
}
