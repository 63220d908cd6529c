import { escapeForDisplay } from '../../../core/sanitize.ts';
import { type ChangedRange, findChangedWords } from './changed-words.ts';
import { sayLineEnds } from './diff-line-ends.ts';
import { foldText } from './fold.ts';
import { type Look, styled, type Theme } from './theme.ts';

/** A line of a diff, with what is to be seen at once in it. */
interface DiffLine {
  readonly text: string;
  readonly look: Look | null;
  readonly changed: readonly ChangedRange[];
}

/** Longer runs of lines were hardly changed word by word. */
const MOST_PAIRED = 50;

/**
 * A unified diff in colours, folded to a width, with everything hidden in it spelled out. Where lines took the place of as many others, the
 * words in which they differ stand out.
 */
export function formatDiff(diff: string, width: number, theme: Theme): readonly string[] {
  const texts = sayLineEnds(diff.replace(/\n$/, '').split('\n'));
  // Tabs are what many files are indented with: they are shown as blanks, everything else by name.
  const lines = toLines(texts.map((text) => escapeForDisplay(text.replaceAll('\t', '    '))));
  return (theme.enabled ? markWords(lines) : lines).flatMap((line) => formatLine(line, width, theme));
}

function toLines(texts: readonly string[]): readonly DiffLine[] {
  let inHunk = false;
  return texts.map((text) => {
    if (text.startsWith('@@')) inHunk = true;
    else if (text.startsWith('diff ')) inHunk = false;
    return { text, look: lookOf(text, inHunk), changed: [] };
  });
}

/** Finds runs of lines that are replaced by as many, and the words that changed in each. */
function markWords(lines: readonly DiffLine[]): readonly DiffLine[] {
  const marked = [...lines];
  for (let at = 0; at < lines.length; at += 1) {
    const removed = countRun(lines, at, 'removed');
    const added = countRun(lines, at + removed, 'added');
    if (removed === added && removed <= MOST_PAIRED) {
      for (let line = at; line < at + removed; line += 1) markPair(marked, line, line + removed);
    }
    at += Math.max(0, removed + added - 1);
  }
  return marked;
}

function countRun(lines: readonly DiffLine[], from: number, look: Look): number {
  let count = 0;
  while (lines[from + count]?.look === look) count += 1;
  return count;
}

function markPair(lines: DiffLine[], old: number, fresh: number): void {
  const [before, after] = [lines[old], lines[fresh]];
  if (before === undefined || after === undefined) return;
  const words = findChangedWords(before.text.slice(1), after.text.slice(1));
  lines[old] = { ...before, changed: words.before.map(behindSign) };
  lines[fresh] = { ...after, changed: words.after.map(behindSign) };
}

function behindSign([from, to]: ChangedRange): ChangedRange {
  return [from + 1, to + 1];
}

function formatLine({ text, look, changed }: DiffLine, width: number, theme: Theme): readonly string[] {
  if (theme.words && (look === 'added' || look === 'removed')) return foldLine(`${look}: ${text.slice(1)}`, width);
  if (look === null) return foldLine(text, width);
  let offset = 0;
  return foldLine(text, width).map((row, at) => {
    const lead = at === 0 ? '' : FURTHER;
    const part = row.slice(lead.length);
    const painted = paint(part, offset, { look, changed, theme });
    offset += part.length;
    return `${styled(theme, look, lead)}${painted}`;
  });
}

/** A part of a line that begins at `offset` of it. */
function paint(
  part: string,
  offset: number,
  { look, changed, theme }: { readonly look: Look; readonly changed: readonly ChangedRange[]; readonly theme: Theme },
): string {
  const pieces: string[] = [];
  let done = 0;
  for (const [from, to] of changed) {
    const [begin, end] = [Math.max(done, from - offset), Math.min(part.length, to - offset)];
    if (end <= begin) continue;
    pieces.push(styled(theme, look, part.slice(done, begin)));
    pieces.push(`${theme.sgr[look]}${styled(theme, 'selected', part.slice(begin, end))}`);
    done = end;
  }
  return [...pieces, styled(theme, look, part.slice(done))].join('');
}

/** No line of a diff begins with a colon, so the rows that a long one goes on in cannot pass for lines. */
const FURTHER = ': ';

function foldLine(line: string, width: number): readonly string[] {
  const rows = foldText(line, width);
  if (rows.length === 1) return rows;
  return foldText(line, width - FURTHER.length).map((row, at) => (at === 0 ? row : `${FURTHER}${row}`));
}

function lookOf(line: string, inHunk: boolean): Look | null {
  if (line.startsWith('@@')) return 'hunk';
  if (!inHunk) return 'dim';
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('\\') ? 'dim' : null;
}
