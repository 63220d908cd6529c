import { join } from 'node:path';
import type { Outcome } from '../../src/core/session/session-client.ts';
import type { Recorded } from '../../src/protocol/event.ts';
import type { Op } from '../../src/protocol/op.ts';
import { descendants } from './processes.ts';
import { until } from './until.ts';

/** How an actor is started. */
export type ActorOptions =
  | {
      readonly role: 'owner';
      /** The address of the model. */
      readonly url: string;
      readonly work: string;
      readonly run: string;
      /** The path of the session's socket. */
      readonly path: string;
      readonly resume: string | null;
      /** The last event that its user has seen. */
      readonly after: number;
    }
  | {
      readonly role: 'client';
      readonly path: string;
      readonly session: string;
      readonly name: string;
      readonly after: number;
    };

type Doing =
  | { readonly do: 'submit'; readonly op: Op; readonly inTurn: boolean }
  | { readonly do: 'place' | 'join' | 'leave' | 'ask' | 'give-back' | 'look' | 'digest' | 'close' }
  | { readonly do: 'keys'; readonly text: string }
  | { readonly do: 'resize'; readonly columns: number; readonly rows: number }
  | { readonly do: 'keyboard'; readonly answer: 'grant' | 'refuse' | 'take-back' }
  | { readonly do: 'lag'; readonly ms: number };

/** One line to an actor. */
export type ActorCommand = Doing & { readonly id: number };

/** The state of an actor. */
export interface AtRest {
  readonly isAtRest: boolean;
  readonly isIdle: boolean;
  readonly waiting: number;
  readonly holder: string | null;
  readonly seq: number;
  readonly followed: number;
  readonly name: string | null;
  readonly joined: boolean;
}

/** One line from an actor. */
export type ActorReport =
  | { readonly type: 'open'; readonly session: string }
  | { readonly type: 'event'; readonly recorded: Recorded }
  | { readonly type: 'answer'; readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly type: 'keyboard'; readonly holder: string | null; readonly isOurs: boolean }
  | { readonly type: 'named'; readonly name: string }
  | { readonly type: 'fault'; readonly text: string }
  | { readonly type: 'refused' | 'left' | 'ended' };

/** The result of a command: a value, the code of the error, or nothing because the actor was killed. */
export type Answered = { readonly value: unknown } | { readonly error: string } | 'killed';

/** The outcome of a request, as far as its client knows. */
export type Known = Outcome | { readonly type: 'unknown' };

/** An actor of a session in a process of its own. */
export class ActorProcess {
  readonly role: 'owner' | 'client';
  /** The event it begins behind. */
  readonly after: number;
  /** The last durable event that it was handed. */
  followed: number;
  /** Durable events and refusals, as they came. */
  readonly events: Recorded[] = [];
  readonly faults: string[] = [];
  readonly pid: number;
  /** Names it was given, the first of them by itself. */
  readonly names: (string | undefined)[];
  /** The last of them. */
  name: string | undefined;
  /** The actor's knowledge of the keyboard. */
  keyboard: { readonly holder: string | null; readonly isOurs: boolean } | null = null;
  session = '';
  isKilled = false;
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
  readonly #waiting = new Map<number, (answered: Answered) => void>();
  readonly #onEvent: (recorded: Recorded) => void;
  #isOpen = false;
  #isClosing = false;
  #ids = 0;

  constructor(
    options: ActorOptions,
    env: Readonly<Record<string, string>>,
    onEvent: (recorded: Recorded) => void = () => {},
  ) {
    this.role = options.role;
    this.after = options.after;
    this.followed = options.after;
    this.name = options.role === 'owner' ? undefined : options.name;
    this.names = [options.role === 'owner' ? undefined : options.name];
    this.#onEvent = onEvent;
    this.#child = Bun.spawn([process.execPath, join(import.meta.dir, 'session-actor.ts'), JSON.stringify(options)], {
      env,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    this.pid = this.#child.pid;
    void this.#read();
  }

