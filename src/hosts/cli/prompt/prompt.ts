import { takesMarks } from '../../../adapters/shell/outer-marks.ts';
import { REAL_CLOCK } from '../../../adapters/system/patience.ts';
import type { ReadResult } from '../../../core/editor/line-editor-options.ts';
import type { Running } from '../../../core/prompt/prompt-state.ts';
import { type SessionState, waitsForSnapshot } from '../../../core/session/state.ts';
import { isDumbTerminal } from '../../../core/terminal/capabilities.ts';
import { type Style, styled } from '../../../core/terminal/theme.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay, sanitizeLine, sanitizeText } from '../../../core/text/sanitize.ts';
import { formatError } from '../../../protocol/error.ts';
import type { HaltedBy } from '../../../protocol/op.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import { Asking } from '../approvals/asking.ts';
import { toFreshLine } from '../screen/prompt-line.ts';
import type { EditorAtPromptDeps } from './editor-at-prompt.ts';
import { EventFollower, LateView } from './event-follower.ts';
import { LineAtPrompt } from './line-at-prompt.ts';
import { LineFacts, type PromptContext } from './line-facts.ts';
import { LineRunner } from './line-runner.ts';
import { formatUnsent } from './messages.ts';
import { createNotifier, Focus, type Notifier } from './notification.ts';
import type { HostEffect } from './prompt-driver.ts';
import type { PromptHost, PromptScreen, PromptSession, PromptStart } from './prompt-session.ts';
import { UnknownCommand } from './unknown-command.ts';

/** The dependencies of the prompt. */
export interface PromptDeps extends Pick<EditorAtPromptDeps, 'tty' | 'setup' | 'appearance' | 'history' | 'role'> {
  /** Makes the session that the prompt is in. */
  readonly createSession: (host: PromptHost) => PromptSession;
}

/** Most outputs that completion offers. */
const MOST_OFFERED = 50;

/** The prompt: of the session that this process owns, or of one that another process owns. Puts its parts together. */
export class Prompt {
  readonly #deps: PromptDeps;
  readonly #line: LineAtPrompt;
  readonly #view: LateView;
  readonly #focus: Focus;
  readonly #notifier: Notifier;
  readonly #screen: PromptScreen;
  readonly #session: PromptSession;
  readonly #events: EventFollower;
  readonly #lines: LineRunner;
  readonly #ending = new AbortController();
  readonly #abbreviations: Map<string, string>;
  /** The exit status of the program, if a signal sets it. */
  #status: number | null = null;
  #closing: Promise<void> | null = null;
  /** The size that programs learned last. */
  #size: TerminalSize;
  /** Lines that wait until no program has the screen. */
  readonly #held: string[] = [];

  constructor(deps: PromptDeps) {
    this.#deps = deps;
    const { tty, setup, appearance } = deps;
    const { theme } = appearance;
    this.#size = tty.size();
    this.#abbreviations = new Map(Object.entries(setup.loaded.config.abbreviations));
    const write = (text: string) => tty.write(text);
    const isDumb = isDumbTerminal(setup.env);
    this.#screen = { write, print: this.#print, size: () => tty.size(), theme, isPlain: appearance.isPlain, isDumb };
    const lines = this.#createFacts();
    const unknown = new UnknownCommand({
      hasModel: () => this.#session.own?.hasModel !== false,
      shell: () => this.#session.shell,
    });
    this.#line = this.#createLine(lines, unknown);
    this.#view = new LateView({
      ...this.#screen,
      print: this.#print,
      ...(appearance.isPlain ? {} : { setLive: this.#line.setWork }),
      capabilities: () => appearance.capabilities,
    });
    this.#focus = new Focus({ write: (text) => tty.lead(text), now: REAL_CLOCK.now, isAsked: takesMarks(setup.env) });
    this.#notifier = createNotifier(setup, { write, focus: this.#focus });
    const host = this.#createHost(lines);
    this.#session = deps.createSession(host);
    const { driver } = this.#line;
    const common = { ...host, session: this.#session, notifier: this.#notifier };
    const asking = new Asking({ ...this.#screen, driver, interrupt: () => driver.send({ type: 'interrupt' }) });
    this.#events = new EventFollower({ ...common, driver, asking });
    this.#lines = new LineRunner({
      ...common,
      abbreviations: this.#abbreviations,
      lines,
      events: this.#events,
      unknown,
    });
  }

  #createFacts(): LineFacts {
    const { env, loaded } = this.#deps.setup;
    return new LineFacts({
      env,
      program: loaded.config.shell.program,
      context: () => this.#context(),
      onNews: () => this.#line.editor.redraw(),
    });
  }

