import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { isCommand } from '../../core/policy/policy.ts';
import { untilState } from '../../core/session/session-client.ts';
import { askedCall, isIdle } from '../../core/session/state.ts';
import { formatCallTaint } from '../../core/session/taint-state.ts';
import { addToReport, EMPTY_REPORT, type TurnReport } from '../../core/session/turn-report.ts';
import { whyDenied } from '../../core/session/why-denied.ts';
import { escapeForDisplay } from '../../core/text/sanitize.ts';
import type { ModelSource } from '../../engine/requests/model-endpoints.ts';
import type { LocalSessionClient } from '../../engine/session/local-session-client.ts';
import type { EventOf, Recorded } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Completion, ModelRequest } from '../../protocol/model.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import * as messages from './messages.ts';

/** The result of a call for the client. */
interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

/** A call needs an approval, in words; or it has ended. */
type CallStep =
  | { readonly type: 'asked'; readonly question: string }
  | { readonly type: 'ended'; readonly result: CallResult };

/** The answer of the user; `nobody` if the client cannot ask one. */
export type CallAnswer = 'allow' | 'deny' | 'nobody';

/** The calls of one client, one after another, in one session. */
export class CallSession {
  readonly #client: LocalSessionClient;
  readonly #model: HostModel;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: LocalSessionClient, model: HostModel) {
    this.#client = client;
    this.#model = model;
  }

  /** Begins a call when those before have ended. */
  async begin(call: ClientCall, from: string, signal: AbortSignal): Promise<RunningCall> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return new RunningCall({ client: this.#client, model: this.#model, onEnd: resolve }, call, { from, signal });
  }
}

interface RunningCallDeps {
  readonly client: LocalSessionClient;
  readonly model: HostModel;
  readonly onEnd: () => void;
}

/** One call, from its request to its result: a turn of the session. */
export class RunningCall {
  readonly #deps: RunningCallDeps;
  readonly #events: AsyncIterator<Recorded>;
  readonly #interrupt: () => void;
  #signal: AbortSignal | null = null;
  #report: TurnReport = EMPTY_REPORT;
  #asked: EventOf<'approval.requested'> | null = null;
  #reason: string | null = null;

  constructor(deps: RunningCallDeps, call: ClientCall, { from, signal }: { from: string; signal: AbortSignal }) {
    const { client, model } = deps;
    this.#deps = deps;
    this.#events = client.events(client.seq);
    this.#interrupt = () => void client.submit({ type: 'interrupt' });
    model.begin(call);
    void client.submit({ type: 'send', text: messages.formatTurn(from, call.name) });
    this.watch(signal);
  }

  /** From here on this signal stops the call: that of the request whose answer it is. Without one nothing does. */
  watch(signal: AbortSignal | null): void {
    this.#signal?.removeEventListener('abort', this.#interrupt);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#interrupt, { once: true });
    if (signal?.aborted === true) this.#interrupt();
  }

  /** Settles with the next question, or with the result. */
  async next(): Promise<CallStep> {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done === true) return this.#end();
      const { event } = value;
      this.#report = addToReport(this.#report, event);
      if (event.type === 'approval.decided' && event.decision === 'deny') this.#reason = event.reason ?? this.#reason;
      if (event.type === 'approval.requested') {
        this.#asked = event;
        const asked = askedCall(this.#deps.client.state);
        if (asked?.call.id === event.callId) return { type: 'asked', question: describe(asked.call, event.preview) };
      }
      if (this.#report.end !== null) return this.#end();
    }
  }

  /** Answers the question. */
  answer(answer: CallAnswer): void {
    const asked = this.#asked;
    const { client } = this.#deps;
    if (asked === null) return;
    this.#asked = null;
    const { callId, preview } = asked;
    const open = askedCall(client.state);
    const prompt = open?.questions;
    const numbered = prompt === undefined ? {} : { prompt };
    if (answer === 'nobody') {
      const denial = open === null ? null : whyDenied(open.call, client.state, preview);
      const reason = [denial?.reason, messages.NOBODY].filter((part) => part !== undefined).join('; ');
      const code = denial === null ? {} : { code: denial.code };
      const decision = { type: 'deny', reason, ...code } as const;
      void client.submit({ type: 'decide', callId, decision, by: 'headless', ...numbered });
      return;
    }
    void client.submit({ type: 'decide', callId, decision: { type: answer }, by: 'user', ...numbered });
  }

