import { resolve } from 'node:path';
import { projectAround } from '../../adapters/config/paths.ts';
import { type OwnFiles, touchOf } from '../../core/commands/own-files.ts';
import { MOST_NAMED } from '../../core/commands/verdict.ts';
import type { ImpactContext } from '../../core/impact/shell-state.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { findPathArguments, isGuardedPath, refuseWrite } from '../../core/policy/path-arguments.ts';
import { isCommand } from '../../core/policy/policy.ts';
import type { Ruling } from '../../core/policy/rules.ts';
import { NO_COMMAND_RULES } from '../../core/session/state.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { AutoRun, CommandRules } from '../../protocol/settings.ts';
import type { CommandDecision, ToolCall } from '../../protocol/tool.ts';
import type { SandboxRunner } from '../shell/sandbox-runner.ts';
import { readExports, type SharedShell } from '../shell/shared-shell.ts';
import { placesOf, proposeNothing, toDecision, toRefused } from './command-decisions.ts';
import type { GitHistory } from './git-history.ts';
import type { KeptFile } from './kept-files.ts';
import { lazy } from './lazy.ts';
import { type ClassifiedLine, LineClassifier } from './line-classifier.ts';
import {
  ARGUMENT_NAMES_OWN,
  BUILT_IN_RULES,
  formatNamesLater,
  formatNamesPrivate,
  MAY_BE_REDEFINED,
  NAMES_OWN,
  SHELL_MAY_DIFFER,
  TOO_MANY_FILES,
} from './messages.ts';
import { realName, withLinks } from './self-protection.ts';
import { WarmWorker } from './warm-worker.ts';

/** A line as it was classified, and whether the disk had a say in that. */
interface Reading {
  readonly decided: CommandDecision;
  readonly isKept: boolean;
  /** The rules that an approval prompt may offer: to find them takes as long as the rest, so only a prompt asks for them. */
  readonly propose: () => Promise<Pick<CommandDecision, 'proposal'>>;
}

/** A line with so many words that not all of them are looked up. */
const TOO_MANY: KeptFile = { path: '', reading: TOO_MANY_FILES };

