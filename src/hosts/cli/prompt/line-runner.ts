import { type Entered, type EnteredRun, isExitLine } from '../../../core/prompt/understand.ts';
import type { Route } from '../../../core/routing/router.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { AishError, formatError, toErrorFact } from '../../../protocol/error.ts';
import type { AttachedFile } from '../../../protocol/model.ts';
import type { SavedImage } from '../../../protocol/tool.ts';
import type { MetaOutcome } from '../commands/meta.ts';
import { formatLineEnd, type PromptFacts } from '../screen/prompt-line.ts';
import type { EventFollower } from './event-follower.ts';
import * as messages from './messages.ts';
import type { MetaAtPromptDeps } from './meta-at-prompt.ts';
import type { Notifier } from './notification.ts';
import type { PromptDriver } from './prompt-driver.ts';
import type { LineOp, NotedLine } from './prompt-session.ts';
import type { UnknownCommand } from './unknown-command.ts';

/** Exit status of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

interface LineRunnerDeps extends MetaAtPromptDeps {
  readonly notifier: Notifier;
  readonly events: EventFollower;
  readonly unknown: UnknownCommand;
}

/** No first prompt needs it. */
const loadMeta = () => import('./meta-at-prompt.ts');

type AfterLine = 'quit' | 'go on';

/** A custom command, and its line as typed. */
type Sent = Pick<Extract<MetaOutcome, { type: 'message' }>, 'command' | 'line'>;

/** How the last command ended. */
type LastCommand = Pick<PromptFacts, 'exit' | 'tookMs'>;

/** A command that only displays something belongs to aish: neither its time nor its status is a command's. */
type RunOptions = { readonly isPrivate: boolean; readonly isOurs?: boolean };

/** Carries out what the user entered: in the shell, by the model, or as a meta-command. */
export class LineRunner {
  readonly #deps: LineRunnerDeps;
  #last: LastCommand = { exit: 0, tookMs: 0 };

  constructor(deps: LineRunnerDeps) {
    this.#deps = deps;
  }

  get last(): LastCommand {
    return this.#last;
  }

  get isPrivate(): boolean {
    return this.#driver.state.isPrivate;
  }

