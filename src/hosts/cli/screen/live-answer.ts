import { type Clock, REAL_CLOCK } from '../../../adapters/system/patience.ts';
import { beginExploration, type Exploration, followExploration, isLimit } from '../../../core/explore/explorer.ts';
import * as explorerMessages from '../../../core/explore/messages.ts';
import type { CodePainter } from '../../../core/markdown/markdown-code.ts';
import { MarkdownStream } from '../../../core/markdown/markdown-stream.ts';
import { formatTokens } from '../../../core/session/context-state.ts';
import type { Capabilities } from '../../../core/terminal/capabilities.ts';
import { styled, type Theme } from '../../../core/terminal/theme.ts';
import { clipText, wrapProse } from '../../../core/terminal/wrap.ts';
import { formatDuration } from '../../../core/text/duration.ts';
import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import type { EventOf } from '../../../protocol/event.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { ToolCall } from '../../../protocol/tool.ts';
import { formatProgress, formatPrompt, THINKING } from './messages.ts';

/** The destination of the output. */
export interface Stage {
  /** Prints lines that stay, above what is live and the line that is typed. With `live` these rows stand below them from then on. */
  print(text: string, live?: readonly string[]): void;
  /** Rows, no wider than the window, that are drawn over. Without it everything is printed once and stays: nothing is drawn twice. */
  setLive?(rows: readonly string[]): void;
  size(): TerminalSize;
  readonly theme: Theme;
  readonly codePainter?: () => CodePainter | null;
  /** The capabilities of the terminal, for frames. */
  readonly capabilities?: () => Capabilities;
  readonly clock?: Clock;
}

