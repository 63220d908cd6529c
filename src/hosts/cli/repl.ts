import { sanitizeText } from '../../core/sanitize.ts';
import type { Engine } from '../../engine/engine.ts';
import { type ErrorFact, formatError } from '../../protocol/error.ts';
import { Asking } from './asking.ts';
import type { HistoryFile } from './editor/history-file.ts';
import type { LineEditor, ReadResult } from './editor/line-editor.ts';
import { createEditorAtPrompt } from './editor-at-prompt.ts';
import { EventFollower } from './event-follower.ts';
import { StopKey } from './interrupt.ts';
import { Keyboard } from './keyboard.ts';
import { LineRouter } from './line-router.ts';
import { LineRunner } from './line-runner.ts';
import { lookAround } from './look-around.ts';
import { formatPrompt } from './prompt-line.ts';
import { createCodePainter } from './screen/code-painter.ts';
import { type Look, styled, type Theme } from './screen/theme.ts';
import type { Tty } from './screen/tty.ts';
import { View } from './screen/view.ts';
import { SessionAtPrompt } from './session-at-prompt.ts';
import type { Setup } from './setup.ts';
import { ShellAtPrompt } from './shell-at-prompt.ts';
import { UnknownCommand } from './unknown-command.ts';

/** What the prompt works with. */
export interface ReplParts {
  readonly tty: Tty;
  readonly setup: Setup;
  readonly theme: Theme;
  readonly history: HistoryFile;
  /** Loaded behind the prompt. */
  readonly engine: () => Promise<Engine>;
  readonly login: boolean;
}

/** The interactive shell: one prompt, and the parts behind it put together. */
export class Repl {
  readonly #parts: ReplParts;
  readonly #editor: LineEditor;
  readonly #keyboard: Keyboard;
  readonly #view: View;
  readonly #stopKey: StopKey;
  readonly #shell: ShellAtPrompt;
  readonly #session: SessionAtPrompt;
  readonly #lines: LineRunner;
  readonly #ending = new AbortController();
  /** That of the program, where a signal gives one. */
  #status: number | null = null;
  #closing: Promise<void> | null = null;

  constructor(parts: ReplParts) {
    this.#parts = parts;
    const { tty, theme } = parts;
    const screen = {
      print: (text: string, live?: readonly string[]) => this.#editor.printAbove(text, live),
      write: (text: string) => tty.write(text),
      size: () => tty.size(),
      theme,
    };
    const shared = {
      ...parts,
      print: screen.print,
      say: (look: Look, text: string) => this.#say(look, text),
      interrupt: () => this.#session.interrupt(),
      unknown: new UnknownCommand(),
      router: new LineRouter(parts.setup, {
        facts: () => ({ live: this.#session.live, cwd: this.#session.cwd, lastExit: this.#lines.last.exit ?? 0 }),
        onRefined: () => this.#editor.redraw(),
      }),
    };
    this.#editor = createEditorAtPrompt({
      ...shared,
      prompt: () => this.#prompt(),
      cwd: () => this.#session.cwd,
      names: (kind) => this.#names(kind),
    });
    this.#keyboard = new Keyboard({
      editor: this.#editor,
      program: () => this.#session.live?.seat.shell ?? null,
      now: () => performance.now(),
    });
    this.#shell = new ShellAtPrompt({
      ...shared,
      onTypedAhead: (bytes) => this.#editor.feed(bytes),
      onReady: () => this.#editor.redraw(),
    });
    this.#view = new View({
      ...screen,
      setLive: (rows) => this.#editor.setLive(rows),
      codePainter: createCodePainter(theme),
    });
    const events = new EventFollower({
      view: this.#view,
      asking: new Asking({ ...screen, keyboard: this.#keyboard, interrupt: shared.interrupt }),
      keyboard: this.#keyboard,
      shell: this.#shell,
    });
    this.#session = new SessionAtPrompt({
      ...shared,
      openShell: this.#shell.open,
      onEvent: (recorded, live) => events.take(recorded, live),
    });
    this.#stopKey = new StopKey({
      editor: this.#editor,
      keyboard: this.#keyboard,
      command: this.#shell,
      turn: () => this.#session.live?.session.state.turn ?? null,
      isWaiting: () => this.#session.isWaiting,
      interrupt: shared.interrupt,
    });
    this.#lines = new LineRunner({
      ...shared,
      editor: this.#editor,
      keyboard: this.#keyboard,
      shell: this.#shell,
      session: this.#session,
      events,
      ending: this.#ending.signal,
    });
  }

  /** Reads and runs lines until the person leaves. The answer is the exit status. */
  async run(start: { readonly resume?: string; readonly problem?: ErrorFact }): Promise<number> {
    const { tty } = this.#parts;
    const reading = this.#editor.read();
    tty.setRaw();
    tty.start();
    if (start.problem !== undefined) this.#say('error', formatError(start.problem));
    await this.#session.open(start.resume);
    void lookAround(await this.#parts.engine(), this.#ending.signal, (line) => this.notice(line));
    for (let read = await reading; ; read = await this.#readLine()) {
      const isOver = read.type === 'eof' || (read.type === 'line' && (await this.#lines.run(read.text)) === 'quit');
      if (isOver && (this.#closing !== null || this.#shell.mayLeave())) break;
    }
    await this.close();
    return this.#status ?? this.#lines.last.exit ?? 0;
  }

  #readLine(): Promise<ReadResult> {
    this.#parts.history.refresh();
    return this.#editor.read();
  }

  /** Shows one status line above the line that is typed. */
  notice(line: string): void {
    this.#say('dim', line);
  }

  /** Ends session and servers; for every way out, and settles when they have ended. A status given becomes that of the program. */
  close(status?: number): Promise<void> {
    this.#status = status ?? this.#status;
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#session.close();
    this.#ending.abort();
    this.#editor.close();
    await (await this.#parts.engine()).close();
  }

  #prompt(): string {
    const { last, isPrivate } = this.#lines;
    const { jobs, prompt: own } = this.#shell;
    return formatPrompt({ cwd: this.#session.cwd, ...last, isPrivate, jobs: jobs.length, own }, this.#parts.theme);
  }

  /** Hands keys to whom they belong. */
  takeInput(bytes: Uint8Array): void {
    if (!this.#stopKey.take(bytes)) this.#keyboard.feed(bytes);
  }

  /** The terminal has another size. */
  resized(): void {
    this.#session.live?.seat.shell?.resize(this.#parts.tty.size());
    this.#editor.resized(this.#view.resized());
  }

  /** Prints untrusted text in one look, above the line that is typed. */
  #say(look: Look, text: string): void {
    this.#editor.printAbove(`${styled(this.#parts.theme, look, sanitizeText(text))}\n`);
  }

  #names(kind: string): readonly string[] {
    const { live } = this.#session;
    if (kind === 'output') return (live?.outputs.records ?? []).slice(-50).map(({ handle }) => `%${handle}`);
    return kind === 'model' ? Object.keys(this.#parts.setup.loaded.config.models) : [];
  }
}
