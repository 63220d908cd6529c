/** A directory in which commands ran. */
export interface UsedDirectory {
  readonly path: string;
  /** Grows with each use, and counts recent uses more. */
  readonly weight: number;
}

/** The directories whose paths contain these words in order, the last one in their last name, without case; the most used first. */
export function matchDirectories(words: readonly string[], used: Iterable<UsedDirectory>): readonly string[] {
  const wanted = words.map((word) => word.toLowerCase());
  return [...used]
    .filter(({ path }) => matches(path.toLowerCase(), wanted))
    .sort((one, other) => other.weight - one.weight)
    .map(({ path }) => path);
}

function matches(path: string, words: readonly string[]): boolean {
  let at = 0;
  for (const word of words.slice(0, -1)) {
    const found = path.indexOf(word, at);
    if (found < 0) return false;
    at = found + word.length;
  }
  const last = words.at(-1) ?? '';
  const found = path.lastIndexOf(last);
  return found >= at && !path.slice(found + last.replace(/\/+$/, '').length).includes('/');
}