  #createLine(lines: LineFacts, unknown: UnknownCommand): LineAtPrompt {
    return new LineAtPrompt({
      ...this.#deps,
      theme: this.#deps.appearance.theme,
      abbreviations: this.#abbreviations,
      lines,
      unknown,
      rightPrompt: () => this.#session.own?.terminal.rightPrompt ?? '',
      prompt: () => this.#session.formatPrompt({ ...this.#lines.last, isPrivate: this.#lines.isPrivate }),
      cwd: () => this.#session.cwd,
      shell: () => this.#session.shell,
      servers: async () => (await this.#session.own?.engine())?.servers() ?? null,
      ending: this.#ending.signal,
      names: (kind) => this.#names(kind),
      program: () => this.#session.program,
      foreground: () => this.#session.own?.terminal.program ?? null,
      session: () => {
        const state = this.#session.client?.state;
        if (state === undefined) return { running: 'nothing', waitsForSnapshot: false };
        const isRun = (state.contractRun ?? null) !== null;
        return { running: toRunning(state), waitsForSnapshot: waitsForSnapshot(state), isRun };
      },
      carryOut: (effect) => this.#carryOut(effect),
    });
  }

  #createHost(lines: LineFacts): PromptHost {
    return {
      ...this.#deps,
      theme: this.#deps.appearance.theme,
      screen: this.#screen,
      line: this.#line,
      view: this.#view,
      print: this.#print,
      say: this.#say,
      tell: this.#tell,
      onEvent: (recorded) => {
        this.#events.take(recorded);
        // Others may have changed what decides about a line.
        if (recorded.event.type === 'command.completed' && this.#line.driver.state.isForeign) lines.refresh();
      },
      ask: () => this.#events.askAgain(),
      over: () => this.leave(),
      ending: this.#ending.signal,
    };
  }

