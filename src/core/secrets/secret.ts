/** A value that must reach neither a model nor a log, and the name used in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
  /** The source, as shown to the user, such as `.env` or `environment`. */
  readonly from: string;
}

/** A shorter value may be part of any text, and redacting it would garble the text. */
export const SHORTEST_SECRET = 8;

/** The minimum for values that mix letters with digits or punctuation, which match only as separate words. */
const SHORTEST_MIXED = 6;

/** Whether a value is too short to distinguish it from ordinary text. */
export function isTooShort(value: string): boolean {
  if (value.length >= SHORTEST_SECRET) return false;
  return value.length < SHORTEST_MIXED || !/[A-Za-z]/.test(value) || !/[^A-Za-z\s]/.test(value);
}

/** The beginning of every placeholder. */
export const PLACEHOLDER_START = '⟨secret:';

/** A placeholder; its first group is the name. */
export const PLACEHOLDER: RegExp = /⟨secret:([A-Za-z0-9_.:@/-]{1,80})⟩/g;

/** The placeholder for a secret. */
export function formatPlaceholder(name: string): string {
  return `⟨secret:${name}⟩`;
}

/** The names of the placeholders in a text, without duplicates, in order. */
export function placeholdersIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), (found) => found[1] ?? ''))];
}

/** Replaces placeholders by the result of `find`; unknown ones stay. */
export function revealPlaceholders(text: string, find: (name: string) => string | null): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) => find(name) ?? placeholder);
}

/** A range of a text that looks like an unknown secret. */
export interface ShapeFinding {
  readonly from: number;
  readonly to: number;
  /** The kind of secret. */
  readonly name: string;
  readonly value: string;
}

/** Findings by position, the longest first, without overlaps. */
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

/** A recognisable format of secrets. */
export interface Shape {
  readonly name: string;
  /** Every text in this format contains one of these, and searching for them is cheap. */
  readonly literals: readonly string[];
  /** The value is the group `value`, or the whole match. */
  readonly pattern: RegExp;
}
