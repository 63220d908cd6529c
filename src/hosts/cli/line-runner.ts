import { isOpenSomewhere } from '../../adapters/store/sessions.ts';
import type { Route } from '../../core/router/route.ts';
import type { Engine, LiveSession } from '../../engine/engine.ts';
import type { AttachedFile } from '../../protocol/attachment.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { AishError, type ErrorFact, formatError, toErrorFact } from '../../protocol/error.ts';
import type { Op } from '../../protocol/op.ts';
import type { SavedImage } from '../../protocol/tool.ts';
import type { JoinChoice } from './attach/join-question.ts';
import { attachMentioned } from './attaching.ts';
import type { OpenReview } from './commands/review-command.ts';
import type { BegunLine, PromptHistory } from './editor/history-at-prompt.ts';
import { isWholeLine } from './editor-at-prompt.ts';
import type { EventFollower } from './event-follower.ts';
import type { Keyboard } from './keyboard.ts';
import { isExitLine } from './leave.ts';
import type { LineAtPrompt } from './line-at-prompt.ts';
import type { LineRouter } from './line-router.ts';
import type { MetaContext, MetaOutcome } from './meta.ts';
import type { Notifier } from './notification.ts';
import { ownLine } from './own-line.ts';
import { HELD_BACK, judgePrivacy, PRIVATE_ON, STILL_STARTING } from './privacy.ts';
import { formatLineEnd, type PromptFacts } from './prompt-line.ts';
import type { Appearance } from './screen/appearance.ts';
import { wrapText } from './screen/fold.ts';
import { isDumbTerminal, type Look, type Theme } from './screen/theme.ts';
import type { Tty } from './screen/tty.ts';
import type { SessionAtPrompt } from './session-at-prompt.ts';
import type { Setup } from './setup.ts';
import type { ShellAtPrompt } from './shell-at-prompt.ts';
import { StartWait } from './start-wait.ts';
import { expandTyped } from './typed-line.ts';
import { OFFER, type UnknownCommand } from './unknown-command.ts';

/** Exit status of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/** What lines are run with. */
export interface LineRunnerParts {
  readonly tty: Tty;
  readonly setup: Setup;
  readonly theme: Theme;
  readonly appearance: Appearance;
  readonly history: PromptHistory;
  readonly engine: () => Promise<Engine>;
  readonly line: LineAtPrompt;
  readonly notifier: Notifier;
  readonly keyboard: Keyboard;
  readonly router: LineRouter;
  readonly shell: ShellAtPrompt;
  readonly session: SessionAtPrompt;
  readonly events: EventFollower;
  readonly unknown: UnknownCommand;
  /** Aborted when aish ends. */
  readonly ending: AbortSignal;
  readonly print: (text: string) => void;
  readonly say: (look: Look, text: string) => void;
}

/** What becomes of aish after a line. */
export type AfterLine = 'quit' | 'go on';

/** How the last command ended. */
type LastCommand = Pick<PromptFacts, 'exit' | 'tookMs'>;

/** What shows something that was asked for is ours: neither its time nor its status is a command's. */
type RunOptions = { readonly isPrivate: boolean; readonly isOurs?: boolean };

/** Carries out what the person entered: in the shell, by the model, or as a meta-command. */
export class LineRunner {
  readonly #parts: LineRunnerParts;
  #last: LastCommand = { exit: 0, tookMs: 0 };
  /** Every command is kept from the model. */
  #isPrivate = false;
  readonly startWait = new StartWait();

  constructor(parts: LineRunnerParts) {
    this.#parts = parts;
  }

  get last(): LastCommand {
    return this.#last;
  }

  get isPrivate(): boolean {
    return this.#isPrivate;
  }

  /** Settles when a line may stand on the screen. */
  screenFree(): Promise<void> {
    return this.#parts.events.screenFree();
  }

