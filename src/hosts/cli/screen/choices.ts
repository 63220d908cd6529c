import type { TerminalSize } from '../../../protocol/client.ts';
import type { Theme } from './theme.ts';
import { styledProse, wrapLines } from './wrap.ts';

/** A question, ready to be shown, and the keys that answer it; no other key does. */
export interface QuestionText<Key extends string> {
  readonly lines: readonly string[];
  readonly keys: readonly Key[];
}

/** How a question is shown. */
export interface QuestionView {
  readonly size: TerminalSize;
  readonly theme: Theme;
  /** Nothing is left out. */
  readonly all: boolean;
}

/** So many rows of what a question is about are shown in however low a window. */
export const MIN_BODY = 6;

/** Says that the question has more lines than are shown, and what `then` can be answered. */
export function formatMore(
  left: number,
  { size, theme }: Pick<QuestionView, 'size' | 'theme'>,
  then = '',
): readonly string[] {
  const more = `… v shows all, ${left} more ${left === 1 ? 'line' : 'lines'}${then}`;
  return styledProse(theme, 'warning', more, size.columns);
}

/** Choices side by side where they fit, else below each other; none is cut in two unless it is wider than the window. */
export function formatChoices<Key extends string>(
  keys: readonly Key[],
  texts: Readonly<Record<Key, string>>,
  columns: number,
  theme: Theme,
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const key of keys) {
    const choice = texts[key];
    const longer = line === '' ? choice : `${line}  ${choice}`;
    if (line !== '' && wrapLines(longer, columns).length > 1) {
      lines.push(line);
      line = choice;
    } else line = longer;
  }
  return [...lines, line].flatMap((one) => styledProse(theme, 'bold', one, columns, ''));
}
