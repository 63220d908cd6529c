import type { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import type { RemoteTerminal } from '../../../adapters/daemon/remote-terminal.ts';
import { escapeForDisplay, sanitizeText } from '../../../core/sanitize.ts';
import { AishError, formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Op } from '../../../protocol/op.ts';
import { Keyboard } from '../keyboard.ts';
import { LiveRegion } from '../live-region.ts';
import { Asking } from '../questions/asking.ts';
import type { Appearance } from '../screen/appearance.ts';
import { createCodePainter } from '../screen/code-painter.ts';
import { wrapText } from '../screen/fold.ts';
import { isDumbTerminal, type Look, styled } from '../screen/theme.ts';
import type { Tty } from '../screen/tty.ts';
import { View } from '../screen/view.ts';
import type { Setup } from '../setup.ts';
import { AttachedEvents } from './attached-events.ts';
import { type AttachedLine, formatSeatHelp } from './attached-line.ts';
import { isKeyboardKey } from './keyboard-key.ts';
import { LineAtSeat } from './line-at-seat.ts';
import { LooksAtSeat } from './looks-at-seat.ts';
import { ShownCommands } from './shown-commands.ts';
import { TypedAhead } from './typed-ahead.ts';

/** What a seat at a session of another process works with. */
export interface AttachedPromptParts {
  readonly client: HttpSessionClient;
  readonly tty: Tty;
  readonly setup: Setup;
  readonly appearance: Appearance;
}

/** How a seat was left: by the person, because the session was ended, or because whoever had it open is gone without a word. */
export type AttachedEnd = 'left' | 'ended' | 'lost';

/** What was told before the end may take so long to come. */
const LAST_WORDS_MS = 500;
const CTRL_C = 0x03;
const CTRL_BACKSLASH = 0x1c;

/** A seat at a session that another process has open: shows what happens there, and takes lines, answers and keys. */
export class AttachedPrompt {
  readonly #parts: AttachedPromptParts;
  readonly #line: LineAtSeat;
  readonly #looks: LooksAtSeat;
  readonly #live: LiveRegion;
  readonly #keyboard: Keyboard;
  readonly #events: AttachedEvents;
  readonly #shown = new ShownCommands();
  readonly #typedAhead = new TypedAhead();
  readonly #end = Promise.withResolvers<AttachedEnd>();
  #terminal: RemoteTerminal | null = null;
  /** Settles when the screen is the line's again; null while it is. */
  #screen: { readonly promise: Promise<void>; resolve(): void } | null = null;
  /** Whose keys reach the program: ours, or those of somebody else. */
  #hasKeyboard = false;
  #isHinted = false;
  #isClosed = false;

  constructor(parts: AttachedPromptParts) {
    this.#parts = parts;
    const { tty, appearance, setup, client } = parts;
    const { theme, isPlain } = appearance;
    const write = (text: string): void => tty.write(text);
    const size = () => tty.size();
    this.#line = new LineAtSeat({
      ...parts,
      prompt: () => this.#prompt(),
      state: () => this.#events.state,
      say: (look, text) => this.#say(look, text),
      interrupt: () => this.#submit({ type: 'interrupt' }),
      lendKeys: (taker) => this.#keyboard.lend(taker),
    });
    this.#live = new LiveRegion(this.#line.editor);
    const { print } = this.#live;
    this.#looks = new LooksAtSeat({ ...parts, print, lendKeys: (taker) => this.#line.lend(taker) });
    this.#keyboard = new Keyboard({
      editor: this.#line.editor,
      program: () => ({ write: (bytes) => this.#toProgram(bytes) }),
      now: () => performance.now(),
    });
    const asking = new Asking({
      print,
      write,
      size,
      theme,
      isPlain,
      isDumb: isDumbTerminal(setup.env),
      keyboard: this.#keyboard,
      interrupt: () => this.#submit({ type: 'interrupt' }),
      onEnd: () => this.#giveScreenBack(),
    });
    const view = new View({
      size,
      theme,
      print,
      codePainter: createCodePainter(theme),
      ...(isPlain ? {} : { setLive: this.#live.setWork }),
    });
    this.#events = new AttachedEvents({
      client,
      view,
      asking,
      print,
      write,
      place: () => ({ columns: tty.size().columns, theme, isDumb: isDumbTerminal(setup.env) }),
      submit: (op) => this.#submit(op),
      onPast: (recorded) => this.#line.takePast(recorded),
      onEvent: (recorded) => this.#line.take(recorded),
      hasTerminal: () => this.#line.hasTerminal(),
      showCommand: (seq, isOn) => this.#showCommand(seq, isOn),
      pause: () => this.#takeScreen(),
      resume: () => {
        this.#keyboard.toEditor();
        this.#giveScreenBack();
      },
    });
  }

  /** Joins, and settles when the seat is left. */
  async run(): Promise<AttachedEnd> {
    const { client, tty } = this.#parts;
    tty.setRaw();
    tty.start();
    const joined = Promise.withResolvers<{ readonly seq: number; readonly running: number | null }>();
    const terminal = client.terminal(tty.size(), {
      joined: joined.resolve,
      began: (seq) => this.#shown.push({ type: 'began', seq }),
      ended: (seq) => this.#shown.push({ type: 'ended', seq }),
      output: (bytes) => this.#shown.push({ type: 'output', bytes }),
      keyboard: (holder, isOurs) => this.#keyboardIs(holder, isOurs),
      refused: () => this.#tell('you did not get the keyboard'),
      told: (text) => this.#say('dim', text),
      closed: () => void this.#lost(),
    });
    this.#terminal = terminal;
    const at = await Promise.race([joined.promise, this.#end.promise]);
    if (typeof at === 'string') return at;
    const followed = this.#events.follow(at, () => void this.#readLines()).then(() => this.#end.resolve('ended'));
    followed.catch((thrown: unknown) => {
      this.#say('error', formatError(toErrorFact(thrown)));
      this.#end.resolve('lost');
    });
    return this.#end.promise;
  }

  /** Gives the terminal back, with a last line. */
  async close(words: string): Promise<void> {
    this.#isClosed = true;
    this.#shown.close();
    this.#terminal?.close();
    await this.#parts.client.detach();
    this.#keyboard.toEditor();
    await this.#line.close();
    this.#say('dim', words);
    await this.#parts.tty.drained();
  }

  /** Hands keys to whom they belong. */
  takeInput(bytes: Uint8Array): void {
    if (this.#keyboard.isLent) {
      this.#keyboard.feed(bytes);
      return;
    }
    if (isKeyboardKey(bytes)) {
      this.#askForKeyboard();
      return;
    }
    if (bytes[0] === CTRL_BACKSLASH && !(this.#keyboard.hasProgram && this.#hasKeyboard)) {
      this.#submit({ type: 'halt' });
      return;
    }
    const isStop = bytes.length === 1 && bytes[0] === CTRL_C && !this.#keyboard.hasQuestion;
    const { isAtWork, editor } = this.#line;
    const isForProgram = this.#keyboard.hasProgram && this.#hasKeyboard;
    // What stands in a line that a program hides is not what is to be given up.
    if (isStop && isAtWork && (editor.text === '' || this.#keyboard.hasProgram) && !isForProgram) {
      this.#submit({ type: 'interrupt' });
      return;
    }
    this.#keyboard.feed(bytes);
  }

  /** The terminal has another size. */
  resized(): void {
    this.#terminal?.resize(this.#parts.tty.size());
    this.#live.resized(this.#events.resized());
  }

  /** The terminal has told what it can do, and colours may be others. */
  redraw(): void {
    this.#line.editor.redraw();
  }

  /** The terminal is gone. */
  leave(): void {
    this.#end.resolve('left');
  }

  #prompt(): string {
    const { appearance, client } = this.#parts;
    const { id, named } = this.#events.state;
    const name = named?.name ?? (id === '' ? client.sessionId : id);
    const { theme } = appearance;
    return `${styled(theme, 'dim', 'at ')}${styled(theme, 'bold', escapeForDisplay(name))} `;
  }

  /** A command or a question has the screen: no line is read before it is given back. */
  #takeScreen(): void {
    this.#line.editor.hide();
    this.#screen ??= Promise.withResolvers();
  }

  #giveScreenBack(): void {
    const { editor } = this.#line;
    if (editor.isReading) editor.show();
    const typed = this.#typedAhead.takeAll();
    if (typed !== '') editor.insert(typed);
    this.#screen?.resolve();
    this.#screen = null;
  }

  async #readLines(): Promise<void> {
    await this.#line.ready();
    while (!this.#isClosed) {
      while (this.#screen !== null) await this.#screen.promise;
      const read = await this.#line.read();
      if (this.#isClosed) return;
      if (read.type === 'eof') this.leave();
      if (read.type === 'line') await this.#enter(read.text);
    }
  }

  async #enter(text: string): Promise<void> {
    try {
      await this.#carryOut(await this.#line.understand(text), text);
    } catch (thrown) {
      if (!this.#isClosed) this.#say('error', formatError(toErrorFact(thrown)));
    }
  }

  async #carryOut(line: AttachedLine, text: string): Promise<void> {
    const { tty, appearance } = this.#parts;
    switch (line.type) {
      case 'nothing':
        return;
      case 'leave':
        return this.leave();
      case 'help':
        return this.#say('dim', formatSeatHelp(line.topic, tty.size().columns));
      case 'keyboard':
        return this.#askForKeyboard();
      case 'at once':
        return this.#submit(line.op);
      case 'in turn':
        return this.#enterInTurn(line.op);
      case 'look':
        return this.#looks.ask(line.line);
      case 'history':
        return this.#looks.show(await this.#line.runHistory(text, line.request));
      case 'theme':
        return this.#say('dim', (await import('../commands/theme-command.ts')).setTheme(line.theme, appearance));
    }
  }

  /** One after the other, so that they come in the order in which they were entered. What becomes of them is told by events. */
  async #enterInTurn(op: Op): Promise<void> {
    try {
      const waits = await this.#parts.client.submitInTurn(op);
      if (waits && !this.#isClosed) this.#say('dim', 'the line waits until what runs has ended');
    } catch (thrown) {
      if (!this.#isClosed) this.#say('error', formatError(toErrorFact(thrown)));
    }
  }

  /** What is refused comes as an event. */
  #submit(op: Op): void {
    this.#parts.client.submit(op).catch((thrown: unknown) => {
      const isGone = thrown instanceof AishError && thrown.code === 'daemon.unreachable';
      if (!isGone && !this.#isClosed) this.#say('error', formatError(toErrorFact(thrown)));
    });
  }

  async #showCommand(seq: number, isOn: boolean): Promise<void> {
    this.#takeScreen();
    this.#keyboard.toProgram();
    this.#isHinted = false;
    this.#typedAhead.begin(performance.now());
    const { tty } = this.#parts;
    const decoder = new TextDecoder();
    await this.#shown.show(seq, (bytes) => tty.write(decoder.decode(bytes, { stream: true })), { isOn });
  }

  /** Keys while a command has the screen. What was being typed as it began is for the line; whoever types more means the program. */
  #toProgram(bytes: Uint8Array): void {
    if (this.#hasKeyboard) {
      this.#terminal?.write(bytes);
      return;
    }
    if (this.#typedAhead.take(bytes, performance.now())) return;
    if (!this.#isHinted) this.#tell('the keyboard is not yours: Ctrl-] asks for it, Ctrl-C stops what runs');
    this.#isHinted = true;
  }

  #askForKeyboard(): void {
    if (this.#hasKeyboard) {
      this.#terminal?.giveBack();
      return;
    }
    this.#tell('you asked for the keyboard');
    this.#terminal?.ask();
  }

  #keyboardIs(holder: string | null, isOurs: boolean): void {
    if (isOurs !== this.#hasKeyboard)
      this.#tell(isOurs ? 'you have the keyboard: Ctrl-] gives it back' : 'the keyboard is the owner’s again');
    else if (holder !== null && !isOurs) this.#say('dim', `${holder} has the keyboard`);
    this.#hasKeyboard = isOurs;
  }

  /** A way that is gone may be the end of the session, which is told on the other one. */
  async #lost(): Promise<void> {
    this.#shown.close();
    await Bun.sleep(LAST_WORDS_MS);
    this.#end.resolve('lost');
  }

  #say(look: Look, text: string): void {
    const { tty, appearance } = this.#parts;
    const rows = wrapText(sanitizeText(text), tty.size().columns).split('\n');
    this.#live.print(`${rows.map((row) => styled(appearance.theme, look, row)).join('\n')}\n`);
  }

  /** What cannot wait, between two lines of what a program shows. */
  #tell(text: string): void {
    const { tty, appearance } = this.#parts;
    if (this.#keyboard.hasProgram) tty.write(`\r\n${styled(appearance.theme, 'dim', `[${sanitizeText(text)}]`)}\r\n`);
    else this.#say('dim', text);
  }
}