/** Tokens of a moment are drawn together: a screen shows no more frames a second, and each costs its way there and back. */
const FRAME_MS = 16;
/** With fewer new characters than this a frame may wait a little for more of them. */
const FRAME_CHARACTERS = 40;
const LONGEST_WAIT_MS = 60;
/** More is never drawn at a time, so that what draws a flood of text gives way to keys in between. */
const MOST_PENDING = 1024;
/** Times of the reminders that work continues, on a screen that is never redrawn. */
const REMINDERS_MS = [10_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/** A stream without a byte for so long has stalled. */
const STALLED_MS = 10_000;
const STALLED = 'the model sends nothing';

/** The part of the screen that changes: the open end of a streamed answer, and under it what is being waited for. */
export class LiveAnswer {
  readonly #stage: Stage;
  readonly #clock: Clock;
  readonly #elapsed: Elapsed;
  #answer: MarkdownStream | null = null;
  /** Text that has come and is not drawn. */
  #pending = '';
  /** The label tells how far a request is. */
  #isReading = false;
  #open: readonly string[] = [];
  #shown: readonly string[] = [];
  #notes: readonly string[] = [];
  #drawnAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;
  #reminded = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#clock = stage.clock ?? REAL_CLOCK;
    this.#elapsed = new Elapsed(this.#clock, () => this.#tick());
  }

  /** Takes a piece of the answer, an empty one for what came and is not shown. The first one is drawn at once, more of them together. */
  push(text: string): void {
    if (text === '' && this.#answer === null) return;
    this.#reminded = 0;
    this.#elapsed.restart(STALLED, STALLED_MS);
    const { theme, codePainter } = this.#stage;
    this.#answer ??= new MarkdownStream({ theme, ...(codePainter === undefined ? {} : { codePainter }) });
    this.#pending += text;
    const waited = this.#clock.now() - this.#drawnAt;
    const due = this.#pending.length < FRAME_CHARACTERS ? LONGEST_WAIT_MS : FRAME_MS;
    if (waited >= due || this.#pending.length >= MOST_PENDING) this.#drawAnswer();
    else this.#cancel ??= this.#clock.later(LONGEST_WAIT_MS - waited, () => this.#drawAnswer());
  }

  /** The answer is whole, or broken off: all of it stays as it is. */
  endAnswer(): void {
    const answer = this.#answer;
    if (answer === null) return;
    this.#elapsed.stop();
    this.#callOff();
    const { columns } = this.#stage.size();
    const finished = answer.push(this.#take(), columns).finished + answer.end(columns);
    this.#answer = null;
    this.#open = [];
    this.#show(finished);
  }

  /** Begins a wait. */
  wait(label: string): void {
    // An answer may bring code: what colours it is loaded while the model thinks.
    this.#stage.codePainter?.();
    this.#reminded = 0;
    this.#elapsed.start(label);
    this.#show('');
  }

  /** Takes a piece of an answer, of which reasoning is not shown, or a report of how far a call or a request is. */
  follow(event: EventOf<'text.delta' | 'reasoning.delta' | 'tool-call.progress' | 'request.progress'>): void {
    if (event.type === 'tool-call.progress') {
      this.relabel(sanitizeLine(formatProgress(event)));
      return;
    }
    if (event.type === 'request.progress') this.relabel(formatPrompt(event.percent));
    else if (this.#isReading) this.relabel(THINKING);
    this.#isReading = event.type === 'request.progress';
    if (event.type !== 'request.progress') this.push(event.type === 'text.delta' ? event.text : '');
  }

  /** Draws rows above the wait, after lines that stay. */
  note(rows: readonly string[], finished: string): void {
    this.#notes = rows;
    this.#show(finished);
  }

  /** Changes the text of the wait. A screen that is never redrawn shows it with the next reminder. */
  relabel(label: string): void {
    if (!this.#elapsed.relabel(label) || this.#stage.setLive === undefined) return;
    this.#show('');
  }

  /** Counts down to the next try. A screen that is never redrawn gets one line. */
  countDown(format: (leftMs: number) => string, milliseconds: number): void {
    this.wait('');
    this.#elapsed.countDown(format, milliseconds);
    if (this.#stage.setLive === undefined) this.#stage.print(`${this.#elapsed.text()}\n`);
    this.#show('');
  }

  /** Ends the wait. */
  stopWaiting(): void {
    this.#elapsed.stop();
    this.#show('');
  }

  /** Prints lines that stay. */
  print(text: string): void {
    if (this.#answer === null) this.#elapsed.stop();
    this.#show(text);
  }

  /** The rows for a window of another size; the caller draws them. */
  resized(): readonly string[] {
    this.#open = this.#answer?.live(this.#stage.size().columns) ?? [];
    this.#shown = this.#rows();
    return this.#shown;
  }

  #take(): string {
    const text = this.#pending;
    this.#pending = '';
    return text;
  }

  #callOff(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #drawAnswer(): void {
    this.#callOff();
    this.#drawnAt = this.#clock.now();
    if (this.#answer === null) return;
    const { finished, live } = this.#answer.push(this.#take(), this.#stage.size().columns);
    this.#open = live;
    this.#show(finished);
  }

  #show(finished: string): void {
    const { print, setLive } = this.#stage;
    if (setLive === undefined) {
      if (finished !== '') print(finished);
      return;
    }
    const rows = this.#rows();
    if (finished !== '') print(finished, rows);
    else if (rows.length !== this.#shown.length || rows.some((row, at) => row !== this.#shown[at])) setLive(rows);
    this.#shown = rows;
  }

  #rows(): readonly string[] {
    const text = this.#elapsed.text();
    if (text === null) return [...this.#open, ...this.#notes];
    const { theme, size } = this.#stage;
    // The reason of a server may be long, and the time stands behind it. The last words never cost a short one its row.
    const width = size().columns - 1;
    const short = wrapProse(text, width);
    const rows = wrapProse(`${text} · Ctrl-C stops`, width);
    const shown = short.length === 1 && rows.length > 1 ? short : rows;
    return [...this.#open, ...this.#notes, ...shown.map((row) => styled(theme, 'dim', row))];
  }

  #tick(): void {
    if (this.#stage.setLive !== undefined) {
      this.#show('');
      return;
    }
    const due = REMINDERS_MS[this.#reminded];
    const text = this.#elapsed.text();
    if (due === undefined || text === null || this.#elapsed.milliseconds < due) return;
    this.#reminded++;
    this.#stage.print(`${text.replace(' · ', ', ')}\n`);
  }
}

const TICK_MS = 1000;

/** Reports how long a piece of work takes, from its first second on, or from a later one. */
class Elapsed {
  readonly #clock: Clock;
  /** Another second has passed: what `text` says has changed. */
  readonly #tick: () => void;
  #cancel: (() => void) | null = null;
  #label = '';
  #since = 0;
  #after = TICK_MS;
  /** A countdown and its length; null if the time is counted upwards. */
  #countdown: { readonly format: (leftMs: number) => string; readonly length: number } | null = null;

  constructor(clock: Clock, tick: () => void) {
    this.#clock = clock;
    this.#tick = tick;
  }

  /** Begins to count for a piece of work such as `waiting for the model`; `after` is how long there is nothing to report. */
  start(label: string, after = TICK_MS): void {
    this.stop();
    this.#label = label;
    this.#after = after;
    this.#countdown = null;
    this.#since = this.#clock.now();
    this.#later();
  }

  /** Changes the label of a count upwards; false if nothing is counted. */
  relabel(label: string): boolean {
    if (this.#cancel === null || this.#countdown !== null) return false;
    this.#label = label;
    return true;
  }

  /** Begins to count down; there is something to report from its first moment on. */
  countDown(format: (leftMs: number) => string, length: number): void {
    this.start('', 0);
    this.#countdown = { format, length };
  }

  /** Begins to count anew where this label is counted for. The timer that runs stays, because pieces of an answer come by the hundred. */
  restart(label: string, after: number): void {
    if (this.#cancel === null || this.#label !== label) this.start(label, after);
    else this.#since = this.#clock.now();
  }

  /** The work is done. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Milliseconds so far; 0 while nothing is counted. */
  get milliseconds(): number {
    return this.#cancel === null ? 0 : this.#clock.now() - this.#since;
  }

  /** The status text of now; null while there is none. */
  text(): string | null {
    const passed = this.milliseconds;
    if (this.#cancel === null || passed < this.#after) return null;
    if (this.#countdown === null) return `${this.#label} · ${formatDuration(passed)}`;
    return this.#countdown.format(this.#countdown.length - passed);
  }

  #later(): void {
    this.#cancel = this.#clock.later(TICK_MS, () => {
      this.#later();
      this.#tick();
    });
  }
}

/** The longest question and the longest call of a row. */
const QUESTION_COLUMNS = 40;
const CALL_COLUMNS = 40;

/** One row for each explorer at work. An explorer that is done leaves its row as a line that stays. */
export class ExplorerRows {
  readonly #live: Pick<LiveAnswer, 'note'>;
  readonly #stage: Pick<Stage, 'theme' | 'size'>;
  readonly #works = new Map<number, { readonly work: Exploration; readonly now: string }>();
  #callId = '';

  constructor(live: Pick<LiveAnswer, 'note'>, stage: Pick<Stage, 'theme' | 'size'>) {
    this.#live = live;
    this.#stage = stage;
  }

  /** Shows an event of an explorer. */
  show({ callId, explorer, event }: EventOf<'explorer.event'>): void {
    if (callId !== this.#callId) this.#works.clear();
    this.#callId = callId;
    const before = this.#works.get(explorer);
    const begun = event.type === 'turn.started' && before === undefined ? beginExploration(event.text) : before?.work;
    if (begun === undefined) return;
    const work = followExploration(begun, event);
    const now = event.type === 'step.completed' ? nameCall(event.calls[0]) : (before?.now ?? explorerMessages.THINKING);
    const isDone = event.type === 'turn.ended' && !isLimit(event.reason);
    if (isDone) this.#works.delete(explorer);
    else this.#works.set(explorer, { work, now });
    this.#draw(isDone ? `${this.#toRow(explorer, work, '')}\n` : '');
  }

  /** The call is over, or with it the turn. */
  end(callId = this.#callId): void {
    if (callId !== this.#callId || this.#works.size === 0) return;
    this.#works.clear();
    this.#draw('');
  }

  #draw(finished: string): void {
    const works = [...this.#works].sort(([one], [other]) => one - other);
    const rows = works.map(([explorer, { work, now }]) => this.#toRow(explorer, work, now));
    this.#live.note(rows, finished);
  }

  #toRow(explorer: number, { question, tokens }: Exploration, now: string): string {
    const { theme, size } = this.#stage;
    const [asked, doing] = [clip(question, QUESTION_COLUMNS), clip(now, CALL_COLUMNS)];
    const row = `  ${explorerMessages.formatRow(explorer, asked, doing, formatTokens(tokens))}`;
    return styled(theme, 'dim', clipText(row, size().columns - 1));
  }
}

function clip(text: string, columns: number): string {
  return clipText(escapeForDisplay(text), columns);
}

/** Empty without a call: the explorer reports. */
function nameCall(call: ToolCall | undefined): string {
  if (call === undefined) return '';
  const { command, path } = call.arguments;
  if (typeof command === 'string') return command;
  return typeof path === 'string' ? `${call.name} ${path}` : call.name;
}
