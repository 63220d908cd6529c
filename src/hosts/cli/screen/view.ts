import { isContractEvent, PLAN_TOOL_NAME } from '../../../core/contract/contract-run.ts';
import { formatGivenUp } from '../../../core/meta/messages.ts';
import { isCommand } from '../../../core/policy/policy.ts';
import { type CompactionEvent, formatCompaction } from '../../../core/session/context-state.ts';
import { formatHalt, formatHaltReport } from '../../../core/session/messages-later.ts';
import { type AnswerGap, findAnswerGap, OWN_COMMAND } from '../../../core/session/state.ts';
import { UNKNOWN_TERMINAL } from '../../../core/terminal/capabilities.ts';
import { type Style, styled } from '../../../core/terminal/theme.ts';
import { type RowView, wrapText } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay, sanitizeLine, sanitizeText } from '../../../core/text/sanitize.ts';
import type { ContractEvent } from '../../../protocol/contract.ts';
import { formatError } from '../../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../../protocol/event.ts';
import type { RequestDelay } from '../../../protocol/model.ts';
import type { ToolCall } from '../../../protocol/tool.ts';
import { formatGateRefusal } from './approval.ts';
import { formatAppliedReport, formatUnchanged } from './change-report.ts';
import { ExplorerRows, LiveAnswer, type Stage } from './live-answer.ts';
import * as messages from './messages.ts';
import * as frames from './tool-frame.ts';
import { formatRestore } from './undo.ts';

/** Events that the view does not show. */
type NotShown = Extract<
  SessionEvent,
  {
    type:
      | `session.${'created' | 'resumed' | 'forked' | 'recalled' | 'summarized'}`
      | `turn.${'stop-requested' | 'tainted'}`
      | 'taint.cleared'
      | 'context.window'
      | `request.${'prefixed' | 'sent' | 'counted'}`
      | 'tool-call.sampled'
      | `command.${string}`
      | 'impact.estimated'
      | 'form.answered'
      | 'history.imported'
      | 'settings.changed'
      | `restore.${'started' | 'conflicted' | 'resolved'}`;
  }
>;

type ShownType = Exclude<SessionEvent, NotShown | ContractEvent>['type'];

/** Shows a session's events as they come: the answer as it streams, calls and results in frames, notices as dim lines. */
export class View {
  readonly #stage: Stage;
  readonly #live: LiveAnswer;
  /** The images of the event that is shown next, as the terminal draws them. */
  #images: readonly string[] = [];
  /** Loaded with the first event of an autonomous run: few prompts need it. */
  #receipt: typeof import('../../../core/contract/receipt.ts') | null = null;
  readonly #explorers: ExplorerRows;
  /** The last reason why aish could not undo the user's own commands. */
  #whyNot: string | null = null;
  /** The autonomous run is paused. */
  #isPaused = false;
  #isDryRunning: 'trying' | 'applying' | null = null;
  /** The user entered the line that runs as a dry run. */
  #isUserDryRun = false;
  /** The fault and the size of the last answer. */
  #gap: AnswerGap | null = null;
  #tokens: number | undefined;
  /** A request waits for the compaction that runs. */
  #isForTurn = false;
  /** Open calls; `startedAt` is null before a call runs. */
  readonly #calls = new Map<string, { readonly call: ToolCall; startedAt: number | null }>();

