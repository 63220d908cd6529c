import type { LineGround } from '../core/gate/judge-line.ts';
import type { Ruling } from '../core/gate/rules.ts';
import type { Judgement } from '../core/gate/verdict.ts';
import { isCommand } from '../core/policy.ts';
import { NO_COMMAND_RULES } from '../core/session/state.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import type { CommandRules, Unasked } from '../protocol/settings.ts';
import type { JudgedCommand, ToolCall } from '../protocol/tool.ts';
import { projectAround } from './project-around.ts';
import type { SandboxSeat } from './sandbox-seat.ts';
import type { ShellSeat } from './shell-seat.ts';

/** What the gate stands on. */
export interface CommandGateParts {
  readonly seat: Pick<ShellSeat, 'shell' | 'start' | 'placeNow'>;
  /** Where commands run apart; without one none runs unasked. */
  readonly sandbox?: Pick<SandboxSeat, 'mayRun'>;
  /** The person's home directory. */
  readonly home: string;
  /** Name of the shell that runs lines, such as `zsh`. */
  readonly shell: () => string;
}

/** Judges the commands that calls carry, for the place where they would run and the names that the live shell has. */
export class CommandGate {
  readonly #parts: CommandGateParts;

  constructor(parts: CommandGateParts) {
    this.#parts = parts;
  }

  /** What the gate says of a call; null for one that carries no command. */
  async judge(
    call: ToolCall,
    rules: CommandRules = NO_COMMAND_RULES,
    unasked: Unasked = 'none',
  ): Promise<JudgedCommand | null> {
    if (!isCommand(call)) return call.name.startsWith('aish.') ? null : this.#judgeArguments(call);
    const line = commandOf(call);
    const { sandbox } = this.#parts;
    const judged = await this.judgeLine(line, rules);
    const looks = unasked === 'read-only' && sandbox !== undefined && (await this.#onlyLooks(line, rules));
    if (judged.decision !== 'allow' && !looks) return judged;
    // Startup files may give a name another meaning, or go elsewhere: what would run unasked is judged where it runs.
    const shell = await this.#parts.seat.start();
    await shell.atRest();
    const again = await this.judgeLine(line, rules);
    if (!looks || again.decision !== 'ask' || !(await this.#onlyLooks(line, rules, sandbox))) return again;
    const { proposal: _, ...plain } = again;
    return { ...plain, unasked: true };
  }

  /** Whether no rule names a line and it does nothing but look; with a sandbox, whether it comes to the same in there. */
  async #onlyLooks(line: string, rules: CommandRules, sandbox?: Pick<SandboxSeat, 'mayRun'>): Promise<boolean> {
    const { rule } = await import('../core/gate/rules.ts');
    const ground = await this.ground();
    const ruling = rule('autonomous', { shell: rules }, { kind: 'cmd', cmd: line }, ground);
    const { judgement, decision } = ruling;
    if (decision !== 'allow' || ruling.rule !== null || judgement?.class !== 'read-only') return false;
    if (await this.mayDiffer(line, ground)) return false;
    return sandbox === undefined || sandbox.mayRun(line, judgement, ground);
  }

  /** Judges a line by the rules, as if it were to run in the shared shell now. */
  async judgeLine(line: string, rules: CommandRules): Promise<JudgedCommand> {
    const { rule } = await import('../core/gate/rules.ts');
    const ground = await this.ground();
    const ruling = rule('ask', { shell: rules }, { kind: 'cmd', cmd: line }, ground);
    if (ruling.decision !== 'deny' && (await this.mayDiffer(line, ground))) return toUnsure(ruling, ground.cwd);
    const proposal = ruling.decision === 'ask' ? await this.#propose(ruling, rules, ground) : null;
    return { ...toJudged(ruling, ground.cwd), ...(proposal === null ? {} : { proposal }) };
  }

  /** Where a line would run now. */
  async ground(): Promise<LineGround> {
    const { seat, home } = this.#parts;
    const { shell } = seat;
    const cwd = seat.placeNow();
    await shell?.lookups.settled();
    const redefined = shell?.lookups.redefined;
    return { cwd, home, project: projectAround(cwd, home), ...(redefined === undefined ? {} : { redefined }) };
  }

  /** Whether the shell that runs the line may read it otherwise than it is judged. */
  async mayDiffer(line: string, { redefined }: LineGround): Promise<boolean> {
    if (this.#parts.shell() !== 'zsh') return false;
    const { mayDifferInZsh } = await import('../core/gate/zsh-only.ts');
    // Its global aliases hold for every word.
    return mayDifferInZsh(line) || line.split(/\s+/).some((word, at) => at > 0 && redefined?.has(word) === true);
  }

  async #propose({ judgement, rule }: Ruling, rules: CommandRules, ground: LineGround) {
    // What a rule asks about is to be asked about.
    if (judgement === null || rule !== null) return null;
    const { proposeRules } = await import('../core/gate/propose.ts');
    return proposeRules(judgement, rules.approve, ground);
  }

  /** A server's command runs who knows where: the floor holds for it, and the rest is what its tool is approved for. */
  async #judgeArguments(call: ToolCall): Promise<JudgedCommand | null> {
    const { judgeArguments } = await import('../core/gate/tool-rules.ts');
    const ground = await this.ground();
    const found = objectsIn(call.arguments).flatMap((args) => judgeArguments(args, ground) ?? []);
    const judgement = found.find(({ decision }) => decision === 'deny') ?? found[0];
    if (judgement === undefined) return null;
    const decision = judgement.decision === 'deny' ? 'deny' : 'ask';
    const rule = decision === 'deny' ? `floor ${judgement.floors.join(', ')}` : null;
    return toJudged({ decision, rule, judgement }, ground.cwd);
  }
}

/** The command line of a call for the shared shell. */
export function commandOf(call: Pick<ToolCall, 'arguments'>): string {
  return String(call.arguments.command ?? '');
}

/** The ground of another directory. */
export function groundAt(ground: LineGround, cwd: string): LineGround {
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

/** Judged as bash reads it, and to be run by a shell that may read it otherwise: whatever it is, it is asked. */
function toUnsure({ judgement }: Ruling, cwd: string): JudgedCommand {
  const judged = toJudged({ decision: 'ask', rule: null, judgement }, cwd);
  return { ...judged, class: 'unparseable', reasons: ['zsh may read it otherwise than it looks', ...judged.reasons] };
}
