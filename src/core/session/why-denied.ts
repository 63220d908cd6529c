import type { EventOf } from '../../protocol/event.ts';
import type { DenialCode } from '../../protocol/op.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { applyRules, GUARD_RULES, isCommand } from '../policy/policy.ts';
import { DENIALS, DENIED_AFTER_HALT, formatNotApproved } from './messages-later.ts';
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
    const { code, describe } = GUARDS[verdict.rule] ?? ruleAsks(verdict.rule);
    const reason = describe(preview, verdict.held);
    return { code, reason, text: reason };
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

interface Guard {
  readonly code: DenialCode;
  /** The reason; `held` is the rule that the guard keeps from allowing the call. */
  readonly describe: (preview: CallPreview, held: string | undefined) => string;
}

const GUARDS: Readonly<Record<string, Guard>> = {
  [GUARD_RULES.hook]: { code: 'rule-asks', describe: ({ hook = GUARD_RULES.hook }) => hook },
  [GUARD_RULES.untrusted]: {
    code: 'untrusted-content',
    describe: ({ taint }, rule = GUARD_RULES.untrusted) =>
      taint === undefined ? GUARD_RULES.untrusted : formatCallTaint({ ...taint, rule }),
  },
  [GUARD_RULES.notUndoable]: { code: 'not-undoable', describe: ({ why }) => DENIALS.cannotUndo(why) },
  [GUARD_RULES.givesSecret]: {
    code: 'injects-secret',
    describe: ({ secrets = [] }) => DENIALS.noSecretRule(secrets.filter(({ rule }) => rule === undefined)),
  },
  [GUARD_RULES.otherDefinition]: { code: 'tool-changed', describe: () => DENIALS.definitionChanged },
  [GUARD_RULES.outside]: { code: 'outside-project', describe: ({ path }) => DENIALS.readsOutside(path) },
};

/** The guard of any other rule: it asks. */
function ruleAsks(rule: string): Guard {
  const describe = ({ decided }: CallPreview) => (decided?.rule === rule ? (decided.reasons[0] ?? rule) : DENIALS.ruleAsks(rule));
  return { code: 'rule-asks', describe };
}

function describeCommand({ decided }: CallPreview): string {
  return decided?.rule === undefined ? DENIALS.noCommandRule : DENIALS.ruleAsks(decided.rule);
}
