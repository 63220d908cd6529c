import { fstatSync } from 'node:fs';
import type { Invocation, Options, OutputFormat } from '../../../core/command-line/invocation.ts';
import { type SessionClient, untilState } from '../../../core/session/session-client.ts';
import { isIdle } from '../../../core/session/state.ts';
import { addToReport, type CallReport, EMPTY_REPORT, type TurnReport } from '../../../core/session/turn-report.ts';
import { isVisible } from '../../../core/text/hidden-character.ts';
import { escapeForDisplay, TextSanitizer } from '../../../core/text/sanitize.ts';
import { Engine, type LiveSession } from '../../../engine/session/engine.ts';
import { LocalSessionClient } from '../../../engine/session/local-session-client.ts';
import { AishError, formatError } from '../../../protocol/error.ts';
import type { EventOf, SessionEvent, TurnEnd } from '../../../protocol/event.ts';
import { toSafeJson } from '../../../protocol/json.ts';
import type { OpOf } from '../../../protocol/op.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { chosenSession, engineOptions, prepare, type Setup } from '../setup/setup.ts';
import { endOnFault, statusOf } from './end-on-fault.ts';
import * as messages from './messages.ts';

/** Wait for a server that starts for the first time: it may download first, and no later request could have its tools. */
const FIRST_START_MS = 10_000;

/** `aish -p`: one message, one answer. The answer is the exit status. */
export async function runPrint(invocation: Extract<Invocation, { type: 'print' }>): Promise<number> {
  const { options } = invocation;
  endOnFault();
  const input = await toInput(invocation.prompt);
  return withSession(options, async ({ engine, client, from, setup, ended }) => {
    // Only files that the command line names: piped text is untrusted, and may name any file.
    const { env, cwd, loaded } = setup;
    const servers = () => engine.servers();
    const place = { env, cwd, config: loaded.config, settings: client.state.settings, servers };
    const custom = /^\s*:/.test(invocation.prompt)
      ? (await import('../commands/custom-command.ts')).readCustomCommand(invocation.prompt, { setup, cwd })
      : null;
    const text = custom?.text ?? invocation.prompt;
    const { files, lines } = text.includes('@')
      ? await (await import('../../../adapters/files/attach-files.ts')).attachMentioned(text, place)
      : { files: [], lines: [] };
    for (const line of custom === null ? lines : [custom.note, ...lines]) PROCESS_OUTPUT.error(`aish: ${line}\n`);
    const message = custom === null ? input : { ...input, text: custom.text, command: custom.command };
    const sent = files.length === 0 ? message : { ...message, files };
    return ended() ?? runHeadless({ client, from }, sent, options.output);
  });
}

/** A session that a script uses. */
export interface ScriptSession {
  readonly engine: Engine;
  readonly client: LocalSessionClient;
  readonly live: LiveSession;
  readonly setup: Setup;
  /** Number of the last event before. */
  readonly from: number;
  /** The exit status of a signal that came; null without one. */
  readonly ended: () => number | null;
}

/** Opens the session that the options choose, without a terminal, and closes it after its use. The answer is the exit status. */
export async function withSession(
  options: Options,
  use: (session: ScriptSession) => Promise<number>,
  given: Setup | Promise<Setup> = prepare(options),
): Promise<number> {
  const setup = await given;
  for (const warning of setup.loaded.warnings) PROCESS_OUTPUT.error(`aish: ${warning}\n`);
  const engine = new Engine({
    ...engineOptions(setup),
    serverWaitMs: FIRST_START_MS,
    onServerStatus: ({ state }, line) => {
      if (state === 'failed' && line !== null) PROCESS_OUTPUT.error(`aish: ${line}\n`);
    },
  });
  try {
    const named = await chosenSession(options, setup);
    const isCopied = named !== undefined && options.fork === true;
    const resume = isCopied ? await (await import('../sessions/open-sessions.ts')).forkNamed(named, { setup }) : named;
    const live = await engine.open({
      cwd: setup.cwd,
      settings: setup.settings,
      ...(resume === undefined ? {} : { resume }),
      ...(options.approve === undefined ? {} : { approve: options.approve }),
    });
    for (const warning of live.warnings) PROCESS_OUTPUT.error(`aish: ${warning}\n`);
    const ended = haltOnSignals(engine);
    const client = new LocalSessionClient({ live });
    const status = await use({ engine, client, live, setup, from: live.history.at(-1)?.seq ?? 0, ended });
    return ended() ?? status;
  } finally {
    await engine.close();
  }
}