interface CommandGateDeps {
  readonly sharedShell: Pick<SharedShell, 'shell' | 'start' | 'placeNow'>;
  /** The sandbox of read-only commands; without one, no command runs without approval. */
  readonly sandbox?: Pick<SandboxRunner, 'whyNot' | 'warm'>;
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
    const shell = await this.#deps.sharedShell.start();
    await shell.atRest();
    if (autoRun === 'read-only') await this.#deps.sandbox?.warm(await this.context());
  }

  /** The gate's decision about a call; null for a call without a command. */
  async decide(
    call: ToolCall,
    rules: CommandRules = NO_COMMAND_RULES,
    autoRun: AutoRun = 'none',
  ): Promise<CommandDecision | null> {
    if (!isCommand(call)) return this.#decideTool(call);
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
    this.#history ??= new (await lazy.gitHistory()).GitHistory();
    return this.#history.whyAsked(classification, context.project);
  }

  /** Decides about a line. A line that reads a private file needs an approval; only the disk shows which files are private. */
  async #decideReading(classified: ClassifiedLine, rules: CommandRules): Promise<Reading> {
    const { parts, named } = classified.classification;
    const { decided, propose } = await this.#decideAt(classified, rules);
    const effects = parts.flatMap(({ effects }) => effects.map(({ kind }) => kind));
    if (decided.decision === 'deny' || effects.includes('secrets')) return { decided, isKept: false, propose };
    const { findKept } = await lazy.keptFiles();
    const read = named.flatMap(({ path, isRead }) => (isRead ? [path] : []));
    const kept = named.length < MOST_NAMED ? findKept(read, classified.context) : TOO_MANY;
    if (kept === null) return { decided, isKept: false, propose };
    const { rule, ...plain } = decided;
    // A rule that would have let it run is none that asks.
    const asking = decided.decision === 'ask' && rule !== undefined ? { rule } : {};
    const reasons = [...decided.reasons, kept.reading];
    return { decided: { ...plain, ...asking, decision: 'ask', reasons }, isKept: true, propose: proposeNothing };
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
    const { decision, rule } = ruleCommand('autonomous', { shell: rules }, classification, context);
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
    const ruling = ruleCommand('ask', { shell: rules }, classification, context);
    const isUnsure = ruling.decision !== 'deny' && (await this.mayDiffer(classification.line, context));
    const decided = await toDecision(ruling, context.cwd);
    if (ruling.decision !== 'ask' && !isUnsure) return { decided, propose: proposeNothing };
    const { seeMeaning } = await import('./shown-meaning.ts');
    const meaning = await seeMeaning(classification, this.#deps.sharedShell.shell, context.cwd);
    const { rule: _, ...unsure } = { ...decided, ...meaning, hardDenials: [], reasons: [SHELL_MAY_DIFFER] };
    if (isUnsure) return { decided: { ...unsure, class: 'unparseable', decision: 'ask' }, propose: proposeNothing };
    const { reasonsBeyond } = await lazy.beyondRule();
    const missed = ruling.rule === null ? reasonsBeyond(classification.parts, rules.approve ?? [], context) : [];
    const reasons = [...missed, ...decided.reasons];
    const propose = async () => {
      const proposal = await this.#propose(ruling, rules, context);
      return proposal === null ? {} : { proposal };
    };
    return { decided: { ...decided, reasons, ...meaning }, propose };
  }

  /** Classifies a line for its place now, or for a given place. */
  classify(line: string, place?: LineContext): Promise<ClassifiedLine> {
    return this.#lines.classify(line, place);
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
    if (realName(before) !== realName(context.cwd)) return false;
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
    const [{ readShellState }, { parseExports }] = await Promise.all([lazy.shellState(), lazy.exports()]);
    const { options, variables } = shell.lookups;
    const exports = parseExports(readExports({ shell }));
    return { ...context, shell: readShellState({ shell: this.#deps.shell(), options, names: variables, exports }) };
  }

  async #decideTool(call: ToolCall): Promise<CommandDecision | null> {
    const context = await this.context();
    const own = this.#classifyOwnPaths(call, context);
    if (own !== null) return own;
    const argued = await this.#classifyArguments(call, context);
    if (argued?.decision === 'deny') return argued;
    return (await this.#classifyWritten(call, context)) ?? (await this.#classifyKept(call, context)) ?? argued;
  }

  /** A tool that reads a private file needs an approval, as a command does, whatever rule approves the tool. */
  async #classifyKept(call: ToolCall, context: LineContext): Promise<CommandDecision | null> {
    const isOwnTool = call.name.startsWith('aish.');
    // The result of an edit shows a line of the file, or that the file contains the text.
    if (isOwnTool && call.effect !== 'read' && call.name !== 'aish.edit_file') return null;
    const { findKept } = await lazy.keptFiles();
    const kept = findKept(this.#pathsOf(call.arguments, context, isOwnTool), context);
    if (kept === null) return null;
    // aish cannot control what a server does with the content.
    const reasons = [isOwnTool ? kept.reading : formatNamesPrivate(kept.path)];
    const kind = call.effect === 'read' ? 'read-only' : 'mutating';
    return { class: kind, decision: 'ask', reasons, hardDenials: [], cwd: context.cwd, rule: BUILT_IN_RULES.private };
  }

  /**
   * Classifies a write that acts later, or that governs which code may run. aish denies it to its own tools as to a command. For a server's
   * tool it asks, whatever approves the tool, because the effect of the call is unknown here.
   */
  async #classifyWritten(call: ToolCall, context: LineContext): Promise<CommandDecision | null> {
    if (call.effect === 'read') return null;
    const isOwnTool = call.name.startsWith('aish.');
    const { cwd } = context;
    const [{ policyOf }, { leadsTo }] = await Promise.all([lazy.effectPolicy(), lazy.targetPath()]);
    const use = call.name === 'aish.edit_file' ? 'edit' : 'replace';
    for (const named of this.#pathsOf(call.arguments, context, isOwnTool)) {
      const real = leadsTo(named);
      const refused = isOwnTool ? refuseWrite({ named, real, use }, context) : null;
      const hardDeny = refused === null ? undefined : policyOf(refused).hardDeny;
      if (refused !== null && hardDeny !== undefined) return toRefused({ effects: [refused] }, hardDeny, cwd);
      if (isOwnTool || !(isGuardedPath(named, context) || isGuardedPath(real, context))) continue;
      const reasons = [formatNamesLater(named)];
      return { class: 'mutating', decision: 'ask', reasons, hardDenials: [], cwd, rule: BUILT_IN_RULES.later };
    }
    return null;
  }

  /** Guards aish's own files: a built-in tool may read them with an approval, and no tool may do anything else to them. */
  #classifyOwnPaths(call: ToolCall, { cwd, home, ours }: LineContext): CommandDecision | null {
    if (ours === undefined) return null;
    const isOwnTool = call.name.startsWith('aish.');
    if (!this.#namesOwn(call.arguments, { cwd, home, ours }, isOwnTool)) return null;
    const reasons = [isOwnTool ? NAMES_OWN : ARGUMENT_NAMES_OWN];
    if (isOwnTool && call.effect === 'read')
      return { class: 'read-only', decision: 'ask', reasons, hardDenials: [], cwd, rule: BUILT_IN_RULES.own };
    return toRefused({ reasons }, 'D3', cwd);
  }

  /** The paths among the arguments of a tool, absolute. */
  #pathsOf(args: JsonObject, { cwd, home }: Pick<LineContext, 'cwd' | 'home'>, isOwnTool: boolean): readonly string[] {
    const written = isOwnTool
      ? [args.path].filter((path) => typeof path === 'string')
      : (findPathArguments(args) ?? []);
    return written.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, home)));
  }

  #namesOwn(
    args: JsonObject,
    { cwd, home, ours }: Pick<LineContext, 'cwd' | 'home'> & { readonly ours: OwnFiles },
    isOwnTool: boolean,
  ): boolean {
    const paths = this.#pathsOf(args, { cwd, home }, isOwnTool);
    const known = withLinks(ours, paths);
    const owned = [...known.paths, ...known.program];
    return paths.some((path) => touchOf(path, owned, false) === 'own') || (!isOwnTool && namesSocket(args, ours));
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
    const { proposeRules } = await lazy.proposeRules();
    return proposeRules(classification, rules.approve, context);
  }

  /** A server's command runs at an unknown place: the built-in rules hold for it, and the approval of its tool covers the rest. */
  async #classifyArguments(call: ToolCall, context: LineContext): Promise<CommandDecision | null> {
    if (call.name.startsWith('aish.')) return null;
    const { carriedLines, gravestArgument } = await lazy.rules();
    const lines = objectsIn(call.arguments).flatMap(carriedLines);
    const decided = lines.map(async ({ name, text }) => ({ name, ...(await this.classify(text, context)) }));
    const classification = gravestArgument(await Promise.all(decided));
    if (classification === null) return null;
    const { refuse } = await lazy.rules();
    const isRefused = classification.decision === 'deny';
    return toDecision(
      isRefused ? refuse(classification) : { decision: 'ask', rule: null, hardDenials: [], classification },
      context.cwd,
    );
  }
}

/** An address that leads to a socket of aish: `unix:/run/…`, `http+unix://%2Frun…`. */
function namesSocket(args: JsonObject, { paths }: OwnFiles): boolean {
  const addresses = objectsIn(args)
    .flatMap((one) => Object.values(one).flat())
    .filter((value): value is string => typeof value === 'string' && /^(?=[a-z+]*unix)[a-z+]+:/i.test(value));
  return addresses.some((address) => paths.some((path) => address.replace(/%2f/gi, '/').includes(path)));
}

/** The command line of a call for the shared shell. */
export function commandOf(call: Pick<ToolCall, 'arguments'>): string {
  return String(call.arguments.command ?? '');
}

/** The context of another directory. */
export function contextAt<Place extends LineContext>(context: Place, cwd: string): Place {
  return cwd === context.cwd ? context : { ...context, cwd, project: projectAround(cwd, context.home) };
}

/** The arguments, and every object within them. */
function objectsIn(value: Json): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}
