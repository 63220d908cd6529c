import { writeSync } from 'node:fs';
import { whyHeld } from '../../core/held-call.ts';
import { toSafeJson } from '../../core/safe-json.ts';
import { escapeForDisplay, sanitizeText, TextSanitizer } from '../../core/sanitize.ts';
import { askedCall } from '../../core/session/state.ts';
import { addToReport, EMPTY_REPORT, type TurnReport } from '../../core/turn-report.ts';
import type { LiveSession } from '../../engine/engine.ts';
import type { Session } from '../../engine/session.ts';
import type { AttachedFile } from '../../protocol/attachment.ts';
import { formatError } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { OutputFormat } from './args.ts';
import { formatTurnEnd } from './turn-end.ts';

/** Where a one-shot run writes. */
export interface HeadlessOutput {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Standard output and standard error of this process, without its stream classes. What is told on the latter may hold words of others. */
export const PROCESS_OUTPUT: HeadlessOutput = {
  out: (text) => writeAll(1, text),
  error: (text) => writeAll(2, sanitizeText(text)),
};

/** Sends one message, denies what would ask, prints the answer in `format`. The answer is the exit status. */
export async function runHeadless(
  { session, history }: LiveSession,
  input: { readonly text: string; readonly attachment?: string; readonly files?: readonly AttachedFile[] },
  format: OutputFormat,
  output: HeadlessOutput,
): Promise<number> {
  const events = session.events(history.at(-1)?.seq ?? 0);
  const text = new TextPrinter(output);
  let report = EMPTY_REPORT;
  let held = 0;
  void session.submit({ type: 'send', ...input });
  for await (const recorded of events) {
    const { event } = recorded;
    report = addToReport(report, event);
    if (event.type === 'approval.requested') {
      const reason = reasonFor(session, event);
      if (reason !== null) {
        output.error(`aish: denied: ${describeHeld(report, event.callId)}${escapeForDisplay(reason)}\n`);
        held += 1;
      }
      deny(session, event.callId, reason);
    }
    if (format === 'stream-json') output.out(`${toSafeJson(recorded)}\n`);
    if (format === 'text') text.print(event);
    printTrouble(event, output);
    if (event.type === 'approval.decided') await printRefusal(event, report, output);
    if (report.end !== null) break;
  }
  await session.idle();
  if (held > 0) output.error(`  at the prompt you are asked about it: aish --resume ${session.sessionId}\n`);
  if (format === 'json') output.out(`${toSafeJson(toJson(report, session.sessionId))}\n`);
  return exitStatus(report);
}

/** Why a call is denied that seemed to be approved; the session waits for the answer, so it is the one that is asked about. */
function reasonFor(
  { state }: Session,
  { callId, preview }: Extract<SessionEvent, { type: 'approval.requested' }>,
): string | null {
  const call = askedCall(state)?.call;
  return call?.id === callId ? whyHeld(call, state.settings, preview) : null;
}

function deny(session: Session, callId: string, reason: string | null): void {
  const decision = reason === null ? ({ type: 'deny' } as const) : ({ type: 'deny', reason } as const);
  queueMicrotask(() => void session.submit({ type: 'decide', callId, decision, by: 'headless' }));
}

function describeHeld({ calls }: TurnReport, callId: string): string {
  const call = calls.find(({ id }) => id === callId);
  if (call === undefined) return '';
  return `${escapeForDisplay(call.name === 'aish.exec' ? String(call.arguments.command ?? '') : call.name)}: `;
}

/** Prints the answer as it streams, each step of it on lines of its own. */
export class TextPrinter {
  readonly #output: HeadlessOutput;
  /** One for all pieces of a text: a character or a sequence may span two of them. */
  readonly #sanitizer = new TextSanitizer();
  #lineOpen = false;

  constructor(output: HeadlessOutput) {
    this.#output = output;
  }

  print(event: SessionEvent): void {
    if (event.type === 'text.delta') {
      this.#write(this.#sanitizer.push(event.text));
    } else if (event.type === 'step.completed' || event.type === 'turn.ended') {
      this.#write(this.#sanitizer.end());
      if (this.#lineOpen) this.#write('\n');
    }
  }

  #write(text: string): void {
    if (text === '') return;
    this.#output.out(text);
    this.#lineOpen = !text.endsWith('\n');
  }
}

function printTrouble(event: SessionEvent, output: HeadlessOutput): void {
  if (event.type === 'notice' && event.level !== 'info') output.error(`aish: ${event.text}\n`);
  if (event.type === 'op.rejected') output.error(`aish: ${formatError(event.error)}\n`);
  const end = event.type === 'turn.ended' ? formatTurnEnd(event) : null;
  if (end !== null) output.error(`aish: ${end}\n`);
}

/** What the gate refused is told, as what nobody could approve is not: that was never in doubt. */
async function printRefusal(
  event: Extract<SessionEvent, { type: 'approval.decided' }>,
  { calls }: TurnReport,
  output: HeadlessOutput,
): Promise<void> {
  const call = calls.find(({ id }) => id === event.callId);
  if (event.decision !== 'deny' || event.by !== 'policy' || call === undefined) return;
  const { describeRefusal } = await import('./screen/judged.ts');
  output.error(`aish: ${describeRefusal(call, event.preview)}\n`);
}

function toJson(report: TurnReport, sessionId: string): object {
  const { text, calls, promptTokens, completionTokens, end, error } = report;
  return {
    text,
    tool_calls: calls.map(({ id: _, isError, ...call }) => ({ ...call, is_error: isError })),
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
    end: end ?? 'failed',
    session_id: sessionId,
    ...(error === undefined ? {} : { error }),
  };
}

/** A `CMD:` line that nobody could approve is a suggestion in the answer, not a call that was denied. */
function exitStatus({ end, calls }: TurnReport): number {
  switch (end) {
    case 'completed':
      return calls.some((call) => call.decision === 'deny') ? 3 : 0;
    case 'denied':
      return 3;
    case 'interrupted':
    case 'halted':
      return 130;
    case 'depth-limit':
    case 'step-limit':
    case 'repeated-failure':
      return 4;
    case 'failed':
    case null:
      return 1;
  }
}

/** Writes everything, also to a pipe that is full for the moment. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN')) throw thrown;
      Bun.sleepSync(1);
    }
  }
}
