import { readPattern } from '../text/glob.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';

/** Files and processes of the running aish, as data. Paths are absolute, without a trailing slash. */
export interface OwnFiles {
  /** Folders and files of rules, log, trust, memory and sockets, under every known name. An approval can allow only reads. */
  readonly paths: readonly string[];
  /** The program itself: anyone may read it, and nobody may change or start it. */
  readonly program: readonly string[];
  /** Process ids of aish and its shell. */
  readonly pids: readonly number[];
  /** Process names of aish other than `aish`, which depend on the program that runs it. */
  readonly names?: readonly string[];
  /** Environment variables whose values lead to these paths. */
  readonly variables: Readonly<Record<string, string>>;
  /** The pane of the terminal multiplexer that aish runs in. */
  readonly pane?: string;
}

/** How a path relates to aish's own files: within them, above them, or neither. */
export type Touch = 'own' | 'holds' | null;

/** Relates a normalised path to aish's own files. A glob matches if it could expand to such a path. */
export function touchOf(path: string, owned: readonly string[], isGlob: boolean): Touch {
  const parts = toParts(path);
  let held: Touch = null;
  for (const own of owned) {
    const wanted = toParts(own);
    const isSame = wanted.slice(0, parts.length).every((part, at) => isSamePart(parts[at] ?? '', part, isGlob));
    if (!isSame) continue;
    if (parts.length >= wanted.length) return 'own';
    held = 'holds';
  }
  return held;
}

/** On file systems that ignore letter case, a different spelling names the same file. */
function toParts(path: string): readonly string[] {
  return path.toLowerCase().split('/').filter(Boolean);
}

function isSamePart(part: string, wanted: string, isGlob: boolean): boolean {
  if (part === wanted) return true;
  return isGlob && /[*?[]/.test(part) && part.startsWith('.') === wanted.startsWith('.') && mayExpandTo(part)(wanted);
}

/** Names that code and text may use for our folders, wherever the home directory is. */
const CALLED = joinedRegExp(
  'i',
  String.raw`(?:\.config|\.local\/state|\.local\/share|\.cache)\/aish(?![\w.-])|\$\{?(?:XDG_(?:CONFIG|STATE|CACHE`,
  String.raw`|RUNTIME)_(?:HOME|DIR))\}?["']*\/aish(?![\w.-])|\$\{?AISH_CONFIG\b|\baish\/(?:config\.toml|sessions`,
  String.raw`|history\.jsonl|trust\b|outputs)`,
);

/** Whether a text that is not a path, such as code, mentions our files. */
export function mentionsOwn(text: string, { paths, program }: OwnFiles): boolean {
  return written(text).some((one) => CALLED.test(one) || [...paths, ...program].some((path) => one.includes(path)));
}

/** Whether a text mentions one of our folders by name. */
export function callsOwn(text: string): boolean {
  return CALLED.test(text);
}

/** A text as it stands, and with the pieces joined that code builds a path from, as in `'.config' / 'aish'`. */
function written(text: string): readonly string[] {
  const joint = /["'`]\s*(?:(?:[,+/]|\.\.?)\s*)?["'`]/g;
  return joint.test(text) ? [text, text.replace(joint, '/').replace(/\/{2,}/g, '/'), text.replace(joint, '')] : [text];
}

/** A set of a few small letters and digits. */
const PLAIN_SET = /\[[a-z0-9._]+\]/g;

/**
 * A test whether a typed pattern, in lower case and without its quotes, may match a name. Both change what a set means: `[!T]` and
 * `[A-z]` match other letters in lower case, and in `[n"]"]` the first bracket closes nothing. So each set that is not plain stands for
 * any letter, and for any text if its end is not clear.
 */
export function mayExpandTo(pattern: string): (name: string) => boolean {
  const single = pattern.replace(/\[[^[\]]+\]/g, (set) => (set.replace(PLAIN_SET, '') === '' ? set : '?'));
  const isClear = !/[[\]]/.test(single.replace(PLAIN_SET, ''));
  return mayMatch(isClear ? single : pattern.replace(/\[.*\]/s, '*'));
}

/**
 * A test whether a shell pattern of `*`, `?` and `[…]`, in which a backslash is an ordinary character, may match a name. Letter case
 * counts. Most names begin otherwise, so the pattern is read when the first name needs it.
 */
export function mayMatch(pattern: string): (name: string) => boolean {
  const start = pattern.replace(/[*?[].*$/s, '');
  if (start === pattern) return (name) => pattern === name;
  let matches: ((name: string) => boolean) | undefined;
  return (name) => {
    if (!name.startsWith(start)) return false;
    matches ??= readPattern(pattern.replaceAll('\\', '\\\\'));
    return matches(name);
  };
}
