import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, CommandDecision, ProposedRule, ToolCall } from '../../protocol/tool.ts';

/** Names, in the log and on the screen, of the rules by which aish asks although another rule allows the call. */
export const GUARD_RULES = {
  untrusted: 'untrusted content',
  notUndoable: 'cannot be undone',
  givesSecret: 'gives a secret',
  otherDefinition: 'changed definition',
  outside: 'outside the project',
  hook: 'hook',
} as const;

/** The decision of the rules about a call, with the deciding rule. */
export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The deciding rule; `default` if there is none. */
  readonly rule: string;
  /** The rule that would allow the call, if another rule did not require an approval. */
  readonly held?: string;
}

/** The facts about a call that a decision depends on. */
type PolicyContext = Pick<CallPreview, 'undoable' | 'foreign' | 'decided' | 'taint' | 'secrets' | 'definition' | 'hook' | 'skill'>;

/** Whether a call is a command line of the shared shell, for which only command rules apply. */
export function isCommand(call: Pick<ToolCall, 'effect' | 'origin'>): boolean {
  return call.effect === 'exec' || call.origin === 'command-line';
}

/** The name of the rules proposed for a command, by which a user accepts them. */
export function nameProposal(proposal: readonly ProposedRule[]): string {
  return proposal.map(({ prefix }) => prefix).join(', ');
}

/** A step of a decision: its verdict, or null to continue with the next step. */
type Step = (call: ToolCall, settings: Settings, context: PolicyContext) => Verdict | null;

/** A reason to ask although a rule allows the call, as the name of a rule; null if it does not apply. */
type Guard = (call: ToolCall, settings: Settings, context: PolicyContext) => string | null;

/** Steps that deny, whatever other rules allow. */
const DENIALS: readonly Step[] = [deniedByGate, deniedByToolRule];

/** Steps that decide; the first verdict wins, and the last step always has one. */
const RULES: readonly Step[] = [byCommandRule, byToolRule, byShownOutput, bySkill];

/** Guards that ask regardless of the rules; the verdict names the first. */
const GUARDS: readonly Guard[] = [askedByHook, askedByToolRule, guardsFile, cannotBeUndone];

/** Guards that ask if the rules allow the call and no earlier guard asks. */
const LAST_GUARDS: readonly Guard[] = [followsUntrustedContent, injectsSecret];

/**
 * Decides a call. Built-in denials and deny rules come first. Then a command needs a command rule, and a tool follows its most specific
 * rule, else the approval mode; the default is to ask. A guard turns an approval into a question.
 */
export function applyRules(call: ToolCall, settings: Settings, context: PolicyContext): Verdict {
  const denied = firstOf(DENIALS, call, settings, context);
  if (denied !== null) return denied;
  const verdict = firstOf(RULES, call, settings, context) ?? byMode(call, settings, context);
  const guard = firstOf(GUARDS, call, settings, context);
  if (guard !== null) return ask(guard, verdict);
  const last = verdict.decision === 'allow' ? firstOf(LAST_GUARDS, call, settings, context) : null;
  return last === null ? verdict : ask(last, verdict);
}

function firstOf<T>(steps: readonly ((...given: Parameters<Step>) => T | null)[], ...given: Parameters<Step>): T | null {
  for (const step of steps) {
    const found = step(...given);
    if (found !== null) return found;
  }
  return null;
}

/** Asks because of a rule, although another rule allows the call. */
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

function askedByHook(_call: ToolCall, _settings: Settings, { hook }: PolicyContext): string | null {
  return hook === undefined ? null : GUARD_RULES.hook;
}

function askedByToolRule({ name }: ToolCall, { tools }: Settings): string | null {
  return ruleFor(name, tools?.ask);
}

function ruleFor(name: string, rules: readonly string[] = []): string | null {
  const keys = keysFor(name);
  return rules.find((rule) => keys.includes(rule)) ?? null;
}

/** The rules that cover a tool, the most specific first; none for a name without an alias or a tool. */
function keysFor(name: string): readonly string[] {
  return /^[^.]+\../.test(name) ? [name, `${aliasOf(name)}.*`] : [];
}

function aliasOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** A tool that reads aish's own files, or that names a guarded file to a server, always needs an approval. */
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

/** A read-only command needs no undo. */
function byCommandRule(call: ToolCall, _settings: Settings, { decided, undoable }: PolicyContext): Verdict | null {
  if (!isCommand(call)) return null;
  if (decided?.autoRun === true) return { decision: 'allow', rule: 'read-only, in the sandbox' };
  const rule = decided?.rule ?? 'default';
  if (decided?.decision !== 'allow') return { decision: 'ask', rule };
  return mayHold(decided, undoable) ? { decision: 'allow', rule } : { decision: 'ask', rule: GUARD_RULES.notUndoable, held: rule };
}

function byToolRule({ name }: ToolCall, { autoApprove }: Settings, { definition }: PolicyContext): Verdict | null {
  const rule = keysFor(name).find((one) => Object.hasOwn(autoApprove, one));
  if (rule === undefined) return null;
  const approved = autoApprove[rule] === true;
  // A rule applies to the tool definition it was made for, not to a later one of the same name.
  if (approved && definition === 'moved') return { decision: 'ask', rule: GUARD_RULES.otherDefinition, held: rule };
  return { decision: approved ? 'allow' : 'ask', rule };
}

/** The tool reads only output that the model has already seen in part; private output has no handle. */
function byShownOutput({ name, effect }: ToolCall): Verdict | null {
  return name === 'aish.output' && effect === 'read' ? { decision: 'allow', rule: 'output already shown' } : null;
}

/** The user trusts the skill, so the model may read it. */
function bySkill(_call: ToolCall, _settings: Settings, { skill }: PolicyContext): Verdict | null {
  return skill === true ? { decision: 'allow', rule: 'file of a skill' } : null;
}

/** `read-only` trusts only built-in tools, because the claim that a tool only reads comes from its server. */
function byMode({ name, effect }: ToolCall, { approve }: Settings, { foreign }: PolicyContext): Verdict {
  if (approve === 'all') return { decision: 'allow', rule: 'approve all' };
  const reads = approve === 'read-only' && effect === 'read' && aliasOf(name) === 'aish';
  const verdict: Verdict = reads ? { decision: 'allow', rule: 'approve read-only' } : { decision: 'ask', rule: 'default' };
  return foreign && approve === 'read-only' ? ask(GUARD_RULES.outside, verdict) : verdict;
}

/** Whether a command rule applies, depending on whether the change can be undone. */
export function mayHold(decided: Pick<CommandDecision, 'class'>, undoable: boolean): boolean {
  return undoable || decided.class === 'read-only';
}
