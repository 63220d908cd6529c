import { resolve } from 'node:path';
import type { BlastGround } from '../../core/blast/shell-state.ts';
import type { LineGround } from '../../core/gate/judge-line.ts';
import { type OwnGround, touchOf } from '../../core/gate/own-ground.ts';
import type { Ruling } from '../../core/gate/rules.ts';
import type { Floor, Judgement } from '../../core/gate/verdict.ts';
import { findPathArguments } from '../../core/path-arguments.ts';
import { isCommand } from '../../core/policy.ts';
import { NO_COMMAND_RULES } from '../../core/session/state.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { CommandRules, Unasked } from '../../protocol/settings.ts';
import type { JudgedCommand, ToolCall } from '../../protocol/tool.ts';
import { readExports } from '../secrets/secret-place.ts';
import type { SandboxRunner } from '../shell/sandbox-runner.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import { withLinks, withProcesses } from './own-place.ts';
import { projectAround } from './project-around.ts';
import { SpareCounter } from './spare-counter.ts';

/** More paths than a line names in earnest. */
const MOST_NAMED = 500;

/** A line as it was judged, and whether the disk had a say in that. */
interface Reading {
  readonly judged: JudgedCommand;
  readonly isKept: boolean;
}

/** What has a tool asked about that is told of a file which is kept from others. */
const KEPT = 'kept from others';

const NOTHING_OF_OURS: OwnGround = { paths: [], program: [], pids: [], variables: {} };

/** What the gate stands on. */
export interface CommandGateParts {
  readonly sharedShell: Pick<SharedShell, 'shell' | 'start' | 'placeNow'>;
  /** Where commands run apart; without one none runs unasked. */
  readonly sandbox?: Pick<SandboxRunner, 'whyNot'>;
  /** The person's home directory. */
  readonly home: string;
  /** What belongs to this program; looked up when it is first needed. */
  readonly own?: () => OwnGround;
  /** Name of the shell that runs lines, such as `zsh`. */
  readonly shell: () => string;
}

/** Judges the commands that calls carry, for the place where they would run and the names that the live shell has. */
export class CommandGate {
  /** Counts what a line would touch that is asked about. */
  readonly counter = new SpareCounter();
  readonly #parts: CommandGateParts;
  #own: OwnGround | null = null;

  constructor(parts: CommandGateParts) {
    this.#parts = parts;
  }

  /** What the gate says of a call; null for one that carries no command. */
  async judge(
    call: ToolCall,
    rules: CommandRules = NO_COMMAND_RULES,
    unasked: Unasked = 'none',
  ): Promise<JudgedCommand | null> {
    if (!isCommand(call)) return this.#judgeTool(call);
    const line = commandOf(call);
    const { sandbox } = this.#parts;
    const { judged, isKept } = await this.#judgeReading(line, rules);
    const mayLook = unasked === 'read-only' && sandbox !== undefined && !isKept;
    const looks = mayLook && (await this.#whyAsked(line, rules)) === null;
    if (judged.decision !== 'allow' && !looks) return judged;
    // Startup files may give a name another meaning, or go elsewhere: what would run unasked is judged where it runs.
    const shell = await this.#parts.sharedShell.start();
    await shell.atRest();
    const { judged: again, isKept: isKeptNow } = await this.#judgeReading(line, rules);
    if (!looks || again.decision !== 'ask' || isKeptNow) return again;
    const why = await this.#whyAsked(line, rules, sandbox);
    if (why !== null) return why === '' ? again : { ...again, reasons: [...again.reasons, why] };
    const { proposal: _, ...plain } = again;
    return { ...plain, unasked: true };
  }

  /** Judges a line, and asks about it where it reads what is kept from others, which only the disk tells. */
  async #judgeReading(line: string, rules: CommandRules): Promise<Reading> {
    const looked = await this.#lookUp(line);
    const judged = await this.#judgeAt(line, rules, looked.ground);
    const isSaid = judged.reasons.some((one) => one.startsWith('prints credentials'));
    if (judged.decision === 'deny' || isSaid) return { judged, isKept: false };
    const { findKept } = await import('./kept-files.ts');
    const kept = findKept(looked.read, looked.ground);
    if (kept === null) return { judged, isKept: false };
    const { proposal: _, rule, ...plain } = judged;
    // A rule that would have let it run is none that asks.
    const asking = judged.decision === 'ask' && rule !== undefined ? { rule } : {};
    const reasons = [...judged.reasons, kept.reading];
    return { judged: { ...plain, ...asking, decision: 'ask', reasons }, isKept: true };
  }

