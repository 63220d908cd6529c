import type { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import { RemoteNames } from '../../../adapters/daemon/remote-names.ts';
import type { TerminalStream } from '../../../core/session/session-client.ts';
import { isAtRest } from '../../../core/session/state.ts';
import { styled } from '../../../core/terminal/theme.ts';
import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { isDurable } from '../../../protocol/durable-event.ts';
import { AishError, formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Recorded, SessionEvent } from '../../../protocol/event.ts';
import type { Op } from '../../../protocol/op.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { EndedLine } from '../editor/history-at-prompt.ts';
import type { KnownShell } from '../prompt/line-facts.ts';
import type { HostEffect } from '../prompt/prompt-driver.ts';
import type { LineOp, NotedLine, PromptHost, PromptSession } from '../prompt/prompt-session.ts';
import { formatFromClient } from '../screen/from-client.ts';
import { JoinedHistory } from './joined-history.ts';
import * as messages from './messages.ts';

interface JoinedSessionDeps extends PromptHost {
  readonly client: HttpSessionClient;
}

/** Why the client left the session: the user left, the session ended, or the connection is lost. */
export type JoinedEnd = 'left' | 'ended' | 'lost';

interface JoinedAt {
  readonly seq: number;
  readonly running: number | null;
}

/** How long the last output of the session may take to arrive. */
const LAST_WORDS_MS = 500;
/** Stands among the ids of programs for a submitted command that has not begun. */
const HANDED_IN = 'handed in';
/** The number of earlier lines, with their output, that a new client sees. */
const SHOWN_BEFORE = 6;

/** A session that another process owns, at the prompt: what happens there is shown as it comes, and lines wait there for their turn. */
export class JoinedSession implements PromptSession {
  readonly own = null;
  readonly shell: KnownShell;
  readonly #deps: JoinedSessionDeps;
  readonly #names: RemoteNames;
  readonly #history: JoinedHistory;
  readonly #shown = new ShownCommands();
  /** Callers that wait for the next time that nothing runs. */
  readonly #resting: (() => void)[] = [];
  #terminal: TerminalStream | null = null;
  #cwd: string;
  /** The line that was handed in and has not begun. */
  #handedIn: { readonly op: LineOp['type']; settle(isTaken: boolean): void } | null = null;
  /** The last event that was shown. */
  #seen = 0;
  #end: JoinedEnd | null = null;

  constructor(deps: JoinedSessionDeps) {
    this.#deps = deps;
    const { client, setup, history, say } = deps;
    this.#cwd = setup.cwd;
    const cwd = (): string => this.#cwd;
    const names = new RemoteNames({
      askNames: () => client.query({ type: 'names' }),
      askWords: (words) => client.query({ type: 'words', words }),
      cwd,
      path: setup.env.PATH ?? '',
      home: setup.env.HOME,
    });
    this.#names = names;
    const lookup = (word: string): string | null => (names.has(word) ? word : null);
    this.shell = { state: 'ready', lookup, lookups: names, report: { jobs: [] } };
    this.#history = new JoinedHistory({ setup, history, cwd, name: () => client.name, say });
  }

  get client(): HttpSessionClient {
    return this.#deps.client;
  }

  get cwd(): string {
    return this.#cwd;
  }

  get program(): TerminalStream | null {
    return this.#terminal;
  }

  get isBusy(): boolean {
    return !isAtRest(this.client.state);
  }

  /** How it ended; `left` where nothing else is known. */
  get end(): JoinedEnd {
    return this.#end ?? 'left';
  }

  formatPrompt(): string {
    const { client, theme } = this.#deps;
    const { named } = client.state;
    const name = escapeForDisplay(named?.name ?? client.sessionId);
    return `${styled(theme, 'dim', 'at ')}${styled(theme, 'bold', name)} `;
  }

  /** Joins, shows the last of what happened before, and settles then, or when the session is lost. */
  async begin(): Promise<void> {
    const { client, tty } = this.#deps;
    const joined = Promise.withResolvers<JoinedAt>();
    this.#terminal = client.terminal(tty.size(), {
      joined: joined.resolve,
      began: (seq) => this.#shown.push({ type: 'began', seq }),
      ended: (seq) => this.#shown.push({ type: 'ended', seq }),
      output: (bytes) => this.#shown.push({ type: 'output', bytes }),
      keyboard: (holder, isOurs) => this.#keyboardIs(holder, isOurs),
      refused: () => this.#tell(messages.KEYBOARD_REFUSED),
      notice: (text) => this.#deps.say('dim', text),
      closed: () => {
        void this.#lost();
      },
    });
    const gone = new Promise<null>((resolve) => {
      this.#deps.ending.addEventListener('abort', () => resolve(null), { once: true });
    });
    // All are asked at once: the prompt waits for the slowest of them.
    const events = client.events(0);
    const known = Promise.all([client.query({ type: 'place' }).catch(() => null), this.#names.load()]);
    known.catch(() => {});
    const at = await Promise.race([joined.promise, gone]);
    if (at === null) return;
    const caughtUp = Promise.withResolvers<void>();
    this.#follow(events, at, caughtUp.resolve).then(
      () => this.#over('ended'),
      (thrown: unknown) => {
        if (this.#end === null) this.#deps.say('error', formatError(toErrorFact(thrown)));
        this.#over('lost');
      },
    );
    const [told] = (await Promise.race([caughtUp.promise.then(() => known), gone])) ?? [];
    this.#cwd = told?.cwd ?? this.#cwd;
    // Behind the first prompt.
    setTimeout(() => this.#history.open(), 0);
  }

  carryOut(effect: HostEffect): void {
    switch (effect.type) {
      case 'interrupt':
      case 'halt':
        this.submit({ type: effect.type });
        return;
      case 'send-now':
        this.submit({ type: 'interrupt', after: 'step' });
        return;
      case 'lease':
        if (effect.action === 'give-back') this.#terminal?.giveBack();
        else if (effect.action === 'ask') this.#askForKeyboard();
        else if (effect.action === 'leave') this.#over('left');
        return;
      case 'tell-lease':
        this.#tell(messages.NOT_YOUR_KEYBOARD);
        return;
      default:
        return;
    }
  }

  async handIn(op: LineOp): Promise<boolean> {
    const { client, say } = this.#deps;
    const { driver } = this.#deps.line;
    const begun = Promise.withResolvers<boolean>();
    this.#handedIn = { op: op.type, settle: begun.resolve };
    // Keys typed from now on were meant for the line behind the command, Enter included: none of them runs by itself.
    const hides = op.type === 'run' && !this.isBusy;
    if (hides) driver.send({ type: 'program-began', callId: HANDED_IN });
    try {
      const outcome = await client.submit(op, { inTurn: true });
      if (outcome.type === 'refused' || outcome.type === 'dropped') begun.resolve(false);
      if (outcome.type === 'waits' && driver.state.program === HANDED_IN) driver.send({ type: 'program-ended' });
      if (outcome.type === 'waits' && this.#handedIn !== null) say('dim', messages.LINE_WAITS);
      return await begun.promise;
    } finally {
      this.#handedIn = null;
      if (driver.state.program === HANDED_IN) driver.send({ type: 'program-ended' });
    }
  }

  settled(): Promise<void> {
    const { client } = this.#deps;
    if (this.#end !== null || (isAtRest(client.state) && this.#seen === client.seq)) return Promise.resolve();
    return new Promise((resolve) => this.#resting.push(resolve));
  }

  note(line: NotedLine): (ended: EndedLine) => void {
    return this.#history.note(line);
  }

  resized(size: TerminalSize): void {
    this.#terminal?.resize(size);
  }

  async close(): Promise<void> {
    this.#end ??= 'left';
    this.#shown.close();
    this.#wake();
    await this.#deps.client.detach();
    await this.#history.close();
  }

  /** Shows the last of what happened before, then what happens, until the session is ended there. */
  async #follow(events: AsyncIterable<Recorded>, joined: JoinedAt, onCaughtUp: () => void): Promise<void> {
    let before: Recorded[] | null = joined.seq === 0 ? null : [];
    if (before === null) onCaughtUp();
    for await (const recorded of events) {
      await this.#deps.line.driver.terminalFree();
      if (before === null) await this.#take(recorded);
      else if (isDurable(recorded.event)) {
        before.push(recorded);
        if (recorded.seq < joined.seq) continue;
        await this.#showBefore(before);
        before = null;
        this.#seen = recorded.seq;
        onCaughtUp();
        await this.#goOn(joined.running);
      }
    }
  }

  async #showBefore(recorded: readonly Recorded[]): Promise<void> {
    const starts = recorded.filter(({ event }) => event.type === 'turn.started' || event.type === 'command.started');
    const from = starts.at(-SHOWN_BEFORE)?.seq ?? 0;
    for (const [at, one] of recorded.entries()) {
      this.#history.takePast(one);
      // No user entered the name of a copy.
      const isOfCopy = one.event.type === 'session.named' && recorded[at - 1]?.event.type === 'session.forked';
      if (one.seq < from || isOfCopy) continue;
      await this.#deps.view.prepare(one.event);
      this.#showPast(one.event, one.at);
    }
  }

  /** As the prompt showed it, but that an answer comes whole and a command's output is what the log has of it. */
  #showPast(event: SessionEvent, at: number): void {
    const { view, print, theme } = this.#deps;
    const words = formatFromClient(event, theme, null);
    if (words !== null) print(words);
    if (event.type === 'step.completed' && event.text !== '') view.show({ type: 'text.delta', text: event.text }, at);
    if (event.type === 'turn.ended' && event.text !== undefined)
      view.show({ type: 'text.delta', text: event.text }, at);
    if (event.type === 'command.completed') printOutput(event.record, print);
    if (event.type === 'tool-call.completed' && event.record !== undefined && event.record.sandboxed !== true)
      printOutput(event.record, print);
    view.show(event, at);
  }

  /** The work that was running when this client came. */
  async #goOn(running: number | null): Promise<void> {
    const { command, turn } = this.client.state;
    const call = turn?.open.find(({ stage }) => stage === 'running')?.call ?? null;
    if (running !== null && (command !== null || call?.effect === 'exec')) {
      this.#deps.line.driver.send({ type: 'program-began', callId: call?.id ?? String(running) });
      await this.#showCommand(running, true);
    }
    this.#deps.ask();
  }

  async #take(recorded: Recorded): Promise<void> {
    const { seq, event } = recorded;
    this.#history.take(recorded);
    await this.#deps.view.prepare(event);
    this.#deps.onEvent(recorded);
    this.#seen = Math.max(this.#seen, seq);
    if (event.type === 'command.completed') this.#cameTo(event.record);
    else if (event.type === 'tool-call.completed' && event.record !== undefined) this.#cameTo(event.record);
    this.#settleHandedIn(event);
    if (isAtRest(this.client.state)) this.#wake();
    if (event.type === 'command.started') await this.#showCommand(seq, false);
    else if (event.type === 'tool-call.started' && event.sandboxed !== true && this.#isCommand(event.callId))
      await this.#showCommand(seq, false);
  }

  #isCommand(callId: string): boolean {
    return this.client.state.turn?.open.find(({ call }) => call.id === callId)?.call.effect === 'exec';
  }

  #settleHandedIn(event: SessionEvent): void {
    const handedIn = this.#handedIn;
    if (handedIn === null || !('client' in event) || event.client !== this.client.name) return;
    const begins = handedIn.op === 'run' ? 'command.started' : 'turn.started';
    if (event.type === begins) handedIn.settle(true);
    else if (event.type === 'op.rejected' && event.op === handedIn.op) handedIn.settle(false);
  }

  /** A command may have changed where the shell is and what it knows. */
  #cameTo({ sandboxed, cwd }: CommandRecord): void {
    if (sandboxed === true) return;
    this.#cwd = cwd;
    this.#names.expire();
  }

  async #showCommand(seq: number, isOn: boolean): Promise<void> {
    const { tty } = this.#deps;
    const decoder = new TextDecoder();
    await this.#shown.show(seq, (bytes) => tty.write(decoder.decode(bytes, { stream: true })), { isOn });
  }

  submit(op: Op): void {
    this.client.submit(op).catch((thrown: unknown) => {
      const isGone = thrown instanceof AishError && thrown.code === 'daemon.unreachable';
      if (!isGone && this.#end === null) this.#deps.say('error', formatError(toErrorFact(thrown)));
    });
  }

  #askForKeyboard(): void {
    this.#tell(messages.ASKED_FOR_KEYBOARD);
    this.#terminal?.ask();
  }

  #keyboardIs(holder: string | null, isOurs: boolean): void {
    const { driver } = this.#deps.line;
    const hadKeyboard = driver.state.lease.isOurs;
    driver.send({ type: 'lease-changed', holder, isOurs });
    if (isOurs !== hadKeyboard) this.#tell(isOurs ? messages.YOUR_KEYBOARD : messages.OWNER_KEYBOARD);
    else if (holder !== null && !isOurs) this.#deps.say('dim', messages.formatOtherKeyboard(holder));
  }

  #tell(text: string): void {
    this.#deps.tell('dim', text);
  }

  /** A lost connection may be the end of the session, which the other connection reports. */
  async #lost(): Promise<void> {
    this.#shown.close();
    await Bun.sleep(LAST_WORDS_MS);
    this.#over('lost');
  }

  #over(end: JoinedEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#shown.close();
    this.#handedIn?.settle(true);
    this.#wake();
    this.#deps.over();
  }

  #wake(): void {
    for (const resolve of this.#resting.splice(0)) resolve();
  }
}

