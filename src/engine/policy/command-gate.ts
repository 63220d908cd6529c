import { toRealPath } from '../../adapters/system/file-status.ts';
import { nextTurn } from '../../adapters/system/patience.ts';
import type { OwnFiles } from '../../core/commands/protected-files.ts';
import type { ImpactContext } from '../../core/impact/shell-state.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { isCommand } from '../../core/policy/policy.ts';
import type { Ruling } from '../../core/policy/rules.ts';
import { NO_COMMAND_RULES } from '../../core/session/state.ts';
import type { AutoRun, CommandRules } from '../../protocol/settings.ts';
import type { CommandDecision, ToolCall } from '../../protocol/tool.ts';
import type { SandboxRunner } from '../shell/sandbox-runner.ts';
import { readExports, type SharedShell } from '../shell/shared-shell.ts';
import { placesOf, proposeNothing, seeMeaning, toDecision } from './command-decisions.ts';
import { lazy } from './lazy.ts';
import { type ClassifiedLine, contextAt, LineClassifier, WarmWorker } from './line-classifier.ts';
import { MAY_BE_REDEFINED, READS_UNNAMED, SHELL_MAY_DIFFER } from './messages.ts';
import type { GitHistory } from './private-reads.ts';

/** A line as it was classified, and whether the disk had a say in that. */
interface Reading {
  readonly decided: CommandDecision;
  readonly isKept: boolean;
  /** The meaning that an approval is for, and the rules that its prompt may offer: to find them takes longer than the rest. */
  readonly propose: () => Promise<Proposal>;
}

type Proposal = Pick<CommandDecision, 'proposal' | 'scripts' | 'programs'>;

/** A line that does nothing. */
const HARMLESS = ':';

interface CommandGateDeps {
  readonly sharedShell: Pick<SharedShell, 'shell' | 'start' | 'placeNow'>;
  /** The sandbox of read-only commands; without one, no command runs without approval. */
  readonly sandbox?: Pick<SandboxRunner, 'whyNot' | 'warm'> & Partial<Pick<SandboxRunner, 'isWarm'>>;
  /** The user's home directory. */
  readonly home: string;
  /** aish's own files and processes; looked up when first needed. */
  readonly own?: () => OwnFiles;
  /** The worker that classifies lines. */
  readonly worker?: WarmWorker;
  /** Name of the shell that runs lines, such as `zsh`. */
  readonly shell: () => string;
}

/** Classifies the commands that calls carry, for the place where they would run and the names that the live shell has. */
export class CommandGate {
  /** The worker that classifies lines and makes their estimates. */
  readonly worker: WarmWorker;
  readonly #deps: CommandGateDeps;
  readonly #lines: LineClassifier;
  #history: GitHistory | null = null;
  #loading: Promise<void> | null = null;
  #hasDecided = false;

  constructor(deps: CommandGateDeps) {
    this.#deps = deps;
    this.worker = deps.worker ?? new WarmWorker();
    this.#lines = new LineClassifier({ ...deps, worker: this.worker });
  }

  /** Begins the preparations for the first command of an answer, while the rest of the answer arrives. Nothing waits for it. */
  warm(autoRun: AutoRun = 'none'): void {
    // The decision about the command meets the same fault, and tells of it.
    this.#warm(autoRun).catch(() => {});
  }