  get #driver(): PromptDriver {
    return this.#deps.line.driver;
  }

  /** Runs a line as it was entered, and settles when all that came of it is on the screen. */
  async run(typed: string): Promise<AfterLine> {
    const { session, lines, unknown } = this.#deps;
    this.#driver.send({ type: 'line-entered', text: typed });
    await session.own?.revive();
    const booted = () => session.own?.terminal.booted() ?? Promise.resolve();
    const entered = await lines.enter(typed, () => this.#driver.until(booted()));
    const meant = takeEntered(entered, this.#deps);
    if (meant === null) return 'go on';
    const { route, isPrivate, kept } = meant;
    unknown.forget();
    if (route.type === 'command' && !meant.leaves) this.#driver.send({ type: 'other-command' });
    const isKept = kept !== null && this.#driver.state.directories.going === null;
    const begun = !isKept || route.type === 'nothing' ? null : { line: kept, cwd: session.cwd, route: route.type };
    const asked = route.type === 'nothing' ? '' : route.text;
    const after = await this.#remembered({ begun, asked }, () => this.#carryOut(route, isPrivate));
    lines.refresh();
    return after;
  }

  /** Whether the user may exit. If the shell has jobs, aish warns once and lets the next exit pass. */
  async mayLeave(): Promise<boolean> {
    const { own } = this.#deps.session;
    const jobs = own?.terminal.jobs ?? [];
    const may = this.#driver.mayLeave(jobs.length);
    if (!may) this.#deps.say('warning', messages.formatRunningJobs(jobs, (await own?.doJobsGoOn()) === true));
    return may;
  }

  /** Exits a shell whose jobs go on without it: to hang it up would end them. */
  async leaveJobs(): Promise<void> {
    const { own } = this.#deps.session;
    const hasJobs = own !== null && own.terminal.jobs.length > 0;
    if (hasJobs && (await own.doJobsGoOn())) await this.#runInShell('exit', { isPrivate: true });
  }

  /** Writes a line into history, and its end after it. A message or a meta-command has no status. */
  async #remembered(noted: NotedLine, run: () => Promise<AfterLine>): Promise<AfterLine> {
    const end = this.#deps.session.note(noted);
    const begunAt = performance.now();
    try {
      return await run();
    } finally {
      const exit = noted.begun?.route === 'command' ? this.#last.exit : null;
      const { cwd } = this.#deps.session;
      const to = noted.begun?.cwd === cwd ? {} : { to: cwd };
      end({ exit, durationMs: Math.round(performance.now() - begunAt), ...to });
    }
  }

  async #carryOut(route: Route, isPrivate: boolean): Promise<AfterLine> {
    // The next prompt shows the duration of the command once; its status holds until the next one.
    if (route.type !== 'command') this.#last = { ...this.#last, tookMs: 0 };
    try {
      const { client } = this.#deps.session;
      if (client === null) throw new AishError('session.none', messages.NO_SESSION, { hint: messages.NO_SESSION_HINT });
      switch (route.type) {
        case 'nothing':
          return 'go on';
        case 'command':
          return await this.#runCommand(route.text, { isPrivate });
        case 'message':
          return await this.#send(client, route.text);
        case 'meta':
          return await this.#runMeta(client, route.text);
      }
    } catch (thrown) {
      this.#deps.say('error', formatError(toErrorFact(thrown)));
      return 'go on';
    }
  }

  /**
   * Runs a line in the shell. A line that ends the shell ends aish with its status (`exit`, `make && exit`, `exec ls`). A shell that a
   * signal ended is started again in the same place.
   */
  async #runCommand(line: string, options: RunOptions): Promise<AfterLine> {
    const { session, say } = this.#deps;
    if (isExitLine(line) && session.own === null) return 'quit';
    if (isExitLine(line) && !(await this.mayLeave())) return 'go on';
    if (options.isPrivate && session.own === null) say('dim', messages.PRIVATE_AT_CLIENT);
    const record = await this.#runInShell(line, options);
    if (record !== null && options.isOurs !== true) await this.#endCommand(record);
    if (isExitLine(line) || session.own?.wasLeft) return 'quit';
    await session.own?.revive();
    return 'go on';
  }

  /** A full disk stops the session but not the shell: the line runs, and no log knows of it. */
  async #runInShell(line: string, options: RunOptions): Promise<CommandRecord | null> {
    const { session, events } = this.#deps;
    const op = { type: 'run', line } as const;
    let begun = false;
    const begin = (): void => {
      begun = true;
      this.#driver.send({ type: 'command-entered' });
      events.takeRecord();
    };
    if (!session.own?.runUnrecorded) {
      events.takeRecord();
      const isTaken = await this.#inTurn(options.isPrivate ? { ...op, private: true } : op, begin);
      if (!isTaken) return null;
    }
    const runUnrecorded = session.own?.runUnrecorded ?? null;
    if (runUnrecorded !== null) {
      begin();
      const record = await runUnrecorded(line, options);
      this.#endLine(record);
      return record;
    }
    await session.settled();
    const record = events.takeRecord();
    if (record === null && begun) this.#driver.send({ type: 'program-ended' });
    return record;
  }

  /** Ends a line that no event reports, as if one did. */
  #endLine(record: CommandRecord): void {
    const { tty, screen } = this.#deps;
    tty.write(formatLineEnd(record, screen));
    this.#driver.send({ type: 'program-ended' });
  }

  /** Hands a line in when what other clients began before it has ended; false where the user called it off meanwhile. */
  async #inTurn(op: LineOp, onTurn = () => {}, typed = op.type === 'run' ? op.line : op.text): Promise<boolean> {
    const { line, session } = this.#deps;
    await this.#driver.screenFree();
    const handIn = () => session.handIn(op, onTurn);
    const isTaken = await (session.isBusy ? line.during(handIn) : handIn());
    if (!isTaken) this.#driver.send({ type: 'line-returned', line: typed });
    return isTaken;
  }

  async #endCommand(record: CommandRecord): Promise<void> {
    const { session, unknown, say, notifier } = this.#deps;
    this.#last = { exit: record.exit, tookMs: record.durationMs };
    notifier.ended(
      messages.formatFinished(record.private === true ? messages.PRIVATE_COMMAND : record.line),
      record.durationMs,
    );
    if (record.exit === INTERRUPTED) this.#driver.send({ type: 'command-stopped' });
    if (session.shell?.report.pushed) this.#driver.send({ type: 'line-returned', line: session.shell.report.pushed });
    const offer = await unknown.offer(record);
    if (offer !== null) say('dim', offer);
    if (unknown.ready !== null) this.#driver.send({ type: 'offer-shown', line: unknown.ready });
  }

  async #send(client: SessionClient, text: string, sent?: Sent): Promise<AfterLine> {
    const { session, events, line, notifier } = this.#deps;
    const begunAt = performance.now();
    const command = sent === undefined ? {} : { command: sent.command };
    const isSent = await line.during(async () => {
      const attached = await this.#attach(client, text, sent);
      if (attached === null) return false;
      await this.#inTurn({ type: 'send', text, ...attached, ...command }, undefined, sent?.line);
      await session.settled();
      events.endProgram();
      return true;
    });
    if (!isSent) return 'go on';
    notifier.ended(messages.RESPONSE_COMPLETE, performance.now() - begunAt);
    await session.own?.revive();
    return 'go on';
  }

  /** The attachments of a message; null if one cannot be attached, or Ctrl-C called it off, so that the line goes back to be corrected. */
  async #attach(client: SessionClient, text: string, sent?: Sent): Promise<{ files?: readonly AttachedFile[] } | null> {
    if (!text.includes('@')) return {};
    const { setup, session, lines, say } = this.#deps;
    const { signal } = this.#driver;
    try {
      const { attachMentioned } = await import('../../../adapters/files/attach-files.ts');
      const { env, loaded } = setup;
      const servers = async () => (await session.own?.engine())?.servers() ?? null;
      const place = { env, config: loaded.config, settings: client.state.settings, cwd: session.cwd, servers, signal };
      const { files, lines, images } = await attachMentioned(text, place);
      for (const told of lines) say('dim', told);
      if (images.length > 0) await this.#showImages(images);
      return files.length === 0 ? {} : { files };
    } catch (thrown) {
      // Ctrl-C needs no explanation.
      if (!signal.aborted) say('error', formatError(toErrorFact(thrown)));
      this.#driver.send({
        type: 'line-returned',
        line: sent?.line ?? (lines.understand(text).route.type === 'message' ? text : `? ${text}`),
      });
      return null;
    }
  }

  /** The user sees the attached images too, if the terminal can show them. */
  async #showImages(images: readonly SavedImage[]): Promise<void> {
    const { tty, appearance, print } = this.#deps;
    const { drawImage } = await import('../screen/image.ts');
    if (appearance.isPlain) return;
    for (const image of images)
      print(await drawImage(image, { size: tty.size(), capabilities: appearance.capabilities }));
  }

  async #runMeta(client: SessionClient, line: string): Promise<AfterLine> {
    const outcome = await this.#deps.line.during(async () => {
      const { createMetaContext } = await loadMeta();
      const { runMeta } = await import('../commands/meta.ts');
      return runMeta(line, await createMetaContext(client, this.#deps));
    });
    if (outcome.type !== 'message') return this.#follows(outcome);
    this.#deps.say('dim', outcome.note);
    return this.#send(client, outcome.text, outcome);
  }

  /** Carries out a line beside the work that it is about. */
  async runNow(typed: string): Promise<void> {
    this.#deps.line.showEntered(typed);
    const { client } = this.#deps.session;
    if (client === null) return;
    const { route } = this.#deps.lines.understand(typed);
    const { runNow } = await loadMeta();
    await runNow({ typed, route }, client, { ...this.#deps, attach: (text) => this.#attach(client, text) });
  }

  async #follows(outcome: Exclude<MetaOutcome, { type: 'message' }>): Promise<AfterLine> {
    const { session, print, say, line } = this.#deps;
    switch (outcome.type) {
      case 'quit':
        return 'quit';
      case 'print':
        if (outcome.text !== '') print(`${wrapText(outcome.text, this.#deps.tty.size().columns)}\n`);
        return 'go on';
      case 'page':
        await (await loadMeta()).page(wrapText(outcome.text, this.#deps.tty.size().columns), this.#deps);
        return 'go on';
      case 'keyboard':
        this.#driver.send({ type: 'keyboard-wanted' });
        return 'go on';
      case 'ask': {
        await this.#follows({ type: 'print', text: await (await loadMeta()).askInWords(outcome.review, this.#deps) });
        // The answer may have begun an autonomous run.
        return this.#follows({ type: 'submitted' });
      }
      case 'submitted':
        await line.during(() => session.settled());
        return 'go on';
      case 'run-privately':
        return await this.#runCommand(outcome.line, { isPrivate: true, isOurs: !outcome.isCommand });
      case 'run':
        say('dim', outcome.line);
        return await this.#runCommand(outcome.line, { isPrivate: this.isPrivate });
      case 'choose-directory': {
        const chosen = await (await loadMeta()).chooseDirectory(outcome.paths, this.#deps);
        return chosen === null ? 'go on' : await this.#follows({ type: 'run', line: chosen });
      }
      case 'edit':
        say('dim', outcome.hint);
        this.#driver.send({ type: 'line-returned', line: outcome.line });
        return 'go on';
      case 'toggle-private':
        this.#driver.send({ type: 'private-toggled' });
        say('dim', this.isPrivate ? messages.PRIVATE_ON : messages.PRIVATE_OFF);
        return 'go on';
      case 'choose': {
        const chosen = await (await loadMeta()).chooseSession(this.#deps);
        return chosen === null ? 'go on' : await this.#goTo(chosen);
      }
      case 'switch':
        if (outcome.resume !== null) return await this.#goTo(outcome.resume);
        await session.own?.open(undefined);
        say('dim', messages.NEW_SESSION);
        return 'go on';
    }
  }

  /** Goes on with a session. One that is open elsewhere is joined, inside this shell, or copied, as the user says. */
  async #goTo(id: string): Promise<AfterLine> {
    const { session, setup } = this.#deps;
    const { isOpenSomewhere } = await import('../../../adapters/store/sessions.ts');
    if (!isOpenSomewhere(setup.paths.state, id)) {
      await session.own?.open(id);
      return 'go on';
    }
    const choice = await (await loadMeta()).askToJoin(id, this.#deps);
    if (choice === 'join') {
      const { ownLine } = await import('../commands/meta.ts');
      return await this.#runCommand(ownLine('attach', id), { isPrivate: true });
    }
    if (choice === 'fork') {
      const { forkNamed } = await import('../sessions/open-sessions.ts');
      await session.own?.open(await forkNamed(id, { setup }));
    }
    return 'go on';
  }
}

/** Takes an entered line: returns the run to carry out, or null after showing the reason. */
function takeEntered(
  entered: Entered,
  { line: { editor, driver }, say }: Pick<LineRunnerDeps, 'line' | 'say'>,
): EnteredRun | null {
  switch (entered.type) {
    case 'run':
      if (entered.isExpanded) say('dim', entered.text);
      return entered;
    case 'error':
      say('error', entered.message);
      return null;
    case 'put back': {
      const { text, because } = entered;
      if (because === 'goes on') editor.replace(`${text}\n${editor.text}`);
      else driver.send({ type: 'line-returned', line: text });
      const why = messages.REASONS_PUT_BACK[because];
      if (why !== undefined) say('warning', why);
      if (because === 'doubtful') {
        // Lines that wait may have been meant to follow it.
        driver.send({ type: 'command-stopped' });
        driver.send({ type: 'doubt-shown', line: text });
      }
      return null;
    }
  }
}