  /** Runs a line as it was entered, and settles when all that came of it is on the screen. */
  async run(typed: string): Promise<AfterLine> {
    const { session, router, shell, unknown, line, history, say } = this.#parts;
    const { live } = session;
    if (live !== null) await session.reviveShell(live);
    const atOnce = router.route(typed).type;
    await router.settled(typed);
    // While startup files run nobody knows the shell's aliases and functions: what looks like a message waits for them a little.
    if (router.isUndecided(typed)) {
      if (await this.startWait.until(shell.booted())) {
        line.work.putBack(typed);
        return 'go on';
      }
      await router.settled(typed);
    }
    // Enter came before it was known that this is a command, which goes on in the next line.
    if (atOnce !== 'command' && !isWholeLine(typed, router)) {
      line.work.putBack(line.editor.text === '' ? `${typed}\n` : typed);
      return 'go on';
    }
    const meant = expandTyped(typed, router.route(typed), {
      commands: () => history.commands(),
      numbered: (number) => history.numbered(number),
      say,
      insert: (expanded) => line.work.putBack(expanded),
    });
    if (meant === null) return 'go on';
    const { text, route } = meant;
    unknown.forget();
    if (route.type === 'command' && !isExitLine(route.text)) shell.leave.forget();
    const privacy = judgePrivacy(text, route, this.#isPrivate);
    const held = router.isUndecided(text) ? STILL_STARTING : privacy === 'held back' ? HELD_BACK : null;
    if (held !== null) {
      line.work.putBack(text);
      say('warning', held);
      return 'go on';
    }
    const isPrivate = privacy === 'private';
    const kept = isPrivate || route.type === 'nothing' ? null : { line: text, cwd: session.cwd, route: route.type };
    const after = await this.#remembered(kept, () => this.#carryOut(route, live, isPrivate));
    router.refresh();
    return after;
  }

  /** Writes a line into history, and its end after it. What becomes of a message or a meta-command has no status. */
  async #remembered(kept: BegunLine | null, run: () => Promise<AfterLine>): Promise<AfterLine> {
    if (kept === null) return await run();
    const { history } = this.#parts;
    const end = history.note(kept);
    const begunAt = performance.now();
    try {
      return await run();
    } finally {
      const exit = kept.route === 'command' ? this.#last.exit : null;
      end({ exit, durationMs: Math.round(performance.now() - begunAt) });
    }
  }

