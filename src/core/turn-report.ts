import type { ErrorFact } from '../protocol/error.ts';
import type { SessionEvent, TurnEnd } from '../protocol/event.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolCall } from '../protocol/tool.ts';

/** What one tool call of a turn came to. */
export interface CallReport {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly decision?: 'allow' | 'deny';
  readonly result?: string;
  readonly isError?: boolean;
}

/** A turn as one answer: for those who do not follow its events. */
export interface TurnReport {
  /** The final answer, or what there was of it. */
  readonly text: string;
  readonly calls: readonly CallReport[];
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Null until the turn has ended. */
  readonly end: TurnEnd | null;
  readonly error?: ErrorFact;
}

/** The report before the first event. */
export const EMPTY_REPORT: TurnReport = { text: '', calls: [], promptTokens: 0, completionTokens: 0, end: null };

/** Takes one event of the turn in. `CMD:` lines are part of the text, not calls. */
export function addToReport(report: TurnReport, event: SessionEvent): TurnReport {
  switch (event.type) {
    case 'step.completed':
      return {
        ...report,
        text: event.text,
        calls: [...report.calls, ...event.calls.filter((call) => call.origin === 'model').map(toCallReport)],
        promptTokens: report.promptTokens + (event.usage?.promptTokens ?? 0),
        completionTokens: report.completionTokens + (event.usage?.completionTokens ?? 0),
      };
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
  return { ...report, calls: report.calls.map((call) => (call.id === id ? { ...call, ...change } : call)) };
}
