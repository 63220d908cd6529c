import { flipRoute } from '../../core/flip-route.ts';
import { findOpenPart } from '../../core/open-line.ts';
import type { Route } from '../../core/router/route.ts';
import { sanitizeText } from '../../core/sanitize.ts';
import type { Engine, LiveSession } from '../../engine/engine.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { AishError, type ErrorFact, formatError, toErrorFact } from '../../protocol/error.ts';
import { Asking } from './asking.ts';
import { completeLine } from './complete.ts';
import type { HistoryFile } from './editor/history-file.ts';
import { LineEditor, type ReadResult } from './editor/line-editor.ts';
import { StopKey } from './interrupt.ts';
import { Keyboard } from './keyboard.ts';
import { isExitLine } from './leave.ts';
import { LineRouter } from './line-router.ts';
import { lookAround } from './look-around.ts';
import type { MetaContext, MetaOutcome } from './meta.ts';
import { HELD_BACK, judgePrivacy, PRIVATE_ON, routeHandle, STILL_STARTING } from './privacy.ts';
import { formatLineEnd, formatMark, formatPrompt, type PromptFacts, toReflow } from './prompt-line.ts';
import { type Look, styled, type Theme } from './screen/theme.ts';
import type { Tty } from './screen/tty.ts';
import { View } from './screen/view.ts';
import type { Setup } from './setup.ts';
import { ShellAtPrompt } from './shell-at-prompt.ts';
import { shellAtRest } from './shell-rest.ts';
import { expandTyped } from './typed-line.ts';
import { OFFER, UnknownCommand } from './unknown-command.ts';

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

/** The interactive shell: one prompt, and who the keyboard belongs to at each moment. */
export class Repl {
  readonly #parts: ReplParts;
  readonly #router: LineRouter;
  readonly #editor: LineEditor;
  readonly #view: View;
  readonly #keyboard: Keyboard;
  readonly #asking: Asking;
  #live: LiveSession | null = null;
  #exit: number | null = 0;
  #tookMs = 0;
  readonly #shell: ShellAtPrompt;
  readonly #stopKey: StopKey;
  readonly #unknown = new UnknownCommand();
  readonly #ending = new AbortController();
  #closed = false;
  #closing: Promise<void> | null = null;
  /** Number of the last stored event on the screen. */
  #shown = 0;
  /** Every command is kept from the model. */
  #isPrivate = false;
  #lastRecord: CommandRecord | null = null;

