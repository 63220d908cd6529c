import type { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import type { RemoteTerminal } from '../../../adapters/daemon/remote-terminal.ts';
import { escapeForDisplay, sanitizeText } from '../../../core/sanitize.ts';
import { AishError, formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Op } from '../../../protocol/op.ts';
import { MemoryHistory } from '../editor/history.ts';
import { LineEditor } from '../editor/line-editor.ts';
import { Keyboard } from '../keyboard.ts';
import { LiveRegion } from '../live-region.ts';
import { formatMark, toReflow } from '../prompt-line.ts';
import { Asking } from '../questions/asking.ts';
import { createCodePainter } from '../screen/code-painter.ts';
import { wrapText } from '../screen/fold.ts';
import { isDumbTerminal, type Look, styled, type Theme } from '../screen/theme.ts';
import type { Tty } from '../screen/tty.ts';
import { View } from '../screen/view.ts';
import type { Setup } from '../setup.ts';
import { AttachedEvents } from './attached-events.ts';
import { ATTACHED_HELP, readAttachedLine } from './attached-line.ts';
import { isKeyboardKey } from './keyboard-key.ts';
import { ShownCommands } from './shown-commands.ts';

/** What a seat at a session of another process works with. */
export interface AttachedPromptParts {
  readonly client: HttpSessionClient;
  readonly tty: Tty;
  readonly setup: Setup;
  readonly theme: Theme;
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
  readonly #editor: LineEditor;
  readonly #live: LiveRegion;
  readonly #keyboard: Keyboard;
  readonly #events: AttachedEvents;
  readonly #shown = new ShownCommands();
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
    const { tty, theme, setup, client } = parts;
    const write = (text: string): void => tty.write(text);
    const size = () => tty.size();
    const isPlain = isDumbTerminal(setup.env) || setup.loaded.config.ui.screen_reader;
    this.#editor = new LineEditor({
      write,
      size,
      theme,
      prompt: () => this.#prompt(),
      history: new MemoryHistory(),
      complete: () => [],
      routeMark: (text) => formatMark(guessRoute(text), theme),
      isComplete: () => true,
      painter: isPlain ? 'plain' : 'full',
      marksPastes: !isDumbTerminal(setup.env),
      reflow: toReflow(setup.env),
    });
    this.#live = new LiveRegion(this.#editor);
    const { print } = this.#live;
    this.#keyboard = new Keyboard({
      editor: this.#editor,
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
    this.#editor.close();
    this.#say('dim', words);
    await this.#parts.tty.drained();
  }

  /** Hands keys to whom they belong. */
  takeInput(bytes: Uint8Array): void {
    if (isKeyboardKey(bytes)) {
      this.#askForKeyboard();
      return;
    }
    const { state } = this.#events;
    if (bytes[0] === CTRL_BACKSLASH && !(this.#keyboard.hasProgram && this.#hasKeyboard)) {
      this.#submit({ type: 'halt' });
      return;
    }
    const isBusy = state.turn !== null || state.command !== null;
    const isStop = bytes.length === 1 && bytes[0] === CTRL_C && !this.#keyboard.hasQuestion;
    if (isStop && isBusy && this.#editor.text === '' && !(this.#keyboard.hasProgram && this.#hasKeyboard)) {
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

  /** The terminal is gone. */
  leave(): void {
    this.#end.resolve('left');
  }

  #prompt(): string {
    const { theme, client } = this.#parts;
    const { id, named } = this.#events.state;
    const name = named?.name ?? (id === '' ? client.sessionId : id);
    return `${styled(theme, 'dim', 'at ')}${styled(theme, 'bold', escapeForDisplay(name))} `;
  }

  /** A command or a question has the screen: no line is read before it is given back. */
  #takeScreen(): void {
    this.#editor.hide();
    this.#screen ??= Promise.withResolvers();
  }

  #giveScreenBack(): void {
    if (this.#editor.isReading) this.#editor.show();
    this.#screen?.resolve();
    this.#screen = null;
  }

  async #readLines(): Promise<void> {
    while (!this.#isClosed) {
      while (this.#screen !== null) await this.#screen.promise;
      const read = await this.#editor.read();
      if (this.#isClosed) return;
      if (read.type === 'eof') this.leave();
      if (read.type === 'line') await this.#enter(read.text);
    }
  }

  async #enter(text: string): Promise<void> {
    const { client, setup } = this.#parts;
    const shell = (setup.env.SHELL ?? '').endsWith('zsh') ? 'zsh' : 'bash';
    try {
      const line = await readAttachedLine(text, { client, shell, path: setup.env.PATH ?? '' });
      if (line.type === 'leave') this.leave();
      else if (line.type === 'help') this.#say('dim', ATTACHED_HELP);
      else if (line.type === 'keyboard') this.#askForKeyboard();
      else if (line.type === 'at once') this.#submit(line.op);
      else if (line.type === 'in turn') await this.#enterInTurn(line.op);
    } catch (thrown) {
      this.#say('error', formatError(toErrorFact(thrown)));
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
    const { tty } = this.#parts;
    const decoder = new TextDecoder();
    await this.#shown.show(seq, (bytes) => tty.write(decoder.decode(bytes, { stream: true })), { isOn });
  }

  /** Keys while a command has the screen. */
  #toProgram(bytes: Uint8Array): void {
    if (this.#hasKeyboard) {
      this.#terminal?.write(bytes);
      return;
    }
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
    const { tty, theme } = this.#parts;
    const rows = wrapText(sanitizeText(text), tty.size().columns).split('\n');
    this.#live.print(`${rows.map((row) => styled(theme, look, row)).join('\n')}\n`);
  }

  /** What cannot wait, between two lines of what a program shows. */
  #tell(text: string): void {
    const { tty, theme } = this.#parts;
    if (this.#keyboard.hasProgram) tty.write(`\r\n${styled(theme, 'dim', `[${sanitizeText(text)}]`)}\r\n`);
    else this.#say('dim', text);
  }
}

/** The mark shows what was said for sure; the rest is decided where the session is. */
function guessRoute(text: string) {
  const route = (type: 'meta' | 'message' | 'command') => ({ type, text, reason: '' });
  if (/^\s*:/.test(text)) return route('meta');
  if (/^\s*\?/.test(text)) return route('message');
  return /^\s*!/.test(text) ? route('command') : ({ type: 'nothing' } as const);
}
