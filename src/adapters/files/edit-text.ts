import * as messages from './messages.ts';

/** The reason that a replacement cannot be made. Only the hint contains text of the file. */
interface EditProblem {
  readonly problem: string;
  readonly hint: string;
}

/** A replacement in a text, or why it cannot be made. */
export type Edited = { readonly text: string; readonly lines: readonly number[] } | EditProblem;

/** The texts of a replacement. Texts are raw: one character per byte. */
interface Replacement {
  readonly old: string;
  readonly fresh: string;
  readonly all: boolean;
}

/** Replaces exact text. In a file with CR LF line ends, plain line ends of the arguments mean CR LF. */
export function editText(text: string, replacement: Replacement): Edited {
  const { old, fresh } = fitLineEnds(text, replacement);
  const places = findPlaces(text, old);
  if (places.length === 0) return describeMissing(text, replacement.old);
  const lines = lineNumbers(text, places);
  if (places.length > 1 && !replacement.all) {
    const shown = lines.slice(0, 10).join(', ') + (lines.length > 10 ? ', …' : '');
    return {
      problem: messages.formatOccurrences(places.length, shown),
      hint: messages.MAKE_UNIQUE,
    };
  }
  return { text: text.split(old).join(fresh), lines };
}

function fitLineEnds(text: string, replacement: Replacement): { old: string; fresh: string } {
  const { old, fresh } = replacement;
  const feeds = text.split('\n').length - 1;
  const pairs = text.split('\r\n').length - 1;
  if (pairs * 2 <= feeds) return { old, fresh };
  const fitted = { old: toCrLf(old), fresh: toCrLf(fresh) };
  return text.includes(fitted.old) ? fitted : { old, fresh };
}

function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function findPlaces(text: string, old: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + old.length)) places.push(at);
  return places;
}

function lineNumbers(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf('\n', from); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
    from = place;
    return line;
  });
}

const MOST_COMPARED = 20_000;

/** Shows the line that comes closest to the first line of what was looked for. */
function describeMissing(text: string, old: string): EditProblem {
  const wanted =
    old
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '') ?? '';
  const pairs = toPairs(wanted);
  let best = { score: 0.4, number: 0, line: '' };
  for (const [index, line] of text.split('\n').slice(0, MOST_COMPARED).entries()) {
    const score = line.trim() === wanted ? 1 : similarity(pairs, toPairs(line.trim().slice(0, 500)));
    if (score > best.score) best = { score, number: index + 1, line: line.replace(/\r$/, '') };
  }
  const problem = messages.NOT_FOUND;
  if (best.number === 0) return { problem, hint: messages.NO_SIMILAR_LINE };
  const shown = JSON.stringify(Buffer.from(best.line.slice(0, 200), 'latin1').toString('utf8'));
  const hint = best.score === 1 ? messages.OTHER_SPACE : messages.COPY_EXACTLY;
  return { problem, hint: messages.formatNearest(best.number, shown, hint) };
}

/** Share of neighbouring letters both have in common, from 0 to 1. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let common = 0;
  for (const pair of one) if (other.has(pair)) common += 1;
  return (2 * common) / (one.size + other.size);
}

function toPairs(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at += 1) pairs.add(text.slice(at, at + 2));
  return pairs;
}