  /**
   * Null where no rule names a line and it does nothing but look; with a sandbox, where it comes to the same in there, else why it does not.
   * Empty where it does more than look, which its judgement tells.
   */
  async #whyAsked(line: string, rules: CommandRules, sandbox?: Pick<SandboxRunner, 'whyNot'>): Promise<string | null> {
    const { rule } = await import('../../core/gate/rules.ts');
    const ground = await this.#groundOf(line);
    const ruling = rule('autonomous', { shell: rules }, { kind: 'cmd', cmd: line }, ground);
    const { judgement, decision } = ruling;
    if (decision !== 'allow' || ruling.rule !== null || judgement?.class !== 'read-only') return '';
    if (await this.mayDiffer(line, ground)) return '';
    return sandbox === undefined ? null : sandbox.whyNot(line, judgement, ground);
  }

  /** Judges a line by the rules, as if it were to run in the shared shell now. */
  async judgeLine(line: string, rules: CommandRules): Promise<JudgedCommand> {
    return this.#judgeAt(line, rules, await this.#groundOf(line));
  }

  async #judgeAt(line: string, rules: CommandRules, ground: LineGround): Promise<JudgedCommand> {
    const { rule } = await import('../../core/gate/rules.ts');
    const ruling = rule('ask', { shell: rules }, { kind: 'cmd', cmd: line }, ground);
    if (ruling.decision !== 'deny' && (await this.mayDiffer(line, ground))) return toUnsure(ruling, ground.cwd);
    const judged = toJudged(ruling, ground.cwd);
    if (ruling.decision !== 'ask') return judged;
    const proposal = await this.#propose(ruling, rules, ground);
    const { reasonsBeyond } = await import('../../core/gate/beyond-rule.ts');
    const missed =
      ruling.rule === null ? reasonsBeyond(ruling.judgement?.parts ?? [], rules.approve ?? [], ground) : [];
    const reasons = [...missed, ...judged.reasons];
    return { ...judged, reasons, ...(proposal === null ? {} : { proposal }) };
  }

  /** Where a line would run now. */
  async ground(): Promise<LineGround> {
    const { sharedShell, home } = this.#parts;
    const { shell } = sharedShell;
    const cwd = sharedShell.placeNow();
    await shell?.lookups.settled();
    const redefined = shell?.lookups.redefined;
    const ours = this.#ours(shell?.pid ?? null);
    return {
      cwd,
      home,
      project: projectAround(cwd, home),
      ...(redefined === undefined ? {} : { redefined }),
      ...(ours === null ? {} : { ours }),
    };
  }

  /** Where a line would run now, with what its shell told of itself: good for counting, and for no decision. */
  async blastGround(): Promise<BlastGround> {
    const ground = await this.ground();
    const { shell } = this.#parts.sharedShell;
    if (shell === null) return ground;
    const [{ readShellState }, { parseExports }] = await Promise.all([
      import('../../core/blast/shell-state.ts'),
      import('../../core/sandbox/exports.ts'),
    ]);
    const { options, variables } = shell.lookups;
    const exports = parseExports(readExports({ shell }));
    return { ...ground, shell: readShellState({ shell: this.#parts.shell(), options, names: variables, exports }) };
  }

  #ours(shell: number | null): OwnGround | null {
    this.#own ??= this.#parts.own?.() ?? null;
    return this.#own === null ? null : withProcesses(this.#own, shell);
  }

  /** The ground for a line: what it names is looked up, for a link may lead to what is ours. */
  async #groundOf(line: string): Promise<LineGround> {
    return (await this.#lookUp(line)).ground;
  }

  /** The same, with the paths whose content the line reads. */
  async #lookUp(line: string): Promise<{ readonly ground: LineGround; readonly read: ReadonlySet<string> }> {
    const ground = await this.ground();
    const { ours } = ground;
    const { judgeLine } = await import('../../core/gate/judge-line.ts');
    const [named, read] = [new Set<string>(), new Set<string>()];
    const onPath = (path: string, isRead: boolean): void => {
      if (named.size >= MOST_NAMED) return;
      named.add(path);
      if (isRead) read.add(path);
    };
    judgeLine(line, { ...ground, ours: { ...(ours ?? NOTHING_OF_OURS), onPath } });
    return { ground: ours === undefined ? ground : { ...ground, ours: withLinks(ours, named) }, read };
  }

  async #judgeTool(call: ToolCall): Promise<JudgedCommand | null> {
    const ground = await this.ground();
    const own = this.#judgeOwnPaths(call, ground);
    if (own !== null) return own;
    const argued = await this.#judgeArguments(call, ground);
    if (argued?.decision === 'deny') return argued;
    return (await this.#judgeWritten(call, ground)) ?? (await this.#judgeKept(call, ground)) ?? argued;
  }

  /** What is kept from others is asked about, as it is of a command: whatever approves the tool. */
  async #judgeKept(call: ToolCall, ground: LineGround): Promise<JudgedCommand | null> {
    const isOwnTool = call.name.startsWith('aish.');
    // An edit that fails tells which line comes nearest, and one that does not, that its text is there.
    if (isOwnTool && call.effect !== 'read' && call.name !== 'aish.edit_file') return null;
    const { findKept } = await import('./kept-files.ts');
    const kept = findKept(this.#pathsOf(call.arguments, ground, isOwnTool), ground);
    if (kept === null) return null;
    // What a server does with it is its own affair.
    const reasons = [isOwnTool ? kept.reading : `an argument names what is kept from others: ${kept.path}`];
    const kind = call.effect === 'read' ? 'read-only' : 'mutating';
    return { class: kind, decision: 'ask', reasons, floors: [], cwd: ground.cwd, rule: KEPT };
  }

  /**
   * What acts later, or governs what may run: our own tools are refused it as a command is, and a server that is told of it is asked about
   * whatever approves its tool, for nobody here knows what it does to it.
   */
  async #judgeWritten(call: ToolCall, ground: LineGround): Promise<JudgedCommand | null> {
    if (call.effect === 'read') return null;
    const isOwnTool = call.name.startsWith('aish.');
    const { cwd } = ground;
    const [{ refuseWrite, isGuardedPath }, { leadsTo }] = await Promise.all([
      import('../../core/gate/written-path.ts'),
      import('../../adapters/files/target-path.ts'),
    ]);
    const use = call.name === 'aish.edit_file' ? 'edit' : 'replace';
    for (const named of this.#pathsOf(call.arguments, ground, isOwnTool)) {
      const real = leadsTo(named);
      const refused = isOwnTool ? refuseWrite({ named, real, use }, ground) : null;
      if (refused?.floor !== undefined) return toRefused(refused.reason, refused.floor, cwd);
      if (isOwnTool || !(isGuardedPath(named, ground) || isGuardedPath(real, ground))) continue;
      const reasons = [`an argument names what acts later: ${named}`];
      return { class: 'mutating', decision: 'ask', reasons, floors: [], cwd, rule: 'what acts later' };
    }
    return null;
  }

  /** A tool that names something of ours: our own may read it when the person is asked, and nothing else is done to it. */
  #judgeOwnPaths(call: ToolCall, { cwd, home, ours }: LineGround): JudgedCommand | null {
    if (ours === undefined) return null;
    const isOwnTool = call.name.startsWith('aish.');
    if (!this.#namesOwn(call.arguments, { cwd, home, ours }, isOwnTool)) return null;
    const reasons = [`${isOwnTool ? 'it' : 'an argument'} names what belongs to aish itself`];
    if (isOwnTool && call.effect === 'read')
      return { class: 'read-only', decision: 'ask', reasons, floors: [], cwd, rule: "aish's own files" };
    return toRefused(reasons[0] ?? '', 'D3', cwd);
  }

  /** The paths among the arguments of a tool, absolute. */
  #pathsOf(args: JsonObject, { cwd, home }: Pick<LineGround, 'cwd' | 'home'>, isOwnTool: boolean): readonly string[] {
    const written = isOwnTool
      ? [args.path].filter((path) => typeof path === 'string')
      : (findPathArguments(args) ?? []);
    return written.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, home)));
  }

  #namesOwn(
    args: JsonObject,
    { cwd, home, ours }: Pick<LineGround, 'cwd' | 'home'> & { readonly ours: OwnGround },
    isOwnTool: boolean,
  ): boolean {
    const paths = this.#pathsOf(args, { cwd, home }, isOwnTool);
    const known = withLinks(ours, paths);
    const owned = [...known.paths, ...known.program];
    return paths.some((path) => touchOf(path, owned, false) === 'own') || (!isOwnTool && namesSocket(args, ours));
  }

  /** Whether the shell that runs the line may read it otherwise than it is judged. */
  async mayDiffer(line: string, { redefined }: LineGround): Promise<boolean> {
    if (this.#parts.shell() !== 'zsh') return false;
    const { mayDifferInZsh } = await import('../../core/gate/zsh-only.ts');
    // Its global aliases hold for every word.
    return mayDifferInZsh(line) || line.split(/\s+/).some((word, at) => at > 0 && redefined?.has(word) === true);
  }

  async #propose({ judgement, rule }: Ruling, rules: CommandRules, ground: LineGround) {
    // What a rule asks about is to be asked about.
    if (judgement === null || rule !== null) return null;
    const { proposeRules } = await import('../../core/gate/propose.ts');
    return proposeRules(judgement, rules.approve, ground);
  }

  /** A server's command runs who knows where: the floor holds for it, and the rest is what its tool is approved for. */
  async #judgeArguments(call: ToolCall, ground: LineGround): Promise<JudgedCommand | null> {
    if (call.name.startsWith('aish.')) return null;
    const { judgeArguments } = await import('../../core/gate/tool-rules.ts');
    const found = objectsIn(call.arguments).flatMap((args) => judgeArguments(args, ground) ?? []);
    const judgement = found.find(({ decision }) => decision === 'deny') ?? found[0];
    if (judgement === undefined) return null;
    const decision = judgement.decision === 'deny' ? 'deny' : 'ask';
    const rule = decision === 'deny' ? `floor ${judgement.floors.join(', ')}` : null;
    return toJudged({ decision, rule, judgement }, ground.cwd);
  }
}

