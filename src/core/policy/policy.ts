import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, CommandDecision, ProposedRule, ToolCall } from '../../protocol/tool.ts';

/** Names of the rules by which aish asks although another rule allows the call, in the log and on the screen. */
export const GUARD_RULES = {
  untrusted: 'untrusted content',
  notUndoable: 'cannot be undone',
  givesSecret: 'gives a secret',
  otherDefinition: 'changed definition',
  outside: 'outside the project',
} as const;

/** What the rules say about a call, and which rule said it. */
export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The rule that decided; `default` when none did. */
  readonly rule: string;
  /** The rule that would have allowed it, were it not for the one that asks. */
  readonly held?: string;
}

/** What a call would do, as far as a decision needs to know. */
type PolicyContext = Pick<CallPreview, 'undoable' | 'foreign' | 'decided' | 'taint' | 'secrets' | 'definition'>;

/** True for a call that is a command line of the shared shell, and so goes by the rules for commands alone. */
export function isCommand(call: Pick<ToolCall, 'effect' | 'origin'>): boolean {
  return call.effect === 'exec' || call.origin === 'command-line';
}

/** The name by which a user agrees to the rules that are proposed for a command. */
export function nameProposal(proposal: readonly ProposedRule[]): string {
  return proposal.map(({ prefix }) => prefix).join(', ');
}

/** A step of a decision: what it says of a call, or null where the next step is to say it. */
type Step = (call: ToolCall, settings: Settings, context: PolicyContext) => Verdict | null;

/** Names the rule for which a user is asked although another rule allows the call; null where it does not apply. */
type Guard = (call: ToolCall, settings: Settings, context: PolicyContext) => string | null;

/** What no rule allows. */
const DENIALS: readonly Step[] = [deniedByGate, deniedByToolRule];

/** What the rules say; the first step that knows decides, and the mode always does. */
const RULES: readonly Step[] = [byCommandRule, byToolRule, byShownOutput];

/** Each asks, whatever the rules say; the verdict names the first. */
const GUARDS: readonly Guard[] = [askedByToolRule, guardsFile, cannotBeUndone];

/** Each asks where the rules allow the call, and no guard before it asks. */
const LAST_GUARDS: readonly Guard[] = [followsUntrustedContent, injectsSecret];

/**
 * Finds the rule that decides a call. The gate and the rules that deny come first. Then the rules decide: a command runs by a rule for
 * commands alone, a tool by the most specific rule for it, else by the mode, and asking is the default. A guard turns an approval into a
 * question.
 */
export function applyRules(call: ToolCall, settings: Settings, context: PolicyContext): Verdict {
  const denied = firstOf(DENIALS, call, settings, context);
  if (denied !== null) return denied;
  const verdict = firstOf(RULES, call, settings, context) ?? byMode(call, settings, context);
  const guard = guardOf(GUARDS, call, settings, context);
  if (guard !== null) return ask(guard, verdict);
  const last = verdict.decision === 'allow' ? guardOf(LAST_GUARDS, call, settings, context) : null;
  return last === null ? verdict : ask(last, verdict);
}

function firstOf(steps: readonly Step[], ...given: Parameters<Step>): Verdict | null {
  for (const step of steps) {
    const verdict = step(...given);
    if (verdict !== null) return verdict;
  }
  return null;
}

function guardOf(guards: readonly Guard[], ...given: Parameters<Guard>): string | null {
  for (const guard of guards) {
    const rule = guard(...given);
    if (rule !== null) return rule;
  }
  return null;
}

/** Asks by a rule although another would have let the call run. */
function ask(rule: string, verdict: Verdict): Verdict {
  const held = verdict.decision === 'allow' ? verdict.rule : verdict.held;
  return { decision: 'ask', rule, ...(held === undefined ? {} : { held }) };
}

function deniedByGate(_call: ToolCall, _settings: Settings, { decided }: PolicyContext): Verdict | null {
  return decided?.decision === 'deny' ? { decision: 'deny', rule: decided.rule ?? 'built-in rule' } : null;
}