  /** The checkpoint is finished before the client hears of the end: an undo must know the whole change. */
  async #end(): Promise<CallStep> {
    const { client, model, onEnd } = this.#deps;
    this.watch(null);
    await this.#events.return?.();
    await untilState(client, isIdle);
    const [call] = this.#report.calls;
    const { error } = this.#report;
    const text =
      model.result ?? call?.result ?? messages.formatFailed(error?.message ?? this.#reason ?? messages.DENIED);
    onEnd();
    return { type: 'ended', result: { text, isError: call?.isError ?? true } };
  }
}

/** The question about a call, with everything that it would do. Nothing in it may hide or reorder text. */
function describe(call: ToolCall, preview: CallPreview): string {
  const { decided, secrets = [], taint, undoable, why, again, hook } = preview;
  const parts = [
    ...describeCall(call, preview),
    ...(decided === undefined ? [] : [messages.formatClass(decided.class), ...decided.reasons]),
    ...secrets.map(({ name, to }) => messages.formatSecret(name, to)),
    ...(taint === undefined ? [] : [formatCallTaint(taint)]),
    ...(undoable || why === undefined ? [] : [messages.formatNotUndoable(why)]),
    ...(again === undefined ? [] : [again]),
    ...(hook === undefined ? [] : [hook]),
  ];
  return parts.map((part) => escapeForDisplay(part, { multiline: true }).replace(/\n$/, '')).join('\n\n');
}

/** A diff shows what a call of a file tool would write; the arguments hold the same once more. */
function describeCall(call: ToolCall, { decided, diff, path }: CallPreview): readonly string[] {
  if (isCommand(call) && decided !== undefined)
    return [messages.formatApproveCommand(decided.cwd), String(call.arguments.command)];
  const head = messages.formatApproveTool([call.name, path].filter((part) => part !== undefined).join(' '));
  return [head, diff === undefined || diff === '' ? JSON.stringify(call.arguments, null, 2) : diff];
}

/** A call of the client. */
interface ClientCall {
  /** `aish.exec` and so on. */
  readonly name: string;
  readonly arguments: JsonObject;
}

const UNUSED = 0;

/** No request leaves the process, so nothing waits for a server. */
const ENDPOINT: ModelEndpoint = {
  name: 'mcp-client',
  baseUrl: 'http://127.0.0.1:1',
  model: 'mcp-client',
  key: null,
  timeouts: { firstByteMs: UNUSED, idleMs: UNUSED, barrenMs: UNUSED },
};

/**
 * The client of the MCP server in the part of the model: a turn asks it for an answer and gets its call, and asks again with the result. So
 * approvals, checkpoints, secrets and the log are those of any other session.
 */
export class HostModel implements ModelSource {
  readonly endpoint = ENDPOINT;
  #next: ClientCall | null = null;
  #result: string | null = null;

  /** The next turn makes this call. */
  begin(call: ClientCall): void {
    this.#next = call;
    this.#result = null;
  }

  /** The result of the call as a model would read it; null if the turn ended before. */
  get result(): string | null {
    return this.#result;
  }

  complete(request: ModelRequest): Completion {
    const call = this.#next;
    this.#next = null;
    if (call !== null) {
      const raw = { id: crypto.randomUUID(), name: call.name, arguments: JSON.stringify(call.arguments) };
      return { text: '', reasoning: '', toolCalls: [raw], finish: 'tool_calls' };
    }
    const last = request.messages.at(-1);
    if (last?.role === 'tool') this.#result = last.content;
    return { text: messages.TURN_DONE, reasoning: '', toolCalls: [], finish: 'stop' };
  }
}
