import { projectAround } from '../../adapters/config/paths.ts';
import type { EstimateThread } from '../../adapters/impact/estimate-thread.ts';
import { Briefly } from '../../adapters/system/patience.ts';
import type { OwnFiles } from '../../core/commands/protected-files.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { attempt } from '../../core/text/attempt.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import { lazy } from './lazy.ts';
import { withLinks, withProcesses } from './self-protection.ts';

export interface ClassifiedLine {
  readonly classification: Classification;
  readonly context: LineContext;
}

/** A classification, and aish's own files with the links to them that the line names. */
interface FoundLine {
  readonly classification: Classification;
  readonly ours: OwnFiles | undefined;
}

/** The context of now, and the lines that were classified with its names and files of aish. */
interface KnownPlace {
  readonly context: LineContext;
  readonly lines: Map<string, Promise<FoundLine>>;
}

interface LineClassifierDeps {
  readonly sharedShell: Pick<SharedShell, 'shell' | 'placeNow'>;
  readonly home: string;
  /** aish's own files and processes; looked up when first needed. */
  readonly own?: () => OwnFiles;
  readonly worker: Pick<WarmWorker, 'classify'>;
}

/** Classifies lines for the place where they would run, and shares what it finds among all who ask within one call. */
export class LineClassifier {
  readonly #deps: LineClassifierDeps;
  readonly #place = new Briefly<KnownPlace>();
  /** The line that was last classified for its place at that moment. */
  #last: { readonly line: string; readonly context: LineContext } | null = null;
  #own: OwnFiles | null = null;

  constructor(deps: LineClassifierDeps) {
    this.#deps = deps;
  }

  /**
   * Classifies a line for its place now, or for a given place. All callers share one classification while nothing of the place has changed.
   * It is made again only if a path in the line is a link to one of aish's own files.
   */
  async classify(line: string, place?: LineContext): Promise<ClassifiedLine> {
    const context = place ?? (await this.context());
    if (place === undefined) this.#last = { line, context };
    const { classification, ours } = await this.#find(line, context);
    return { classification, context: ours === context.ours ? context : { ...context, ...omitUndefined({ ours }) } };
  }

  /** One call asks for the same line several times. */
  #find(line: string, context: LineContext): Promise<FoundLine> {
    const { cwd, project, home, ours, redefined } = context;
    const place = this.#place.kept;
    if (place === null || place.context.ours !== ours || place.context.redefined !== redefined)
      return this.#findNow(line, context);
    const key = [line, cwd, project, home].join('\0');
    const found = place.lines.get(key) ?? this.#findNow(line, context);
    place.lines.set(key, found);
    return found;
  }

  async #findNow(line: string, context: LineContext): Promise<FoundLine> {
    const classification = await this.#deps.worker.classify(line, context);
    const { ours } = context;
    if (ours === undefined) return { classification, ours };
    const linked = withLinks(
      ours,
      classification.named.map(({ path }) => path),
    );
    if (linked === ours) return { classification, ours };
    return { classification: await this.#deps.worker.classify(line, { ...context, ours: linked }), ours: linked };
  }

  /** The place in which a line ran in a directory, if it was classified last; else the place of now in that directory. */
  async contextOf(line: string, cwd: string): Promise<LineContext> {
    const last = this.#last;
    return last?.line === line && last.context.cwd === cwd ? last.context : contextAt(await this.context(), cwd);
  }

  /** The place in which a line would run now. */
  async context(): Promise<LineContext> {
    const { sharedShell } = this.#deps;
    const { shell } = sharedShell;
    const cwd = sharedShell.placeNow();
    await shell?.lookups.known();
    // Nothing is kept of a shell that still runs its startup files.
    const key = shell?.lookups.isCurrent === false ? null : [cwd, shell?.pid, shell?.lookups.prompt].join('\0');
    const known = key === null ? null : this.#place.get(key);
    if (known !== null) return known.context;
    const context = this.#contextIn(cwd);
    if (key !== null) this.#place.set(key, { context, lines: new Map() });
    return context;
  }

  #contextIn(cwd: string): LineContext {
    const { sharedShell, home } = this.#deps;
    const { shell } = sharedShell;
    const redefined = shell?.lookups.redefined;
    const ours = this.#ours(shell?.pid ?? null);
    return {
      cwd,
      home,
      project: projectAround(cwd, home),
      ...omitUndefined({ redefined }),
      ...(ours === null ? {} : { ours }),
    };
  }

  #ours(shell: number | null): OwnFiles | null {
    this.#own ??= this.#deps.own?.() ?? null;
    return this.#own === null ? null : withProcesses(this.#own, shell);
  }
}

/** The context of another directory. */
export function contextAt<Place extends LineContext>(context: Place, cwd: string): Place {
  return cwd === context.cwd ? context : { ...context, cwd, project: projectAround(cwd, context.home) };
}

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
