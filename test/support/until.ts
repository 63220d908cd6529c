import { readFileSync } from 'node:fs';
import { inspect } from 'bun';

/** Less than the limit of a test, so that a failure names the awaited state and not only the timeout. */
const MOST_MS = 25_000;
const LOOK_MS = 5;

/** The awaited state, and how often and how long to check. */
export interface Awaited {
  readonly what: string;
  readonly limitMs?: number;
  readonly lookMs?: number;
}

/**
 * Looks again and again at what tells of no change itself, and settles with the first look that `isIt` takes. It throws with what was
 * awaited and how it looked last when that does not come.
 */
export async function until<Seen>(
  { what, limitMs = MOST_MS, lookMs = LOOK_MS }: Awaited,
  look: () => Seen | Promise<Seen>,
  isIt: (seen: Seen) => boolean = Boolean,
): Promise<Seen> {
  const begun = performance.now();
  for (;;) {
    const seen = await look();
    if (isIt(seen)) return seen;
    if (performance.now() - begun > limitMs) {
      throw new Error(`${what}: not within ${limitMs / 1000} s; last seen: ${inspect(seen)}`);
    }
    await Bun.sleep(lookMs);
  }
}

/** Settles with the text of a file that another process writes, once it fits. Events of a folder may come late or never, so it looks itself. */
export function written(path: string, wanted: RegExp): Promise<string> {
  return until(
    { what: `${wanted} in ${path}` },
    () => readIfThere(path),
    (text) => wanted.test(text),
  );
}

/** The text of a file; empty where it is not there. */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
