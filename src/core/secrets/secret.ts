/** A value that must reach neither a model nor a log, and the name that stands in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
  /** Where it is known from, in words for a user, such as `.env` or `environment`. */
  readonly from: string;
}

/** A shorter value may be part of any text, and taking it out would garble it. */
export const SHORTEST_SECRET = 8;

/** One that mixes letters with figures or signs may be that short: it is looked for where nothing touches it. */
const SHORTEST_MIXED = 6;

/** True for a value that cannot be told from what any text may hold. */
export function isTooShort(value: string): boolean {
  if (value.length >= SHORTEST_SECRET) return false;
  return value.length < SHORTEST_MIXED || !/[A-Za-z]/.test(value) || !/[^A-Za-z\s]/.test(value);
}

/** A placeholder wherever it stands; the name is its first group. */
export const PLACEHOLDER: RegExp = /⟨secret:([A-Za-z0-9_.:@/-]{1,80})⟩/g;

/** What stands in a text where a secret stood. */
export function formatPlaceholder(name: string): string {
  return `⟨secret:${name}⟩`;
}

/** The names of the placeholders in a text, each once, in the order they stand. */
export function placeholdersIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), (found) => found[1] ?? ''))];
}

/** The text with placeholders replaced by what `find` knows of them; one it does not know stays. */
export function revealPlaceholders(text: string, find: (name: string) => string | null): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) => find(name) ?? placeholder);
}

/** A place in a text that looks like a secret nobody told of. */
export interface ShapeFinding {
  readonly from: number;
  readonly to: number;
  /** What kind of secret it looks like. */
  readonly name: string;
  readonly value: string;
}

/** Findings in the order they stand, the longest first; none overlaps the one before. */
export function inOrder(found: readonly ShapeFinding[]): ShapeFinding[] {
  let end = 0;
  return found
    .toSorted((left, right) => left.from - right.from || right.to - left.to)
    .filter(({ from, to }) => {
      const isFree = from >= end;
      if (isFree) end = to;
      return isFree;
    });
}

/** A form that a secret is told by. */
export interface Shape {
  readonly name: string;
  /** One of these stands in every text that has the shape; looking for it costs next to nothing. */
  readonly literals: readonly string[];
  /** The value is the group `value`, or the whole. */
  readonly pattern: RegExp;
}