function deniedByToolRule({ name }: ToolCall, { tools }: Settings): Verdict | null {
  const rule = ruleFor(name, tools?.deny);
  return rule === null ? null : { decision: 'deny', rule };
}

function askedByToolRule({ name }: ToolCall, { tools }: Settings): string | null {
  return ruleFor(name, tools?.ask);
}

function ruleFor(name: string, rules: readonly string[] = []): string | null {
  return rules.find((rule) => rule === name || rule === `${aliasOf(name)}.*`) ?? null;
}

function aliasOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** A tool that reads our own files, or names to a server what acts later: no mode and no rule lets that pass unseen. */
function guardsFile(call: ToolCall, _settings: Settings, { decided }: PolicyContext): string | null {
  return !isCommand(call) && decided?.decision === 'ask' ? (decided.rule ?? null) : null;
}

function cannotBeUndone(call: ToolCall, _settings: Settings, { undoable }: PolicyContext): string | null {
  return !isCommand(call) && call.effect !== 'read' && !undoable ? GUARD_RULES.notUndoable : null;
}

function followsUntrustedContent(_call: ToolCall, _settings: Settings, { taint }: PolicyContext): string | null {
  return taint === undefined ? null : GUARD_RULES.untrusted;
}

function injectsSecret(_call: ToolCall, _settings: Settings, { secrets = [] }: PolicyContext): string | null {
  return secrets.some(({ rule }) => rule === undefined) ? GUARD_RULES.givesSecret : null;
}

/** A command that only reads needs no undo. */
function byCommandRule(call: ToolCall, _settings: Settings, { decided, undoable }: PolicyContext): Verdict | null {
  if (!isCommand(call)) return null;
  if (decided?.autoRun === true) return { decision: 'allow', rule: 'read-only, in the sandbox' };
  const rule = decided?.rule ?? 'default';
  if (decided?.decision !== 'allow') return { decision: 'ask', rule };
  return mayHold(decided, undoable) ? { decision: 'allow', rule } : { decision: 'ask', rule: GUARD_RULES.notUndoable, held: rule };
}

function byToolRule({ name }: ToolCall, { autoApprove }: Settings, { definition }: PolicyContext): Verdict | null {
  const rule = [name, `${aliasOf(name)}.*`].find((one) => Object.hasOwn(autoApprove, one));
  if (rule === undefined) return null;
  const approved = autoApprove[rule] === true;
  // A rule is for what the tool was when it began to hold, not for whatever goes by its name.
  if (approved && definition === 'moved') return { decision: 'ask', rule: GUARD_RULES.otherDefinition, held: rule };
  return { decision: approved ? 'allow' : 'ask', rule };
}

/** It reads only what an earlier request or result has shown a part of; what is private has no handle. */
function byShownOutput({ name, effect }: ToolCall): Verdict | null {
  return name === 'aish.output' && effect === 'read' ? { decision: 'allow', rule: 'output already shown' } : null;
}

/** `read-only` trusts only our own tools: a server's word that a tool only reads is the server's, not ours. */
function byMode({ name, effect }: ToolCall, { approve }: Settings, { foreign }: PolicyContext): Verdict {
  if (approve === 'all') return { decision: 'allow', rule: 'approve all' };
  const reads = approve === 'read-only' && effect === 'read' && aliasOf(name) === 'aish';
  const verdict: Verdict = reads ? { decision: 'allow', rule: 'approve read-only' } : { decision: 'ask', rule: 'default' };
  return foreign && approve === 'read-only' ? ask(GUARD_RULES.outside, verdict) : verdict;
}

/** Whether a rule for a command can hold where the change it makes can, or cannot, be undone. */
export function mayHold(decided: Pick<CommandDecision, 'class'>, undoable: boolean): boolean {
  return undoable || decided.class === 'read-only';
}
