import { readFileSync, readlinkSync } from 'node:fs';
import { systemCalls } from './system-calls.ts';

/** A prompt without keys for so long counts as idle. */
const REST_MS = 1000;

/**
 * Gives back the memory of code that is not at work: that of the start, and later what served the last lines. The kernel reads what is used
 * again from the program's file, so this changes nothing but what is resident: a third less at an idle prompt, half in an idle daemon. Linux
 * only; nothing happens elsewhere.
 */
export class IdleCode {
  readonly #calls = process.platform === 'linux' ? systemCalls() : null;
  #ranges: readonly Range[] | null = null;
  readonly #restMs: number;
  #usedAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(restMs = REST_MS) {
    this.#restMs = restMs;
  }

  /** Gives it back now. */
  drop(): void {
    this.#ranges ??= this.#calls === null ? [] : ownCode();
    for (const { start, size } of this.#ranges) this.#calls?.dropPages(start, size);
  }

  /** A key or a request came: gives back what it needed when nothing more comes for a while. Cheap enough for every key. */
  used(): void {
    this.#usedAt = performance.now();
    this.#timer ??= this.#later(this.#restMs);
  }

  #later(wait: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#look(), wait);
    timer.unref();
    return timer;
  }

  #look(): void {
    const rest = this.#usedAt + this.#restMs - performance.now();
    this.#timer = rest > 0 ? this.#later(rest) : null;
    if (rest <= 0) this.drop();
  }
}

interface Range {
  readonly start: number;
  readonly size: number;
}

/** The address ranges of this program's code: mapped from its file, executable and not writable, so that nothing in it can be lost. */
function ownCode(): readonly Range[] {
  try {
    const program = readlinkSync('/proc/self/exe');
    return readFileSync('/proc/self/maps', 'utf8')
      .split('\n')
      .filter((line) => line.endsWith(` ${program}`) && / r-xp /.test(line))
      .map((line) => {
        const [from = '0', to = '0'] = (line.split(' ', 1)[0] ?? '').split('-');
        const start = Number.parseInt(from, 16);
        return { start, size: Number.parseInt(to, 16) - start };
      });
  } catch {
    return [];
  }
}
