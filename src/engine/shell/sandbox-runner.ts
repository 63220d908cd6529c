import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import type { Sandbox, SandboxView } from '../../adapters/sandbox/sandbox.ts';
import type { Classification, CommandClass } from '../../core/commands/verdict.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import type { SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { nameSome } from '../../core/text/truncate.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { lazy } from './lazy.ts';
import { formatEnded, formatNoSandbox, formatPrinted, formatShared } from './messages.ts';
import type { SessionOutputs } from './session-outputs.ts';
import { readExports, type SharedShell } from './shared-shell.ts';

interface SandboxRunnerDeps {
  readonly open: () => Promise<Sandbox>;
  readonly sharedShell: Pick<SharedShell, 'shell'>;
  readonly outputs: SessionOutputs;
  readonly home: string;
  /** The folders of aish itself. */
  readonly own: () => readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shows a notice of one line. */
  readonly tell: (text: string) => void;
}

/** A command line, and the values of the variables in it. */
export interface SandboxedLine {
  readonly line: string;
  readonly env: Readonly<Record<string, string>>;
}

interface SandboxRun {
  readonly line: string;
  readonly kind: CommandClass;
  readonly context: LineContext;
  /** Its classification; a dry run has none and sees all files. */
  readonly classification?: Classification;
  readonly driver?: Driver;
  /** The line to run, with its secrets. */
  readonly handed?: SandboxedLine;
  /** The overlay in place of the project. */
  readonly view?: SandboxView;
}

interface SandboxedRun {
  /** Null if the sandbox did not start. */
  readonly record: CommandRecord | null;
  /** Why the sandbox made the command fail; null if it did not. */
  readonly blocked: string | null;
  /** Names of the hidden files. */
  readonly hidden: readonly string[];
}

/** Runs commands of the model in the sandbox. */
export class SandboxRunner {
  readonly #deps: SandboxRunnerDeps;
  #missing: Promise<string | null> | null = null;
  #hasNotified = false;
  #isKnownMissing = false;
  /** The next command probably has this plan; null if the one before did not run in the sandbox. */
  #likely: SandboxPlan | null | undefined;
  #sandbox: Sandbox | null = null;
  /** The harmless exports, and the text that they were read from. */
  #exported: { readonly printed: string; readonly env: Record<string, string> } | null = null;

  constructor(deps: SandboxRunnerDeps) {
    this.#deps = deps;
  }

  /** Whether the next read-only command finds what it needs there. */
  get isWarm(): boolean {
    return this.#likely != null && this.#sandbox?.isPrepared(this.#likely) === true;
  }