/** Halts the engine on a signal. The returned function gives the exit status for that signal, or null. */
function haltOnSignals(engine: Engine): () => number | null {
  let status: number | null = null;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      status ??= statusOf(name);
      void engine.halt('signal');
    });
  return () => status;
}

/** The message with the piped text; without a prompt the piped text is the message. */
async function toInput(prompt: string): Promise<{ text: string; attachment?: string }> {
  const hasPrompt = prompt.trim() !== '';
  const piped = await readPiped({ reportsWait: hasPrompt });
  if (piped === null || piped.trim() === '') {
    if (hasPrompt) return { text: prompt };
    throw new AishError('usage', messages.NO_MESSAGE, { hint: messages.NO_MESSAGE_HINT });
  }
  return hasPrompt ? { text: prompt, attachment: piped } : { text: piped };
}

/** Most characters of piped input; more than this fits no model's context. */
const MOST_PIPED = 8_000_000;

/** A user may not know that aish inherited a pipe that nobody ever closes. */
const SILENT_MS = 1000;

async function readPiped({ reportsWait }: { readonly reportsWait: boolean }): Promise<string | null> {
  const stat = fstatSync(0, { throwIfNoEntry: false });
  if (stat === undefined || !(stat.isFIFO() || stat.isFile() || stat.isSocket())) return null;
  const report = (): void => PROCESS_OUTPUT.error(`aish: ${messages.WAITING_FOR_INPUT}\n`);
  const timer = reportsWait ? setTimeout(report, SILENT_MS) : undefined;
  const text = await Bun.stdin.text();
  clearTimeout(timer);
  if (text.length <= MOST_PIPED) return text;
  throw new AishError('usage', messages.formatTooMuchInput(text.length, MOST_PIPED), {
    hint: messages.TOO_MUCH_INPUT_HINT,
  });
}

/** Sends one message, denies calls that need approval, and prints the answer in `format`, with events after `from`. Returns the exit status. */
async function runHeadless(
  { client, from }: { readonly client: SessionClient; readonly from: number },
  input: Omit<OpOf<'send'>, 'type'>,
  format: OutputFormat,
): Promise<number> {
  const events = client.events(from);
  const text = new TextPrinter();
  let report = EMPTY_REPORT;
  let denied = 0;
  void client.submit({ type: 'send', ...input });
  for await (const recorded of events) {
    const { event } = recorded;
    report = addToReport(report, event);
    if (event.type === 'approval.requested') {
      const { denyWithoutUser } = await import('../../../core/session/why-denied.ts');
      const denial = denyWithoutUser(client, event);
      // A `CMD:` line is a suggestion in the answer; it is no call of the report.
      const call = report.calls.find(({ id }) => id === event.callId);
      if (call !== undefined && denial !== null) {
        PROCESS_OUTPUT.error(`aish: ${messages.formatDenied(describeCall(call), escapeForDisplay(denial.text))}\n`);
        denied += 1;
      }
    }
    if (event.type === 'form.requested') decline(client, event);
    if (format === 'stream-json') PROCESS_OUTPUT.out(`${toSafeJson(recorded)}\n`);
    if (format === 'text') text.print(event);
    await printTrouble(event, report);
    if (event.type === 'approval.decided') await printRefusal(event, report);
    if (report.end !== null) break;
  }
  await untilState(client, isIdle);
  if (denied > 0) PROCESS_OUTPUT.error(`  ${messages.formatResumeHint(client.sessionId)}\n`);
  if (format === 'json') PROCESS_OUTPUT.out(`${toSafeJson(toJson(report, client.sessionId))}\n`);
  return exitStatus(report);
}

