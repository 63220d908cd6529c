/** A value that must reach neither a model nor a log, and the name that stands in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
  /** Where it is known from, in words for a person, such as `.env` or `environment`. */
  readonly from: string;
}

/** A shorter value may be part of any text, and taking it out would garble it. */
export const SHORTEST_SECRET = 8;

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