  constructor(parts: ReplParts) {
    this.#parts = parts;
    const { tty, theme } = parts;
    this.#router = new LineRouter(parts.setup, () => {
      return { shell: this.#live?.seat.shell ?? null, cwd: this.#cwd, lastExit: this.#exit ?? 0 };
    });
    this.#editor = new LineEditor({
      write: (text) => tty.write(text),
      size: () => tty.size(),
      prompt: () => formatPrompt(this.#promptFacts, theme),
      history: parts.history,
      complete: (text, cursor) => this.#unknown.complete(text) ?? completeLine(text, cursor, this.#cwd, this.#names),
      routeMark: (text) => formatMark(this.#isUndecided(text) ? { type: 'nothing' } : this.#route(text), theme),
      flip: (text) => flipRoute(text, (line) => this.#route(line)),
      isComplete: (text) => this.#route(text).type !== 'command' || findOpenPart(text) === null,
      theme,
      reflow: toReflow(parts.setup.env),
      interrupted: () => this.#interrupt(),
    });
    this.#keyboard = new Keyboard({
      editor: this.#editor,
      program: () => this.#live?.seat.shell ?? null,
      now: () => performance.now(),
    });
    this.#shell = new ShellAtPrompt({
      ...parts,
      print: (text) => this.#print(text),
      say: (look, text) => this.#say(look, text),
      onTypedAhead: (bytes) => this.#editor.feed(bytes),
      onReady: () => this.#editor.redraw(),
    });
    this.#stopKey = new StopKey({
      editor: this.#editor,
      keyboard: this.#keyboard,
      command: this.#shell,
      turn: () => this.#live?.session.state.turn ?? null,
      isWaiting: () => this.#isWaiting,
      interrupt: () => this.#interrupt(),
    });
    this.#asking = new Asking({
      keyboard: this.#keyboard,
      print: (text) => this.#print(text),
      write: (text) => tty.write(text),
      size: () => tty.size(),
      theme,
      interrupt: () => this.#interrupt(),
    });
    this.#view = new View({
      print: (text) => this.#print(text),
      write: (text) => tty.write(text),
      size: () => tty.size(),
      theme,
    });
  }

  /** Reads and runs lines until the person leaves. The answer is the exit status. */
  async run(start: { readonly resume?: string; readonly problem?: ErrorFact }): Promise<number> {
    const { tty } = this.#parts;
    const reading = this.#editor.read();
    tty.setRaw();
    tty.start();
    if (start.problem !== undefined) this.#say('error', formatError(start.problem));
    await this.#openSession(start.resume);
    void lookAround(await this.#parts.engine(), this.#ending.signal, (line) => this.notice(line));
    for (let read = await reading; ; read = await this.#readLine()) {
      const isOver = read.type === 'eof' || (read.type === 'line' && (await this.#runLine(read.text)) === 'quit');
      if (isOver && (this.#closed || this.#shell.mayLeave())) break;
    }
    await this.close();
    return this.#exit ?? 0;
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
    if (status !== undefined) this.#exit = status;
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#closed = true;
    this.#ending.abort();
    this.#editor.close();
    await (await this.#parts.engine()).close();
  }

  get #promptFacts(): PromptFacts {
    return {
      cwd: this.#cwd,
      exit: this.#exit,
      tookMs: this.#tookMs,
      isPrivate: this.#isPrivate,
      jobs: this.#shell.jobs.length,
      own: this.#shell.prompt,
    };
  }

  get #cwd(): string {
    return this.#live?.seat.cwd ?? this.#parts.setup.cwd;
  }

  #route(text: string): Route {
    const handle = routeHandle(text, this.#live);
    if (handle !== null) return handle;
    return this.#router.route(text);
  }

  async #openSession(resume: string | undefined): Promise<void> {
    const { setup } = this.#parts;
    const engine = await this.#parts.engine();
    const live = await engine.open({
      cwd: setup.cwd,
      settings: setup.settings,
      openShell: this.#shell.open,
      ...(resume === undefined ? {} : { resume }),
    });
    const before = this.#live;
    const shell = before?.seat.release() ?? null;
    if (shell !== null) live.seat.adopt(shell);
    this.#live = live;
    this.#shown = live.history.at(-1)?.seq ?? 0;
    await before?.session.close();
    for (const warning of [...setup.loaded.warnings, ...live.warnings]) this.#say('warning', warning);
    void this.#follow(live);
    await this.#reviveShell(live);
  }

  /** A shell that ended, by whoever's doing, is started again where it was: no line may go elsewhere for lack of one. */
  async #reviveShell(live: LiveSession): Promise<void> {
    if (live.seat.shell !== null) return;
    const words = live.seat.lastWords;
    if (words !== null) this.#say('warning', words);
    try {
      await live.seat.start();
    } catch (thrown) {
      this.#say('error', formatError(toErrorFact(thrown)));
    }
  }

  /** Before the shell is ready a line that looks like a message may yet turn out to be a command. */
  #isUndecided(text: string): boolean {
    if (this.#route(text).type !== 'message' || text.trimStart().startsWith('?')) return false;
    return (this.#live?.seat.shell?.state ?? 'boot') === 'boot';
  }

  /** Shows the session's events until it closes, and asks its questions. */
  async #follow(live: LiveSession): Promise<void> {
    const begun = this.#shown;
    if (begun > 0) this.#say('dim', `going on with session ${live.session.sessionId}`);
    for await (const { event, at, seq } of live.session.events(begun)) {
      this.#view.show(event, at);
      this.#shown = seq;
      if (event.type === 'command.completed') this.#lastRecord = event.record;
      if (event.type === 'approval.requested') this.#asking.ask(live);
      else if (event.type === 'tool-call.started') this.#giveKeysToCommand(live);
      else if (event.type === 'tool-call.completed') this.#keyboard.toEditor();
      else if (event.type === 'turn.ended') this.#asking.end();
    }
  }

  /** Settles when nothing runs any more and all that happened is on the screen. */
  async #settled(live: LiveSession): Promise<void> {
    await live.session.atRest();
    await shellAtRest(live.seat);
    while (this.#shown < live.session.seq && !this.#closed) await Bun.sleep(0);
  }

  #giveKeysToCommand(live: LiveSession): void {
    const find = () => live.session.state.turn?.open.find((open) => open.stage === 'running')?.call ?? null;
    const call = find();
    if (call?.effect !== 'exec') return;
    this.#keyboard.toProgram();
    this.#shell.tellWhoTypes(() => find()?.id === call.id);
  }

  async #runLine(typed: string): Promise<'quit' | 'go on'> {
    const live = this.#live;
    if (live !== null) await this.#reviveShell(live);
    await this.#router.loaded();
    // While startup files run nobody knows the shell's aliases and functions: what looks like a message waits for them a little.
    if (this.#isUndecided(typed)) await this.#shell.booted();
    const meant = expandTyped(typed, this.#route(typed), {
      commands: () => this.#parts.history.commands(),
      say: (look, line) => this.#say(look, line),
      insert: (line) => this.#editor.insert(line),
    });
    if (meant === null) return 'go on';
    const { text, route } = meant;
    this.#unknown.forget();
    if (route.type === 'command' && !isExitLine(route.text)) this.#shell.leave.forget();
    const privacy = judgePrivacy(text, route, this.#isPrivate);
    const held = this.#isUndecided(text) ? STILL_STARTING : privacy === 'held back' ? HELD_BACK : null;
    if (held !== null) {
      this.#editor.insert(text);
      this.#say('warning', held);
      return 'go on';
    }
    const isPrivate = privacy === 'private';
    if (!isPrivate) this.#parts.history.add({ line: text, at: Date.now(), cwd: this.#cwd, route: route.type });
    try {
      if (live === null) throw new AishError('session.none', 'the session is not open', { hint: 'start aish again' });
      switch (route.type) {
        case 'nothing':
          break;
        case 'command':
          return await this.#runCommand(live, route.text, { isPrivate });
        case 'message':
          await this.#send(live, route.text);
          break;
        case 'meta':
          return await this.#runMeta(live, route.text);
      }
    } catch (thrown) {
      this.#say('error', formatError(toErrorFact(thrown)));
    }
    return 'go on';
  }

  /** Runs a line in the shell. `exit` leaves aish too; a shell that ended in any other way is started again in the same place. */
  async #runCommand(live: LiveSession, line: string, options: { isPrivate: boolean }): Promise<'quit' | 'go on'> {
    if (isExitLine(line) && !this.#shell.mayLeave()) return 'go on';
    this.#keyboard.toProgram();
    const record = await this.#runInShell(live, line, options);
    this.#keyboard.toEditor();
    if (record !== null) this.#endCommand(record);
    if (isExitLine(line)) return 'quit';
    await this.#reviveShell(live);
    return 'go on';
  }

  /** A full disk stops the session but not the shell: the line runs, and no log knows of it. */
  async #runInShell(live: LiveSession, line: string, options: { isPrivate: boolean }): Promise<CommandRecord | null> {
    const op = { type: 'run', line } as const;
    this.#lastRecord = null;
    if (!live.session.isBroken) await live.session.submit(options.isPrivate ? { ...op, private: true } : op);
    if (live.session.isBroken) return live.seat.run(line, 'person', this.#ending.signal, options);
    await this.#settled(live);
    return this.#lastRecord;
  }

  #endCommand(record: CommandRecord): void {
    this.#exit = record.exit;
    this.#tookMs = record.durationMs;
    this.#parts.tty.write(formatLineEnd(record, this.#parts.tty.size().columns, this.#parts.theme));
    if (this.#unknown.offer(record)) this.notice(OFFER);
  }

  async #send(live: LiveSession, text: string): Promise<void> {
    await live.session.submit({ type: 'send', text });
    await this.#settled(live);
    this.#keyboard.toEditor();
    await this.#reviveShell(live);
  }

  async #runMeta(live: LiveSession, line: string): Promise<'quit' | 'go on'> {
    const { setup, theme, history, tty } = this.#parts;
    const engine = await this.#parts.engine();
    const context: MetaContext = { setup, engine, live, history, theme, ...tty.size() };
    const { runMeta } = await import('./meta.ts');
    return this.#follows(await runMeta(line, context), live);
  }

  async #follows(outcome: MetaOutcome, live: LiveSession): Promise<'quit' | 'go on'> {
    switch (outcome.type) {
      case 'quit':
        return 'quit';
      case 'print':
        if (outcome.text !== '') this.#print(`${outcome.text}\n`);
        return 'go on';
      case 'submitted':
        await this.#settled(live);
        return 'go on';
      case 'run-privately':
        return await this.#runCommand(live, outcome.line, { isPrivate: true });
      case 'toggle-private':
        this.#isPrivate = !this.#isPrivate;
        this.notice(this.#isPrivate ? PRIVATE_ON : 'commands are shared with the model again');
        return 'go on';
      case 'switch':
        await this.#openSession(outcome.resume ?? undefined);
        if (outcome.resume === null) this.notice('a new session');
        return 'go on';
      case 'demo':
        this.#print('run: aish demo\n');
        return 'go on';
    }
  }

  get #isWaiting(): boolean {
    const state = this.#live?.session.state;
    return state !== undefined && state.command !== null && state.unsealed !== null;
  }

  /** Ctrl-C while the model works, or while a command waits to begin. */
  #interrupt(): void {
    if (this.#live?.session.state.turn || this.#isWaiting) void this.#live?.session.submit({ type: 'interrupt' });
  }

  /** Hands keys to whom they belong. */
  takeInput(bytes: Uint8Array): void {
    if (!this.#stopKey.take(bytes)) this.#keyboard.feed(bytes);
  }

  /** The terminal has another size. */
  resized(): void {
    this.#live?.seat.shell?.resize(this.#parts.tty.size());
    this.#editor.resized();
  }

  /** Prints untrusted text in one look, above the line that is typed. */
  #say(look: Look, text: string): void {
    this.#print(`${styled(this.#parts.theme, look, sanitizeText(text))}\n`);
  }

  #print(text: string): void {
    this.#editor.printAbove(text);
  }

  #names = (kind: string): readonly string[] => {
    if (kind === 'output') return (this.#live?.outputs.records ?? []).slice(-50).map(({ handle }) => `%${handle}`);
    return kind === 'model' ? Object.keys(this.#parts.setup.loaded.config.models) : [];
  };
}