/** An address that leads to a socket of ours: `unix:/run/…`, `http+unix://%2Frun…`. */
function namesSocket(args: JsonObject, { paths }: OwnGround): boolean {
  const addresses = objectsIn(args)
    .flatMap((one) => Object.values(one).flat())
    .filter((value): value is string => typeof value === 'string' && /^[a-z+]*unix[a-z+]*:/i.test(value));
  return addresses.some((address) => paths.some((path) => address.replace(/%2f/gi, '/').includes(path)));
}

/** The command line of a call for the shared shell. */
export function commandOf(call: Pick<ToolCall, 'arguments'>): string {
  return String(call.arguments.command ?? '');
}

/** The ground of another directory. */
export function groundAt<Place extends LineGround>(ground: Place, cwd: string): Place {
  return cwd === ground.cwd ? ground : { ...ground, cwd, project: projectAround(cwd, ground.home) };
}

/** The arguments, and every object within them. */
function objectsIn(value: Json): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

function toJudged({ decision, rule, judgement }: Ruling, cwd: string): JudgedCommand {
  const { reasons, floors }: Pick<Judgement, 'reasons' | 'floors'> = judgement ?? { reasons: [], floors: [] };
  const isFloor = rule?.startsWith('floor ') === true;
  return {
    class: judgement?.class ?? 'unparseable',
    decision,
    reasons,
    floors: decision === 'deny' && isFloor ? floors : [],
    cwd,
    ...(rule === null ? {} : { rule }),
  };
}

function toRefused(reason: string, floor: Floor, cwd: string): JudgedCommand {
  return { class: 'destructive', decision: 'deny', reasons: [reason], floors: [floor], cwd, rule: `floor ${floor}` };
}

/** Judged as bash reads it, and to be run by a shell that may read it otherwise: whatever it is, it is asked. */
function toUnsure({ judgement }: Ruling, cwd: string): JudgedCommand {
  const judged = toJudged({ decision: 'ask', rule: null, judgement }, cwd);
  return { ...judged, class: 'unparseable', reasons: ['zsh may read it otherwise than it looks', ...judged.reasons] };
}
