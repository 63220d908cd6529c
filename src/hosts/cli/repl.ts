import { takesMarks } from '../../adapters/shell/outer-marks.ts';
import { sanitizeText } from '../../core/sanitize.ts';
import { modelFor } from '../../core/settings.ts';
import type { Engine } from '../../engine/engine.ts';
import type { OpenDoor } from '../../engine/session-door.ts';
import type { TerminalSize } from '../../protocol/client.ts';
import { type ErrorFact, formatError } from '../../protocol/error.ts';
import type { HaltedBy } from '../../protocol/halt.ts';
import { OwnerAtPrompt } from './attach/owner-at-prompt.ts';
import type { PromptHistory } from './editor/history-at-prompt.ts';
import { HistoryOfCalls } from './editor/history-of-calls.ts';
import type { ReadResult } from './editor/line-editor.ts';
import { EventFollower } from './event-follower.ts';
import { Focus } from './focus.ts';
import { lookAtHistory } from './history-first-look.ts';
import { StopKey } from './interrupt.ts';
import { Keyboard } from './keyboard.ts';
import { LineAtPrompt } from './line-at-prompt.ts';
import { LineRouter } from './line-router.ts';
import { LineRunner, type LineRunnerParts } from './line-runner.ts';
import { lookAround } from './look-around.ts';
import { createNotifier, type Notifier } from './notification.ts';
import { formatPrompt } from './prompt-line.ts';
import { Asking } from './questions/asking.ts';
import type { Appearance } from './screen/appearance.ts';
import { createCodePainter } from './screen/code-painter.ts';
import { wrapText } from './screen/fold.ts';
import { isDumbTerminal, type Look, styled, type Theme } from './screen/theme.ts';
import type { Tty } from './screen/tty.ts';
import { View } from './screen/view.ts';
import { SessionAtPrompt } from './session-at-prompt.ts';
import { SessionNamer } from './sessions/session-namer.ts';
import type { Setup } from './setup.ts';
import { ShellAtPrompt } from './shell-at-prompt.ts';
import { UnknownCommand } from './unknown-command.ts';

/** What the prompt works with. */
export interface ReplParts {
  readonly tty: Tty;
  readonly setup: Setup;
  readonly theme: Theme;
  readonly appearance: Appearance;
  readonly history: PromptHistory;
  /** Loaded behind the prompt. */
  readonly engine: () => Promise<Engine>;
  readonly login: boolean;
  /** Lets other terminals into the session; null where nobody can be. */
  readonly openDoor: OpenDoor | null;
}

/** Where text goes. */
interface Screen {
  readonly print: (text: string) => void;
  readonly write: (text: string) => void;
  readonly size: () => TerminalSize;
  readonly theme: Theme;
}

/** The interactive shell: one prompt, and the parts behind it put together. */
export class Repl {
  readonly #parts: ReplParts;
  readonly #screen: Screen;
  readonly #line: LineAtPrompt;
  readonly #view: View;
  readonly #focus: Focus;
  readonly #notifier: Notifier;
  readonly #keyboard: Keyboard;
  readonly #stopKey: StopKey;
  readonly #shell: ShellAtPrompt;
  readonly #session: SessionAtPrompt;
  readonly #lines: LineRunner;
  readonly #owner: OwnerAtPrompt;
  readonly #ending = new AbortController();
  /** That of the program, where a signal gives one. */
  #status: number | null = null;
  #closing: Promise<void> | null = null;
  /** As programs were told last. */
  #size: TerminalSize;
  /** Lines that wait until no program has the screen. */
  readonly #held: string[] = [];

