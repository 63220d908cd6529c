import { projectAround } from '../../adapters/config/paths.ts';
import { Briefly } from '../../adapters/system/briefly.ts';
import type { OwnFiles } from '../../core/commands/own-files.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import { withLinks, withProcesses } from './self-protection.ts';
import type { WarmWorker } from './warm-worker.ts';

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
