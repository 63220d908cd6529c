import { type RowView, styledProse, wrapLines } from '../../../core/terminal/wrap.ts';
import { formatMoreLines } from './messages.ts';

/** The rows of a prompt, and the keys that answer it. */
export interface QuestionText<Key extends string> {
  readonly lines: readonly string[];
  readonly keys: readonly Key[];
}

/** How a prompt is shown. */
export interface QuestionView extends RowView {
  readonly rows: number;
  /** Nothing is left out. */
  readonly all: boolean;
}

/** Fewest rows of the content of a prompt, however low the window is. */
export const MIN_BODY = 6;

/** The row that counts the lines that are not shown; `then` says what a key does after that. */
export function formatMore(left: number, view: RowView, then = ''): readonly string[] {
  return styledProse(view, 'warning', formatMoreLines(left, then));
}

/** Choices side by side where they fit, else below each other; none is cut in two unless it is wider than the window. */
export function formatChoices<Key extends string>(
  keys: readonly Key[],
  texts: Readonly<Record<Key, string>>,
  view: RowView,
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const key of keys) {
    const choice = texts[key];
    const longer = line === '' ? choice : `${line}  ${choice}`;
    if (line !== '' && wrapLines(longer, view.columns).length > 1) {
      lines.push(line);
      line = choice;
    } else line = longer;
  }
  return [...lines, line].flatMap((one) => styledProse(view, 'bold', one, ''));
}
