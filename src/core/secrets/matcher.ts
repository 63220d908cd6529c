import { formatPlaceholder, type Secret } from './secret.ts';

/** Takes secrets out of a text that comes in pieces. */
export interface SecretStream {
  /** The next piece, without what may be the beginning of a secret. */
  push(text: string): string;
  /** What was held back, when nothing more comes. */
  end(): string;
}

/** Takes secrets out of bytes that come in pieces. */
export interface SecretByteStream {
  push(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** Finds the secrets it was made for in texts. */
export interface SecretMatcher {
  /** The text with a placeholder where a secret stood. */
  conceal(text: string): string;
  stream(): SecretStream;
}

/** Makes the matcher of these secrets; it never changes. */
export function createSecretMatcher(secrets: readonly Secret[]): SecretMatcher {
  if (secrets.length === 0) return { conceal: (text) => text, stream: () => ({ push: (text) => text, end: () => '' }) };
  const names = new Map(secrets.toReversed().map(({ name, value }) => [value, name]));
  const longestFirst = [...names.keys()].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(longestFirst.map((value) => escapePattern(value)).join('|'), 'g');
  const conceal = (text: string): string => text.replace(pattern, (value) => formatPlaceholder(names.get(value) ?? ''));
  const stream = (): SecretStream => {
    let held = '';
    return {
      push(text) {
        const all = conceal(held + text);
        const from = startOfBeginning(all, longestFirst);
        held = all.slice(from);
        return all.slice(0, from);
      },
      end() {
        const rest = held;
        held = '';
        return rest;
      },
    };
  };
  return { conceal, stream };
}

/** Where the longest end of a text begins that a secret begins with. */
function startOfBeginning(text: string, values: readonly string[]): number {
  const longest = values[0]?.length ?? 0;
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1)
    if (values.some((value) => value.startsWith(text.slice(at)))) return at;
  return text.length;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