  async #carryOut(route: Route, live: LiveSession | null, isPrivate: boolean): Promise<AfterLine> {
    // How long the command took is told once, in the prompt behind it; its status holds until the next one.
    if (route.type !== 'command') this.#last = { ...this.#last, tookMs: 0 };
    try {
      if (live === null) throw new AishError('session.none', 'the session is not open', { hint: 'start aish again' });
      switch (route.type) {
        case 'nothing':
          return 'go on';
        case 'command':
          return await this.#runCommand(live, route.text, { isPrivate });
        case 'message':
          return await this.#send(live, route.text);
        case 'meta':
          return await this.#runMeta(live, route.text);
      }
    } catch (thrown) {
      this.#parts.say('error', formatError(toErrorFact(thrown)));
      return 'go on';
    }
  }

  /** Runs a line in the shell. `exit` leaves aish too; a shell that ended in any other way is started again in the same place. */
  async #runCommand(live: LiveSession, line: string, options: RunOptions): Promise<AfterLine> {
    const { shell, session } = this.#parts;
    if (isExitLine(line) && !shell.mayLeave()) return 'go on';
    const record = await this.#runInShell(live, line, options);
    if (record !== null && options.isOurs !== true) this.#endCommand(record);
    if (isExitLine(line)) return 'quit';
    await session.reviveShell(live);
    return 'go on';
  }

  /** A full disk stops the session but not the shell: the line runs, and no log knows of it. */
  async #runInShell(live: LiveSession, line: string, options: RunOptions): Promise<CommandRecord | null> {
    const { session, events, ending, keyboard, line: atPrompt } = this.#parts;
    const op = { type: 'run', line } as const;
    let begun = false;
    const begin = (): void => {
      begun = true;
      atPrompt.editor.hide();
      keyboard.toProgram();
      events.takeRecord();
    };
    if (!live.session.isBroken) {
      const isTaken = await this.#inTurn(live, options.isPrivate ? { ...op, private: true } : op, begin);
      if (!isTaken) return null;
    }
    if (live.session.isBroken) {
      begin();
      const record = await live.sharedShell.run(line, 'person', ending, options);
      this.#endLine(record);
      return record;
    }
    await session.settled(live);
    const record = events.takeRecord();
    if (record === null && begun) keyboard.toEditor();
    return record;
  }

  /** What no event tells of ends as if one did. */
  #endLine(record: CommandRecord): void {
    const { tty, setup, theme, keyboard } = this.#parts;
    tty.write(formatLineEnd(record, { columns: tty.size().columns, theme, isDumb: isDumbTerminal(setup.env) }));
    keyboard.toEditor();
  }

  /** Hands a line in when what other seats began before it has ended; false where the person called it off meanwhile. */
  async #inTurn(live: LiveSession, op: Extract<Op, { type: 'run' | 'send' }>, onTurn = () => {}): Promise<boolean> {
    const { line, events } = this.#parts;
    await events.screenFree();
    const { queue, isAtRest, ended } = live.session;
    const waits = !isAtRest || queue.size > 0;
    const submit = () => queue.submit(op, { onTurn });
    const outcome = await (waits ? line.during(submit) : submit());
    if (outcome === null) return true;
    if (outcome !== 'dropped' && ended !== null) throw toAishError(outcome);
    if (outcome !== 'dropped') return true;
    line.work.putBack(op.type === 'run' ? op.line : op.text);
    return false;
  }

  #endCommand(record: CommandRecord): void {
    const { unknown, say, line, notifier } = this.#parts;
    this.#last = { exit: record.exit, tookMs: record.durationMs };
    notifier.ended(`${record.private === true ? 'the command' : record.line} has ended`, record.durationMs);
    if (record.exit === INTERRUPTED) line.work.giveBack();
    if (unknown.offer(record)) say('dim', OFFER);
  }

  async #send(live: LiveSession, text: string): Promise<AfterLine> {
    const { session, events, line, notifier } = this.#parts;
    const begunAt = performance.now();
    const attached = await this.#attach(live, text);
    if (attached === null) return 'go on';
    await line.during(async () => {
      await this.#inTurn(live, { type: 'send', text, ...attached });
      await session.settled(live);
      events.endProgram();
    });
    notifier.ended('the answer is there', performance.now() - begunAt);
    await session.reviveShell(live);
    return 'go on';
  }

  /** What goes along with a message; null where a file that it mentions cannot, so that the line goes back to be corrected. */
  async #attach(live: LiveSession, text: string): Promise<{ readonly files?: readonly AttachedFile[] } | null> {
    const { setup, session, line, router, say } = this.#parts;
    try {
      const place = { setup, settings: live.session.state.settings, cwd: session.cwd };
      const { files, lines, images } = await attachMentioned(text, place);
      for (const told of lines) say('dim', told);
      if (images.length > 0) await this.#showImages(images);
      return files.length === 0 ? {} : { files };
    } catch (thrown) {
      say('error', formatError(toErrorFact(thrown)));
      line.work.putBack(router.route(text).type === 'message' ? text : `? ${text}`);
      return null;
    }
  }

  /** What goes along is seen by the person too, where the terminal can. */
  async #showImages(images: readonly SavedImage[]): Promise<void> {
    const { tty, appearance, print } = this.#parts;
    const { drawImage } = await import('./screen/image.ts');
    const { capabilities, isPlain } = appearance;
    for (const image of images) print(drawImage(image, { size: tty.size(), capabilities, textOnly: isPlain }));
  }

  async #runMeta(live: LiveSession, line: string): Promise<AfterLine> {
    const { setup, theme, appearance, history, tty } = this.#parts;
    const outcome = await this.#parts.line.during(async () => {
      const engine = await this.#parts.engine();
      const context: MetaContext = { setup, engine, live, history, theme, appearance, ...tty.size() };
      const { runMeta } = await import('./meta.ts');
      return runMeta(line, context);
    });
    return this.#follows(outcome, live);
  }

  async #follows(outcome: MetaOutcome, live: LiveSession): Promise<AfterLine> {
    const { session, print, say, line } = this.#parts;
    switch (outcome.type) {
      case 'quit':
        return 'quit';
      case 'print':
        if (outcome.text !== '') print(`${wrapText(outcome.text, this.#parts.tty.size().columns)}\n`);
        return 'go on';
      case 'ask':
        print(`${wrapText(await this.#askInWords(outcome.review), this.#parts.tty.size().columns)}\n`);
        return 'go on';
      case 'submitted':
        await line.during(() => session.settled(live));
        return 'go on';
      case 'run-privately':
        return await this.#runCommand(live, outcome.line, { isPrivate: true, isOurs: !outcome.isCommand });
      case 'toggle-private':
        this.#isPrivate = !this.#isPrivate;
        say('dim', this.#isPrivate ? PRIVATE_ON : 'commands are shared with the model again');
        return 'go on';
      case 'choose': {
        const chosen = await this.#chooseSession(live);
        return chosen === null ? 'go on' : await this.#goTo(chosen, live);
      }
      case 'switch':
        if (outcome.resume !== null) return await this.#goTo(outcome.resume, live);
        await session.open(undefined);
        say('dim', 'a new session');
        return 'go on';
    }
  }

  /** Goes on with a session. One that is open elsewhere is joined, inside this shell, or copied, as the person says. */
  async #goTo(id: string, live: LiveSession): Promise<AfterLine> {
    const { session, setup } = this.#parts;
    if (!isOpenSomewhere(setup.paths.state, id)) {
      await session.open(id);
      return 'go on';
    }
    const choice = await this.#askToJoin(id);
    if (choice === 'join') return await this.#runCommand(live, ownLine('attach', id), { isPrivate: true });
    if (choice === 'fork') {
      const { forkNamed } = await import('./attach/open-elsewhere.ts');
      await session.open(await forkNamed(id, { setup }));
    }
    return 'go on';
  }

  async #askToJoin(id: string): Promise<JoinChoice> {
    const { tty, theme, setup, keyboard, line, print } = this.#parts;
    line.editor.hide();
    const { JoinQuestion } = await import('./attach/join-question.ts');
    const write = (text: string): void => tty.write(text);
    const isDumb = isDumbTerminal(setup.env);
    const question = new JoinQuestion(id, { print, write, size: () => tty.size(), theme, isDumb });
    keyboard.toQuestion(question);
    return await question.chosen().finally(() => keyboard.toEditor());
  }

  /** Where nothing can be drawn over, the session that was used last here is taken. */
  async #chooseSession(live: LiveSession): Promise<string | null> {
    const { tty, theme, appearance, setup, keyboard, line } = this.#parts;
    const { listToResume } = await import('./sessions/sessions-at-prompt.ts');
    const sessions = listToResume({ setup, live });
    if (appearance.isPlain) return sessions[0]?.id ?? null;
    line.editor.hide();
    const { SessionPicker } = await import('./sessions/session-picker.ts');
    const picker = new SessionPicker({
      sessions,
      cwd: setup.cwd,
      now: Date.now(),
      conceal: (text) => live.secrets.conceal(text),
      theme,
      write: (text) => tty.write(text),
      size: () => tty.size(),
    });
    keyboard.toQuestion(picker);
    return await picker.chosen().finally(() => keyboard.toEditor());
  }

  /** Puts a review before the person and reads their word below it. */
  async #askInWords(review: OpenReview): Promise<string> {
    const { tty, line, print } = this.#parts;
    line.editor.hide();
    print(`${review.show(tty.size().columns)}\n\n`);
    return review.answer((await this.#readAnswer(review.question)) ?? '');
  }

  /** Reads a line below a question. As for any question: Ctrl-C is no for an answer. */
  async #readAnswer(question: string): Promise<string | null> {
    const { tty, theme, appearance, setup, keyboard, line } = this.#parts;
    line.editor.hide();
    const { openAnswerLine } = await import('./questions/answer-line.ts');
    const { editor, read } = openAnswerLine(question, {
      write: (text) => tty.write(text),
      size: () => tty.size(),
      theme,
      isPlain: appearance.isPlain,
      isDumb: isDumbTerminal(setup.env),
    });
    keyboard.toQuestion({ wantsText: true, feed: (bytes) => editor.feed(bytes) });
    return await read.finally(() => keyboard.toEditor());
  }
}

function toAishError({ code, message, hint }: ErrorFact): AishError {
  return new AishError(code, message, hint === undefined ? {} : { hint });
}