  /** How each event is shown, at the time when it happened. An event that is neither here nor among those not shown does not compile. */
  readonly #shows: { readonly [T in ShownType]: (event: SessionEvent & { readonly type: T }, at: number) => void } = {
    'turn.started': () => {
      this.#gap = null;
      this.#live.wait(messages.THINKING);
    },
    'turn.ended': (event) => this.#endTurn(event),
    'text.delta': (event) => this.#live.follow(event),
    'reasoning.delta': (event) => this.#live.follow(event),
    'tool-call.progress': (event) => this.#live.follow(event),
    'request.progress': (event) => this.#live.follow(event),
    'step.completed': (event) => this.#endStep(event),
    'tool-call.delta': ({ name }) => {
      this.#live.endAnswer();
      this.#live.wait(messages.formatPreparing(sanitizeLine(name)));
    },
    'approval.requested': () => this.#live.stopWaiting(),
    'form.requested': () => this.#live.stopWaiting(),
    'approval.decided': (event) => this.#showDecision(event),
    'checkpoint.created': ({ callId, again, checkpoint }) => {
      if (callId !== OWN_COMMAND && again !== true) this.#line('dim', `  ${messages.formatCheckpoint(checkpoint.id)}`);
    },
    'checkpoint.skipped': ({ callId, why }) => {
      if (callId === OWN_COMMAND) this.#showNotUndoable(why);
      else this.#line('warning', `  ${messages.formatNoCheckpoint(why)}`);
    },
    'checkpoint.finalized': ({ id, error }) => {
      if (error !== undefined) this.#line('warning', messages.formatIncomplete(id, error.message));
    },
    'tool-call.started': (event, at) => this.#showStart(event, at),
    'tool-call.completed': (event, at) => this.#showResult(event, at),
    'explorer.event': (event) => this.#explorers.show(event),
    'session.halted': (event) => this.#showHalt(formatHalt(event)),
    'halt.completed': (event) => this.#showHalt(formatHaltReport(event)),
    'dry-run.started': ({ callId }) => {
      this.#isDryRunning = 'trying';
      this.#isUserDryRun = callId === undefined;
      this.#live.wait(messages.DRY_RUNNING);
    },
    'dry-run.completed': ({ error, report }) => {
      this.#isDryRunning = null;
      this.#live.stopWaiting();
      if (error !== undefined) this.#line('error', formatError(error));
      else if (report?.count === 0 && this.#isUserDryRun) this.#print(formatUnchanged(report, this.#frame()));
    },
    'dry-run.discarded': () => {
      this.#live.stopWaiting();
      if (this.#isDryRunning === 'trying') this.#line('dim', `  ${messages.DRY_RUN_STOPPED}`);
      this.#isDryRunning = null;
    },
    'dry-run.applying': () => {
      this.#isDryRunning = 'applying';
    },
    'dry-run.applied': ({ error, report }) => {
      this.#isDryRunning = null;
      if (error !== undefined) this.#line('error', formatError(error));
      else if (report !== undefined) this.#print(formatAppliedReport(report, this.#stage.size().columns));
    },
    'restore.abandoned': ({ part }) => this.#line('dim', `  ${formatGivenUp(part)}`),
    'restore.completed': ({ error, report, ...step }, now) => {
      if (error !== undefined) this.#line('error', formatError(error));
      else if (report !== undefined)
        this.#print(formatRestore({ ...step, report }, { now, columns: this.#stage.size().columns }).split('\n'));
    },
    'compaction.started': (event) => {
      this.#isForTurn = event.reason !== 'user';
      this.#live.wait(formatCompaction(event));
    },
    'context.compacted': (event) => this.#endCompaction('dim', event),
    'compaction.failed': (event) => this.#endCompaction('warning', event),
    'session.named': ({ by, name }) => {
      if (by === 'user') this.#line('dim', messages.formatSessionName(name));
    },
    'op.rejected': ({ error }) => this.#line('error', formatError(error)),
    'request.delayed': ({ delay }) => this.#showDelay(delay),
    notice: ({ level, text }) => this.#line(level === 'info' ? 'dim' : level, text),
    'hook.added': (event) => this.#line('dim', messages.formatHookAdded(event)),
  };

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#live = new LiveAnswer(stage);
    this.#explorers = new ExplorerRows(this.#live, stage);
  }

  /** The live rows for the window's size of now; the editor draws them. */
  resized(): readonly string[] {
    return this.#live.resized();
  }

  /** Loads what `show` needs for an event beyond the event itself: its images, and code that few sessions need. */
  async prepare(event: SessionEvent): Promise<void> {
    if (isContractEvent(event)) this.#receipt ??= await import('../../../core/contract/receipt.ts');
    if (event.type !== 'tool-call.completed' || event.images === undefined) return;
    const { formatImage } = await import('./image.ts');
    const { size, setLive, capabilities } = this.#stage;
    // A screen that only appends, for somebody who listens to it, gets no images.
    const known = (setLive && capabilities?.()) ?? UNKNOWN_TERMINAL;
    const view = { size: size(), capabilities: known };
    this.#images = await Promise.all(event.images.map((image) => formatImage(image, view)));
  }

