/* The differences of texts: of lines as `patch` reads them, and of words. */
import { spellLookAlikes } from './hidden-character.ts';
import { escapeForDisplay } from './sanitize.ts';

/** A line, or another piece of a text, that is kept, taken away or added. */
interface Edit {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
}

/** Work allowed to find the shortest script, in steps of the search; past it the changed part is shown as replaced whole. */
const SEARCH_LIMIT = 2000;

/** The shortest way from one sequence of pieces to another; past the limit of the search the changed part is replaced whole. */
function compareSequences(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const room = Math.min(before.length, after.length) - start;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const oldMiddle = before.slice(start, before.length - tail);
  const newMiddle = after.slice(start, after.length - tail);
  return [
    ...toEdits(' ', before.slice(0, start)),
    ...(findShortestScript(oldMiddle, newMiddle) ?? [...toEdits('-', oldMiddle), ...toEdits('+', newMiddle)]),
    ...toEdits(' ', before.slice(before.length - tail)),
  ];
}

function toEdits(kind: Edit['kind'], lines: readonly string[]): readonly Edit[] {
  return lines.map((line) => ({ kind, line }));
}

/**
 * Myers' greedy search: `reach[k]` is the furthest old line on diagonal k (old minus new) after d edits. The frontier of
 * every d is kept to walk back along the path, which costs d² in memory: hence the limit.
 */
function findShortestScript(before: readonly string[], after: readonly string[]): readonly Edit[] | null {
  const most = Math.min(before.length + after.length, SEARCH_LIMIT);
  const trail: Int32Array[] = [];
  const middle = most + 1;
  const reach = new Int32Array(2 * most + 3);
  for (let edits = 0; edits <= most; edits += 1) {
    trail.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = isDown(diagonal, edits, at(reach, middle + diagonal - 1), at(reach, middle + diagonal + 1));
      let old = down ? at(reach, middle + diagonal + 1) : at(reach, middle + diagonal - 1) + 1;
      while (old < before.length && old - diagonal < after.length && before[old] === after[old - diagonal]) old += 1;
      reach[middle + diagonal] = old;
      if (old >= before.length && old - diagonal >= after.length) return walkBack(before, after, trail);
    }
  }
  return null;
}

function walkBack(before: readonly string[], after: readonly string[], trail: readonly Int32Array[]): readonly Edit[] {
  const script: Edit[] = [];
  let old = before.length;
  let fresh = after.length;
  for (let edits = trail.length - 1; edits >= 0; edits -= 1) {
    const reach = trail[edits] ?? new Int32Array();
    const middle = edits + 1;
    const diagonal = old - fresh;
    const down = isDown(diagonal, edits, at(reach, middle + diagonal - 1), at(reach, middle + diagonal + 1));
    const previous = down ? diagonal + 1 : diagonal - 1;
    const startOld = edits === 0 ? 0 : at(reach, middle + previous);
    const startFresh = edits === 0 ? 0 : startOld - previous;
    const keptFrom = edits === 0 ? 0 : startOld + (down ? 0 : 1);
    for (; old > keptFrom; old -= 1) script.push({ kind: ' ', line: before[old - 1] ?? '' });
    if (edits > 0 && down) script.push({ kind: '+', line: after[startFresh] ?? '' });
    if (edits > 0 && !down) script.push({ kind: '-', line: before[startOld] ?? '' });
    old = startOld;
    fresh = startFresh;
  }
  return script.reverse();
}

function isDown(diagonal: number, edits: number, left: number, right: number): boolean {
  return diagonal === -edits || (diagonal !== edits && left < right);
}

function at(values: Int32Array, index: number): number {
  return values[index] ?? 0;
}

/** Words, the blanks between them and single signs, so that a changed sign does not make a new word of what stands beside it. */
function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|[^\S\n]+|\n|./gsu) ?? [];
}

/** The range in which a line differs from the one it replaced: from and to, in code units. */
export type ChangedRange = readonly [from: number, to: number];

/** The ranges of both lines of a pair. */
interface ChangedWords {
  readonly before: readonly ChangedRange[];
  readonly after: readonly ChangedRange[];
}

/** Longer lines, and ones that have more words, are shown as replaced whole. */
const LONGEST_LINE = 500;
const MOST_WORDS = 120;

/** Lines that share less than this part of their letters are no versions of each other. */
const LEAST_SHARED = 0.4;

const NO_WORDS: ChangedWords = { before: [], after: [] };

/** The words in which two versions of a line differ; nothing where they are another line altogether. */
export function findChangedWords(before: string, after: string): ChangedWords {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return NO_WORDS;
  const [old, fresh] = [splitWords(before), splitWords(after)];
  if (old.length > MOST_WORDS || fresh.length > MOST_WORDS) return NO_WORDS;
  const found = { before: [] as ChangedRange[], after: [] as ChangedRange[] };
  const at = { before: 0, after: 0 };
  let shared = 0;
  for (const { kind, line: word } of compareSequences(old, fresh)) {
    if (kind === ' ' && word.trim() !== '') shared += word.length;
    if (kind !== '+') at.before = addRange(found.before, at.before, word, kind === '-');
    if (kind !== '-') at.after = addRange(found.after, at.after, word, kind === '+');
  }
  const length = Math.max(before.replace(/\s/g, '').length, after.replace(/\s/g, '').length);
  return shared >= length * LEAST_SHARED ? found : NO_WORDS;
}