function printOutput({ output }: CommandRecord, print: (text: string) => void): void {
  const text = sanitizeText(output);
  if (text !== '') print(text.endsWith('\n') ? text : `${text}⏎\n`);
}

type Item =
  | { readonly type: 'output'; readonly bytes: Uint8Array }
  | { readonly type: 'began' | 'ended'; readonly seq: number };

/**
 * Holds the output of commands of a session elsewhere until their turn on this screen. Facts and bytes come on two connections, each in its
 * order. So the output of a command waits for the fact that it began, and later facts wait for the end of its output.
 */
export class ShownCommands {
  #items: Item[] = [];
  #wake = Promise.withResolvers<void>();
  #isClosed = false;

  /** Takes what came. The bytes are kept, not copied. */
  push(item: Item): void {
    this.#items.push(item);
    this.#news();
  }

  /** Nothing more comes. */
  close(): void {
    this.#isClosed = true;
    this.#news();
  }

  /** Writes all that the command shows whose fact has this number, as it comes. `isOn` where it had begun before this client came. */
  async show(seq: number, write: (bytes: Uint8Array) => void, { isOn }: { readonly isOn: boolean }): Promise<void> {
    let shows = isOn;
    for (;;) {
      const item = this.#items.shift();
      if (item === undefined) {
        if (this.#isClosed) return;
        await this.#wake.promise;
      } else if (item.type === 'output') {
        if (shows) write(item.bytes);
      } else if (item.type === 'began') shows = item.seq === seq;
      else if (item.seq === seq) return;
    }
  }

  #news(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
