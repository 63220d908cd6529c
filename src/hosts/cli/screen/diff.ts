import { escapeBlock } from '../../../core/sanitize.ts';
import { foldText } from './fold.ts';
import { type Look, styled, type Theme } from './theme.ts';

/** A unified diff in colours, folded to a width, with everything hidden in it spelled out. */
export function formatDiff(diff: string, width: number, theme: Theme): readonly string[] {
  // Tabs are what many files are indented with: they are shown as blanks, everything else by name.
  const lines = escapeBlock(diff.replaceAll('\t', '    ').replace(/\n$/, '')).split('\n');
  let inHunk = false;
  return lines.flatMap((line) => {
    if (line.startsWith('@@')) inHunk = true;
    else if (line.startsWith('diff ')) inHunk = false;
    const look = lookOf(line, inHunk);
    if (theme.words && (look === 'added' || look === 'removed')) return foldLine(`${look}: ${line.slice(1)}`, width);
    return foldLine(line, width).map((row) => (look === null ? row : styled(theme, look, row)));
  });
}

/** No line of a diff begins with a colon, so the rows that a long one goes on in cannot pass for lines. */
function foldLine(line: string, width: number): readonly string[] {
  const rows = foldText(line, width);
  if (rows.length === 1) return rows;
  return foldText(line, width - 2).map((row, at) => (at === 0 ? row : `: ${row}`));
}

function lookOf(line: string, inHunk: boolean): Look | null {
  if (line.startsWith('@@')) return 'hunk';
  if (!inHunk) return 'dim';
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('\\') ? 'dim' : null;
}
