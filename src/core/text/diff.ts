import { compareSequences, type Edit, splitWords } from './changed-words.ts';
import { spellLookAlikes } from './hidden-character.ts';
import { escapeForDisplay } from './sanitize.ts';

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