  async #warm(autoRun: AutoRun): Promise<void> {
    if (this.#isShellAtRest()) return this.#deps.sandbox?.isWarm === true ? undefined : this.#prepare(autoRun);
    const starting = this.#deps.sharedShell.start();
    await Promise.all([this.#prepare(autoRun), starting.then((shell) => shell.atRest())]);
    // Its startup files may have changed what the sandbox shows.
    await this.#warmSandbox(autoRun);
  }

  /** Begins what needs no shell, while the model still thinks. Nothing waits for it. */
  prepare(autoRun: AutoRun = 'none'): void {
    this.#prepare(autoRun).catch(() => {});
  }

  async #prepare(autoRun: AutoRun): Promise<void> {
    const warming = this.#warmSandbox(autoRun);
    this.#loading ??= this.#load();
    await Promise.all([warming, this.#loading]);
  }

  async #warmSandbox(autoRun: AutoRun): Promise<void> {
    if (autoRun === 'read-only') await this.#deps.sandbox?.warm(await this.context());
  }

  /** Has a harmless line decided, so that all modules are there. The answer is read between two steps. */
  async #load(): Promise<void> {
    const line = await this.classify(HARMLESS);
    for (const step of [
      () => this.#decideReading(line, NO_COMMAND_RULES),
      () => this.#whyAsked(line, NO_COMMAND_RULES),
      () => this.#whyPast(line),
    ]) {
      await nextTurn();
      if (this.#hasDecided) return;
      await step();
    }
  }

  /** The gate's decision about a call; null for a call without a command. */
  async decide(
    call: ToolCall,
    rules: CommandRules = NO_COMMAND_RULES,
    autoRun: AutoRun = 'none',
  ): Promise<CommandDecision | null> {
    if (!isCommand(call)) return (await import('./tool-decision.ts')).decideTool(call, this);
    this.#hasDecided = true;
    const line = commandOf(call);
    const { sandbox } = this.#deps;
    const mayLook = autoRun === 'read-only' && sandbox !== undefined;
    if (!this.#isShellAtRest()) {
      const classified = await this.classify(line);
      const { decided, isKept, propose } = await this.#decideReading(classified, rules);
      const looks = mayLook && !isKept && (await this.#whyAsked(classified, rules)) === null;
      if (decided.decision !== 'allow' && !looks) return { ...decided, ...(await propose()) };
    }
    // Startup files may give a name another meaning, or go elsewhere: what would run without asking is classified where it runs.
    const shell = await this.#deps.sharedShell.start();
    await shell.atRest();
    const now = await this.classify(line);
    const { decided, isKept, propose } = await this.#decideReading(now, rules);
    await shell.lookups.known();
    const unread = shell.lookups.isCurrent ? null : MAY_BE_REDEFINED;
    const past = decided.decision === 'allow' ? (unread ?? (await this.#whyPast(now))) : unread;
    if (past !== null && decided.decision !== 'deny')
      return { ...decided, ...(await propose()), decision: 'ask', reasons: [...decided.reasons, past] };
    const apart =
      decided.decision === 'allow' ? await this.#decideUnnamed(now, decided, mayLook ? sandbox : undefined) : null;
    if (apart !== null) return apart;
    if (!mayLook || decided.decision !== 'ask' || isKept) return { ...decided, ...(await propose()) };
    const why = (await this.#whyAsked(now, rules, sandbox)) ?? (await this.#whyPast(now));
    if (why === null) return { ...decided, autoRun: true };
    const reasons = why === '' ? decided.reasons : [...decided.reasons, why];
    return { ...decided, ...(await propose()), reasons };
  }

  /** True of a shell whose place and names are known and that runs nothing: a line is then decided where it would run at once. */
  #isShellAtRest(): boolean {
    const { shell } = this.#deps.sharedShell;
    return shell !== null && shell.state === 'ready' && shell.lookups.isCurrent && shell.lookups.settled() === null;
  }

  /** The reason that git may print content of no file that the line names; null if it does not. */
  async #whyPast({ classification, context }: ClassifiedLine): Promise<string | null> {
    this.#history ??= new (await lazy.privateReads()).GitHistory();
    return this.#history.whyAsked(classification, context.project);
  }

  /**
   * The decision about a line that a rule allows, and that reads files which it does not name: one of them may be secret, so it runs in the
   * sandbox, where that file is hidden. If it cannot, a file that only the shell knows needs an approval. Null for any other line.
   */
  async #decideUnnamed(
    line: ClassifiedLine,
    { rule: _, ...decided }: CommandDecision,
    sandbox?: Pick<SandboxRunner, 'whyNot'>,
  ): Promise<CommandDecision | null> {
    if (line.classification.class !== 'read-only') return null;
    const { readsUnnamed } = await lazy.privateReads();
    const unnamed = readsUnnamed(line.classification.trace);
    if (unnamed === 'none') return null;
    const isApart = sandbox !== undefined && (await this.#whyAsked(line, NO_COMMAND_RULES, sandbox)) === null;
    if (isApart) return { ...decided, decision: 'ask', autoRun: true };
    return unnamed === 'some' ? null : { ...decided, decision: 'ask', reasons: [...decided.reasons, READS_UNNAMED] };
  }

  /** Decides about a line. A line that reads a private file needs an approval; only the disk shows which files are private. */
  async #decideReading(classified: ClassifiedLine, rules: CommandRules): Promise<Reading> {
    const { parts } = classified.classification;
    const { decided, propose } = await this.#decideAt(classified, rules);
    const effects = parts.flatMap(({ effects }) => effects.map(({ kind }) => kind));
    if (decided.decision === 'deny' || effects.includes('secrets')) return { decided, isKept: false, propose };
    const { findKeptOfLine } = await lazy.privateReads();
    const kept = findKeptOfLine(classified.classification, classified.context);
    if (kept === null) return { decided, isKept: false, propose };
    const { rule, ...plain } = decided;
    // A rule that would have let it run is none that asks.
    const asking = decided.decision === 'ask' && rule !== undefined ? { rule } : {};
    const reasons = [...decided.reasons, kept.reading];
    const mean = async (): Promise<Proposal> => {
      const { proposal: _, ...meaning } = await propose();
      return meaning;
    };
    return { decided: { ...plain, ...asking, decision: 'ask', reasons }, isKept: true, propose: mean };
  }

  /**
   * Null where no rule names a line and it does nothing but look; with a sandbox, where it comes to the same in there, else why it does
   * not. Empty where it does more than look, which its classification tells.
   */
  async #whyAsked(
    { classification, context }: ClassifiedLine,
    rules: CommandRules,
    sandbox?: Pick<SandboxRunner, 'whyNot'>,
  ): Promise<string | null> {
    const { ruleCommand } = await lazy.rules();
    const { decision, rule } = ruleCommand('autonomous', rules, classification, context);
    if (decision !== 'allow' || rule !== null || classification.class !== 'read-only') return '';
    if (await this.mayDiffer(classification.line, context)) return '';
    return sandbox === undefined ? null : sandbox.whyNot(classification, context);
  }

  /** Classifies a line by the rules, as if it were to run in the shared shell now. */
  async decideLine(line: string, rules: CommandRules): Promise<CommandDecision> {
    const { decided, propose } = await this.#decideAt(await this.classify(line), rules);
    return { ...decided, ...(await propose()) };
  }

  async #decideAt(
    { classification, context }: ClassifiedLine,
    rules: CommandRules,
  ): Promise<Pick<Reading, 'decided' | 'propose'>> {
    const { ruleCommand } = await lazy.rules();
    const ruling = ruleCommand('ask', rules, classification, context);
    const isUnsure = ruling.decision !== 'deny' && (await this.mayDiffer(classification.line, context));
    const decided = await toDecision(ruling, context.cwd);
    if (ruling.decision !== 'ask' && !isUnsure) return { decided, propose: proposeNothing };
    const mean = () => seeMeaning(classification, this.#deps.sharedShell.shell, context.cwd);
    const { rule: _, ...unsure } = { ...decided, hardDenials: [], reasons: [SHELL_MAY_DIFFER] };
    if (isUnsure) return { decided: { ...unsure, class: 'unparseable', decision: 'ask' }, propose: mean };
    const { reasonsBeyond } = await lazy.beyondRule();
    const missed = ruling.rule === null ? reasonsBeyond(classification.parts, rules.approve ?? [], context) : [];
    const reasons = [...missed, ...decided.reasons];
    const propose = async () => {
      const [proposal, meaning] = await Promise.all([this.#propose(ruling, rules, context), mean()]);
      return proposal === null ? meaning : { ...meaning, proposal };
    };
    return { decided: { ...decided, reasons }, propose };
  }

  /** Classifies a line for its place now, or for a given place. */
  classify(line: string, place?: LineContext): Promise<ClassifiedLine> {
    return this.#lines.classify(line, place);
  }

  /** The place in which a line ran in a directory, if it was classified last; else the place of now in that directory. */
  contextOf(line: string, cwd: string): Promise<LineContext> {
    return this.#lines.contextOf(line, cwd);
  }

  /** The place in which a line would run now. */
  context(): Promise<LineContext> {
    return this.#lines.context();
  }

  /**
   * Whether a line does the same where the shell stands now as in a directory: in that one under another name, where the line goes nowhere
   * else by that name, as `cd ..` may. A line with a word that only the shell knows may.
   */
  async meansTheSame(line: string, before: string): Promise<boolean> {
    const context = await this.context();
    if (toRealPath(before) !== toRealPath(context.cwd)) return false;
    const [now, then] = await Promise.all([
      this.classify(line, context),
      this.classify(line, contextAt(context, before)),
    ]);
    const places = placesOf(now.classification);
    return places !== null && places === placesOf(then.classification);
  }

  /** The context of a line with the state of its shell, for estimates and never for decisions. */
  async impactContext(): Promise<ImpactContext> {
    const context = await this.context();
    const { shell } = this.#deps.sharedShell;
    if (shell === null) return context;
    const { parseExports, readShellState } = await lazy.exports();
    const { options, variables } = shell.lookups;
    const exports = parseExports(readExports({ shell }));
    return { ...context, shell: readShellState({ shell: this.#deps.shell(), options, names: variables, exports }) };
  }

  /** The shell that runs the line, where it may read the line otherwise than bash; null where bash reads it alike. */
  async shellOf(line: string, context: LineContext): Promise<string | null> {
    return (await this.mayDiffer(line, context)) ? this.#deps.shell() : null;
  }

  /** Whether the shell that runs the line may read it otherwise than it is classified. */
  async mayDiffer(line: string, { redefined }: LineContext): Promise<boolean> {
    const shell = this.#deps.shell();
    if (shell !== 'zsh' && shell !== 'fish') return false;
    const reads = shell === 'zsh' ? (await lazy.wholeLine()).mayDifferInZsh : (await lazy.fishLine()).mayDifferInFish;
    // Global aliases of zsh and abbreviations of fish hold for every word.
    return reads(line) || line.split(/\s+/).some((word, at) => at > 0 && redefined?.has(word) === true);
  }

  async #propose({ classification, rule }: Ruling, rules: CommandRules, context: LineContext) {
    // A rule that asks leaves nothing to propose.
    if (classification === null || rule !== null) return null;
    const { proposeRules } = await lazy.rules();
    return proposeRules(classification, rules.approve, context);
  }
}

/** The command line of a call for the shared shell. */
export function commandOf(call: Pick<ToolCall, 'arguments'>): string {
  return String(call.arguments.command ?? '');
}