  constructor(parts: ReplParts) {
    this.#parts = parts;
    const { tty, theme, setup } = parts;
    this.#size = tty.size();
    const now = () => performance.now();
    const write = (text: string) => tty.write(text);
    this.#screen = { write, print: (text) => this.#line.live.print(text), size: () => tty.size(), theme };
    const router = new LineRouter(setup, {
      facts: () => ({ live: this.#session.live, cwd: this.#session.cwd, lastExit: this.#lines.last.exit ?? 0 }),
      onRefined: () => this.#line.editor.redraw(),
    });
    const unknown = new UnknownCommand();
    this.#line = new LineAtPrompt({
      ...parts,
      router,
      unknown,
      prompt: () => this.#prompt(),
      cwd: () => this.#session.cwd,
      live: () => this.#session.live,
      ending: this.#ending.signal,
      names: (kind) => this.#names(kind),
      interrupt: () => this.#interrupt(),
      lendKeys: (taker) => this.#keyboard.lend(taker),
      canSteer: () => (this.#session.live?.session.state.turn ?? null) !== null,
      stopAfterStep: () => this.#session.stopAfterStep(),
      halt: () => this.#halt(),
    });
    this.#view = new View({
      ...this.#screen,
      print: this.#line.live.print,
      ...(parts.appearance.isPlain ? {} : { setLive: this.#line.live.setWork }),
      codePainter: createCodePainter(theme),
      capabilities: () => parts.appearance.capabilities,
    });
    this.#focus = new Focus({ write, now, isAsked: takesMarks(setup.env) });
    this.#notifier = createNotifier(setup, { write, now, focus: this.#focus });
    this.#keyboard = new Keyboard({
      editor: this.#line.editor,
      program: () => this.#session.live?.sharedShell.shell ?? null,
      now,
      onProgram: (hasKeys) => (hasKeys ? this.#focus.unwatch() : this.#focus.watch()),
    });
    this.#shell = new ShellAtPrompt({
      ...parts,
      print: this.#screen.print,
      say: this.#say,
      onTypedAhead: (bytes) => this.#line.work.withoutEntering(() => this.#line.editor.feed(bytes)),
      onReady: () => this.#line.editor.redraw(),
    });
    const events = this.#createEvents();
    parts.history.cover((line) => this.#cover(line));
    const calls = new HistoryOfCalls(parts.history);
    const namer = this.#createNamer();
    this.#owner = new OwnerAtPrompt({ ...parts, say: this.#say, hasProgram: () => this.#keyboard.hasProgram });
    this.#session = new SessionAtPrompt({
      ...parts,
      owner: this.#owner,
      say: this.#say,
      openShell: this.#shell.open,
      onEvent: (recorded, live) => {
        events.take(recorded, live);
        calls.take(recorded, live);
        namer.take(recorded, live);
      },
    });
    this.#stopKey = this.#createStopKey();
    this.#lines = this.#createLines({ events, router, unknown });
  }

  /** What a line of history may be kept as. */
  #cover(line: string): string {
    const secrets = this.#session.live?.secrets;
    secrets?.learnLine(line);
    return secrets?.conceal(line) ?? line;
  }

  #createNamer(): SessionNamer {
    const fastModel = modelFor(this.#parts.setup.loaded.config, 'fast');
    return new SessionNamer({ ...this.#parts, fastModel, ending: this.#ending.signal });
  }

  #createEvents(): EventFollower {
    return new EventFollower({
      ...this.#parts,
      view: this.#view,
      keyboard: this.#keyboard,
      shell: this.#shell,
      work: this.#line.work,
      notifier: this.#notifier,
      print: this.#screen.print,
      asking: new Asking({
        ...this.#screen,
        keyboard: this.#keyboard,
        interrupt: () => this.#interrupt(),
        onEnd: () => this.#line.work.resume(),
        isPlain: this.#parts.appearance.isPlain,
        isDumb: isDumbTerminal(this.#parts.setup.env),
      }),
    });
  }

  #createStopKey(): StopKey {
    return new StopKey({
      editor: this.#line.editor,
      keyboard: this.#keyboard,
      command: this.#shell,
      turn: () => this.#session.live?.session.state.turn ?? null,
      isWaiting: () => this.#session.isWaiting,
      interrupt: () => this.#interrupt(),
      halt: () => this.#halt(),
    });
  }

  #createLines(parts: Pick<LineRunnerParts, 'events' | 'router' | 'unknown'>): LineRunner {
    return new LineRunner({
      ...this.#parts,
      ...parts,
      line: this.#line,
      notifier: this.#notifier,
      keyboard: this.#keyboard,
      shell: this.#shell,
      session: this.#session,
      ending: this.#ending.signal,
      print: this.#screen.print,
      say: this.#say,
    });
  }

  /** Reads and runs lines until the person leaves. The answer is the exit status. */
  async run(start: { readonly resume?: string; readonly problem?: ErrorFact }): Promise<number> {
    const { tty } = this.#parts;
    // Before the prompt: who sees it may type, and the terminal itself would take the first line.
    tty.setRaw();
    const reading = this.#line.read();
    tty.start();
    this.#focus.watch();
    if (start.problem !== undefined) this.#say('error', formatError(start.problem));
    await this.#session.open(start.resume);
    await lookAtHistory(this.#parts.history, { env: this.#parts.setup.env, say: this.#say });
    void lookAround(await this.#parts.engine(), this.#ending.signal, (line) => this.notice(line));
    for (let read = await reading; ; read = await this.#readNext()) {
      if (read.type === 'interrupt' && read.wasEmpty) this.#session.interruptStart();
      const isOver = read.type === 'eof' || (read.type === 'line' && (await this.#lines.run(read.text)) === 'quit');
      if (isOver && (this.#closing !== null || this.#shell.mayLeave())) break;
    }
    await this.close();
    return this.#status ?? this.#lines.last.exit ?? 0;
  }

  async #readNext(): Promise<ReadResult> {
    await this.#lines.screenFree();
    for (const lines of this.#held.splice(0)) this.#screen.print(lines);
    this.#lines.startWait.begin();
    return this.#line.read();
  }

  /** Shows one status line above the line that is typed. */
  notice(line: string): void {
    this.#say('dim', line);
  }

  /** Ends session and servers; for every way out, and settles when they have ended. A status given becomes that of the program. */
  close(status?: number, by?: HaltedBy): Promise<void> {
    this.#status = status ?? this.#status;
    this.#closing ??= this.#end(by);
    return this.#closing;
  }

  /** Where nobody chose to leave, nobody watches any more what the model does. */
  async #end(by: HaltedBy | undefined): Promise<void> {
    if (by !== undefined) await (await this.#parts.engine()).halt(by);
    this.#session.close();
    this.#ending.abort();
    this.#focus.unwatch();
    this.#line.editor.close();
    this.#parts.history.flush();
    const endDoor = this.#owner.leave();
    await (await this.#parts.engine()).close();
    await endDoor();
  }

  #prompt(): string {
    const { last, isPrivate } = this.#lines;
    const { jobs, prompt: own } = this.#shell;
    return formatPrompt({ cwd: this.#session.cwd, ...last, isPrivate, jobs: jobs.length, own }, this.#parts.theme);
  }

  /** Ctrl-C while somebody works: nothing that waits may run. */
  #interrupt(): void {
    this.#line.work.giveBack();
    this.#lines.startWait.callOff();
    this.#session.interrupt();
  }

  /** Nothing of the model goes on, and nothing that waits may run. */
  #halt(): void {
    this.#line.work.giveBack();
    this.#session.halt();
  }

  /** Hands keys to whom they belong. */
  takeInput(bytes: Uint8Array): void {
    const keys = this.#focus.take(bytes);
    if (keys.length === 0) return;
    this.#notifier.keyPressed();
    // A key may overtake the signal that tells of the size before it.
    if (this.#keyboard.hasProgram && !this.#isSized()) this.resized();
    if (!this.#owner.take(keys) && !this.#stopKey.take(keys)) this.#keyboard.feed(keys);
  }

  /** Colours have changed. */
  redraw(): void {
    this.#line.editor.redraw();
  }

  /** The terminal has another size. */
  resized(): void {
    this.#size = this.#parts.tty.size();
    this.#session.live?.sharedShell.shell?.resize(this.#size);
    this.#owner.resized();
    this.#line.live.resized(this.#view.resized());
  }

  #isSized(): boolean {
    const { columns, rows } = this.#parts.tty.size();
    return columns === this.#size.columns && rows === this.#size.rows;
  }

  /** Prints untrusted text in one look, above the line that is typed. What can wait does not break into what a program shows. */
  readonly #say = (look: Look, text: string): void => {
    const rows = wrapText(sanitizeText(text), this.#screen.size().columns).split('\n');
    const lines = `${rows.map((row) => styled(this.#parts.theme, look, row)).join('\n')}\n`;
    if (look === 'dim' && this.#keyboard.hasProgram) this.#held.push(lines);
    else this.#screen.print(lines);
  };

  #names(kind: string): readonly string[] {
    const { live } = this.#session;
    if (kind === 'output') return (live?.outputs.records ?? []).slice(-50).map(({ handle }) => `%${handle}`);
    return kind === 'model' ? Object.keys(this.#parts.setup.loaded.config.models) : [];
  }
}
