import { resolve } from 'node:path';
import { definedOf, projectAround } from '../../adapters/config/paths.ts';
import { TrustStore } from '../../adapters/config/trust.ts';
import { readTrustedFile, runHook } from '../../adapters/extend/extension-files.ts';
import { isFile } from '../../adapters/system/file-status.ts';
import { type HookAnswer, type HookName, parseHookAnswer } from '../../core/extend/extensions.ts';
import { splitWords } from '../../core/meta/meta-command.ts';
import { HOOK_DENIED } from '../../core/session/messages.ts';
import type { SessionState } from '../../core/session/state.ts';
import { sanitizeLine } from '../../core/text/sanitize.ts';
import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import * as messages from './messages.ts';

/** The surroundings of the hooks of a session. */
export interface HooksContext {
  readonly config: Config['hooks'];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The state folder of aish. */
  readonly state: string;
  /** The present directory of the shell. */
  readonly cwd: () => string;
  readonly redact: (text: string) => string;
  readonly session: () => SessionState;
}

/** A hook's answer that restricts something, with the sentence that says so. */
export interface Objection {
  readonly decision: 'deny' | 'ask';
  readonly text: string;
}

/** More of an error than this does not help. */
const MOST_ERROR = 200;

/**
 * Runs the hooks of a session. A hook that fails, takes too long or answers with something else counts as one that denies: a guard that is
 * broken must not let everything pass.
 */
export class Hooks {
  readonly #context: HooksContext;
  readonly #trust: TrustStore;
  /** The turn whose message the hooks have seen. */
  #turn = 0;
  /** The hooks of turns that have ended. */
  readonly #ending = new Set<Promise<void>>();

  constructor(context: HooksContext) {
    this.#context = context;
    this.#trust = new TrustStore(context.state);
  }

  /** The first denial of a call by a hook, else the first wish for an approval; null if no hook objects. */
  async beforeCall(call: ToolCall, preview: CallPreview, signal: AbortSignal): Promise<Objection | null> {
    const kind = preview.decided?.class;
    const input = { ...describeCall(call), ...(kind === undefined ? {} : { class: kind }) };
    let asking: Objection | null = null;
    for (const { line, answer } of await this.#run('pre-tool', input, signal)) {
      const { decision, reason } = answer;
      if (decision === 'deny') return { decision, text: messages.formatDenied(line, reason) };
      if (decision === 'ask') asking ??= { decision, text: messages.formatAsks(line, reason) };
    }
    return asking;
  }

  /** The result of a call as the model gets it: with the notes of hooks, or withheld. */
  async afterCall(
    call: ToolCall,
    result: EventOf<'tool-call.completed'>,
    signal: AbortSignal,
  ): Promise<EventOf<'tool-call.completed'>> {
    const notes: string[] = [];
    const input = { ...describeCall(call), result: result.text, is_error: result.isError };
    for (const { line, answer } of await this.#run('post-tool', input, signal)) {
      if (answer.decision === 'deny') return withhold(result, messages.formatWithheld(line, answer.reason));
      if (answer.context !== undefined) notes.push(messages.formatNote(line, answer.context));
    }
    return notes.length === 0 ? result : { ...result, text: [result.text, ...notes].join('\n\n') };
  }

