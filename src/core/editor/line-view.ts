import type { TerminalSize } from '../../protocol/query.ts';
import type { StyledPiece, View } from '../terminal/layout.ts';
import { styled, type Theme } from '../terminal/theme.ts';
import { type EditState, findCounterpart } from './edit.ts';
import type { KeyHandler, Span } from './keys.ts';
import { type Line, Remembered } from './line.ts';
import type { LineEditorOptions } from './line-editor-options.ts';
import { FOLD_HINT } from './messages.ts';

/** The visible parts of a line. Results that depend on the text are computed once per text. */
export class LineView {
  readonly #line: Line;
  readonly #options: LineEditorOptions;
  readonly #theme: Theme;
  readonly #keys: () => KeyHandler;
  #prompt: { readonly left: string; readonly right: string } | null = null;
  readonly #mark = new Remembered((text) => this.#options.routeMark(this.#line.buffer.placeholders.preview(text)));
  readonly #styles = new Remembered((text) => this.#highlight(text));

  constructor(line: Line, options: LineEditorOptions, { theme, keys }: { theme: Theme; keys: () => KeyHandler }) {
    this.#line = line;
    this.#options = options;
    this.#theme = theme;
    this.#keys = keys;
  }

  /** The marks and colours may have changed though the text did not: the directory did, or the shell is ready. */
  forget(): void {
    this.#prompt = null;
    this.#mark.forget();
    this.#styles.forget();
  }

  /** The current view. */
  of(size: TerminalSize): View {
    const { search, buffer } = this.#line;
    const state = search?.found ?? buffer.state;
    const below = this.#below(size);
    const hasGhost = below.length === 0 && this.#options.painter !== 'plain';
    const ghost = !hasGhost ? '' : this.#line.isBehindPlaceholder ? FOLD_HINT : this.#line.ghost;
    return { ...this.#base(state.text), cursor: state.cursor, ghost, below, styles: this.#stylesAt(state) };
  }

  /** The entered line as it stays on the screen: complete, without suggestion and menu, and with the key that gave it up behind it. */
  last(key: string): View {
    const { text } = this.#line.buffer;
    const mark = this.#markWithMode(
      this.#options.routeMark(this.#line.buffer.placeholders.preview(text, { isEntered: true }), { isEntered: true }),
    );
    return { ...this.#base(text), mark, cursor: text.length, ghost: key, below: [], styles: this.#styles.of(text) };
  }

  #base(text: string): Pick<View, 'prompt' | 'right' | 'mark' | 'text' | 'dim' | 'label'> {
    const { placeholders } = this.#line.buffer;
    const label = (character: string): string | null => {
      const shown = placeholders.label(character);
      return shown === null ? null : styled(this.#theme, 'underline', shown);
    };
    this.#prompt ??= { left: this.#options.prompt(), right: this.#options.rightPrompt?.() ?? '' };
    return {
      prompt: this.#prompt.left,
      right: this.#prompt.right,
      mark: this.#markWithMode(this.#mark.of(text)),
      text,
      dim: this.#theme.sgr.dim,
      label,
    };
  }

  /** In a mode in which letters are no text the mark is turned over; without colours, a letter stands before it. */
  #markWithMode(mark: string): string {
    const { mode } = this.#keys();
    if (mode === null || mode === 'insert') return mark;
    if (!this.#theme.enabled) return mode.charAt(0).toUpperCase() + mark;
    const plain = mark.replace(/\x1b\[[0-9;:]*m/g, '');
    return styled(this.#theme, 'selected', plain.trimEnd()) + plain.slice(plain.trimEnd().length);
  }

  #below(size: TerminalSize): readonly string[] {
    const { search, completing, hint } = this.#line;
    if (search !== null) return search.rows(size, this.#theme);
    if (completing.menu.isOpen) return completing.menu.lines(size, this.#theme);
    return hint === '' ? [] : [styled(this.#theme, 'dim', hint)];
  }

  /** The colours of the text, and the bracket that belongs to the one at the cursor. */
  #stylesAt(state: EditState): readonly StyledPiece[] {
    const styles = this.#styles.of(state.text);
    const { selection } = this.#keys();
    if (selection !== null) return withStyle(styles, selection, this.#theme.sgr.selected);
    const bracket = this.#theme.enabled ? findCounterpart(state) : null;
    if (bracket === null) return styles;
    return withStyle(styles, { start: bracket, end: bracket + 1 }, this.#theme.sgr.bold + this.#theme.sgr.underline);
  }

  #highlight(text: string): readonly StyledPiece[] {
    const { highlight } = this.#options;
    if (highlight === undefined || !this.#theme.enabled || text === '') return [];
    return highlight(text, this.#line.buffer.placeholders.preview(text)).map(({ start, end, style }) => ({
      start,
      end,
      sgr: this.#theme.sgr[style],
    }));
  }
}

function withStyle(styles: readonly StyledPiece[], { start, end }: Span, added: string): readonly StyledPiece[] {
  const pieces: StyledPiece[] = [];
  let at = start;
  for (const piece of styles) {
    if (piece.end <= start || piece.start >= end) {
      pieces.push(piece);
      continue;
    }
    if (piece.start < start) pieces.push({ ...piece, end: start });
    if (at < piece.start) pieces.push({ start: at, end: piece.start, sgr: added });
    at = Math.min(piece.end, end);
    pieces.push({ start: Math.max(piece.start, start), end: at, sgr: piece.sgr + added });
    if (piece.end > end) pieces.push({ ...piece, start: end });
  }
  if (at < end) pieces.push({ start: at, end, sgr: added });
  return pieces.sort((first, second) => first.start - second.start);
}