  /** Starts what a read-only command needs there. */
  async warm(context: LineContext): Promise<void> {
    const plan = await this.#plan(context, 'read-only');
    const missing = this.whyMissing(plan);
    await Promise.all([lazy.record(), lazy.apart()]);
    if ((await missing) !== null) return;
    await (await this.#deps.open()).prepare(plan);
    if (this.#likely === undefined) this.#likely = plan;
  }

  /** Why a read-only command cannot run in the sandbox without approval, empty after the first notice; null if it can. */
  async whyNot(classification: Classification, context: LineContext): Promise<string | null> {
    const { whyNotApart, whyNotShown } = await lazy.apart();
    const plan = await this.#plan(context, 'read-only');
    const elsewhere = whyNotApart(classification, plan);
    if (elsewhere !== null) return elsewhere;
    if (!(await this.#isThere(plan))) return '';
    const sandbox = await this.#deps.open();
    this.#sandbox = sandbox;
    const unseen = whyNotShown(classification, plan, { layers: sandbox.layers(plan), exists: existsSync });
    if (unseen !== null) return unseen;
    const shown = await this.#showToGit(classification, plan);
    if (typeof shown === 'string') return shown;
    await sandbox.prepare(shown);
    this.#likely = shown;
    return null;
  }

  /** Starts the shell of a line that may be the next one. It waits for `run`, which starts another if it does not fit. */
  async begin(line: string): Promise<void> {
    const plan = this.#likely;
    this.#likely = null;
    if (plan) (await this.#deps.open()).begin({ text: line, plan, env: await this.#environment() });
  }

  /** A plan that shows tracked hidden files to git, which would report them as changed; or why it cannot. */
  async #showToGit(classification: Classification, plan: SandboxPlan): Promise<SandboxPlan | string> {
    const { gitLookOf, isGit, isGitAlone } = await lazy.gitLooks();
    if (!classification.parts.some(({ words }) => isGit(words[0]))) return plan;
    const { trackedAmong } = await lazy.projectGit();
    const hidden = (await this.#deps.open()).hides(plan).files;
    const tracked = trackedAmong(plan.project, hidden);
    const look = gitLookOf(classification, tracked);
    if (tracked.length === 0 || look === 'nothing') return plan;
    if (look === 'content') return formatPrinted(nameSome(tracked, 1));
    if (!isGitAlone(classification)) return formatShared(nameSome(tracked, 1));
    return { ...plan, shows: tracked.map((name) => join(plan.project, name)) };
  }

  /** Why there is no sandbox here; null if there is. */
  async whyMissing(plan?: SandboxPlan): Promise<string | null> {
    this.#missing ??= (await this.#deps.open()).available(plan);
    const missing = await this.#missing;
    this.#isKnownMissing = missing !== null;
    return missing;
  }

  /** Whether aish has found out that there is no sandbox here. */
  get isKnownMissing(): boolean {
    return this.#isKnownMissing;
  }

  /** Runs a command with the rights of its class, and keeps its output. */
  async run(
    { line, kind, context, classification, driver = 'model', handed, view }: SandboxRun,
    signal: AbortSignal,
  ): Promise<SandboxedRun> {
    const { outputs } = this.#deps;
    const { OutputRecord } = await lazy.record();
    const { whyBlocked } = await lazy.apart();
    const [plan, env, sandbox] = await Promise.all([
      this.#planOf(classification, context, kind),
      this.#environment(),
      this.#deps.open(),
    ]);
    const output = outputs.begin();
    const kept = new OutputRecord(output.write);
    const begun = performance.now();
    try {
      const { exit, ended } = await sandbox.run({
        text: handed?.line ?? line,
        plan,
        env: { ...env, ...handed?.env },
        signal,
        onOutput: (bytes) => kept.add(bytes),
        ...omitUndefined({ view }),
      });
      if (ended !== null) kept.add(Buffer.from(formatEnded(ended, plan.limits)));
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
      // A line continues after a part that failed; a dry run reports it.
      if (exit === 0 && view === undefined) return { record, blocked: null, hidden: [] };
      const hides = sandbox.hides(plan);
      const hidden = hides.files.map((path) => basename(path));
      const { keptApart } = await lazy.keptApart();
      const blocked = ended === null ? whyBlocked(ran.output, keptApart(hides, plan, env.PATH)) : null;
      return { record, blocked, hidden };
    } catch (thrown) {
      if (!(thrown instanceof AishError)) throw thrown;
      return { record: null, blocked: thrown.message, hidden: [] };
    }
  }

  /** Shows one notice if there is no sandbox. */
  async #isThere(plan: SandboxPlan): Promise<boolean> {
    const missing = await this.whyMissing(plan);
    if (missing !== null && !this.#hasNotified) this.#deps.tell(formatNoSandbox(missing));
    this.#hasNotified = true;
    return missing === null;
  }

  /** The plan of the classification. */
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

  /** The harmless exports of the shell at its last prompt. */
  async #environment(): Promise<Record<string, string>> {
    const { scrubEnvironment } = await lazy.apart();
    const { parseExports } = await lazy.exports();
    const { env, sharedShell } = this.#deps;
    const printed = readExports(sharedShell);
    if (this.#exported?.printed !== printed)
      this.#exported = { printed, env: scrubEnvironment({ ...env, ...parseExports(printed) }) };
    return this.#exported.env;
  }
}