/** No user is there to answer what a server asks. */
function decline(client: SessionClient, { form, request }: EventOf<'form.requested'>): void {
  PROCESS_OUTPUT.error(`aish: ${messages.formatFormDeclined(escapeForDisplay(request.server))}\n`);
  const answer = { action: 'decline' } as const;
  queueMicrotask(() => void client.submit({ type: 'answer-form', form, answer, by: 'headless' }));
}

function describeCall(call: CallReport): string {
  return escapeForDisplay(call.name === 'aish.exec' ? String(call.arguments.command ?? '') : call.name);
}

/** Prints the answer as it streams, each step of it on lines of its own. */
export class TextPrinter {
  /** One for all pieces of a text: a character or a sequence may span two of them. */
  readonly #sanitizer = new TextSanitizer();
  #lineOpen = false;

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
    PROCESS_OUTPUT.out(text);
    this.#lineOpen = !text.endsWith('\n');
  }
}

async function printTrouble(event: SessionEvent, report: TurnReport): Promise<void> {
  if (event.type === 'notice' && event.level !== 'info') PROCESS_OUTPUT.error(`aish: ${event.text}\n`);
  if (event.type === 'op.rejected') PROCESS_OUTPUT.error(`aish: ${formatError(event.error)}\n`);
  if (event.type === 'request.delayed') {
    const { formatDelay } = await import('../screen/messages.ts');
    PROCESS_OUTPUT.error(`aish: ${escapeForDisplay(formatDelay(event.delay, event.delay.waitMs))}\n`);
  }
  // A turn that ended as it should is told by its answer.
  if (event.type !== 'turn.ended' || (event.reason === 'completed' && event.error === undefined && report.gap === null))
    return;
  const { formatTurnEnd } = await import('../screen/messages.ts');
  const end = formatTurnEnd(event, report.gap, report.lastTokens);
  if (end !== null) PROCESS_OUTPUT.error(`aish: ${end}\n`);
}

/** Prints a denial by the policy; `runHeadless` prints its own denials. */
async function printRefusal(event: EventOf<'approval.decided'>, { calls }: TurnReport): Promise<void> {
  if (event.decision !== 'deny' || event.by !== 'policy') return;
  const call = calls.find(({ id }) => id === event.callId);
  if (call === undefined) return;
  const { describeRefusal } = await import('../screen/approval.ts');
  PROCESS_OUTPUT.error(`aish: ${describeRefusal(call, event)}\n`);
}

function toJson(report: TurnReport, sessionId: string): object {
  const { text, calls, promptTokens, completionTokens, end, finish, error } = report;
  return {
    text,
    tool_calls: calls.map(({ id: _, isError, ...call }) => ({ ...call, is_error: isError })),
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
    end: end ?? 'failed',
    finish: finish ?? null,
    session_id: sessionId,
    ...(error === undefined ? {} : { error }),
  };
}

const STATUSES: Readonly<Record<TurnEnd, number>> = {
  completed: 0,
  denied: 3,
  interrupted: 130,
  halted: 130,
  'depth-limit': 4,
  'step-limit': 4,
  'repeated-failure': 4,
  'repeated-call': 4,
  budget: 4,
  contract: 4,
  failed: 1,
};

/** A turn without text and calls failed. A `CMD:` line that nobody could approve is a suggestion, not a denied call. */
function exitStatus({ end, calls, text, gap }: TurnReport): number {
  if (end !== 'completed') return STATUSES[end ?? 'failed'];
  if (!isVisible(text) && (gap !== null || calls.length === 0)) return 1;
  return calls.some((call) => call.decision === 'deny') ? STATUSES.denied : STATUSES.completed;
}
