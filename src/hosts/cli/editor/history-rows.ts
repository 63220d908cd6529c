import type { TerminalSize } from '../../../protocol/client.ts';
import type { Theme } from '../screen/theme.ts';
import { toCell } from './cells.ts';
import { textWidth, toGraphemes } from './graphemes.ts';
import type { FoundLine } from './history-found.ts';

/** How a line that was found is shown. */
export interface RowOptions {
  /** Places of the letters that are marked. */
  readonly letters: ReadonlySet<number>;
  readonly isSelected: boolean;
  readonly isHere: boolean;
  readonly now: number;
  readonly size: TerminalSize;
  readonly theme: Theme;
}

const AGE_WIDTH = 4;
/** Below this the line needs all the room. */
const WIDE = 60;

/** One row of the search: how long ago, the line with its matched letters marked, and behind it status, hand and directory. */
export function formatRow(found: FoundLine, options: RowOptions): string {
  const { sgr, reset } = options.theme;
  const { columns } = options.size;
  const age = formatShortAge(found.at, options.now).padStart(AGE_WIDTH);
  const facts = columns < WIDE ? '' : formatFacts(found, options.isHere, Math.floor(columns / 3));
  const room = columns - 2 - AGE_WIDTH - 1 - (facts === '' ? 0 : textWidth(facts) + 2) - 1;
  const line = formatLine(found.line, room, options);
  const behind = facts === '' ? '' : `${' '.repeat(Math.max(2, room - line.width + 2))}${sgr.dim}${facts}${reset}`;
  return `${options.isSelected ? '>' : ' '} ${sgr.dim}${age}${reset} ${line.text}${behind}`;
}

/** How long ago, in at most four letters: `3m`, `5h`, `12d`, `2y`; empty for a time nobody knows. */
export function formatShortAge(at: number, now: number): string {
  if (at <= 0) return '';
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  const days = Math.floor(seconds / 86_400);
  return days < 1000 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

function formatFacts({ exit, who, cwd }: FoundLine, isHere: boolean, most: number): string {
  const failed = exit === null || exit === 0 ? [] : [`exit ${exit}`];
  const directory = isHere || cwd === '' ? [] : [cwd.split('/').slice(-2).join('/')];
  const facts = [...failed, ...(who === 'model' ? ['ai'] : []), ...directory].join(' · ');
  const shown = toGraphemes(facts).map((grapheme) => toCell(grapheme, '').text);
  const text = shown.join('');
  return textWidth(text) <= most ? text : `${shown.slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** As much of the line as has room. Every change of look begins from none, so that none is left over. */
function formatLine(
  line: string,
  room: number,
  options: RowOptions,
): { readonly text: string; readonly width: number } {
  const { sgr, reset } = options.theme;
  const plain = options.isSelected ? sgr.selected : '';
  const marked = `${plain}${sgr.bold}${sgr.underline}`;
  let [text, width, offset, look] = ['', 0, 0, ''];
  const turn = (wanted: string): void => {
    if (wanted === look) return;
    text += `${look === '' ? '' : reset}${wanted}`;
    look = wanted;
  };
  for (const grapheme of toGraphemes(line.slice(0, room * 4))) {
    const cell = toCell(grapheme === '\n' ? '↵' : grapheme, '');
    if (width + cell.width > room) break;
    turn(isMarked(offset, grapheme.length, options.letters) ? marked : plain);
    text += cell.text;
    width += cell.width;
    offset += grapheme.length;
  }
  turn('');
  return { text, width };
}

function isMarked(from: number, length: number, letters: ReadonlySet<number>): boolean {
  for (let at = from; at < from + length; at++) if (letters.has(at)) return true;
  return false;
}
