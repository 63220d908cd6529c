/** Letters to add, drop, change or swap with their neighbour to turn one word into the other, as Damerau and Levenshtein count them. */
export function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next.push(Math.min(change, at(row, j) + 1, at(next, j - 1) + 1, swapped ? at(before, j - 2) + 1 : change));
    }
    before = row;
    row = next;
  }
  return at(row, to.length);
}

/** Nobody mistypes a longer word. */
const LONGEST = 64;

/** The names that a mistyped word may stand for, the nearest first. A name within so many edits is near; a third of the word by default. */
export function nearestNames(word: string, names: Iterable<string>, most = Math.max(1, Math.floor(word.length / 3))): string[] {
  if (word.length > LONGEST) return [];
  const near: { readonly name: string; readonly distance: number }[] = [];
  for (const name of names) {
    if (Math.abs(name.length - word.length) > most) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance <= most) near.push({ name, distance });
  }
  return near.sort((one, other) => one.distance - other.distance).map(({ name }) => name);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