/** Neighbours become one range. The answer is where the next word begins. */
function addRange(ranges: ChangedRange[], from: number, word: string, isChanged: boolean): number {
  const to = from + word.length;
  const last = ranges.at(-1);
  if (!isChanged) return to;
  if (last?.[1] === from) ranges[ranges.length - 1] = [last[0], to];
  else ranges.push([from, to]);
  return to;
}

/** Two versions of a text file; null where the file is not there. */
interface TextChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** The unified diff of a change, as `patch` reads it; empty where nothing changes. */
export function formatUnifiedDiff(change: TextChange): string {
  if (change.before === change.after) return '';
  const from = change.before === null ? '/dev/null' : quoteName(`a/${change.path}`);
  const to = change.after === null ? '/dev/null' : quoteName(`b/${change.path}`);
  const edits = compareSequences(splitLines(change.before ?? ''), splitLines(change.after ?? ''));
  return `--- ${from}\n+++ ${to}\n${formatHunks(edits)}`;
}

/** A name as git and `patch` write one that would end the line or begin a quotation. */
function quoteName(name: string): string {
  if (!/[\n\r"]/.test(name)) return name;
  const quoted = name.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${quoted}"`;
}

/** Lines with their ends, so that a missing last line break and CR LF count as differences. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function formatHunks(edits: readonly Edit[]): string {
  let text = '';
  let oldLine = 1;
  let newLine = 1;
  let position = 0;
  for (const [start, end] of findHunks(edits)) {
    const skipped = start - position;
    oldLine += skipped;
    newLine += skipped;
    const hunk = edits.slice(start, end);
    const oldCount = hunk.filter((edit) => edit.kind !== '+').length;
    const newCount = hunk.filter((edit) => edit.kind !== '-').length;
    text += `@@ -${formatRange(oldLine, oldCount)} +${formatRange(newLine, newCount)} @@\n`;
    text += hunk.map(formatEdit).join('');
    oldLine += oldCount;
    newLine += newCount;
    position = end;
  }
  return text;
}

/** Ranges of edits that belong together: each change with its context, joined where contexts touch. */
function findHunks(edits: readonly Edit[]): readonly (readonly [number, number])[] {
  const hunks: [number, number][] = [];
  for (const [index, edit] of edits.entries()) {
    if (edit.kind === ' ') continue;
    const last = hunks.at(-1);
    const end = Math.min(edits.length, index + CONTEXT + 1);
    if (last !== undefined && index - CONTEXT <= last[1]) last[1] = end;
    else hunks.push([Math.max(0, index - CONTEXT), end]);
  }
  return hunks;
}

function formatRange(line: number, count: number): string {
  if (count === 1) return String(line);
  return count === 0 ? `${line - 1},0` : `${line},${count}`;
}

function formatEdit(edit: Edit): string {
  const text = `${edit.kind}${edit.line}`;
  return text.endsWith('\n') ? text : `${text}\n\\ No newline at end of file\n`;
}

/** Rows around a change that are shown with it. */
const AROUND = 2;

/**
 * The differences between two texts, word by word: `[-was-]` and `{+is+}` within rows of the new text. Rows far from any change are left
 * out. Hidden characters in a word are spelled out, so that no difference is invisible; no part of the texts can pass for a mark.
 */
export function formatWordDiff(before: string, after: string): string {
  const edits = compareSequences(splitWords(before), splitWords(after));
  const rows: Row[] = [{ text: '', isChanged: false }];
  for (let at = 0; at < edits.length; ) {
    const kind = edits[at]?.kind ?? ' ';
    let run = '';
    for (; edits[at]?.kind === kind; at += 1) run += edits[at]?.line ?? '';
    addRun(rows, kind, guardMarks(spellLookAlikes(escapeForDisplay(run, { multiline: true }))));
  }
  return keepChanged(rows).join('\n');
}

interface Row {
  text: string;
  isChanged: boolean;
}

/** A change that spans rows is marked in each of them. */
function addRun(rows: Row[], kind: ' ' | '-' | '+', run: string): void {
  const [open, close] = kind === ' ' ? ['', ''] : kind === '-' ? ['[-', '-]'] : ['{+', '+}'];
  const parts = run.split('\n');
  for (const [at, part] of parts.entries()) {
    // An added or removed empty row is a change too; the rest of a row at the edge of the run is none.
    const isRest = part === '' && parts.length > 1 && (at === 0 || at === parts.length - 1);
    const last = rows.at(-1);
    const row = at > 0 || last === undefined ? { text: '', isChanged: false } : last;
    if (row !== last) rows.push(row);
    row.isChanged ||= kind !== ' ';
    if (isRest && (kind === ' ' || run !== '\n' || at > 0)) continue;
    row.text += `${open}${isRest ? '\\n' : part}${close}`;
  }
}

function guardMarks(text: string): string {
  return text.replaceAll(/\[(?=-)|\{(?=\+)|-(?=\])|\+(?=\})/g, '\\$&');
}

function keepChanged(rows: readonly Row[]): readonly string[] {
  const isKept = rows.map((_, at) => rows.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ isChanged }) => isChanged));
  return rows.flatMap(({ text }, at) => {
    if (isKept[at] === true) return [text];
    return at === 0 || isKept[at - 1] === true ? ['…'] : [];
  });
}
