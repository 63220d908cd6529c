import { rememberMessages } from '../../core/context/request-messages.ts';
import { hasNoStepLeft } from '../../core/contract/contract-run.ts';
import {
  beginExploration,
  type Exploration,
  followExploration,
  formatBounded,
  formatReports,
  hasFailed,
  isKept,
  isLimit,
  isSecondCall,
  limitExplorers,
  parseQuestions,
  toExplorerSettings,
  withEstimate,
} from '../../core/explore/explorer.ts';
import * as messages from '../../core/explore/messages.ts';
import { AishError, toErrorFact } from '../../protocol/error.ts';
import type { DurableEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { RequestCover, RequestLog } from '../requests/session-request.ts';
import { toTaintFacts } from '../taint/request-taint.ts';
import type { ChildSession, EffectContext, EffectDeps } from './effect-context.ts';
import { lazy } from './lazy.ts';
import { roomForResult } from './watch-context.ts';

/** Runs the explorers of a call side by side, and answers with their reports. */
export async function explore(call: ToolCall, context: EffectContext, deps: EffectDeps): Promise<void> {
  const callId = call.id;
  const refuse = (text: string): void => context.record({ type: 'tool-call.completed', callId, text, isError: true });
  const questions = parseQuestions(call.arguments);
  if (questions === null) return refuse(messages.BAD_QUESTIONS);
  if (isSecondCall(call, context.state())) return refuse(messages.ONE_AT_A_TIME);
  const limits = limitExplorers(deps.explore, context.state(), questions.length);
  const own = { ...deps, explore: { ...deps.explore, ...limits } };
  const explorers = questions.map((question, at) => new Explorer(question, at + 1, call, context, own));
  const reports = await Promise.all(explorers.map((explorer) => explorer.run()));
  if (context.signal.aborted) return;
  const whole = formatReports(reports);
  const room = await roomForResult(whole.length, context, deps);
  const { keepText } = await lazy.serverResults();
  const kept = await keepText(call, { text: whole, isError: false }, { ...deps, cwd: deps.sharedShell.cwd });
  const output = deps.secrets.redactRecord(kept);
  const text = deps.secrets.redact(formatBounded(reports, room, output.handle));
  context.record({ type: 'tool-call.completed', callId, text, isError: reports.every(hasFailed), output });
}

/** One explorer: a session inside the call, whose events go into the log of the session that asked. */
class Explorer {
  readonly #number: number;
  readonly #call: ToolCall;
  readonly #context: EffectContext;
  readonly #deps: EffectDeps;
  #work: Exploration;
  #child: ChildSession | null = null;
  /** It writes its report after a limit. */
  #isReporting = false;

  constructor(question: string, number: number, call: ToolCall, context: EffectContext, deps: EffectDeps) {
    this.#work = beginExploration(question);
    this.#number = number;
    this.#call = call;
    this.#context = context;
    this.#deps = deps;
  }

  async run(): Promise<Exploration> {
    const { signal } = this.#context;
    const child = this.#open();
    const stop = (): void => void child.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) return this.#work;
      child.take({ type: 'send', text: this.#work.question });
      await child.atRest();
      if (!isLimit(this.#work.end) || signal.aborted) return this.#work;
      this.#isReporting = true;
      child.take({ type: 'configure', settings: { maxSteps: 1 } });
      child.take({ type: 'send', text: messages.REPORT_NOW });
      await child.atRest();
      return this.#work;
    } finally {
      signal.removeEventListener('abort', stop);
      await child.close();
    }
  }

  /** It begins with the taint of the session that asks, because its question may follow from untrusted content. */
  #open(): ChildSession {
    const { steps } = this.#deps.explore;
    const state = this.#context.state();
    const { id, taint } = state;
    const { cwd } = this.#deps.sharedShell;
    const settings = toExplorerSettings(state, steps);
    const child = this.#deps.openChild({
      first: { type: 'session.created', id, cwd, settings },
      deps: this.#ownDeps(steps, cwd),
      onEvent: (event) => this.#follow(event),
    });
    this.#child = child;
    if (taint.sources.length > 0 || taint.paths.length > 0)
      child.record({ type: 'turn.tainted', sources: taint.sources, paths: taint.paths });
    return child;
  }

  /** The dependencies of the session, with a context and a budget of its own. */
  #ownDeps(steps: number, cwd: string): EffectDeps {
    const { frame, secrets, toolbox } = this.#deps;
    return {
      ...this.#deps,
      frame: { ...frame, cwd, prompt: messages.formatExplorerPrompt(frame.os, steps) },
      notes: { text: null, look: () => [] },
      memory: { facts: [], look: async () => [], propose: async () => [] },
      toolbox: toolbox.forReading(),
      again: rememberMessages(),
      requestCover: new RequestCover(secrets),
      requestLog: new RequestLog([]),
      told: new Set(),
      checkBudget: () => this.#checkBudget(),
    };
  }

  /** Its own limit, that of the autonomous run, and those of `[budget]`: each ends its turn alone. */
  async #checkBudget(): Promise<void> {
    const { contractRun } = this.#context.state();
    if (!this.#isReporting && this.#work.tokens >= this.#deps.explore.tokens)
      throw new AishError('budget.reached', messages.TOKENS_USED);
    if (contractRun && hasNoStepLeft(contractRun)) throw new AishError('budget.reached', messages.CONTRACT_USED);
    try {
      await this.#deps.checkBudget();
    } catch (thrown) {
      throw new AishError('budget.reached', toErrorFact(thrown).message);
    }
  }

  #follow(happened: DurableEvent): void {
    const { record, state } = this.#context;
    const event = isKept(happened) ? withEstimate(this.#work, happened) : happened;
    if (event.type === 'approval.requested') this.#deny(event.callId);
    // Its content reaches the session that asked with the report.
    if (event.type === 'turn.tainted')
      record(...toTaintFacts(state(), { sources: event.sources, written: event.paths ?? [] }));
    if (!isKept(event)) return;
    this.#work = followExploration(this.#work, event);
    record({ type: 'explorer.event', callId: this.#call.id, explorer: this.#number, event });
  }

  /** Nobody is asked. The answer comes after the event that it answers. */
  #deny(callId: string): void {
    const decision = { type: 'deny', reason: messages.ONLY_READS } as const;
    queueMicrotask(() => this.#child?.take({ type: 'decide', callId, decision, by: 'headless' }));
  }
}
