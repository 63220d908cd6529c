import type { Settings } from '../protocol/settings.ts';
import type { CallPreview, JudgedCommand, ProposedRule, ToolCall } from '../protocol/tool.ts';
import { joinReasons } from './gate/join-reasons.ts';

/** What the rules say about a call, and which rule said it. */
export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The rule that decided; `default` when none did. */
  readonly rule: string;
  /** The rule that would have allowed it, were it not for the one that asks. */
  readonly held?: string;
}

/** What a call would do, as far as a decision needs to know. */
export type PolicyGround = Pick<CallPreview, 'undoable' | 'foreign' | 'judged' | 'taint' | 'secrets' | 'definition'>;

/** True for a call that is a command line of the shared shell, and so goes by the rules for commands alone. */
export function isCommand(call: Pick<ToolCall, 'effect' | 'origin'>): boolean {
  return call.effect === 'exec' || call.origin === 'command-line';
}

/** The name by which a person agrees to the rules that are proposed for a command. */
export function nameProposal(proposal: readonly ProposedRule[]): string {
  return proposal.map(({ prefix }) => prefix).join(', ');
}

/**
 * Finds the rule that decides a call. What the gate refuses is refused. A command runs unasked only by a rule for commands; for a tool the
 * most specific rule wins and only the value true approves. Asking is the default, and what a change that no checkpoint can undo gets.
 * What reaches out is asked, whatever allows it, when the model has read text of others; and so is what no rule hands a secret to.
 */
export function judge(call: ToolCall, settings: Settings, ground: PolicyGround): Verdict {
  const verdict = judgeByRules(call, settings, ground);
  if (verdict.decision !== 'allow') return verdict;
  if (ground.taint !== undefined) return { decision: 'ask', rule: 'text of others', held: verdict.rule };
  const isHanded = ground.secrets?.some(({ rule }) => rule === undefined) === true;
  return isHanded ? { decision: 'ask', rule: 'hands over a secret', held: verdict.rule } : verdict;
}

function judgeByRules(call: ToolCall, settings: Settings, ground: PolicyGround): Verdict {
  const { judged, undoable, foreign } = ground;
  if (judged?.decision === 'deny') return { decision: 'deny', rule: judged.rule ?? 'floor' };
  const strict = judgeByToolRules(call, settings);
  if (strict?.decision === 'deny') return strict;
  if (strict !== null) {
    const { tools: _, ...plain } = settings;
    return hold(strict.rule, judgeByRules(call, plain, ground));
  }
  if (isCommand(call)) return judgeCommand(judged, undoable);
  // A tool that reads our own files, or names to a server what acts later: no mode and no rule lets that pass unseen.
  if (judged?.decision === 'ask' && judged.rule !== undefined) {
    const { judged: _, ...unjudged } = ground;
    return hold(judged.rule, judgeByRules(call, settings, unjudged));
  }
  if (call.effect !== 'read' && !undoable)
    return hold('cannot be undone', judgeByRules(call, settings, { ...ground, undoable: true }));
  const alias = call.name.slice(0, call.name.indexOf('.'));
  for (const rule of [call.name, `${alias}.*`]) {
    if (!Object.hasOwn(settings.autoApprove, rule)) continue;
    const approved = settings.autoApprove[rule] === true;
    // A rule is for what the tool was when it began to hold, not for whatever goes by its name.
    if (approved && ground.definition === 'moved') return { decision: 'ask', rule: 'another definition', held: rule };
    return { decision: approved ? 'allow' : 'ask', rule };
  }
  // It reads only what an earlier request or result has shown a part of; what is private has no handle.
  if (call.name === 'aish.output' && call.effect === 'read') return { decision: 'allow', rule: 'shown already' };
  if (foreign && settings.approve === 'read-only')
    return hold('outside of the work tree', judgeByMode(call, alias, settings));
  return judgeByMode(call, alias, settings);
}

/** Asks by a rule although another would have let the call run. */
function hold(rule: string, otherwise: Verdict): Verdict {
  return otherwise.decision === 'allow'
    ? { decision: 'ask', rule, held: otherwise.rule }
    : { ...otherwise, decision: 'ask', rule };
}

/** What is to be refused or asked is so whatever approves it. */
function judgeByToolRules({ name }: ToolCall, { tools }: Settings): Verdict | null {
  const star = `${name.slice(0, name.indexOf('.'))}.*`;
  const find = (rules: readonly string[] = []) => rules.find((rule) => rule === name || rule === star);
  const denied = find(tools?.deny);
  if (denied !== undefined) return { decision: 'deny', rule: denied };
  const asked = find(tools?.ask);
  return asked === undefined ? null : { decision: 'ask', rule: asked };
}

/** A command that only looks needs nothing to be undone. */
function judgeCommand(judged: JudgedCommand | undefined, undoable: boolean): Verdict {
  if (judged?.unasked === true) return { decision: 'allow', rule: 'only looks, in the sandbox' };
  if (judged?.decision !== 'allow') return { decision: 'ask', rule: judged?.rule ?? 'default' };
  if (!mayHold(judged, undoable)) return { decision: 'ask', rule: 'cannot be undone', held: judged.rule ?? 'default' };
  return { decision: 'allow', rule: judged.rule ?? 'default' };
}

/** Whether a rule for a command can hold where the change it makes can, or cannot, be undone. */
export function mayHold(judged: Pick<JudgedCommand, 'class'>, undoable: boolean): boolean {
  return undoable || judged.class === 'read-only';
}

/** `read-only` trusts only our own tools: a server's word that a tool only reads is the server's, not ours. */
function judgeByMode(call: ToolCall, alias: string, settings: Settings): Verdict {
  if (settings.approve === 'all') return { decision: 'allow', rule: 'approve all' };
  if (settings.approve === 'read-only' && call.effect === 'read' && alias === 'aish') {
    return { decision: 'allow', rule: 'approve read-only' };
  }
  return { decision: 'ask', rule: 'default' };
}

/** What the model reads of a call that the gate refused. */
export function formatRefusal(
  { judged, path }: Pick<CallPreview, 'judged' | 'path'>,
  rule = judged?.rule ?? '',
): string {
  const reasons = joinReasons(judged?.reasons.slice(0, 3) ?? []);
  if (judged === undefined || judged.floors.length === 0)
    return `[aish] not run: the rule "${rule}" denies this. Do not try it in another form; go another way or ask.`;
  const [what, deed] = path === undefined ? ['command', 'run'] : ['call', 'do'];
  return `[aish] not run: this ${what} is refused whatever the rules say (${judged.floors.join(', ')}: ${reasons}). Do not try it in another form; go another way or ask the person to ${deed} it.`;
}
