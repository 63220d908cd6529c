import { formatGivenUp } from '../../../core/meta/messages.ts';
import { isCommand } from '../../../core/policy/policy.ts';
import { type CompactionEvent, formatCompaction } from '../../../core/session/context-state.ts';
import { formatHalt, formatHaltReport } from '../../../core/session/halt-report.ts';
import { OWN_COMMAND } from '../../../core/session/state.ts';
import { type AnswerGap, findAnswerGap } from '../../../core/session/turn-report.ts';
import { escapeForDisplay, sanitizeLine, sanitizeText } from '../../../core/text/sanitize.ts';
import { formatError } from '../../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../../protocol/event.ts';
import type { SavedImage, ToolCall, ToolResult } from '../../../protocol/tool.ts';
import { UNKNOWN_TERMINAL } from './capability-replies.ts';
import { formatAppliedReport, formatUnchanged } from './dry-run.ts';
import { formatGateRefusal } from './gate-refusal.ts';
import type { formatImage } from './image.ts';
import { LiveAnswer, type Stage } from './live-answer.ts';
import { type Style, styled } from './theme.ts';
import {
  type FrameView,
  formatCallEnd,
  formatCallRefused,
  formatCallStart,
  formatCommandCallEnd,
  formatSandboxedEnd,
} from './tool-frame.ts';
import { formatTurnEnd } from './turn-end.ts';
import { formatRestore } from './undo-report.ts';
import { wrapText } from './wrap.ts';

/** Events that are shown elsewhere, or by nothing: where text came from is told by the question that it matters to. */
type NotShown = Extract<
  SessionEvent,
  {
    type:
      | `session.${'created' | 'resumed' | 'forked'}`
      | `command.${string}`
      | `turn.${'stop-requested' | 'tainted'}`
      | 'taint.cleared'
      | 'context.window'
      | `request.${string}`
      | 'impact.estimated'
      | 'history.imported'
      | 'settings.changed'
      | `restore.${'started' | 'conflicted' | 'resolved'}`;
  }
>;

/** Events that are told in a line. */
type Told = CompactionEvent | EventOf<'session.named' | 'op.rejected' | 'notice'>;

