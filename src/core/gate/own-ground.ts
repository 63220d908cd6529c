import { mayMatch } from './glob.ts';

/** What belongs to this very program as it runs, as data. Paths are absolute, without a slash at the end. */
export interface OwnGround {
  /** Folders and files of rules, log, trust, memory and sockets, under every name that is known: nothing but to read them may be asked. */
  readonly paths: readonly string[];
  /** The program itself: to be read by anybody, and changed or started by nobody. */
  readonly program: readonly string[];
  /** Processes: aish and its shell. */
  readonly pids: readonly number[];
  /** What the process of aish is called where it is not `aish`: by the program that runs it. */
  readonly names?: readonly string[];
  /** What variables of the environment stand for, where that leads to the paths. */
  readonly variables: Readonly<Record<string, string>>;
  /** The pane of a terminal multiplexer that aish runs in. */
  readonly pane?: string;
  /** Told each path that a command names, and whether it reads what is there: what it leads to can only be looked up outside. */
  readonly onPath?: (path: string, isRead: boolean) => void;
}

/** How a path stands to what is ours: it is ours or lies within, it holds something of ours, or neither. */
export type Touch = 'own' | 'holds' | null;

/** Tells what a normalised path has of ours. A glob is asked whether it could become that. */
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

/** File systems that fold letter case make another writing the same file. */
function toParts(path: string): readonly string[] {
  return path.toLowerCase().split('/').filter(Boolean);
}

function isSamePart(part: string, wanted: string, isGlob: boolean): boolean {
  if (part === wanted) return true;
  return isGlob && /[*?[]/.test(part) && part.startsWith('.') === wanted.startsWith('.') && mayMatch(part, wanted);
}

/** Names by which code and words may call our folders, wherever the home directory is. */
const CALLED =
  /(?:\.config|\.local\/state|\.local\/share|\.cache)\/aish(?![\w.-])|\$\{?(?:XDG_(?:CONFIG|STATE|CACHE|RUNTIME)_(?:HOME|DIR))\}?["']*\/aish(?![\w.-])|\$\{?AISH_CONFIG\b|\baish\/(?:config\.toml|sessions|history\.jsonl|trust\b|outputs)/i;

/** Whether a text that is no path itself, such as code, speaks of what is ours. */
export function mentionsOwn(text: string, { paths, program }: OwnGround): boolean {
  return written(text).some((one) => CALLED.test(one) || [...paths, ...program].some((path) => one.includes(path)));
}

/** Whether a text calls one of our folders by its name, wherever that is. */
export function callsOwn(text: string): boolean {
  return CALLED.test(text);
}

/** A text as it stands, and with the pieces put together that code makes a path of, as in `'.config' / 'aish'`. */
function written(text: string): readonly string[] {
  const joint = /["'`]\s*(?:[,+./]|\.\.)?\s*["'`]/g;
  return joint.test(text) ? [text, text.replace(joint, '/').replace(/\/{2,}/g, '/'), text.replace(joint, '')] : [text];
}
