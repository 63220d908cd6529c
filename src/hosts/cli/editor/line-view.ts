import type { TerminalSize } from '../../../protocol/client.ts';
import type { Theme } from '../screen/theme.ts';
import type { StyledPiece, View } from './layout.ts';
import { type Line, Remembered } from './line.ts';
import type { LineEditorOptions } from './line-editor-options.ts';

/** What is to be seen of a line. What must be worked out from the text is worked out once per text. */
export class LineView {
  readonly #line: Line;
  readonly #options: LineEditorOptions;
  readonly #theme: Theme;
  readonly #mark = new Remembered((text) => this.#options.routeMark(text));
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
    const { search, completing, buffer } = this.#line;
    const base = { prompt: this.#options.prompt(), dim: this.#theme.sgr.dim };
    const { text, cursor } = search?.found ?? buffer.state;
    const below = search === null ? completing.menu.lines(size, this.#theme) : search.rows(size, this.#theme);
    const ghost = below.length === 0 ? this.#line.ghost : '';
    return { ...base, mark: this.#mark.of(text), text, cursor, ghost, below, styles: this.#styles.of(text) };
  }

  /** The line as it stays on the screen when it was entered: whole, without ghost and menu. */
  last(): View {
    const { text } = this.#line.buffer;
    return {
      prompt: this.#options.prompt(),
      dim: this.#theme.sgr.dim,
      mark: this.#mark.of(text),
      text,
      cursor: text.length,
      ghost: '',
      below: [],
      styles: this.#styles.of(text),
    };
  }

  #highlight(text: string): readonly StyledPiece[] {
    const { highlight } = this.#options;
    if (highlight === undefined || !this.#theme.enabled || text === '') return [];
    return highlight(text).map(({ start, end, look }) => ({ start, end, sgr: this.#theme.sgr[look] }));
  }
}