  /** Shows one event. `at` is when it happened, in milliseconds since the epoch. */
  show(event: SessionEvent, at: number): void {
    if (isContractEvent(event)) this.#showContract(event);
    else if (this.#isShown(event)) this.#dispatch(event, at);
    if (this.#isPaused && /\.(?:completed|ended|checked)$/.test(event.type)) this.#live.wait(messages.PAUSED);
  }

  #isShown(event: SessionEvent): event is SessionEvent & { readonly type: ShownType } {
    return Object.hasOwn(this.#shows, event.type);
  }

  #dispatch<T extends ShownType>(event: SessionEvent & { readonly type: T }, at: number): void {
    this.#shows[event.type](event, at);
  }

  #showDelay(delay: RequestDelay): void {
    const format = (leftMs: number): string => sanitizeLine(messages.formatDelay(delay, leftMs));
    if (delay.reason === 'loading') this.#live.wait(format(0));
    else this.#live.countDown(format, delay.waitMs);
  }

  /** A command of the user has the screen. A notice says if aish cannot undo it, once for each reason. */
  #showNotUndoable(why: string): void {
    if (this.#whyNot === why) return;
    this.#whyNot = why;
    this.#line('warning', `  ${messages.formatOwnNotUndoable(why)}`);
  }

  #showContract(event: ContractEvent): void {
    this.#live.stopWaiting();
    const lines = this.#receipt?.describeContractEvent(event) ?? [];
    // The user who began the run has just read the rest of its contract.
    const shown = event.type === 'contract.started' ? lines.slice(0, 1) : lines;
    for (const line of shown) this.#line(styleOfContract(event), `  ${line}`);
    if (event.type === 'contract.ended') this.#line('dim', `  ${this.#receipt?.describeNext(event)}`);
    this.#isPaused = isPausedAfter(event, this.#isPaused);
    const status = statusAfter(event, this.#isPaused);
    if (status !== null) this.#live.wait(status);
  }

