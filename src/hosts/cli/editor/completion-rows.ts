import type { Completion } from '../../../core/completion/completion.ts';
import { sanitizeLine } from '../../../core/sanitize.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import { clipText } from '../screen/fold.ts';
import { styled, type Theme } from '../screen/theme.ts';
import { textWidth } from './graphemes.ts';

/** How the list is laid out. */
export interface MenuLayout {
  readonly size: TerminalSize;
  /** Rows on the screen that hold completions. */
  readonly height: number;
  /** A row more tells how many there are. */
  readonly hasCount: boolean;
  /** Rows of the whole list, of which `height` are on the screen, from `top` on. */
  readonly rows: number;
  readonly columns: number;
  readonly top: number;
  /** Width of a label's column. */
  readonly width: number;
  readonly hasDescriptions: boolean;
}

/** How the list is drawn. */
export interface MenuLook {
  readonly selected: number;
  readonly columns: number;
  readonly theme: Theme;
}

const MOST_ROWS = 8;
const LONGEST_LABEL = 40;
/** Blanks between columns. */
const GAP = 2;
/** Blanks, or the sign of the selected one, before each label. */
const SIGN = 2;
/** A description narrower than this says nothing. */
const NARROWEST_DESCRIPTION = 12;
/** Widths are measured of so many: of thousands the rest is clipped where it is wider. */
const MEASURED = 500;

/** Lays a list out. Once it is open its height stays, however few are left, unless the terminal has another size. */
export function layOutMenu(
  completions: readonly Completion[],
  size: TerminalSize,
  { before, selected }: { readonly before: MenuLayout | null; readonly selected: number },
): MenuLayout {
  const kept =
    before !== null && before.size.columns === size.columns && before.size.rows === size.rows ? before : null;
  const widest = Math.max(...completions.slice(0, MEASURED).map((one) => textWidth(labelOf(one))));
  const width = Math.max(1, Math.min(LONGEST_LABEL, widest, size.columns - SIGN - 1));
  const hasDescriptions = describesEnough(completions) && size.columns - SIGN - width - GAP >= NARROWEST_DESCRIPTION;
  const columns = hasDescriptions ? 1 : Math.max(1, Math.floor((size.columns - 1) / (SIGN + width + GAP)));
  const rows = Math.ceil(completions.length / columns);
  const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(size.rows / 2) - 1));
  const height = kept?.height ?? Math.min(most, rows);
  const hasCount = kept?.hasCount ?? rows > height;
  const row = selected < 0 ? 0 : selected % rows;
  const highest = Math.max(0, rows - height);
  const top = Math.min(highest, Math.max(row - height + 1, Math.min(kept?.top ?? 0, row)));
  return { size, height, hasCount, rows, columns, top, width, hasDescriptions };
}

/** The rows of a list, with empty ones where it has become shorter. */
export function formatMenu(completions: readonly Completion[], layout: MenuLayout, look: MenuLook): readonly string[] {
  const { rows, top, height, hasCount } = layout;
  const lines = Array.from({ length: height }, (_, at) => {
    return top + at < rows ? formatRow(completions, { ...layout, top: top + at }, look) : '';
  });
  if (!hasCount) return lines;
  const { selected, theme } = look;
  const count = selected < 0 ? `${completions.length} in all` : `${selected + 1} of ${completions.length}`;
  return [...lines, styled(theme, 'dim', `  ${count}`)];
}

/** Column after column, as `ls` does: the next one stands below. */
function formatRow(completions: readonly Completion[], layout: MenuLayout, look: MenuLook): string {
  const { rows, top, columns } = layout;
  const cells: string[] = [];
  for (let column = 0; column < columns; column++) {
    const index = column * rows + top;
    const completion = completions[index];
    if (completion === undefined) break;
    const isLast = column === columns - 1 || completions[index + rows] === undefined;
    cells.push(formatCell(completion, { layout, look, isSelected: index === look.selected, isLast }));
  }
  return cells.join(' '.repeat(GAP));
}

interface Cell {
  readonly layout: MenuLayout;
  readonly look: MenuLook;
  readonly isSelected: boolean;
  readonly isLast: boolean;
}

function formatCell(completion: Completion, { layout, look, isSelected, isLast }: Cell): string {
  const { theme } = look;
  const label = clipText(labelOf(completion), layout.width);
  const description = layout.hasDescriptions ? sanitizeLine(completion.description ?? '') : '';
  const isEnd = isLast && description === '';
  const padded = isEnd && !isSelected ? label : label + ' '.repeat(Math.max(0, layout.width - textWidth(label)));
  const shown = isSelected ? styled(theme, 'selected', `> ${isEnd ? label : padded}`) : `  ${padded}`;
  if (description === '') return shown;
  const room = look.columns - SIGN - layout.width - GAP - 1;
  return `${shown}${' '.repeat(GAP)}${styled(theme, 'dim', clipText(description, room))}`;
}

/** A description here and there is no reason to give up the columns of a long list. */
function describesEnough(completions: readonly Completion[]): boolean {
  const described = completions.filter(({ description }) => description !== undefined && description !== '').length;
  return described > 0 && (completions.length <= MOST_ROWS || described * 2 >= completions.length);
}

function labelOf(completion: Completion): string {
  return sanitizeLine(completion.label ?? completion.value ?? completion.text);
}
