import { compareSequences } from './diff.ts';
import { spellLookAlikes } from './look-alike.ts';
import { escapeForDisplay } from './sanitize.ts';

/** Rows around a change that are shown with it. */
const AROUND = 2;

/**
 * What differs between two texts, word by word: `[-was-]` and `{+is+}` within rows of the new text. Rows far from any change are left out.
 * What is hidden in a word is spelled out, so that no difference is invisible; nothing of the texts can pass for a mark.
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
    // An empty row that came or went is a change too; what is left of the rows around the run is none.
    const isRest = part === '' && parts.length > 1 && (at === 0 || at === parts.length - 1);
    const last = rows.at(-1);
    const row = at > 0 || last === undefined ? { text: '', isChanged: false } : last;
    if (row !== last) rows.push(row);
    row.isChanged ||= kind !== ' ';
    if (isRest && (kind === ' ' || run !== '\n' || at > 0)) continue;
    row.text += `${open}${isRest ? '\\n' : part}${close}`;
  }
}

/** Words, the blanks between them and single signs, so that a changed sign does not make a new word of what stands beside it. */
function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|[^\S\n]+|\n|./gsu) ?? [];
}

function guardMarks(text: string): string {
  return text.replaceAll(/\[(?=-)|\{(?=\+)|-(?=\])|\+(?=\})/g, '\\$&');
}

function keepChanged(rows: readonly Row[]): readonly string[] {
  const isKept = rows.map((_, at) =>
    rows.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ isChanged }) => isChanged),
  );
  return rows.flatMap(({ text }, at) => {
    if (isKept[at] === true) return [text];
    return at === 0 || isKept[at - 1] === true ? ['…'] : [];
  });
}
