import type { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import { RemoteNames } from '../../../adapters/daemon/remote-names.ts';
import type { HistoryRequest } from '../../../core/history-request.ts';
import type { SessionState } from '../../../core/session/state.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { attachMentioned } from '../attaching.ts';
import type { LineEditor, ReadResult } from '../editor/line-editor.ts';
import { createEditorAtPrompt, type EditorAtPromptParts, isWholeLine } from '../editor-at-prompt.ts';
import type { KeyTaker } from '../keyboard.ts';
import type { KnownSession } from '../known-session.ts';
import { LineRouter } from '../line-router.ts';
import { HELD_BACK, judgePrivacy } from '../privacy.ts';
import type { Look } from '../screen/theme.ts';
import { expandTyped } from '../typed-line.ts';
import { OFFER, UnknownCommand } from '../unknown-command.ts';
import { AttachedHistory } from './attached-history.ts';
import { type AttachedLine, readAttachedLine, SEAT_COMMANDS } from './attached-line.ts';

/** What the line of a seat works with. */
export interface LineAtSeatParts
  extends Pick<EditorAtPromptParts, 'tty' | 'setup' | 'appearance' | 'prompt' | 'interrupt' | 'lendKeys'> {
  readonly client: HttpSessionClient;
  /** The session as its facts tell it. */
  readonly state: () => SessionState;
  readonly say: (look: Look, text: string) => void;
}

/** Said of a command behind a blank. */
const PRIVATE_HERE = 'a private command: what it shows is seen only where the session is open';
/** Outputs that Tab offers. */
const MOST_OFFERED = 50;
const NOTHING: AttachedLine = { type: 'nothing' };

/** The line of a seat: the editor of the prompt, which knows of the session what its owner tells. */
export class LineAtSeat {
  readonly editor: LineEditor;
  readonly #parts: LineAtSeatParts;
  readonly #names: RemoteNames;
  readonly #router: LineRouter;
  readonly #history: AttachedHistory;
  readonly #unknown = new UnknownCommand();
  readonly #ending = new AbortController();
  #cwd: string;
  #lastExit = 0;
  #wasAtWork = false;
  /** What came back into the line since it was begun. */
  #returned = '';
  /** Settles when the terminal is ours again; null while it is. */
  #lent: Promise<void> | null = null;

  constructor(parts: LineAtSeatParts) {
    this.#parts = parts;
    const { client, setup, appearance } = parts;
    this.#cwd = setup.cwd;
    const cwd = (): string => this.#cwd;
    this.#names = new RemoteNames({ client, cwd, path: setup.env.PATH ?? '', home: setup.env.HOME });
    const live = this.#knownSession();
    this.#router = new LineRouter(setup, {
      facts: () => ({ live, cwd: this.#cwd, lastExit: this.#lastExit }),
      onRefined: () => this.editor.redraw(),
    });
    this.#history = new AttachedHistory({ setup, cwd, seat: () => client.seat, say: parts.say });
    this.editor = createEditorAtPrompt({
      ...parts,
      theme: appearance.theme,
      history: this.#history.lines,
      router: this.#router,
      unknown: this.#unknown,
      cwd,
      live: () => live,
      // Only meta-commands of the owner are about servers.
      engine: async () => ({ servers: async () => null }),
      ending: this.#ending.signal,
      names: (kind) => (kind === 'output' ? this.#outputs() : []),
      metaCommands: SEAT_COMMANDS,
      isAtWork: () => this.isAtWork,
      keyAtWork: () => false,
      promptEnd: () => '',
      lendKeys: (taker) => this.lend(taker),
    });
  }

  /** Settles when it is known where the session's shell is and what it knows, so that the first line is marked as any other. */
  async ready(): Promise<void> {
    const cwd = this.#parts.client.cwd().catch(() => null);
    const [told] = await Promise.all([cwd, this.#names.load(), this.#router.loaded()]);
    this.#cwd = told ?? this.#cwd;
  }

  /** Whether a turn or a command runs, so that what is entered waits. */
  get isAtWork(): boolean {
    const { turn, command } = this.#parts.state();
    return turn !== null || command !== null;
  }

  /** The next line that is typed. */
  read(): Promise<ReadResult> {
    this.#returned = '';
    this.#history.lines.refresh(this.#cwd);
    return this.editor.read();
  }

  /** What is to be done with a line that was entered. Throws for what cannot be done at a seat. */
  async understand(typed: string): Promise<AttachedLine> {
    const router = this.#router;
    await router.settled(typed);
    if (!isWholeLine(typed, router)) return this.#putBack(`${typed}\n`);
    const { lines } = this.#history;
    const meant = expandTyped(typed, router.route(typed), {
      commands: () => lines.commands(),
      numbered: (number) => lines.numbered(number),
      say: this.#parts.say,
      insert: (expanded) => this.#putBack(expanded),
    });
    if (meant === null) return NOTHING;
    const { text, route } = meant;
    this.#unknown.forget();
    const privacy = judgePrivacy(text, route, false);
    if (privacy === 'held back') {
      this.#parts.say('warning', HELD_BACK);
      return this.#putBack(text);
    }
    const line = readAttachedLine(route, privacy);
    if (line.type === 'in turn') return await this.#withFiles(line, text, privacy === 'private');
    // A list of lines is without the one that asks for it.
    if (route.type === 'meta' && line.type !== 'history') this.#history.entered(text);
    return line;
  }

  /** Takes the next event of the session, which its state holds already. */
  take(recorded: Recorded): void {
    const { event } = recorded;
    this.#history.take(recorded);
    if (event.type === 'op.rejected' && (event.op === 'run' || event.op === 'send')) this.#takeBack(event.op);
    if (event.type === 'command.completed') this.#ended(event.record, true);
    else if (event.type === 'tool-call.completed' && event.record !== undefined) this.#ended(event.record, false);
    if (this.isAtWork !== this.#wasAtWork) this.editor.redraw();
    this.#wasAtWork = this.isAtWork;
  }

  /** Takes an event of before this seat came. */
  takePast(recorded: Recorded): void {
    this.#history.takePast(recorded);
  }

  /** Settles when the terminal is ours: not while the person's own editor has it. */
  async hasTerminal(): Promise<void> {
    while (this.#lent !== null) await this.#lent;
  }

  /** Takes the line off the screen, and settles when what was typed is kept. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.editor.close();
    await this.#history.close();
  }

  #knownSession(): KnownSession {
    const names = this.#names;
    const lookup = (word: string): string | null => (names.has(word) ? word : null);
    const { state } = this.#parts;
    return {
      sharedShell: { shell: { state: 'ready', lookup, lookups: names, report: { jobs: [] } } },
      outputs: { find: (handle) => state().outputs.find((record) => record.handle === handle) ?? null },
    };
  }

  #ended(record: CommandRecord, isOfPerson: boolean): void {
    if (record.sandboxed === true) return;
    this.#cwd = record.cwd;
    this.#names.expire();
    this.#router.refresh();
    if (!isOfPerson) return;
    this.#lastExit = record.exit ?? 0;
    if (this.#unknown.offer(record)) this.#parts.say('dim', OFFER);
  }

  /** What goes along with a message; one that mentions what cannot is given back to be corrected. */
  async #withFiles(
    line: Extract<AttachedLine, { type: 'in turn' }>,
    text: string,
    isPrivate: boolean,
  ): Promise<AttachedLine> {
    const { op } = line;
    if (op.type === 'run') {
      if (isPrivate) this.#parts.say('dim', PRIVATE_HERE);
      this.#history.typed(text, op.line, isPrivate ? 'private' : 'command');
      return line;
    }
    const { setup, state, say } = this.#parts;
    try {
      const { files, lines } = await attachMentioned(op.text, { setup, settings: state().settings, cwd: this.#cwd });
      for (const told of lines) say('dim', told);
      this.#history.typed(text, op.text, 'message');
      return files.length === 0 ? line : { type: 'in turn', op: { ...op, files } };
    } catch (thrown) {
      say('error', formatError(toErrorFact(thrown)));
      return this.#putBack(text);
    }
  }

  /** A line of which nothing became stands in the line again, behind those that came back before it and before what was typed since. */
  #takeBack(op: 'run' | 'send'): void {
    const line = this.#history.refused(op);
    if (line === null) return;
    const { text } = this.editor;
    const before = this.#returned !== '' && text.startsWith(this.#returned) ? this.#returned : '';
    const rest = text.slice(before.length).replace(/^\n/, '');
    this.#returned = before === '' ? line : `${before}\n${line}`;
    this.editor.replace(rest === '' ? this.#returned : `${this.#returned}\n${rest}`);
  }

  /** What was typed meanwhile stands behind it. */
  #putBack(text: string): AttachedLine {
    this.editor.replace(text + this.editor.text);
    return NOTHING;
  }

  /** Carries out `:history`; the answer is what to print. */
  async runHistory(typed: string, request: HistoryRequest): Promise<string> {
    const { setup, tty, appearance } = this.#parts;
    const { runHistory } = await import('../commands/history-command.ts');
    const { theme } = appearance;
    const place = { env: setup.env, cwd: this.#cwd, columns: tty.size().columns, theme, now: Date.now() };
    try {
      return runHistory(request, { history: this.#history.lines, ...place });
    } finally {
      this.#history.entered(typed);
    }
  }

  #outputs(): readonly string[] {
    const { outputs } = this.#parts.state();
    return outputs.slice(-MOST_OFFERED).map(({ handle }) => `%${handle}`);
  }

  /** Gives all keys to somebody until the answer is called; nothing is shown until then. */
  lend(taker: KeyTaker): () => void {
    const takeBack = this.#parts.lendKeys(taker);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lent = promise;
    return () => {
      takeBack();
      this.#lent = null;
      resolve();
    };
  }
}
