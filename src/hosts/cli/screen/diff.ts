import { type Style, styled, type Theme } from '../../../core/terminal/theme.ts';
import { type RowView, wrapLines } from '../../../core/terminal/wrap.ts';
import { type ChangedRange, findChangedWords } from '../../../core/text/diff.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';

/** A line of a diff, with what is to be seen at once in it. */
interface DiffLine {
  readonly text: string;
  readonly style: Style | null;
  readonly changed: readonly ChangedRange[];
}

/** Longer runs of lines were hardly changed word by word. */
const MOST_PAIRED = 50;

/** A diff below a title or a path, which it is indented under. */
export function formatIndentedDiff(diff: string, { columns, theme }: RowView): readonly string[] {
  return formatDiff(diff, columns - 2, theme).map((line) => `  ${line}`);
}

/**
 * A unified diff in colours, folded to a width, with all its hidden characters spelled out. If lines replaced as many others, the words in
 * which they differ stand out.
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
    return { text, style: styleOf(text, inHunk), changed: [] };
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

function countRun(lines: readonly DiffLine[], from: number, style: Style): number {
  let count = 0;
  while (lines[from + count]?.style === style) count += 1;
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

function formatLine({ text, style, changed }: DiffLine, width: number, theme: Theme): readonly string[] {
  if (theme.words && (style === 'added' || style === 'removed')) return wrapLine(`${style}: ${text.slice(1)}`, width);
  if (style === null) return wrapLine(text, width);
  let offset = 0;
  return wrapLine(text, width).map((row, at) => {
    const lead = at === 0 ? '' : FURTHER;
    const pieces = [styled(theme, style, lead)];
    let done = lead.length;
    for (const [from, to] of changed) {
      const [begin, end] = [
        Math.max(done, from - offset + lead.length),
        Math.min(row.length, to - offset + lead.length),
      ];
      if (end <= begin) continue;
      pieces.push(styled(theme, style, row.slice(done, begin)));
      pieces.push(`${theme.sgr[style]}${styled(theme, 'selected', row.slice(begin, end))}`);
      done = end;
    }
    offset += row.length - lead.length;
    return [...pieces, styled(theme, style, row.slice(done))].join('');
  });
}

/** No line of a diff begins with a colon, so the rows that a long one goes on in cannot pass for lines. */
const FURTHER = ': ';

function wrapLine(line: string, width: number): readonly string[] {
  const rows = wrapLines(line, width);
  if (rows.length === 1) return rows;
  return wrapLines(line, width - FURTHER.length).map((row, at) => (at === 0 ? row : `${FURTHER}${row}`));
}

function styleOf(line: string, inHunk: boolean): Style | null {
  if (line.startsWith('@@')) return 'hunk';
  if (!inHunk) return 'dim';
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('\\') ? 'dim' : null;
}

/**
 * The lines of a unified diff. A note once for each file replaces the carriage returns of each line, if all shown lines of a side end with
 * CRLF. If a side has lines of both kinds, the carriage returns stay, to be shown by name.
 */
function sayLineEnds(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => line.endsWith('\r'))) return lines;
  return splitFiles(lines).flatMap(sayOfFile);
}

/** A line of a hunk always begins with a sign, so the next file cannot be one of them. */
function splitFiles(lines: readonly string[]): readonly (readonly string[])[] {
  const files: string[][] = [];
  for (const line of lines) {
    if (files.length === 0 || line.startsWith('diff ')) files.push([]);
    files.at(-1)?.push(line);
  }
  return files;
}

function sayOfFile(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.startsWith('@@'));
  if (from === -1) return lines;
  const [head, body] = [lines.slice(0, from), lines.slice(from)];
  const [old, fresh] = [endsOf(body, ' -'), endsOf(body, ' +')];
  const note = nameEnds(old, fresh);
  return note === null ? lines : [...head, note, ...body.map((line) => line.replace(/\r$/, ''))];
}

type Ends = 'none' | 'LF' | 'CRLF' | 'mixed';

/** The line ends of one side; the last line of a file may have no end. */
function endsOf(body: readonly string[], signs: string): Ends {
  const ended = body.filter((line, at) => {
    const isOfSide = line !== '' && signs.includes(line[0] ?? '');
    return isOfSide && body[at + 1]?.startsWith('\\') !== true;
  });
  const returns = ended.filter((line) => line.endsWith('\r')).length;
  if (ended.length === 0) return 'none';
  if (returns === 0) return 'LF';
  return returns === ended.length ? 'CRLF' : 'mixed';
}

function nameEnds(old: Ends, fresh: Ends): string | null {
  if (old === 'mixed' || fresh === 'mixed') return null;
  if (old === fresh || old === 'none' || fresh === 'none') return '(lines end with CRLF)';
  return `(line ends change from ${old} to ${fresh})`;
}
