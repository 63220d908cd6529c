import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { KnownCalls } from '../../adapters/shell/known-calls.ts';
import type { Route } from '../../core/router/route.ts';
import type { routeLine } from '../../core/router.ts';
import type { LiveSession } from '../../engine/engine.ts';
import { routeHandle } from './privacy.ts';
import type { Setup } from './setup.ts';

/** What the live shell tells at the moment of routing. */
export interface LiveFacts {
  /** Null while there is none. */
  readonly live: LiveSession | null;
  readonly cwd: string;
  readonly lastExit: number;
}

/** Routes lines by what the live shell and its directory know. The rules are many, so they are loaded behind the first prompt. */
export class LineRouter {
  readonly #facts: () => LiveFacts;
  readonly #known: KnownCalls;
  readonly #kind: 'bash' | 'zsh';
  readonly #loading: Promise<void>;
  #rules: typeof routeLine | null = null;

  constructor({ env, loaded }: Setup, facts: () => LiveFacts) {
    this.#facts = facts;
    this.#known = new KnownCalls(env.HOME ?? '/');
    this.#kind = (loaded.config.shell.program ?? env.SHELL ?? '').endsWith('zsh') ? 'zsh' : 'bash';
    this.#loading = this.#load();
  }

  /** Settles when lines can be routed. */
  async loaded(): Promise<void> {
    await this.#loading;
  }

  /** Where a line goes; nowhere yet while the rules are loaded. */
  route(line: string): Route {
    const { live, cwd, lastExit } = this.#facts();
    const handle = routeHandle(line, live);
    if (handle !== null) return handle;
    if (this.#rules === null) return { type: 'nothing' };
    const shell = live?.seat.shell ?? null;
    return this.#rules(line, {
      shell: this.#kind,
      lastExit,
      knows: (word) => shell !== null && shell.lookup(word) !== null,
      knowsCall: (words) => this.#known.has(words, cwd),
      hasFile: (name) => existsSync(resolve(cwd, name)),
    });
  }

  /** Before the shell is ready a line that looks like a message may yet turn out to be a command. */
  isUndecided(line: string): boolean {
    if (this.route(line).type !== 'message' || line.trimStart().startsWith('?')) return false;
    return (this.#facts().live?.seat.shell?.state ?? 'boot') === 'boot';
  }

  /** Whether a word exists at the place of a command; null while no shell can tell. */
  knows(word: string): boolean | null {
    const shell = this.#facts().live?.seat.shell ?? null;
    return shell === null || shell.state === 'boot' ? null : shell.lookup(word) !== null;
  }

  async #load(): Promise<void> {
    // After the first prompt is on the screen: this is the largest part of the program that the prompt needs.
    await new Promise((done) => setTimeout(done, 0));
    this.#rules = (await import('../../core/router.ts')).routeLine;
  }
}
