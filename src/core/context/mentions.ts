import { joinedRegExp } from '../text/joined-regexp.ts';
/** A file that a message names to have it attached: `@src/a.ts`, `@"my notes.txt"`, `@log:10-40`, `@!.env`. */
export interface Mention {
  /** Place of the whole mention in the message. */
  readonly start: number;
  readonly end: number;
  readonly path: string;
  /** First and last line, both counted from 1, where only these are meant. */
  readonly lines?: readonly [number, number];
  /** Attached although it looks like a secret. */
  readonly forced: boolean;
  /** Surely meant as a file, so that a missing one is a mistake and not a name such as `@alice` or `@scope/package`. */
  readonly sure: boolean;
}

/** Not behind a letter or digit: an address such as `me@example.org` is none. */
const MENTION =
  /(?<![\p{L}\p{N}_.+@/\\-])@(!?)(?:"((?:\\.|[^"\\\n])+)"(?::(\d+)(?:-(\d+))?)?|((?:\\.|[^\s"'`<>|;\\@])(?:\\.|[^\s"`<>|;\\])*))/gu;

/** Punctuation that ends a sentence or closes a bracket rather than a path. */
const TRAILING = /(?<![.,!?)\]}'’*:…])[.,!?)\]}'’*:…]+$/;

/** Ends of names that files have; a bare word with one of them is meant as a file. */
const EXTENSION = joinedRegExp(
  'i',
  String.raw`\.(?:[cm]?[jt]sx?|json[c5l]?|md|txt|log|py|rb|rs|go|java|kts?|c|cc|cpp|h|hpp|cs|php|pl|lua|swift|sh|bash|zsh`,
  '|fish|ya?ml|toml|ini|cfg|conf|env|lock|xml|html?|s?css|sql|csv|tsv|diff|patch|pem|key|png|jpe?g|gif|webp|pdf',
  '|zip|gz|tar)$',
);

/** The files that a message mentions, in order. */
export function parseMentions(text: string): readonly Mention[] {
  if (!text.includes('@')) return [];
  return [...text.matchAll(MENTION)].flatMap((found) => {
    const [whole, force, quoted, from, to, bare] = found;
    const base = { start: found.index, forced: force === '!' };
    if (quoted !== undefined) {
      const path = quoted.replace(/\\(.)/g, '$1');
      return [{ ...base, end: found.index + whole.length, path, sure: true, ...toLines(from, to) }];
    }
    const word = (bare ?? '').replace(TRAILING, '');
    if (word === '') return [];
    return [{ ...base, end: found.index + 1 + (force?.length ?? 0) + word.length, ...readWord(word, base.forced) }];
  });
}

function readWord(word: string, forced: boolean): Pick<Mention, 'path' | 'lines' | 'sure'> {
  const ranged = /^(.+):(\d+)(?:-(\d+))?$/.exec(word);
  const path = (ranged?.[1] ?? word).replace(/\\(.)/g, '$1');
  const lines = toLines(ranged?.[2], ranged?.[3]);
  return { path, sure: forced || lines.lines !== undefined || isSurelyFile(path), ...lines };
}

function toLines(from: string | undefined, to: string | undefined): { lines?: readonly [number, number] } {
  if (from === undefined) return {};
  const first = Math.max(1, Number(from));
  return { lines: [first, Math.max(first, Number(to ?? from))] };
}

function isSurelyFile(path: string): boolean {
  return /^(?:\.{1,2}\/|~\/|\/)/.test(path) || EXTENSION.test(path) || /^[^/]+\/.+\/$/.test(path);
}
