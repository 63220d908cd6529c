import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, join, resolve } from 'node:path';
import type { Sandbox, SandboxHides, SandboxResult, SandboxView } from '../../adapters/sandbox/sandbox.ts';
import type { Classification, CommandClass } from '../../core/commands/verdict.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { layerAt, type SandboxLimits, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import type { KeptApart } from '../../core/sandbox/sandboxed-line.ts';
import { attempt } from '../../core/text/attempt.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/omit-undefined.ts';
import { lazy } from './lazy.ts';
import { readExports } from './secret-context.ts';
import type { SessionOutputs } from './session-outputs.ts';
import type { SharedShell } from './shared-shell.ts';

/** What commands of the model run with where they run apart. */
interface SandboxRunnerDeps {
  readonly open: () => Promise<Sandbox>;
  readonly sharedShell: Pick<SharedShell, 'shell'>;
  readonly outputs: SessionOutputs;
  readonly home: string;
  /** Our own folders. */
  readonly own: () => readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tells the user in one line that nothing runs without asking, and why. */
  readonly tell: (text: string) => void;
}

/** A command for a sandbox: the line names variables, and these have the values. */
export interface SandboxedLine {
  readonly line: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A command that is to run apart. */
interface SandboxRun {
  readonly line: string;
  readonly kind: CommandClass;
  readonly context: LineContext;
  /** How it was classified there; left out for a dry run, which is shown all that it sees elsewhere. */
  readonly classification?: Classification;
  readonly driver?: Driver;
  /** What runs in place of the line, with the secrets it is handed. */
  readonly handed?: SandboxedLine;
  /** What it sees in the place of the project. */
  readonly view?: SandboxView;
}

/** How a sandboxed command went. */
interface SandboxedRun {
  /** Null where the sandbox could not be set up. */
  readonly record: CommandRecord | null;
  /** Why the sandbox was in its way; null where it was not. */
  readonly blocked: string | null;
  /** Names of files that nobody can read in there. */
  readonly hidden: readonly string[];
}

/** The session's way to run a command of the model apart from the shared shell. */
export class SandboxRunner {
  readonly #deps: SandboxRunnerDeps;
  #missing: Promise<string | null> | null = null;
  #isTold = false;
  #isKnownMissing = false;

  constructor(deps: SandboxRunnerDeps) {
    this.#deps = deps;
  }

