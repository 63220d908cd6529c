import { writeSync } from 'node:fs';
import { sanitizeText } from '../../core/sanitize.ts';
import type { LiveSession } from '../../engine/engine.ts';
import { formatError } from '../../protocol/error.ts';
import type { Recorded, SessionEvent, TurnEnd } from '../../protocol/event.ts';
import type { Usage } from '../../protocol/model.ts';
import type { OutputFormat } from './args.ts';

/** Where a one-shot run writes. */
export interface HeadlessOutput {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** What one tool call of the run came to, as `--output json` prints it. */
interface CallReport {
  readonly name: string;
  readonly arguments: unknown;
  decision?: 'allow' | 'deny';
  result?: string;
  is_error?: boolean;
}

/** What is known of the run while its events pass by. */
interface Run {
  readonly calls: Map<string, CallReport>;
  readonly usage: Usage[];
  text: string;
  denied: boolean;
  end: Extract<SessionEvent, { type: 'turn.ended' }> | null;
  lineOpen: boolean;
}

/** Standard output and standard error of this process, without its stream classes. */
export const PROCESS_OUTPUT: HeadlessOutput = {
  out: (text) => writeAll(1, text),
  error: (text) => writeAll(2, text),
};

/** Sends one message, denies what would ask, prints the answer in `format`. The answer is the exit status. */
export async function runHeadless(
  live: LiveSession,
  input: { readonly text: string; readonly attachment?: string },
  format: OutputFormat,
  output: HeadlessOutput,
): Promise<number> {
  const { session } = live;
  const run: Run = { calls: new Map(), usage: [], text: '', denied: false, end: null, lineOpen: false };
  const seen = live.history.at(-1)?.seq ?? 0;
  const events = session.events(seen);
  void session.submit({ type: 'send', ...input });
  for await (const recorded of events) {
    observe(run, recorded.event);
    if (recorded.event.type === 'approval.requested') deny(live, recorded.event.callId);
    print(run, recorded, format, output);
    if (recorded.event.type === 'turn.ended' || recorded.event.type === 'op.rejected') break;
  }
  await session.idle();
  if (format === 'json') output.out(`${JSON.stringify(toReport(run, session.sessionId))}\n`);
  return exitStatus(run);
}

function deny(live: LiveSession, callId: string): void {
  queueMicrotask(
    () => void live.session.submit({ type: 'decide', callId, decision: { type: 'deny' }, by: 'headless' }),
  );
}

function observe(run: Run, event: SessionEvent): void {
  switch (event.type) {
    case 'step.completed':
      run.text = event.text;
      if (event.usage) run.usage.push(event.usage);
      for (const call of event.calls) {
        if (call.origin === 'model') run.calls.set(call.id, { name: call.name, arguments: call.arguments });
      }
      return;
    case 'approval.decided': {
      const call = run.calls.get(event.callId);
      if (call === undefined) return; // a CMD: line is a suggestion in the answer, not a call that failed
      call.decision = event.decision;
      run.denied ||= event.decision === 'deny';
      return;
    }
    case 'tool-call.completed':
      Object.assign(run.calls.get(event.callId) ?? {}, { result: event.text, is_error: event.isError });
      return;
    case 'turn.ended':
      run.end = event;
      if (event.reason !== 'completed' && event.text) run.text = event.text;
      return;
    default:
      return;
  }
}

function print(run: Run, recorded: Recorded, format: OutputFormat, output: HeadlessOutput): void {
  const { event } = recorded;
  if (format === 'stream-json') output.out(`${JSON.stringify(recorded)}\n`);
  if (format === 'text') printText(run, event, output);
  if (event.type === 'notice' && event.level !== 'info') output.error(`aish: ${event.text}\n`);
  if (event.type === 'op.rejected') output.error(`aish: ${formatError(event.error)}\n`);
  if (event.type === 'turn.ended') printEnd(event, output);
}

function printText(run: Run, event: SessionEvent, output: HeadlessOutput): void {
  if (event.type === 'text.delta') {
    output.out(sanitizeText(event.text));
    run.lineOpen = !event.text.endsWith('\n');
  } else if ((event.type === 'step.completed' || event.type === 'turn.ended') && run.lineOpen) {
    output.out('\n');
    run.lineOpen = false;
  }
}

const ENDS: Readonly<Record<TurnEnd, string | null>> = {
  completed: null,
  interrupted: 'interrupted',
  failed: null,
  'depth-limit': '[aish] tool-call depth limit reached',
  'step-limit': '[aish] step limit reached',
};

function printEnd(event: Extract<SessionEvent, { type: 'turn.ended' }>, output: HeadlessOutput): void {
  const line = event.error ? formatError(event.error) : ENDS[event.reason];
  if (line !== null) output.error(`aish: ${line}\n`);
}

function toReport(run: Run, sessionId: string): object {
  const error = run.end?.error;
  return {
    text: run.text,
    tool_calls: [...run.calls.values()],
    usage: {
      prompt_tokens: run.usage.reduce((sum, usage) => sum + usage.promptTokens, 0),
      completion_tokens: run.usage.reduce((sum, usage) => sum + usage.completionTokens, 0),
    },
    end: run.end?.reason ?? 'failed',
    session_id: sessionId,
    ...(error === undefined ? {} : { error }),
  };
}

function exitStatus(run: Run): number {
  switch (run.end?.reason) {
    case 'completed':
      return run.denied ? 3 : 0;
    case 'interrupted':
      return 130;
    case 'depth-limit':
    case 'step-limit':
      return 4;
    case 'failed':
    case undefined:
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