  /** Settles when it takes commands. */
  async opened(): Promise<void> {
    await until({ what: `the ${this.role} opens`, lookMs: 1 }, () => this.#isOpen || this.#child.exitCode !== null);
    if (!this.#isOpen) throw new Error(`the ${this.role} ended by itself: ${this.#child.exitCode}`);
  }

  do(command: Doing): Promise<Answered> {
    this.#ids += 1;
    const id = this.#ids;
    if (this.isKilled) return Promise.resolve('killed');
    const answered = new Promise<Answered>((settle) => this.#waiting.set(id, settle));
    this.#child.stdin.write(`${JSON.stringify({ ...command, id })}\n`);
    void this.#child.stdin.flush();
    return answered;
  }

  /** Hands in a request; `unknown` where the connection or the actor went in the middle of it. */
  async submit(op: Op, inTurn = false): Promise<Known> {
    const answered = await this.do({ do: 'submit', op, inTurn });
    if (answered === 'killed') return { type: 'unknown' };
    return 'error' in answered ? { type: 'unknown' } : (answered.value as Outcome);
  }

  /** Joins the terminal and asks an owner for the keyboard, which lends it; whether it did. */
  async borrowKeyboard(owner: ActorProcess): Promise<boolean> {
    await this.do({ do: 'join' });
    for (let looks = 0; looks < 20 && this.keyboard?.isOurs !== true; looks += 1) {
      await this.do({ do: 'ask' });
      await owner.do({ do: 'keyboard', answer: 'grant' });
    }
    return this.keyboard?.isOurs === true;
  }

  async look(): Promise<AtRest | null> {
    const answered = await this.do({ do: 'look' });
    return answered !== 'killed' && 'value' in answered ? (answered.value as AtRest) : null;
  }

  async digest(): Promise<string> {
    const answered = await this.do({ do: 'digest' });
    return answered !== 'killed' && 'value' in answered ? String(answered.value) : '';
  }

  /** Ends it as the system does where memory is short. All that it started is the answer. */
  async kill(): Promise<readonly number[]> {
    const below = this.role === 'owner' ? descendants(this.pid) : [];
    this.isKilled = true;
    this.#child.kill('SIGKILL');
    await this.#child.exited;
    for (const settle of this.#waiting.values()) settle('killed');
    this.#waiting.clear();
    return below;
  }

  /** Ends it as its user does. */
  async close(): Promise<readonly number[]> {
    const below = this.role === 'owner' ? descendants(this.pid) : [];
    this.#isClosing = true;
    void this.do({ do: 'close' });
    await this.#child.exited;
    return below;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of this.#child.stdout) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(JSON.parse(line) as ActorReport);
    }
  }

  #take(told: ActorReport): void {
    switch (told.type) {
      case 'open':
        this.session = told.session;
        this.#isOpen = true;
        return;
      case 'event':
        this.events.push(told.recorded);
        if (told.recorded.event.type !== 'op.rejected') this.followed = told.recorded.seq;
        this.#onEvent(told.recorded);
        return;
      case 'answer': {
        const { id, value, error } = told;
        // A connection may break at any time; anything else that is thrown is a fault.
        if (error?.startsWith('daemon.') === false) this.faults.push(`a command threw ${error}`);
        this.#waiting.get(id)?.(error === undefined ? { value } : { error });
        this.#waiting.delete(id);
        return;
      }
      case 'keyboard':
        this.keyboard = { holder: told.holder, isOurs: told.isOurs };
        return;
      case 'named':
        this.name = told.name;
        if (!this.names.includes(told.name)) this.names.push(told.name);
        return;
      case 'left':
        this.keyboard = null;
        return;
      case 'fault':
        this.faults.push(told.text);
        return;
      case 'ended':
        if (!this.isKilled && !this.#isClosing) this.faults.push('the events ended');
        return;
      case 'refused':
    }
  }
}
