import type { ErrorFact } from '../../protocol/error.ts';
import type { SessionEvent, TurnEnd } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { FinishReason } from '../../protocol/model.ts';
import type { DenialCode } from '../../protocol/op.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { applyRules, GUARD_RULES, isCommand, type Verdict } from '../policy/policy.ts';
import { DENIALS, DENIED_AFTER_HALT, formatNotApproved } from './messages.ts';
import { type AnswerGap, findAnswerGap } from './state.ts';
import { formatCallTaint } from './taint-state.ts';

/** The result of one tool call of a turn. */
export interface CallReport {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly decision?: 'allow' | 'deny';
  readonly result?: string;
  readonly isError?: boolean;
}

/** A turn as one answer, for clients that do not follow its events. */
export interface TurnReport {
  /** The final answer, possibly incomplete. */
  readonly text: string;
  readonly calls: readonly CallReport[];
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Null until the turn has ended. */
  readonly end: TurnEnd | null;
  readonly error?: ErrorFact;
  /** The last finish reason of the model; absent if there is none. */
  readonly finish?: FinishReason;
  /** The gap in the last answer. */
  readonly gap: AnswerGap | null;
  /** Tokens of the last answer, if its server counts them. */
  readonly lastTokens?: number | undefined;
}

/** The report before the first event. */
export const EMPTY_REPORT: TurnReport = {
  text: '',
  calls: [],
  promptTokens: 0,
  completionTokens: 0,
  end: null,
  gap: null,
};

/** Adds one event of the turn. `CMD:` lines are part of the text, not calls. */
export function addToReport(report: TurnReport, event: SessionEvent): TurnReport {
  switch (event.type) {
    case 'step.completed':
      return {
        ...report,
        text: event.text,
        calls: [...report.calls, ...event.calls.filter((call) => call.origin === 'model').map(toCallReport)],
        promptTokens: report.promptTokens + (event.usage?.promptTokens ?? 0),
        completionTokens: report.completionTokens + (event.usage?.completionTokens ?? 0),
        finish: event.finish,
        gap: findAnswerGap(event),
        lastTokens: event.usage?.completionTokens,
      };
    case 'explorer.event': {
      const { promptTokens, completionTokens } = addToReport(report, event.event);
      return { ...report, promptTokens, completionTokens };
    }
    case 'approval.decided':
      return event.decision === 'edit' ? report : changeCall(report, event.callId, { decision: event.decision });
    case 'tool-call.completed':
      return changeCall(report, event.callId, { result: event.text, isError: event.isError });
    case 'op.rejected':
      return event.op === 'send' ? { ...report, end: 'failed', error: event.error } : report;
    case 'turn.ended': {
      const ended = event.error === undefined ? report : { ...report, error: event.error };
      return { ...ended, end: event.reason, text: event.text ?? report.text };
    }
    default:
      return report;
  }
}

function toCallReport({ id, name, arguments: args }: ToolCall): CallReport {
  return { id, name, arguments: args };
}

function changeCall(report: TurnReport, id: string, change: Partial<CallReport>): TurnReport {
  const at = report.calls.findLastIndex((call) => call.id === id);
  const call = report.calls[at];
  return call === undefined ? report : { ...report, calls: report.calls.with(at, { ...call, ...change }) };
}

/** Why a call is denied without a user to ask. */
export interface Denial {
  readonly code: DenialCode;
  /** For the model and the log; absent if the only reason is that nobody approved it. */
  readonly reason?: string;
  /** For the user, with the next step. */
  readonly text: string;
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
  if (halted === true) {
    return { code: 'halted', reason: DENIALS.halted, text: DENIED_AFTER_HALT };
  }
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