  /** The facts that decide about a line at this moment. */
  #context(): PromptContext {
    const { client, shell, cwd, own } = this.#session;
    const { isPrivate } = this.#lines;
    const asksModel = own?.hasModel !== false && this.#deps.setup.loaded.config.shell.doubt === 'model';
    const { history } = this.#deps;
    return { client, shell, cwd, asksModel, history, isPrivate };
  }

  /** Reads and runs lines until the user leaves. The answer is the exit status. */
  async run(start: PromptStart = {}): Promise<number> {
    const { tty } = this.#deps;
    // Before the prompt: a user who sees it may type, and the terminal itself would take the first line.
    tty.setRaw();
    // The earlier events of a session elsewhere appear above its first prompt.
    const reading = this.#session.own === null ? null : this.#line.read();
    tty.start();
    this.#focus.watch();
    if (start.problem !== undefined) this.#say('error', formatError(start.problem));
    await this.#view.load();
    await this.#session.begin(start);
    for (let read = await (reading ?? this.#readNext()); ; read = await this.#readNext()) {
      if (read.type === 'interrupt' && read.wasEmpty) this.#session.own?.interruptStart();
      else if (read.type === 'interrupt') this.#session.shell?.cancelLine?.();
      const isOver = read.type === 'eof' || (read.type === 'line' && (await this.#lines.run(read.text)) === 'quit');
      const isForced = this.#closing !== null || this.#ending.signal.aborted;
      if (!isOver || !(isForced || (await this.#lines.mayLeave()))) continue;
      if (read.type === 'eof' && !isForced) await this.#lines.leaveJobs();
      break;
    }
    await this.close();
    return this.#status ?? this.#lines.last.exit ?? 0;
  }

  async #readNext(): Promise<ReadResult> {
    if (this.#ending.signal.aborted) return { type: 'eof' };
    await this.#line.driver.screenFree();
    for (const lines of this.#held.splice(0)) this.#print(lines);
    this.#line.driver.beginLine();
    return this.#line.read();
  }

  /** Shows one status line above the line that is typed. */
  notice(line: string): void {
    this.#say('dim', line);
  }

  /** Shows the lines that did not run, where the session is gone and with it the prompt that they were typed at. */
  showUnsent(): void {
    for (const line of this.#line.unsent) this.notice(formatUnsent(escapeForDisplay(line, { multiline: true })));
  }

  /** Nothing more can be entered; `run` settles. */
  leave(): void {
    this.#ending.abort();
    this.#line.driver.send({ type: 'program-ended' });
    this.#line.editor.close();
  }

  /** Ends the session, for every way out, and settles when it has ended. A status given becomes that of the program. */
  close(status?: number, by?: HaltedBy): Promise<void> {
    this.#status = status ?? this.#status;
    this.#closing ??= this.#end(by);
    return this.#closing;
  }

  async #end(by: HaltedBy | undefined): Promise<void> {
    const closed = this.#session.close(by);
    this.#ending.abort();
    this.#focus.unwatch();
    this.#line.editor.close();
    this.#line.driver.close();
    await closed;
  }

  #carryOut(effect: HostEffect): void {
    if (effect.type === 'run-now') void this.#lines.runNow(effect.text);
    else if (effect.type !== 'program-keys') this.#session.carryOut(effect);
    else if (effect.hasKeys) this.#focus.unwatch();
    else this.#focus.watch();
  }

  /** Hands keys to whom they belong; `read` is all that came with them. */
  takeInput(bytes: Uint8Array, read = bytes): void {
    const keys = this.#focus.take(bytes);
    if (keys.length < read.length) this.#line.driver.send({ type: 'reported' });
    if (keys.length === 0) return;
    this.#notifier.keyPressed();
    // A key may overtake the signal that tells of the size before it.
    if (this.#line.driver.hasProgram && !this.#isSized()) this.resized();
    this.#line.driver.feed(keys);
  }

  /** Colours have changed. */
  redraw(): void {
    this.#line.editor.redraw();
  }

  /** The terminal has another size. */
  resized(): void {
    this.#size = this.#deps.tty.size();
    this.#session.resized(this.#size);
    this.#line.resized(this.#view.resized());
  }

  #isSized(): boolean {
    const { columns, rows } = this.#deps.tty.size();
    return columns === this.#size.columns && rows === this.#size.rows;
  }

  /** Prints rows that stay, below the row that a program of the model may have left open. */
  readonly #print = (text: string, live?: readonly string[]): void => {
    const { state, hasProgram } = this.#line.driver;
    if (hasProgram && state.program !== null && text !== '') this.#deps.tty.write(toFreshLine(this.#screen));
    this.#line.print(text, live);
  };

  /** Prints untrusted text in one style, above the typed line. Text that can wait does not break into the output of a program. */
  readonly #say = (style: Style, text: string): void => {
    const rows = wrapText(sanitizeText(text), this.#deps.tty.size().columns).split('\n');
    const lines = `${rows.map((row) => styled(this.#deps.appearance.theme, style, row)).join('\n')}\n`;
    if (style === 'dim' && this.#line.driver.hasProgram) this.#held.push(lines);
    else this.#print(lines);
  };

  /** Urgent text appears between two lines of a program's output. */
  readonly #tell = (style: Style, text: string): void => {
    const { tty, appearance } = this.#deps;
    if (!this.#line.driver.hasProgram) this.#say(style, text);
    else tty.write(`\r\n${styled(appearance.theme, 'dim', `[${sanitizeLine(text)}]`)}\r\n`);
  };

  #names(kind: string): readonly string[] {
    const outputs = this.#session.client?.state.outputs ?? [];
    if (kind === 'output') return outputs.slice(-MOST_OFFERED).map(({ handle }) => `%${handle}`);
    return kind === 'model' ? Object.keys(this.#deps.setup.loaded.config.models) : [];
  }
}

/** The running work of a session, as far as keys at the prompt depend on it. */
function toRunning({ turn, command, contractRun }: Pick<SessionState, 'turn' | 'command' | 'contractRun'>): Running {
  if (turn === null && contractRun) return 'model';
  if (turn === null) return command === null ? 'nothing' : 'command';
  return turn.open.some(({ stage }) => stage === 'running') ? 'tool' : 'model';
}
