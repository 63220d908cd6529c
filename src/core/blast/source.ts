import type { Sift } from './plan.ts';

/** What of a text is passed on. */
export function siftText(text: string, sifts: readonly Sift[]): string {
  let lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const { pattern, folds, isInverted } of sifts) {
    const matcher = new RegExp(pattern, folds ? 'iu' : 'u');
    lines = lines.filter((line) => matcher.test(line) !== isInverted);
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** Separates what `xargs` reads as it would; null where it would stumble. */
export function readItems(text: string, separator: 'blank' | 'line' | 'raw-line' | 'null'): readonly string[] | null {
  if (separator === 'null' || separator === 'raw-line') {
    const items = text.split(separator === 'null' ? '\0' : '\n');
    if (items.at(-1) === '') items.pop();
    return items;
  }
  const items: string[] = [];
  for (const line of text.split('\n')) {
    const found = readLine(separator === 'line' ? line.replace(/^[ \t]+/, '') : line, separator);
    if (found === null) return null;
    items.push(...found);
  }
  return items;
}

/** Quotes hold together what is between them, and a backslash takes the meaning of what follows. */
function readLine(line: string, separator: 'blank' | 'line'): readonly string[] | null {
  const items: string[] = [];
  let current: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (sign === '"' || sign === "'") {
      const end = line.indexOf(sign, at + 1);
      if (end < 0) return null;
      current = (current ?? '') + line.slice(at + 1, end);
      at = end;
    } else if (sign === '\\') {
      at += 1;
      const next = line[at];
      // It would take in the line that follows.
      if (next === undefined) return null;
      current = (current ?? '') + next;
    } else if (separator === 'blank' && (sign === ' ' || sign === '\t')) {
      if (current !== null) items.push(current);
      current = null;
    } else current = (current ?? '') + sign;
  }
  return current === null ? items : [...items, current];
}
