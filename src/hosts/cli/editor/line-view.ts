import type { TerminalSize } from '../../../protocol/client.ts';
import { styled, type Theme } from '../screen/theme.ts';
import { findCounterpart } from './bracket.ts';
import type { EditState } from './edit.ts';
import type { StyledPiece, View } from './layout.ts';
import { type Line, Remembered } from './line.ts';
import type { LineEditorOptions } from './line-editor-options.ts';

const FOLD_HINT = '  Tab shows it';

/** What is to be seen of a line. What must be worked out from the text is worked out once per text. */
export class LineView {
  readonly #line: Line;
  readonly #options: LineEditorOptions;
  readonly #theme: Theme;
  readonly #mark = new Remembered((text) => this.#options.routeMark(this.#line.buffer.folds.preview(text)));
  readonly #styles = new Remembered((text) => this.#highlight(text));

  constructor(line: Line, options: LineEditorOptions, theme: Theme) {
    this.#line = line;
    this.#options = options;
    this.#theme = theme;
  }

  /** The marks and colours may have changed though the text did not: the directory did, or the shell is ready. */
  forget(): void {
    this.#mark.forget();
    this.#styles.forget();
  }

  /** Everything there is to see now. */
  of(size: TerminalSize): View {
    const { search, buffer } = this.#line;
    const state = search?.found ?? buffer.state;
    const below = this.#below(size);
    const ghost = below.length > 0 ? '' : this.#line.isBehindFold ? FOLD_HINT : this.#line.ghost;
    return { ...this.#base(state.text), cursor: state.cursor, ghost, below, styles: this.#stylesAt(state) };
  }

  /** The line as it stays on the screen when it was entered: whole, without ghost and menu. */
  last(): View {
    const { text } = this.#line.buffer;
    return { ...this.#base(text), cursor: text.length, ghost: '', below: [], styles: this.#styles.of(text) };
  }

  #base(text: string): Pick<View, 'prompt' | 'mark' | 'text' | 'dim' | 'label'> {
    const { folds } = this.#line.buffer;
    const label = (character: string): string | null => {
      const shown = folds.label(character);
      return shown === null ? null : styled(this.#theme, 'underline', shown);
    };
    return { prompt: this.#options.prompt(), mark: this.#mark.of(text), text, dim: this.#theme.sgr.dim, label };
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
    const bracket = this.#theme.enabled ? findCounterpart(state) : null;
    return bracket === null ? styles : withStyle(styles, bracket, this.#theme.sgr.bold + this.#theme.sgr.underline);
  }

  #highlight(text: string): readonly StyledPiece[] {
    const { highlight } = this.#options;
    if (highlight === undefined || !this.#theme.enabled || text === '') return [];
    return highlight(text).map(({ start, end, look }) => ({ start, end, sgr: this.#theme.sgr[look] }));
  }
}

/** The styles with one character's look added to. */
function withStyle(styles: readonly StyledPiece[], at: number, added: string): readonly StyledPiece[] {
  const under = styles.find(({ start, end }) => start <= at && at < end);
  const one = { start: at, end: at + 1, sgr: (under?.sgr ?? '') + added };
  const others = styles.flatMap((piece) =>
    piece === under
      ? [
          { ...piece, end: at },
          { ...piece, start: at + 1 },
        ].filter(({ start, end }) => start < end)
      : [piece],
  );
  return [...others, one].sort((first, second) => first.start - second.start);
}