  /** Shows the hooks the message of a turn before its first request. Returns what they add; throws if one refuses the message. */
  async beforeTurn(signal: AbortSignal): Promise<readonly SessionEvent[]> {
    const { turn, entries } = this.#context.session();
    const message = entries.findLast((entry) => entry.type === 'user');
    if (turn === null || turn.number === this.#turn || turn.steps > 0 || message?.type !== 'user') return [];
    const files = (message.files ?? []).map(({ path }) => path);
    const input = {
      text: message.text,
      files,
      ...(message.attachment === undefined ? {} : { attachment: message.attachment }),
    };
    const answers = await this.#run('prompt', input, signal);
    if (signal.aborted) return [];
    this.#turn = turn.number;
    const denial = answers.find(({ answer }) => answer.decision === 'deny');
    if (denial !== undefined)
      throw new AishError(HOOK_DENIED, messages.formatRefused(denial.line, denial.answer.reason));
    return answers.flatMap(({ line, answer }) =>
      answer.context === undefined ? [] : [{ type: 'hook.added' as const, command: line, text: answer.context }],
    );
  }

  /** Tells the hooks about the end of a turn, behind everything else. A halt ends all work, so no hook begins after it. */
  turnEnded({ reason }: EventOf<'turn.ended'>, tell: (text: string) => void): void {
    if (this.#context.session().halted === true) return;
    const running = this.#run('turn-end', { reason }, new AbortController().signal).then((answers) => {
      for (const { line, answer } of answers)
        if (answer.decision === 'deny') tell(messages.formatDenied(line, answer.reason));
    });
    this.#ending.add(running);
    void running.finally(() => this.#ending.delete(running));
  }

  /** Settles when the hooks of ended turns have ended; their time is limited. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** The answers of all hooks, in their order; the first denial ends them. */
  async #run(
    hook: HookName,
    input: JsonObject,
    signal: AbortSignal,
  ): Promise<readonly { readonly line: string; readonly answer: HookAnswer }[]> {
    const { id, turns } = this.#context.session();
    const cwd = this.#context.cwd();
    const text = this.#context.redact(JSON.stringify({ hook, session: id, turn: turns, cwd, ...input }));
    const answers: { line: string; answer: HookAnswer }[] = [];
    for (const line of this.#context.config[hook]) {
      const answer = await this.#ask(hook, line, text, signal);
      answers.push({ line: sanitizeLine(line), answer });
      if (answer.decision === 'deny') break;
    }
    return answers;
  }

  async #ask(hook: HookName, line: string, input: string, signal: AbortSignal): Promise<HookAnswer> {
    const { env, home, cwd, config } = this.#context;
    const project = projectAround(cwd(), home);
    const named = this.#findFiles(line, project);
    const changed = named.find((path) => !readTrustedFile(path, this.#trust));
    if (changed !== undefined) return { decision: 'deny', reason: messages.formatUntrustedHook(sanitizeLine(changed)) };
    // Programs such as make or python3 run what lies in their directory, and nobody trusted that.
    const place = named.length === 0 ? home : project;
    const timeoutMs = config.timeout_ms;
    const ended = await runHook({ line, cwd: place, env: definedOf(env), input, timeoutMs, signal });
    if (ended.cut !== null) return { decision: 'deny', reason: messages.formatCut(ended.cut, timeoutMs) };
    if (ended.exit !== 0) {
      const error = sanitizeLine(ended.errors.trim()).slice(0, MOST_ERROR);
      return { decision: 'deny', reason: messages.formatFailed(ended.exit, error) };
    }
    const answer = parseHookAnswer(hook, ended.output);
    return typeof answer === 'string' ? { decision: 'deny', reason: answer } : answer;
  }

  /** The files of the project that a hook names. */
  #findFiles(line: string, project: string): readonly string[] {
    const words = [...(splitWords(line) ?? []), ...line.split(/[\s;|&()<>'"`=]+/)];
    const paths = words.map((word) => resolve(project, word.replace(/^~(?=\/|$)/, this.#context.home)));
    return [...new Set(paths)].filter((path) => path.startsWith(`${project}/`) && isFile(path));
  }
}

function describeCall({ name, effect, arguments: given }: ToolCall): JsonObject {
  return { tool: name, effect, arguments: given };
}

/** The output keeps its place in the log without its text, and has no handle by which the model could read it. */
function withhold({ callId, record }: EventOf<'tool-call.completed'>, text: string): EventOf<'tool-call.completed'> {
  const event = { type: 'tool-call.completed', callId, text, isError: true } as const;
  if (record === undefined) return event;
  const { handle: _, ...rest } = record;
  return { ...event, record: { ...rest, output: '', bytes: 0 } };
}
