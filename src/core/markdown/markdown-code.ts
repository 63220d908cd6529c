import { textWidth } from '../terminal/graphemes.ts';
import { wrapStyled } from '../terminal/layout.ts';
import { styled, type Theme } from '../terminal/theme.ts';
import { quoteBars } from './markdown-block.ts';
import { visibleWidth } from './markdown-line.ts';

/** Puts looks into one line of code; the state goes from line to line. Null as the first one. */
export type CodePainter = (language: string, line: string, state: unknown) => { readonly text: string; readonly state: unknown };

/** The beginning of a block of code: the mark that also ends it, how deep it is quoted, and the language. */
interface Opening {
  readonly mark: string;
  readonly quotes: number;
  readonly language: string;
}

const FENCE = /^\s*(?:((?:>\s?)+)\s*)?(`{3,}|~{3,}(?!~))([^`]*)$/;
const TAB_STOPS = 4;
/** Only the end of a longer line is shown while it is open, and it gets no colours: minified code is not for reading. */
const LONGEST_READ = 4000;

/** Reads the line that opens a block of code; null for any other line. */
export function parseFence(line: string): Opening | null {
  const found = FENCE.exec(line);
  if (found === null) return null;
  const [, quoting = '', mark = '```', info = ''] = found;
  const [language = ''] = info.trim().split(/[\s{,]/);
  return { mark, quotes: quoting.split('>').length - 1, language };
}

/**
 * A block of code as it streams in. A finished line is not folded and has no frame, so that selecting it copies it: a line
 * longer than the window is wrapped by the terminal itself.
 */
export class CodeBlock {
  readonly #opening: Opening;
  readonly #theme: Theme;
  readonly #paint: CodePainter | null;
  #state: unknown = null;

  constructor(opening: Opening, theme: Theme, paint: CodePainter | null) {
    this.#opening = opening;
    this.#theme = theme;
    this.#paint = paint;
  }

  /** The row that says that code begins. */
  openingRow(line: string): string {
    if (this.#theme.words) return this.#opening.language === '' ? 'code:' : `code in ${this.#opening.language}:`;
    return this.#bars + styled(this.#theme, 'dim', this.#inside(line));
  }

  /** True for the line that ends the block. */
  isEnd(line: string): boolean {
    const inside = this.#inside(line).trim();
    return inside.startsWith(this.#opening.mark) && /^([`~])\1*$/.test(inside);
  }

  /** True while an unfinished line may still become the end of the block. */
  mayEnd(line: string): boolean {
    return /^[`~]*$/.test(this.#inside(line).trim());
  }

  closingRow(line: string): string {
    if (this.#theme.words) return 'end of code';
    return this.#bars + styled(this.#theme, 'dim', this.#inside(line));
  }

  /** A finished line of the code. */
  row(line: string): string {
    const { text, state } = this.#style(line);
    this.#state = state;
    return this.#bars + expandTabs(text);
  }

  /**
   * The unfinished line of the code, folded with a mark at the edge. The mark makes these rows others than the finished ones: those
   * are written anew, by the terminal's own wrapping, so that they are one line for anyone who copies it.
   */
  openRows(line: string, columns: number): readonly string[] {
    const bars = columns > 2 * this.#barWidth ? this.#bars : '';
    const room = Math.max(1, columns - (bars === '' ? 0 : this.#barWidth));
    const shown = line.slice(Math.ceil(Math.max(0, line.length - LONGEST_READ) / room) * room);
    const text = expandTabs(this.#style(shown).text);
    if (visibleWidth(text) < room) return [bars + text];
    const rows = wrapStyled(text, Math.max(1, room - 1));
    const mark = room === 1 ? '' : styled(this.#theme, 'dim', '\\');
    return rows.map((row, at) => bars + row + (at < rows.length - 1 ? mark : ''));
  }

  get #barWidth(): number {
    return this.#theme.words ? 0 : 2 * Math.min(3, this.#opening.quotes);
  }

  get #bars(): string {
    return this.#opening.quotes === 0 ? '' : quoteBars(this.#opening.quotes, this.#theme);
  }

  /** A line without the marks of the quotation that the block stands in. */
  #inside(line: string): string {
    if (this.#opening.quotes === 0) return line;
    return line.replace(new RegExp(`^\\s*(?:>\\s?){0,${this.#opening.quotes}}`), '');
  }

  #style(line: string): { readonly text: string; readonly state: unknown } {
    const inside = this.#inside(line);
    const { language } = this.#opening;
    if (this.#paint !== null && language !== '' && this.#theme.enabled && line.length <= LONGEST_READ)
      return this.#paint(language, inside, this.#state);
    return { text: styled(this.#theme, 'code', inside), state: this.#state };
  }
}

function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
  let column = 0;
  let expanded = '';
  for (const piece of text.split(/(\t|\x1b\[[0-9;:]*m)/)) {
    if (piece.startsWith('\x1b')) {
      expanded += piece;
      continue;
    }
    const shown = piece === '\t' ? ' '.repeat(TAB_STOPS - (column % TAB_STOPS)) : piece;
    expanded += shown;
    column += textWidth(shown);
  }
  return expanded;
}

/**
 * Creates the painter for the code in answers. The first call begins to load it and returns null, so the best time for that call is the
 * request of an answer, well before the first block of code.
 */
export function createCodePainter(theme: Theme): () => CodePainter | null {
  let isLoading = false;
  let painter: CodePainter | null = null;
  const load = async () => {
    const { CodeState, highlightCode } = await import('../code-colours/highlight-code.ts');
    painter = (language, line, state) => {
      const cut = highlightCode(language, line, state instanceof CodeState ? state : null);
      if (cut === null) return { text: styled(theme, 'code', line), state };
      let text = '';
      let at = 0;
      for (const { start, end, style } of cut.spans) {
        text += line.slice(at, start) + styled(theme, style, line.slice(start, end));
        at = end;
      }
      return { text: text + line.slice(at), state: cut.state };
    };
  };
  return () => {
    if (!isLoading) void load();
    isLoading = true;
    return painter;
  };
}
