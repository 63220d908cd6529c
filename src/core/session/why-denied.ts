import type { EventOf } from '../../protocol/event.ts';
import type { DenialCode } from '../../protocol/op.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { applyRules, GUARD_RULES, isCommand, type Verdict } from '../policy/policy.ts';
import { DENIALS, DENIED_AFTER_HALT, formatNotApproved } from './messages-denied.ts';
import type { SessionClient } from './session-client.ts';
import { askedCall } from './state.ts';
import { formatCallTaint } from './taint-state.ts';

/** Why a call is denied without a user to ask. */
export interface Denial {
  readonly code: DenialCode;
  /** For the model and the log; absent if the only reason is that nobody approved it. */
  readonly reason?: string;
  /** For the user, with the next step. */
  readonly text: string;
}

/** Denies a call of which no user can be asked, and says why; null if the session waits for another call by now. */
export function denyWithoutUser(client: SessionClient, { callId, preview }: EventOf<'approval.requested'>): Denial | null {
  const asked = askedCall(client.state)?.call;
  const denial = asked?.id === callId ? whyDenied(asked, client.state, preview) : null;
  const { text: _, ...why } = denial ?? { text: '' };
  const decision = { type: 'deny', ...why } as const;
  void client.submit({ type: 'decide', callId, decision, by: 'headless' });
  return denial;
}

/** Why a call that needs approval is denied without a user; null if the settings require no approval. */
export function whyDenied(
  call: ToolCall,
  { settings, halted }: { readonly settings: Settings; readonly halted?: true },
  preview: CallPreview,
): Denial | null {
  const { decision, ...verdict } = applyRules(call, settings, preview);
  if (decision !== 'ask') return null;
  if (verdict.held !== undefined) {
    const reason = describe(verdict, preview);
    return { code: codeOf(verdict.rule), reason, text: reason };
  }
  if (halted === true) return { code: 'halted', reason: DENIALS.halted, text: DENIED_AFTER_HALT };
  if (!isCommand(call)) {
    const mode = call.effect === 'read' ? 'read-only' : 'all';
    return { code: 'not-approved', text: formatNotApproved(mode) };
  }
  const reason = preview.again ?? describeCommand(preview);
  // With `approve all`, users may expect commands to be included; in other modes the denial is no surprise.
  const isSurprise = settings.approve === 'all' && call.origin === 'model';
  const code = preview.decided?.rule === undefined ? 'no-command-rule' : 'rule-asks';
  return { code, text: reason, ...(isSurprise ? { reason } : {}) };
}

function codeOf(rule: string): DenialCode {
  switch (rule) {
    case GUARD_RULES.untrusted:
      return 'untrusted-content';
    case GUARD_RULES.notUndoable:
      return 'not-undoable';
    case GUARD_RULES.givesSecret:
      return 'injects-secret';
    case GUARD_RULES.otherDefinition:
      return 'tool-changed';
    case GUARD_RULES.outside:
      return 'outside-project';
    default:
      return 'rule-asks';
  }
}

function describe({ rule, held }: Omit<Verdict, 'decision'>, preview: CallPreview): string {
  switch (rule) {
    case GUARD_RULES.hook:
      return preview.hook ?? rule;
    case GUARD_RULES.untrusted:
      return preview.taint === undefined ? rule : formatCallTaint({ ...preview.taint, rule: held ?? rule });
    case GUARD_RULES.notUndoable:
      return DENIALS.cannotUndo(preview.why);
    case GUARD_RULES.givesSecret: {
      const unruled = (preview.secrets ?? []).filter((secret) => secret.rule === undefined);
      return DENIALS.noSecretRule(unruled);
    }
    case GUARD_RULES.otherDefinition:
      return DENIALS.definitionChanged;
    case GUARD_RULES.outside:
      return DENIALS.readsOutside(preview.path);
    default:
      return preview.decided?.rule === rule ? (preview.decided.reasons[0] ?? rule) : DENIALS.ruleAsks(rule);
  }
}

function describeCommand({ decided }: CallPreview): string {
  return decided?.rule === undefined ? DENIALS.noCommandRule : DENIALS.ruleAsks(decided.rule);
}
