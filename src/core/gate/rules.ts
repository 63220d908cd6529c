import { goesBeyond } from './beyond-rule.ts';
import { find } from './findings.ts';
import { BY_SCRIPT } from './grammars/sed.ts';
import type { LineGround } from './judge-line.ts';
import { judgeLine } from './judge-line.ts';
import { judgeOrdinary } from './ordinary-use.ts';
import { hasPlainOptions } from './plain-options.ts';
import { isApprovable, matchesAnywhere, matchesStart, readPrefix } from './prefix.ts';
import { FOR_EACH } from './programs/find.ts';
import { isQuestioned, judgeArguments, matchTool } from './tool-rules.ts';
import { type Decision, isWithin, type Judgement, type Part } from './verdict.ts';

/** Whether what no rule names is asked, or judged by what it does. */
export type GateMode = 'ask' | 'autonomous';

/** Rules as the person or a project writes them. */
export interface Rules {
  readonly mcp?: {
    /** `alias.tool` or `alias.*`; only the value true approves. */
    readonly auto_approve?: Readonly<Record<string, unknown>>;
    readonly ask?: Readonly<Record<string, unknown>>;
    readonly deny?: Readonly<Record<string, unknown>>;
    /** The hash of a tool's definition when it was approved. */
    readonly pinned?: Readonly<Record<string, unknown>>;
  };
  /** Prefixes of commands: whole words, from the first. */
  readonly shell?: {
    readonly approve?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
  /** Rules of a project that nobody trusts yet may only tighten. */
  readonly source?: string;
}

/** A call that rules decide. */
export type RuledCall =
  | { readonly kind: 'cmd'; readonly cmd: string }
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
      /** Hash of name, description and schema now. */
      readonly definition?: string;
    };

/** What the rules say, and which of them said it. */
export interface Ruling {
  readonly decision: Decision;
  /** The rule that decided; null where the default did. */
  readonly rule: string | null;
  /** What the command does; null for a tool. */
  readonly judgement: Judgement | null;
}

/** Decides a call: the floor first, then deny, ask and approve, and the mode's default. Strictest wins. */
export function rule(mode: GateMode, rules: Rules, call: RuledCall, ground: LineGround): Ruling {
  return call.kind === 'cmd' ? ruleCommand(mode, rules, call.cmd, ground) : ruleTool(rules, call, ground);
}

function ruleCommand(mode: GateMode, rules: Rules, line: string, ground: LineGround): Ruling {
  const judgement = judgeLine(line, ground);
  const say = (decision: Decision, from: string | null): Ruling => ({ decision, rule: from, judgement });
  if (isRefused(judgement, mode)) return say('deny', `floor ${judgement.floors.join(', ')}`);
  const hit = (prefixes: readonly string[] = []) =>
    prefixes.find((prefix) => judgement.parts.some((part) => matchesAnywhere(readPrefix(prefix), part.words)));
  const denied = hit(rules.shell?.deny);
  if (denied !== undefined) return say('deny', denied);
  const asked = hit(rules.shell?.ask);
  if (asked !== undefined) return say('ask', asked);
  const approvals = rules.source === 'project' ? [] : (rules.shell?.approve ?? []);
  const approved = approvedBy(judgement, approvals, mode, ground);
  if (approved !== null) return say('allow', approved);
  return say(mode === 'autonomous' ? judgement.decision : 'ask', null);
}

/** In ask mode a person sees the whole of what an option or a variable would start, and may say yes to it. */
function isRefused(judgement: Judgement, mode: GateMode): boolean {
  const denied = judgement.parts.flatMap((part) => part.findings).filter((finding) => finding.decision === 'deny');
  return mode === 'ask' ? denied.some((finding) => finding.mayBeAsked !== true) : denied.length > 0;
}

/** The rules that cover every command of a line together; null where one is not covered, or where no rule has a part in it. */
function approvedBy(
  judgement: Judgement,
  prefixes: readonly string[],
  mode: GateMode,
  ground: LineGround,
): string | null {
  if (judgement.class === 'unparseable') return null;
  const used: string[] = [];
  for (const part of judgement.parts) {
    const isHarmless = part.findings.every((finding) => finding.decision === 'allow');
    const cover = part.words.length === 0 ? undefined : prefixes.find((prefix) => covers(prefix, part, ground));
    if (cover !== undefined) used.push(cover);
    else if (!isHarmless || (mode === 'ask' && part.words.length > 0)) return null;
  }
  return used.length === 0 ? null : [...new Set(used)].join(', ');
}

/** True when a rule approves one command: its words begin so, and it does no more than the bare prefix would, or is for. */
export function covers(prefix: string, part: Part, ground: LineGround): boolean {
  const words = readPrefix(prefix);
  if (!isApprovable(words) || !part.plain || !matchesStart(words, part.words)) return false;
  if (goesBeyond(words, part, ground) || !hasPlainOptions(words, part.words)) return false;
  const { bare, ceiling } = judgeOrdinary(words, ground);
  const isSecret = (findings: Part['findings']) => findings.some((one) => one.reason.startsWith('prints credentials'));
  // Code that the line does not show is as grave as the class of what shows it, whatever it does: the bare prefix must have run some too.
  const isOpaque = (findings: Part['findings']) =>
    findings.some((one) => one.reason === FOR_EACH || one.reason.startsWith(find('runs').reason));
  if (part.findings.some((one) => one.reason.endsWith(BY_SCRIPT))) return false;
  if (isOpaque(part.findings) && !bare.parts.some((one) => isOpaque(one.findings))) return false;
  return (
    part.findings.every((finding) => isWithin(finding.class, ceiling)) &&
    (!isSecret(part.findings) || bare.parts.some((one) => isSecret(one.findings)))
  );
}

function ruleTool(rules: Rules, call: Extract<RuledCall, { kind: 'tool' }>, ground: LineGround): Ruling {
  const say = (decision: Decision, from: string | null): Ruling => ({ decision, rule: from, judgement: null });
  const judged = judgeArguments(call.args, ground);
  if (judged?.decision === 'deny')
    return { decision: 'deny', rule: `floor ${judged.floors.join(', ')}`, judgement: judged };
  const denied = matchTool(rules.mcp?.deny, call.name);
  if (denied !== null && rules.mcp?.deny?.[denied] !== false) return say('deny', denied);
  const asked = matchTool(rules.mcp?.ask, call.name);
  if (asked !== null && rules.mcp?.ask?.[asked] !== false) return say('ask', asked);
  if (rules.source === 'project') return say('ask', null);
  const approved = matchTool(rules.mcp?.auto_approve, call.name);
  if (approved === null || rules.mcp?.auto_approve?.[approved] !== true) return say('ask', approved);
  return isQuestioned(rules.mcp?.pinned, call) ? say('ask', 'its definition has changed') : say('allow', approved);
}
