import type { CommandRecord } from '../../../protocol/command.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Recorded, SessionEvent } from '../../../protocol/event.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import { type FirstLookParts, lookAtHistory } from '../history-first-look.ts';
import { openHistory } from '../open-history.ts';
import type { Setup } from '../setup.ts';

/** What the history of a seat works with. */
export interface AttachedHistoryParts {
  readonly setup: Setup;
  /** What this seat is called. */
  readonly seat: () => string | null;
  /** Directory of the session's shell. */
  readonly cwd: () => string;
  readonly say: FirstLookParts['say'];
}

/** A line as the session began it. */
interface Entered {
  readonly text: string;
  readonly route: 'command' | 'message';
  /** Where; undefined for the owner's. */
  readonly seat: string | undefined;
}

/** A line that was typed here and has not begun. */
interface Typed {
  readonly line: string;
  /** As the session is asked to do it. */
  readonly asked: string;
  /** What is private is kept nowhere, and only waits here. */
  readonly route: Entered['route'] | 'private';
}

/**
 * The person's history at a seat. What is typed here is kept when the session begins it, as its log has it: the session knows secrets that
 * nobody knows here. What others enter there is known for as long as this terminal lasts.
 */
export class AttachedHistory {
  readonly lines: PromptHistory;
  readonly #parts: AttachedHistoryParts;
  readonly #ready: Promise<void>;
  #conceal: (line: string) => string = (line) => line;
  #typed: Typed[] = [];
  /** What lines of this terminal are stored as, where the log has less than was typed. */
  readonly #stored = new Map<string, string>();
  /** The command of this seat that runs. */
  #running: string | null = null;
  #last: Promise<void>;

  constructor(parts: AttachedHistoryParts) {
    this.#parts = parts;
    this.lines = openHistory(parts.setup);
    this.lines.cover((line) => this.#stored.get(line) ?? this.#conceal(line));
    this.#ready = this.#load();
    this.#last = Promise.resolve();
  }

  /** A line that waits for the session to begin it. */
  typed(line: string, asked: string, route: Typed['route']): void {
    this.#typed.push({ line, asked, route });
  }

  /** A meta-command, which begins at once. */
  entered(line: string): void {
    const cwd = this.#parts.cwd();
    this.#behind(() => this.lines.end(this.lines.begin({ line, route: 'meta', cwd }), { exit: null, durationMs: 0 }));
  }

  /** Takes the next event of the session. */
  take({ at, event }: Recorded): void {
    const entered = toEntered(event);
    if (entered !== null) this.#begin(entered, at);
    if (event.type === 'command.completed') this.#end(event.record);
    if (event.type === 'command.started' && event.private === true && event.seat === this.#parts.seat())
      this.#takeFirst((typed) => typed.route === 'private');
  }

  /** Nothing became of the first line of its kind that was typed here: the answer is that line; null where none is known. */
  refused(op: 'run' | 'send'): string | null {
    return this.#takeFirst(({ route }) => (route === 'message') === (op === 'send'))?.line ?? null;
  }

  /** Takes an event of before this seat came, whatever seat it was of: who was here before has kept what they entered. */
  takePast({ at, event }: Recorded): void {
    const entered = toEntered(event);
    if (entered !== null) this.#hear(entered, at);
  }

  /** Settles when all is written. */
  async close(): Promise<void> {
    await this.#last;
    this.lines.close();
  }

  #begin(entered: Entered, at: number): void {
    const { seat, text, route } = entered;
    if (seat === undefined || seat !== this.#parts.seat()) {
      this.#hear(entered, at);
      return;
    }
    const cwd = this.#parts.cwd();
    const typed = this.#takeTyped(text, route);
    this.#behind(() => {
      const id = this.lines.begin({ line: typed, route, cwd });
      if (route === 'command') this.#running = id;
      else this.lines.end(id, { exit: null, durationMs: 0 });
    });
  }

  #hear({ text, route }: Entered, at: number): void {
    const cwd = this.#parts.cwd();
    this.#behind(() => this.lines.hear({ line: text, route, cwd, at }));
  }

  #end({ exit, durationMs }: CommandRecord): void {
    this.#behind(() => {
      if (this.#running !== null) this.lines.end(this.#running, { exit, durationMs: Math.round(durationMs) });
      this.#running = null;
    });
  }

  /** What was typed for what the session began: the same, or the first of its kind, where the log has less than was asked. */
  #takeTyped(text: string, route: Entered['route']): string {
    const typed =
      this.#takeFirst((one) => one.route === route && one.asked === text) ??
      this.#takeFirst((one) => one.route === route);
    if (typed === null) return text;
    if (typed.asked !== text) this.#stored.set(typed.line, typed.line.slice(0, markLength(typed)) + text);
    return typed.line;
  }

  #takeFirst(isMeant: (typed: Typed) => boolean): Typed | null {
    const at = this.#typed.findIndex(isMeant);
    return at === -1 ? null : (this.#typed.splice(at, 1)[0] ?? null);
  }

  /** Whatever is done here is done in order, when the store was read and what is secret here is known. */
  #behind(work: () => void): void {
    this.#last = this.#last
      .then(() => this.#ready)
      .then(work)
      .catch((thrown: unknown) =>
        this.#parts.say('warning', `not in the history: ${formatError(toErrorFact(thrown))}`),
      );
  }

  async #load(): Promise<void> {
    const { setup, say } = this.#parts;
    const { openKeeper } = await import('../../../engine/secrets/own-keeper.ts');
    const keeper = await openKeeper({ config: setup.loaded.config, env: setup.env, cwd: setup.cwd });
    this.#conceal = (line) => {
      keeper.learnLine(line);
      return keeper.conceal(line);
    };
    await lookAtHistory(this.lines, { env: setup.env, say });
  }
}

/** The line that begins with an event; null where none does, for a command of the model, and for a private one. */
function toEntered(event: SessionEvent): Entered | null {
  switch (event.type) {
    case 'turn.started':
      return { text: event.text, route: 'message', seat: event.seat };
    case 'command.started':
      if (event.driver !== 'person' || event.private === true) return null;
      return { text: event.line, route: 'command', seat: event.seat };
    default:
      return null;
  }
}

/** How much of what was typed says only where it goes. */
function markLength({ line, asked }: Typed): number {
  return line.endsWith(asked) ? line.length - asked.length : 0;
}