/** Shows a session's events as they come: the answer as it streams, calls and results in frames, notices as dim lines. */
export class View {
  readonly #stage: Stage;
  readonly #live: LiveAnswer;
  #formatImage: typeof formatImage | null = null;
  /** Why the user's own commands could not be undone last. */
  #whyNot: string | null = null;
  /** Open calls; `startedAt` is null before a call runs. */
  #isDryRunning: 'trying' | 'applying' | null = null;
  /** What runs as a dry run is a line of the user's own. */
  #isUserDryRun = false;
  /** What is missing of the last answer. */
  #gap: AnswerGap | null = null;
  /** A request waits for the compaction that runs. */
  #isForTurn = false;
  readonly #calls = new Map<string, { readonly call: ToolCall; startedAt: number | null }>();

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#live = new LiveAnswer(stage);
  }

  /** The live rows for the window's size of now; the editor draws them. */
  resized(): readonly string[] {
    return this.#live.resized();
  }

  /** Shows one event. `at` is when it happened, in milliseconds since the epoch. */
  show(event: SessionEvent, at: number): void {
    switch (event.type) {
      case 'turn.started':
        this.#gap = null;
        this.#live.wait('thinking');
        return;
      case 'text.delta':
      case 'reasoning.delta':
        this.#live.push(event.type === 'text.delta' ? event.text : '');
        return;
      case 'step.completed':
        this.#gap = findAnswerGap(event);
        this.#endStep(event.calls);
        return;
      case 'tool-call.delta':
        this.#prepare(event.name);
        return;
      case 'approval.requested':
      case 'approval.decided':
        this.#showApproval(event);
        return;
      case 'checkpoint.created':
      case 'checkpoint.skipped':
      case 'checkpoint.finalized':
        this.#showCheckpoint(event);
        return;
      case 'tool-call.started':
        this.#showStart(event, at);
        return;
      case 'tool-call.completed':
        this.#showResult(event, at);
        return;
      case 'turn.ended':
        this.#showEnd(event);
        return;
      case 'session.halted':
      case 'halt.completed':
        this.#showHalt(event.type === 'session.halted' ? formatHalt(event) : formatHaltReport(event));
        return;
      case 'dry-run.started':
      case 'dry-run.completed':
      case 'dry-run.discarded':
      case 'dry-run.applying':
      case 'dry-run.applied':
        this.#showDryRun(event);
        return;
      case 'restore.abandoned':
      case 'restore.completed':
        this.#showRestore(event, at);
        return;
      case 'compaction.started':
      case 'context.compacted':
      case 'compaction.failed':
      case 'session.named':
      case 'op.rejected':
      case 'notice':
        this.#tell(event);
        return;
      default:
        // An event that is neither shown above nor named as one that is not does not compile.
        event satisfies NotShown;
    }
  }

  #prepare(name: string): void {
    this.#live.endAnswer();
    this.#live.wait(`preparing ${sanitizeLine(name)}`);
  }

  #tell(event: Told): void {
    if (event.type !== 'session.named' && event.type !== 'op.rejected' && event.type !== 'notice')
      this.#showCompaction(event);
    else if (event.type === 'op.rejected') this.#line('error', formatError(event.error));
    else if (event.type === 'notice') this.#line(event.level === 'info' ? 'dim' : event.level, event.text);
    else if (event.by === 'user') this.#line('dim', `this session is called: ${event.name}`);
  }

  #showCheckpoint(event: EventOf<`checkpoint.${string}`>): void {
    if ('callId' in event && event.callId === OWN_COMMAND) {
      this.#tellOwn(event);
      return;
    }
    switch (event.type) {
      case 'checkpoint.created':
        if (event.again !== true) this.#line('dim', `  checkpoint ${event.checkpoint.id}`);
        return;
      case 'checkpoint.skipped':
        this.#line('warning', `  no checkpoint: ${event.why}`);
        return;
      case 'checkpoint.finalized':
        if (event.error !== undefined)
          this.#line('warning', `checkpoint ${event.id} is incomplete: ${event.error.message}`);
    }
  }

  /** A command of the user's own has the screen; only that it cannot be undone is told, once for each reason. */
  #tellOwn(event: EventOf<'checkpoint.created' | 'checkpoint.skipped'>): void {
    if (event.type === 'checkpoint.created' || this.#whyNot === event.why) return;
    this.#whyNot = event.why;
    this.#line('warning', `  your commands cannot be undone here: ${event.why}`);
  }

  #showDryRun(event: EventOf<`dry-run.${string}`>): void {
    switch (event.type) {
      case 'dry-run.started':
        this.#isDryRunning = 'trying';
        this.#isUserDryRun = event.callId === undefined;
        this.#live.wait('dry-running, with no input');
        return;
      case 'dry-run.completed':
        this.#isDryRunning = null;
        this.#live.stopWaiting();
        if (event.error !== undefined) this.#line('error', formatError(event.error));
        else if (event.report?.count === 0 && this.#isUserDryRun)
          this.#print(formatUnchanged(event.report, this.#stage.size().columns, this.#stage.theme));
        return;
      case 'dry-run.discarded':
        this.#live.stopWaiting();
        if (this.#isDryRunning === 'trying') this.#line('dim', '  the dry run was stopped; nothing of it is left');
        this.#isDryRunning = null;
        return;
      case 'dry-run.applying':
        this.#isDryRunning = 'applying';
        return;
      case 'dry-run.applied':
        this.#isDryRunning = null;
        if (event.error !== undefined) this.#line('error', formatError(event.error));
        else if (event.report !== undefined) this.#print(formatAppliedReport(event.report, this.#stage.size().columns));
    }
  }

  #endStep(calls: readonly ToolCall[]): void {
    this.#live.endAnswer();
    for (const call of calls) this.#calls.set(call.id, { call, startedAt: null });
  }

  #showApproval(event: EventOf<`approval.${string}`>): void {
    if (event.type === 'approval.requested') {
      this.#live.stopWaiting();
      return;
    }
    const known = this.#calls.get(event.callId);
    if (known === undefined) return;
    switch (event.decision) {
      case 'deny':
        // The user's own answer is on the screen; its result would only repeat it.
        if (event.by !== 'headless') this.#calls.delete(event.callId);
        if (event.by === 'policy') this.#print(formatGateRefusal(known.call, event.preview, this.#frame()));
        return;
      case 'edit':
        this.#calls.set(event.callId, { ...known, call: withCommand(known.call, event.command) });
        return;
      case 'allow':
        if (event.by === 'policy') this.#showRule(known.call, event);
    }
  }

  #showRule(call: ToolCall, { preview, rule }: EventOf<'approval.decided'>): void {
    this.#live.stopWaiting();
    // A command is shown when it starts.
    if (!isCommand(call)) this.#print(formatCallStart(call, this.#frame()));
    if (preview?.decided?.autoRun === true) return;
    const { path, linked, foreign } = preview ?? {};
    const really = path !== undefined && (linked || foreign) ? `: ${escapeForDisplay(path)}` : '';
    this.#line('dim', `  allowed by the rule "${escapeForDisplay(rule ?? '')}"${really}`);
  }

  /** A command shows its own output and takes the keyboard; anything else gets a clock. */
  #showStart({ callId, sandboxed }: EventOf<'tool-call.started'>, at: number): void {
    const known = this.#calls.get(callId);
    if (known === undefined) return;
    known.startedAt = at;
    // What comes of it is told by the dry-run.
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
    else {
      if (!known.call.name.startsWith('aish.')) void this.#prepareImages();
      this.#live.wait(known.call.name);
    }
  }

  #showResult(event: EventOf<'tool-call.completed'>, at: number): void {
    this.#live.stopWaiting();
    const known = this.#calls.get(event.callId);
    this.#calls.delete(event.callId);
    if (known?.startedAt === null) this.#print(formatCallRefused(known.call, event.text, this.#frame()));
    else if (known !== undefined) this.#print(this.#formatResult(known.call, event, at - known.startedAt));
    if (event.images !== undefined) this.#showImages(event.images);
    this.#live.wait('thinking');
  }

  /** Shows images where the terminal can, and says where they are. */
  #showImages(images: readonly SavedImage[]): void {
    const { size, setLive, capabilities } = this.#stage;
    const textOnly = setLive === undefined || capabilities === undefined;
    const show = (format: typeof formatImage): void => {
      const view = { size: size(), capabilities: capabilities?.() ?? UNKNOWN_TERMINAL, textOnly };
      for (const image of images) this.#live.print(format(image, view));
    };
    if (this.#formatImage !== null) show(this.#formatImage);
    else void import('./image.ts').then((module) => show(module.formatImage));
  }

  /** Before an image may come, so that it stands at its place and never in what comes after it. */
  async #prepareImages(): Promise<void> {
    if (this.#formatImage === null) this.#formatImage = (await import('./image.ts')).formatImage;
  }

  #showEnd(event: EventOf<'turn.ended'>): void {
    this.#live.stopWaiting();
    this.#live.endAnswer();
    const line = formatTurnEnd(event, this.#gap);
    if (line !== null) this.#line(event.reason === 'interrupted' ? 'dim' : 'error', line);
  }

  #showHalt(text: string | null): void {
    this.#live.stopWaiting();
    this.#live.endAnswer();
    if (text !== null) this.#line('warning', text);
  }

  #showCompaction(event: CompactionEvent): void {
    if (event.type === 'compaction.started') {
      this.#isForTurn = event.reason !== 'user';
      this.#live.wait(formatCompaction(event));
      return;
    }
    this.#live.stopWaiting();
    this.#line(event.type === 'compaction.failed' ? 'warning' : 'dim', `  ${formatCompaction(event)}`);
    if (this.#isForTurn) this.#live.wait('thinking');
  }

  #showRestore(event: EventOf<'restore.abandoned' | 'restore.completed'>, now: number): void {
    if (event.type === 'restore.abandoned') {
      this.#line('dim', `  ${formatGivenUp(event.part)}`);
      return;
    }
    const { error, report, ...step } = event;
    if (error !== undefined) this.#line('error', formatError(error));
    else if (report !== undefined)
      this.#print(formatRestore({ ...step, report }, { now, columns: this.#stage.size().columns }).split('\n'));
  }

  /** The output of a command in the shared shell is on the screen already. */
  #formatResult(call: ToolCall, result: ToolResult, elapsedMs: number): readonly string[] {
    const { record } = result;
    if (record?.sandboxed === true) return formatSandboxedEnd(record, elapsedMs, this.#frame());
    if (call.effect !== 'exec' || result.isError) return formatCallEnd(result, elapsedMs, this.#frame());
    return formatCommandCallEnd(result, elapsedMs, this.#frame());
  }

  #frame(): FrameView {
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
