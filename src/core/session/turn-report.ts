import type { ErrorFact } from '../../protocol/error.ts';
import type { SessionEvent, TurnEnd } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { FinishReason } from '../../protocol/model.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { type AnswerGap, findAnswerGap } from './state.ts';

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