  #endStep(event: EventOf<'step.completed'>): void {
    const { calls } = event;
    this.#gap = findAnswerGap(event);
    this.#tokens = event.usage?.completionTokens;
    this.#live.endAnswer();
    for (const call of calls) this.#calls.set(call.id, { call, startedAt: null });
  }

  #showDecision(event: EventOf<'approval.decided'>): void {
    const known = this.#calls.get(event.callId);
    if (known === undefined) return;
    switch (event.decision) {
      case 'deny':
        // The user's own answer is on the screen; the result would repeat it.
        if (event.by !== 'headless') this.#calls.delete(event.callId);
        if (event.by === 'policy') this.#print(formatGateRefusal(known.call, event, this.#frame()));
        return;
      case 'edit':
        this.#calls.set(event.callId, { ...known, call: withCommand(known.call, event.command) });
        return;
      case 'allow':
        // Events of the contract show the changes of its plan.
        if (known.call.name === PLAN_TOOL_NAME) this.#calls.delete(event.callId);
        else if (event.by === 'policy') this.#showRule(known.call, event);
        // A large project takes a while.
        else this.#live.wait(messages.SAVING);
    }
  }

  #showRule(call: ToolCall, { preview, rule }: EventOf<'approval.decided'>): void {
    this.#live.stopWaiting();
    // A command is shown when it starts.
    if (!isCommand(call)) this.#print(frames.formatCallStart(call, this.#frame()));
    if (preview?.decided?.autoRun === true || preview?.byContract === true) return;
    const { path, linked, foreign } = preview ?? {};
    const realPath = path !== undefined && (linked || foreign) ? escapeForDisplay(path) : null;
    this.#line('dim', `  ${messages.formatAllowedByRule(escapeForDisplay(rule ?? ''), realPath)}`);
  }

  /** A command shows its own output and takes the keyboard; anything else gets a clock. */
  #showStart({ callId, sandboxed }: EventOf<'tool-call.started'>, at: number): void {
    const known = this.#calls.get(callId);
    if (known === undefined) return;
    known.startedAt = at;
    // The dry run reports the result.
    if (this.#isDryRunning === 'applying') {
      this.#calls.delete(callId);
      return;
    }
    if (sandboxed === true) {
      this.#line('dim', `  $ ${escapeForDisplay(String(known.call.arguments.command ?? ''))}  (sandboxed)`);
      this.#live.wait('running');
      return;
    }
    if (known.call.effect === 'exec') this.#line('dim', `  $ ${String(known.call.arguments.command ?? '')}`);
    else this.#live.wait(known.call.name);
  }

  #showResult(event: EventOf<'tool-call.completed'>, at: number): void {
    this.#live.stopWaiting();
    const known = this.#calls.get(event.callId);
    this.#explorers.end(event.callId);
    this.#calls.delete(event.callId);
    if (known?.startedAt === null) this.#print(frames.formatCallRefused(known.call, event.text, this.#frame()));
    else if (known !== undefined) this.#print(frames.formatCallEnd(event, at - known.startedAt, this.#frame()));
    for (const image of this.#images) this.#live.print(image);
    this.#images = [];
    const other = [...this.#calls.values()].find(({ startedAt }) => startedAt !== null);
    this.#live.wait(other?.call.name ?? messages.THINKING);
  }

  #endTurn(event: EventOf<'turn.ended'>): void {
    this.#explorers.end();
    this.#live.stopWaiting();
    this.#live.endAnswer();
    const line = messages.formatTurnEnd(event, this.#gap, this.#tokens);
    if (line !== null) this.#line(event.reason === 'interrupted' ? 'dim' : 'error', line);
  }

  #showHalt(text: string | null): void {
    this.#live.stopWaiting();
    this.#live.endAnswer();
    if (text !== null) this.#line('warning', text);
  }

  #endCompaction(style: Style, event: CompactionEvent): void {
    this.#live.stopWaiting();
    this.#line(style, `  ${formatCompaction(event)}`);
    if (this.#isForTurn) this.#live.wait(messages.THINKING);
  }

  #frame(): RowView {
    const { size, theme } = this.#stage;
    return { columns: size().columns, theme };
  }

  #line(style: Style, text: string): void {
    const clean = wrapText(sanitizeText(text), this.#stage.size().columns).split('\n');
    this.#print(clean.map((line) => styled(this.#stage.theme, style, line)));
  }

  /** A running clock gives way to what is printed; the next event starts it again. */
  #print(lines: readonly string[]): void {
    this.#live.print(`${lines.join('\n')}\n`);
  }
}

function withCommand(call: ToolCall, command: string | undefined): ToolCall {
  return command === undefined ? call : { ...call, arguments: { ...call.arguments, command } };
}

/** Whether the autonomous run is paused after an event of it. */
function isPausedAfter({ type }: ContractEvent, wasPaused: boolean): boolean {
  if (type === 'contract.paused') return true;
  return type === 'contract.continued' || type === 'contract.ended' ? false : wasPaused;
}

/** The text of the clock after an event of a run; null for none. */
function statusAfter(event: ContractEvent, isPaused: boolean): string | null {
  if (event.type === 'contract.started' || event.type === 'contract.resumed') return messages.CHECKING;
  // The timer of the run stops at once.
  if (event.type === 'contract.paused' && event.running.some((key) => !key.startsWith('time-')))
    return messages.FINISHING;
  if (isPaused) return messages.PAUSED;
  return event.type === 'contract.continued' || event.type === 'contract.planned' ? messages.THINKING : null;
}

/** The style of the lines of such an event. */
function styleOfContract(event: ContractEvent): Style {
  if (event.type === 'contract.fenced') return 'warning';
  if (event.type !== 'contract.ended') return 'dim';
  return event.reason === 'achieved' || event.reason === 'already-achieved' ? 'bold' : 'warning';
}