  /** Why a command that only looks is not run in the sandbox without asking, empty where that was told already; null where it is. */
  async whyNot(classification: Classification, context: LineContext): Promise<string | null> {
    const { whyNotApart } = await lazy.apart();
    const plan = await this.#plan(context, 'read-only');
    const elsewhere = whyNotApart(classification, plan);
    if (elsewhere !== null) return elsewhere;
    if (!(await this.#isThere())) return '';
    const { whyNotShown } = await lazy.apart();
    const { layers } = (await this.#deps.open()).hides(plan);
    const unseen = whyNotShown(classification, plan, { layers, exists: existsSync });
    if (unseen !== null) return unseen;
    const shown = await this.#showToGit(classification, plan);
    if (typeof shown === 'string') return shown;
    const sandbox = await this.#deps.open();
    // It is about to run: what is written down first takes as long as setting up the sandbox.
    await sandbox.prepare({ text: classification.line, plan: shown, env: await this.#environment() });
    return null;
  }

  /** A plan in which git sees the hidden files that it knows, so that it takes none for changed; or why it may not. */
  async #showToGit(classification: Classification, plan: SandboxPlan): Promise<SandboxPlan | string> {
    const { gitLookOf, isGit, isGitAlone } = await lazy.gitLooks();
    if (!classification.parts.some(({ words }) => isGit(words[0]))) return plan;
    const { trackedAmong } = await lazy.projectGit();
    const hidden = (await this.#deps.open()).hides(plan).files;
    const tracked = trackedAmong(plan.project, hidden);
    const look = gitLookOf(classification, tracked);
    if (tracked.length === 0 || look === 'nothing') return plan;
    const named = `${tracked[0]}${tracked.length > 1 ? ` and ${tracked.length - 1} more` : ''}`;
    if (look === 'content') return `git may print ${named}, which it tracks`;
    if (!isGitAlone(classification)) return `git looks at ${named}, which is hidden from other programs`;
    return { ...plan, shows: tracked.map((name) => join(plan.project, name)) };
  }

  /** Why nothing can run apart here; null where it can. */
  async whyMissing(): Promise<string | null> {
    this.#missing ??= (await this.#deps.open()).available();
    const missing = await this.#missing;
    this.#isKnownMissing = missing !== null;
    return missing;
  }

  /** Whether it was found out already that nothing can run apart here. */
  get isKnownMissing(): boolean {
    return this.#isKnownMissing;
  }

  /** Runs a command, which can do no more than its class says, and keeps its output as that of any other. */
  async run(
    { line, kind, context, classification, driver = 'model', handed, view }: SandboxRun,
    signal: AbortSignal,
  ): Promise<SandboxedRun> {
    const { outputs } = this.#deps;
    const { OutputRecord } = await lazy.record();
    const { whyBlocked } = await lazy.blocked();
    const [plan, env, sandbox] = await Promise.all([
      this.#planOf(classification, context, kind),
      this.#environment(),
      this.#deps.open(),
    ]);
    const output = outputs.begin();
    const kept = new OutputRecord(output.write);
    const begun = performance.now();
    try {
      const onOutput = (bytes: Uint8Array): void => kept.add(bytes);
      const request = {
        text: handed?.line ?? line,
        plan,
        env: { ...env, ...handed?.env },
        signal,
        onOutput,
        ...omitUndefined({ view }),
      };
      const { exit, ended } = await sandbox.run(request);
      if (ended !== null) kept.add(Buffer.from(`\n[aish] ended: ${whyEnded(ended, plan.limits)}\n`));
      const durationMs = Math.round(performance.now() - begun);
      const ran: CommandRecord = {
        line,
        driver,
        exit,
        cwd: plan.cwd,
        ...kept.finish(outputs.redact),
        durationMs,
        sandboxed: true,
      };
      const record = await output.finish(ran);
      // A line goes on behind what failed in it, and a dry run tells of that.
      if (exit === 0 && view === undefined) return { record, blocked: null, hidden: [] };
      const hides = sandbox.hides(plan);
      const hidden = hides.files.map((path) => basename(path));
      const blocked = ended === null ? whyBlocked(ran.output, keptApart(hides, plan, env.PATH)) : null;
      return { record, blocked, hidden };
    } catch (thrown) {
      if (!(thrown instanceof AishError)) throw thrown;
      return { record: null, blocked: thrown.message, hidden: [] };
    }
  }

  /** Where there is none, that is told once. */
  async #isThere(): Promise<boolean> {
    const missing = await this.whyMissing();
    if (missing !== null && !this.#isTold)
      this.#deps.tell(`commands that only read need your approval, because there is no sandbox: ${missing}`);
    this.#isTold = true;
    return missing === null;
  }

  /** The plan that was made when the command was classified. */
  async #planOf(
    classification: Classification | undefined,
    context: LineContext,
    kind: CommandClass,
  ): Promise<SandboxPlan> {
    const plan = await this.#plan(context, kind);
    if (kind !== 'read-only' || classification === undefined) return plan;
    const shown = await this.#showToGit(classification, plan);
    return typeof shown === 'string' ? plan : shown;
  }

  async #plan({ cwd, project }: LineContext, kind: CommandClass): Promise<SandboxPlan> {
    const { planSandbox } = await lazy.sandboxPlan();
    const { home, own } = this.#deps;
    const { PATH = '', VIRTUAL_ENV = '' } = await this.#environment();
    const programs = [...PATH.split(delimiter), VIRTUAL_ENV].filter((folder) => folder.startsWith('/'));
    return planSandbox(kind, { cwd, project, home, own: own(), programs });
  }

  /** What the shell exports as of its last prompt, else what we were started with, down to what is harmless. */
  async #environment(): Promise<Record<string, string>> {
    const { scrubEnvironment } = await lazy.apart();
    const { parseExports } = await lazy.exports();
    const { env, sharedShell } = this.#deps;
    return scrubEnvironment({ ...env, ...parseExports(readExports(sharedShell)) });
  }
}

function whyEnded(ended: NonNullable<SandboxResult['ended']>, limits: SandboxLimits): string {
  switch (ended) {
    case 'time':
      return `it took longer than ${limits.wallSeconds} s`;
    case 'processes':
      return `it started more than ${limits.processes} processes`;
    case 'memory':
      return 'its processes used more memory than a sandboxed command may';
    case 'stopped':
      return 'it was stopped';
  }
}

/** Looks up, by what a sandboxed command printed, what of it is kept from it; `path` is where it looks for programs. */
export function keptApart(hides: SandboxHides, plan: SandboxPlan, path = ''): KeptApart {
  const { files, folders, layers } = hides;
  const { cwd, home } = plan;
  const below = (one: string, of: readonly string[]): string | undefined =>
    of.find((folder) => one === folder || one.startsWith(`${folder}/`));
  const toPath = (text: string): string => resolve(cwd, text.startsWith('~/') ? join(home, text.slice(2)) : text);
  const isEmptied = (one: string): string | null => {
    const layer = layerAt(realPathOf(one) ?? one, layers);
    return layer !== null && layer.kind !== 'shown' && layer.path !== one && existsSync(one) ? layer.path : null;
  };
  return {
    names: files.map((one) => basename(one)),
    isHidden: (text) => {
      const real = realPathOf(toPath(text));
      return real !== null && (files.includes(real) || below(real, folders) !== undefined);
    },
    emptyFolderOf: (text) => {
      if (text.includes('/')) return isEmptied(toPath(text));
      const linked = isEmptied(toPath(text));
      if (linked !== null) return linked;
      return (
        path
          .split(delimiter)
          .map((folder) => isEmptied(join(folder, text)))
          .find((folder) => folder !== null) ?? null
      );
    },
  };
}

/** Null for what is not there, or is no path at all. */
function realPathOf(path: string): string | null {
  return attempt(() => realpathSync(path), null);
}
