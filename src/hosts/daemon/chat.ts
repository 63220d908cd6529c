import { type SessionClient, untilState } from '../../core/session/session-client.ts';
import { askedCall, isIdle } from '../../core/session/state.ts';
import {
  addToReport,
  type CallReport,
  EMPTY_REPORT,
  type TurnReport,
  whyDenied,
} from '../../core/session/turn-report.ts';
import type { Session } from '../../engine/session/session.ts';
import type { EventOf, PastMessage } from '../../protocol/event.ts';
import type { ChatBody, ChatMessage } from '../../protocol/op-schema.ts';
import { toRefusal } from './http-error.ts';
import type { SessionHost } from './live-sessions.ts';
import { CLIENT_INSTRUCTIONS, closing } from './messages.ts';

/*
 * The stateless route: the client keeps the history and sends all of it each time. The last message becomes a turn of a new session,
 * whose log stays like any other. No user is there, so aish denies each call that needs approval.
 */

/** Answers one `POST /chat`; a client that leaves interrupts its turn. */
export async function answerChat(body: ChatBody, sessions: SessionHost, signal: AbortSignal): Promise<Response> {
  const { cwd, ...settings } = body.config ?? {};
  const past = body.messages.slice(0, -1).flatMap(toPast);
  const { live } = await sessions.open({ cwd, settings }, past);
  const client = sessions.client(live.session.sessionId);
  try {
    const report = await runTurn(client, body.messages.at(-1)?.content ?? '', signal);
    await untilState(client, isIdle);
    return toResponse(report, live.session);
  } finally {
    await sessions.release(live);
  }
}

async function runTurn(client: SessionClient, text: string, signal: AbortSignal): Promise<TurnReport> {
  const interrupt = (): void => void client.submit({ type: 'interrupt' });
  let report = EMPTY_REPORT;
  const events = client.events(client.seq);
  void client.submit({ type: 'send', text });
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  for await (const { event } of events) {
    report = addToReport(report, event);
    if (event.type === 'approval.requested') deny(client, event);
    if (report.end !== null) break;
  }
  signal.removeEventListener('abort', interrupt);
  return report;
}

function deny(client: SessionClient, { callId, preview }: EventOf<'approval.requested'>): void {
  const asked = askedCall(client.state)?.call;
  const denial = asked?.id === callId ? whyDenied(asked, client.state, preview) : null;
  const { text: _, ...why } = denial ?? { text: '' };
  const decision = { type: 'deny', ...why } as const;
  void client.submit({ type: 'decide', callId, decision, by: 'headless' });
}

/** A past message. A system message of the client becomes one of the user, because the system message of aish stays the first. */
function toPast({ role, content }: ChatMessage): PastMessage[] {
  if (content.trim() === '') return [];
  if (role === 'system') return [{ role: 'user', text: `${CLIENT_INSTRUCTIONS}\n${content}` }];
  return [{ role, text: content }];
}

function toResponse(report: TurnReport, { sessionId, ended }: Pick<Session, 'sessionId' | 'ended'>): Response {
  const { text, calls, end, finish, error } = report;
  const usage = { prompt_tokens: report.promptTokens, completion_tokens: report.completionTokens };
  const rest = {
    text,
    tool_calls: calls.map(toCall),
    usage,
    end: end ?? 'interrupted',
    finish: finish ?? null,
    session_id: sessionId,
  };
  if (end === 'failed') return Response.json({ error, ...rest }, { status: 502 });
  if (end === null && (ended === null || ended.code === 'session.closed')) throw closing();
  if (end === null && ended !== null) return toRefusal(ended);
  return Response.json({ response: { type: 'text', content: text }, ...rest });
}

function toCall(call: CallReport): object {
  return {
    name: call.name,
    arguments: call.arguments,
    ...(call.decision === undefined ? {} : { decision: call.decision }),
    ...(call.result === undefined ? {} : { result: call.result, is_error: call.isError }),
  };
}
