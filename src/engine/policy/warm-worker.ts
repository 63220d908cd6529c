import type { EstimateThread } from '../../adapters/impact/estimate-thread.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { attempt } from '../../core/text/attempt.ts';
import { lazy } from './lazy.ts';

/** The next line comes by then, or the worker is ended. */
const KEPT_MS = 60_000;
/** The number of classifications that are kept. */
const MOST_KEPT = 50;

/**
 * Classifies the lines of the model, and has a worker for it. A short, plain line is classified at once. For any other line the worker does
 * it, so that this thread never runs a classification without end. All callers with the same line in the same place share the result. Then
 * the worker goes to the impact preview of the line, so that its first answer has more.
 */
export class WarmWorker {
  readonly #begin: () => Promise<EstimateThread>;
  /** By line and place. */
  readonly #classified = new Map<string, Promise<Classification>>();
  readonly #slow = new Set<string>();
  #thread: Promise<EstimateThread> | null = null;
  #end: ReturnType<typeof setTimeout> | undefined;
  /** The number of lines that are being classified. */
  #underWay = 0;

  constructor(begin: () => Promise<EstimateThread> = beginThread) {
    this.#begin = begin;
  }

  /** Classifies a line in a place. If a line is not classified in time, it needs an approval from then on, in every place. */
  classify(line: string, context: LineContext): Promise<Classification> {
    const key = keyOf(line, context);
    const known = this.#classified.get(key);
    const found = known ?? this.#classify(line, context);
    // The line with the oldest use goes first.
    this.#classified.delete(key);
    this.#classified.set(key, found);
    const [oldest] = this.#classified.keys();
    if (this.#classified.size > MOST_KEPT && oldest !== undefined) this.#classified.delete(oldest);
    return found;
  }

  async #classify(line: string, context: LineContext): Promise<Classification> {
    const classification = this.#slow.has(line) ? null : await this.#tryClassify(line, context);
    // A command that does more than read is mostly asked about, with its impact preview.
    if (classification !== null && classification.class !== 'read-only') this.warm();
    if (classification !== null) return classification;
    // A line that is too slow stays known: where it were forgotten, it would be tried again.
    this.#slow.add(line);
    const { classifySlowLine } = await lazy.classifyLine();
    return classifySlowLine(line);
  }

  /** Null for a line that the classifier fails at, or takes too long for. */
  async #tryClassify(line: string, context: LineContext): Promise<Classification | null> {
    const { classifyLine, isQuickLine } = await lazy.classifyLine();
    if (!isQuickLine(line)) return this.#askWorker(line, context);
    return attempt(() => classifyLine(line, context), null);
  }

  /** Begins a worker, unless there is one. Nothing waits for it. */
  warm(): void {
    void this.#worker();
  }

  /** Gives the worker away; null where none was begun, or where it classifies a line. */
  take(): Promise<EstimateThread> | null {
    if (this.#underWay > 0) return null;
    const thread = this.#thread;
    clearTimeout(this.#end);
    this.#thread = null;
    return thread;
  }

  /** The classification of a line; null if it takes longer than the time limit. A worker that is not done by then is ended. */
  async #askWorker(line: string, context: LineContext): Promise<Classification | null> {
    const begun = this.#worker();
    this.#underWay += 1;
    try {
      const thread = await begun;
      const classification = await thread.classify(line, context);
      if (classification !== null) return classification;
      thread.stop();
    } catch {
      // A worker that cannot be begun has classified nothing.
    } finally {
      this.#underWay -= 1;
    }
    if (this.#thread === begun) this.#thread = null;
    return null;
  }

  #worker(): Promise<EstimateThread> {
    clearTimeout(this.#end);
    this.#end = setTimeout(() => void this.take()?.then((thread) => thread.stop()), KEPT_MS);
    this.#end.unref();
    this.#thread ??= this.#beginOne();
    return this.#thread;
  }

  /** Begins a worker; a failed start is forgotten, and nobody may wait for it. */
  #beginOne(): Promise<EstimateThread> {
    const begun = this.#begin();
    begun.catch(() => {
      if (this.#thread === begun) this.#thread = null;
    });
    return begun;
  }
}

async function beginThread(): Promise<EstimateThread> {
  const { EstimateThread } = await lazy.estimate();
  return new EstimateThread();
}

/** All that a classification depends on. */
function keyOf(line: string, { cwd, project, home, redefined = new Set(), ours }: LineContext): string {
  return JSON.stringify([line, cwd, project, home, [...redefined], ours]);
}
