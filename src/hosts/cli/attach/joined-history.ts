import type { CommandRecord } from '../../../protocol/command.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Recorded, SessionEvent } from '../../../protocol/event.ts';
import type { EndedLine, PromptHistory } from '../editor/history-at-prompt.ts';
import { type FirstLookDeps, lookAtHistory } from '../prompt/open-prompt.ts';
import type { NotedLine } from '../prompt/prompt-session.ts';
import type { Setup } from '../setup/setup.ts';
import { formatNotInHistory } from './messages.ts';

interface JoinedHistoryDeps {
  readonly setup: Setup;
  readonly history: PromptHistory;
  /** The name of this client. */
  readonly name: () => string | null;
  /** Directory of the session's shell. */
  readonly cwd: () => string;
  readonly say: FirstLookDeps['say'];
}

interface Entered {
  readonly text: string;
  readonly route: 'command' | 'message';
  /** The client that entered it; undefined for the owner. */
  readonly client: string | undefined;
}

/**
 * The user's history at an attached client. A line typed here is stored when the session begins it, in the form of its log: the session
 * knows secrets that this process does not know. Lines of other clients are known for as long as this terminal lasts.
 */
export class JoinedHistory {
  readonly #deps: JoinedHistoryDeps;
  readonly #ready = Promise.withResolvers<void>();
  #isOpening = false;
  #redact: (line: string) => string = (line) => line;
  /** The line that was entered here last and has not begun. */
  #noted: NotedLine | null = null;
  /** The stored forms of this terminal's lines, if the log has less than the user typed. */
  readonly #stored = new Map<string, string>();
  /** The command of this client that runs. */
  #running: string | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(deps: JoinedHistoryDeps) {
    this.#deps = deps;
    deps.history.cover((line) => this.#stored.get(line) ?? this.#redact(line));
  }

  /** Reads the history and finds the secrets here, behind the first prompt. */
  open(): void {
    if (this.#isOpening) return;
    this.#isOpening = true;
    void this.#load().then(this.#ready.resolve, this.#ready.reject);
  }

  /** Takes a submitted line. If it has not begun when the answer is called, it is not stored. */
  note(line: NotedLine): (ended: EndedLine) => void {
    const { history } = this.#deps;
    const { begun } = line;
    if (begun?.route === 'meta') this.#behind(() => history.end(history.begin(begun), { exit: null, durationMs: 0 }));
    else this.#noted = line;
    return () => {
      if (this.#noted === line) this.#noted = null;
    };
  }

  /** Takes the next event of the session. */
  take({ at, event }: Recorded): void {
    const entered = toEntered(event);
    if (entered !== null) this.#begin(entered, at);
    if (event.type === 'command.completed') this.#end(event.record);
  }

  /** Takes an event from before this client came, whichever client it was of: earlier clients have stored their own lines. */
  takePast({ at, event }: Recorded): void {
    const entered = toEntered(event);
    if (entered !== null) this.#hear(entered, at);
  }

  /** Settles when all is written. */
  async close(): Promise<void> {
    this.open();
    await this.#last;
    this.#deps.history.close();
  }

  #begin(entered: Entered, at: number): void {
    const { history, name, cwd } = this.#deps;
    const { client, text, route } = entered;
    if (client === undefined || client !== name()) {
      this.#hear(entered, at);
      return;
    }
    const begun = { line: this.#takeTyped(text), route, cwd: cwd() };
    this.#behind(() => {
      const id = history.begin(begun);
      if (route === 'command') this.#running = id;
      else history.end(id, { exit: null, durationMs: 0 });
    });
  }

  #hear({ text, route }: Entered, at: number): void {
    const cwd = this.#deps.cwd();
    this.#behind(() => this.#deps.history.hear({ line: text, route, cwd, at }));
  }

  #end({ exit, durationMs }: CommandRecord): void {
    this.#behind(() => {
      if (this.#running !== null) this.#deps.history.end(this.#running, { exit, durationMs: Math.round(durationMs) });
      this.#running = null;
    });
  }

  /** The typed line for a command that the session began. Its log may have less than the request. */
  #takeTyped(text: string): string {
    const noted = this.#noted;
    this.#noted = null;
    if (noted === null || noted.begun === null) return text;
    const { asked } = noted;
    const { line } = noted.begun;
    // The text before it only tells the route of the line.
    const mark = line.endsWith(asked) ? line.length - asked.length : 0;
    if (asked !== text) this.#stored.set(line, line.slice(0, mark) + text);
    return line;
  }

  /** All work here runs in order, after the store was read and the secrets here are known. */
  #behind(work: () => void): void {
    this.#last = this.#last
      .then(() => this.#ready.promise)
      .then(work)
      .catch((thrown: unknown) => this.#deps.say('warning', formatNotInHistory(formatError(toErrorFact(thrown)))));
  }

  async #load(): Promise<void> {
    const { setup, say, history } = this.#deps;
    const { openSecretStore } = await import('../../../engine/secrets/process-secrets.ts');
    const secretStore = await openSecretStore({ config: setup.loaded.config, env: setup.env, cwd: setup.cwd });
    this.#redact = (line) => {
      secretStore.learnLine(line);
      return secretStore.redactLine(line);
    };
    await lookAtHistory(history, { env: setup.env, say });
  }
}

/** The line that begins with an event; null where none does, for a command of the model, and for a private one. */
function toEntered(event: SessionEvent): Entered | null {
  switch (event.type) {
    case 'turn.started':
      if (event.contract !== undefined) return null;
      return { text: event.text, route: 'message', client: event.client };
    case 'command.started':
      if (event.driver !== 'user' || event.private === true) return null;
      return { text: event.line, route: 'command', client: event.client };
    default:
      return null;
  }
}
