import type { EventLog } from '../../adapters/store/event-log.ts';
import { withTimeout } from '../../adapters/system/patience.ts';
import { redactEvent } from '../../core/secrets/redact-event.ts';
import { decide, fromClient } from '../../core/session/decide.ts';
import { evolve, fold } from '../../core/session/evolve.ts';
import { isHaltable } from '../../core/session/halt.ts';
import { formInvalid } from '../../core/session/messages.ts';
import { type Effect, next } from '../../core/session/next.ts';
import { EMPTY_STATE, isAtRest, isIdle, type SessionState, waitsForSnapshot } from '../../core/session/state.ts';
import type { TaintState } from '../../core/session/taint-state.ts';
import { isDurable } from '../../protocol/durable-event.ts';
import { AishError, type ErrorFact, toErrorFact } from '../../protocol/error.ts';
import type { EventOf, Recorded, SessionEvent } from '../../protocol/event.ts';
import type { HaltedBy, HaltReport, Op } from '../../protocol/op.ts';
import type { EffectContext, FormTaker, RunEffect } from '../effects/effect-context.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { EventQueue, OpQueue, SaidOnce } from './event-queue.ts';
import { CLOSED, formatLogFailure, stoppedSession } from './messages.ts';

interface SessionDeps {
  readonly log: Pick<EventLog, 'seq' | 'append' | 'sync' | 'close'>;
  /** The facts so far, oldest first. */
  readonly recorded: readonly Recorded[];
  /** True from the start, but written only with the first fact after it: an unused session leaves no file. */
  readonly first: SessionEvent;
  readonly run: RunEffect;
  readonly now: () => number;
  /** The secrets that no event may contain. */
  readonly secrets: Pick<SecretStore, 'cover' | 'learnLine' | 'learnAttached'>;
  /** Told of what is known by now of untrusted content, and where the session stands. */
  readonly onTaint: (before: TaintState, after: TaintState, cwd: string) => void;
  readonly onTurnEnd?: (event: EventOf<'turn.ended'>) => void;
  /** Interrupts the command in the foreground of the shared shell. */
  readonly interruptCommand: () => void;
  /** Ends what the model's work has started outside of this process, beginning at once. */
  readonly endWork: () => Promise<HaltReport>;
  readonly onClose: () => Promise<void>;
}

interface EventsOptions {
  /** A reader for whom more events than these wait is given up, and its queue says so. */
  readonly most?: number | undefined;
  /** For a reader that comes back: the last refusal or notice after `seq` that it has seen, 0 for none. */
  readonly nth?: number | undefined;
}

/** The time that the end of a session, or a request for its checkpoints, waits for the last one to be whole. */
const SEAL_PATIENCE_MS = 2000;

/** A live session: appends facts, folds them, announces them, then starts what the state waits for and aborts what it no longer does. */
export class Session {
  #state: SessionState = EMPTY_STATE;
  /** The state that the running effects belong to. */
  #reconciled: SessionState | null = null;
  /** Why it takes nothing any more, once it does not. */
  #ended: ErrorFact | null = null;
  #unwritten: SessionEvent | null;
  #typedLine = '';
  /** Calls that wait for a form. */
  readonly #forms = new Map<string, FormTaker>();
  /** The work that a halt stopped and that is still ending. */
  #halting: Promise<void> | null = null;
  /** The queue in which lines of all attached clients wait for their turn. */
  readonly queue = new OpQueue(this);
  readonly #deps: SessionDeps;
  /** Number of the last fact of the process before. */
  readonly #begun: number;
  readonly #recorded: Recorded[];
  readonly #said = new SaidOnce();
  readonly #listeners = new Set<(recorded: Recorded | null) => void>();
  readonly #running = new Map<string, AbortController>();
  /** Made once: the runtime would make one, with its stack, for each effect that ends. */
  readonly #calledOff = new DOMException('called off', 'AbortError');

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#begun = deps.log.seq;
    this.#recorded = [...deps.recorded];
    this.#state = evolve(fold(this.#recorded.map(({ event }) => event)), deps.first);
    this.#unwritten = deps.first;
  }

  get sessionId(): string {
    return this.#state.id;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Number of the last fact. */
  get seq(): number {
    return this.#deps.log.seq;
  }

  /** All stored events so far, oldest first. */
  get recorded(): readonly Recorded[] {
    return this.#recorded;
  }

  /** The log could not be written or the session is closed: it does nothing any more. */
  get isBroken(): boolean {
    return this.#ended !== null;
  }

  /** Why the session takes nothing any more; null while it does. */
  get ended(): ErrorFact | null {
    return this.#ended;
  }

  /** How many readers follow the events now. */
  get followers(): number {
    return this.#listeners.size;
  }

  /** Submits a request. A session that stopped has no followers to tell of a refusal, so one is thrown for what begins something. */
  async submit(op: Op): Promise<void> {
    const ended = this.#ended;
    this.take(op);
    if (ended !== null && !ENDING.has(op.type)) throw new AishError(ended.code, ended.message, ended);
  }

  /**
   * Takes a request as `submit` does, from a client that is not the owner's with its name, and says at once why it was refused, or null.
   */
  take(op: Op, client?: string): ErrorFact | null {
    if (op.type === 'halt') return this.#halt(op, client);
    if (this.#ended !== null) return this.refuse(op, this.#ended, client);
    this.#learnFrom(op);
    const { turn, command } = this.#state;
    // A user who stops running work does not want their own next line to run in its place.
    if (op.type === 'interrupt' && op.after === undefined && this.queue.drop({ client }) > 0 && this.isAtRest)
      return null;
    // A command that waits for a seal has not begun; there is nothing in the shell to interrupt.
    if (op.type === 'interrupt' && turn === null && command !== null && !waitsForSnapshot(this.#state)) {
      this.#deps.interruptCommand();
      return null;
    }
    const taker = op.type === 'answer-form' ? this.#forms.get(op.form) : undefined;
    const problem = op.type === 'answer-form' ? (taker?.check(op.answer) ?? null) : null;
    if (problem !== null) return this.refuse(op, formInvalid(problem), client);
    const facts = decide(this.#state, op).map((fact) => fromClient(fact, client));
    if (op.type === 'run' && facts[0]?.type === 'command.started') this.#typedLine = op.line;
    if (op.type === 'dry-run' && 'line' in op && facts[0]?.type === 'dry-run.started') this.#typedLine = op.line;
    this.record(...facts);
    const [first] = facts;
    if (op.type === 'answer-form' && first?.type === 'form.answered') taker?.take(op.answer);
    return first?.type === 'op.rejected' ? first.error : this.#ended;
  }

  /** A halt because the program ends. Settles when all is gone; where nothing ran, nothing is written of it. */
  async halt(by: HaltedBy): Promise<void> {
    if (this.#ended === null && isHaltable(this.#state)) this.take({ type: 'halt', by });
    else this.#halting ??= this.#endWork();
    await this.#halting;
  }

  /** Settles when what a halt stopped has ended. */
  async halted(): Promise<void> {
    await this.#halting;
  }

  /** Effects and processes first: the disk may take its time. */
  #halt(op: Op, client: string | undefined): ErrorFact | null {
    this.queue.drop('all');
    if (this.#halting !== null && !isHaltable(this.#state)) return null;
    this.#halting = this.#endWork();
    if (this.#ended !== null) return this.#ended;
    const facts = decide(this.#state, op).map((fact) => fromClient(fact, client));
    this.#callOff(facts.reduce(evolve, this.#state));
    this.record(...facts);
    return this.#ended;
  }

  async #endWork(): Promise<void> {
    try {
      const report = await this.#deps.endWork();
      const { ended, left, servers = [], shellEnded = false } = report;
      if (ended > 0 || left.length > 0 || servers.length > 0 || shellEnded)
        this.record({ type: 'halt.completed', report });
    } finally {
      this.#halting = null;
    }
  }

  /**
   * Appends facts, folds and announces them, then reconciles; no secret gets any further than here. For the engine; clients use `submit`.
   */
  record(...events: readonly SessionEvent[]): void {
    if (this.isBroken) return;
    this.#writeFirst();
    for (const fact of events) {
      const event = redactEvent(fact, this.#deps.secrets.cover);
      const recorded = this.#append(event);
      const { taint } = this.#state;
      this.#state = evolve(this.#state, event);
      if (this.#state.taint !== taint) this.#deps.onTaint(taint, this.#state.taint, this.#state.cwd);
      if (this.isBroken) return;
      this.#announce(recorded);
      if (event.type === 'turn.ended') this.#deps.onTurnEnd?.(event);
    }
    this.#reconcile();
  }

  /** Everything after `seq`, first what is stored, then live. */
  events(seq: number, { most, nth }: EventsOptions = {}): EventQueue {
    const stored = this.#recorded.filter((recorded) => recorded.seq > seq).map((recorded) => this.#covered(recorded));
    const all = nth === undefined ? stored : this.#said.among(stored, seq, nth);
    const queue = new EventQueue(all, () => this.#listeners.delete(listener), most);
    const listener = (recorded: Recorded | null): void => queue.push(recorded);
    if (this.isBroken) queue.push(null);
    else this.#listeners.add(listener);
    return queue;
  }

  /**
   * Records that the session goes on: a client in another process knows only recorded events, and would see as open the calls that this
   * fact closes.
   */
  begin(): void {
    if (!this.isBroken && this.#unwritten?.type === 'session.resumed') this.record();
  }

  /** Settles when nothing runs and nothing is waited for. */
  async idle(): Promise<void> {
    await this.#until(() => isIdle(this.#state));
  }

  /** Whether a user may go on. */
  get isAtRest(): boolean {
    return this.isBroken || isAtRest(this.#state);
  }

  /** Settles when a user may go on: as `idle`, but the snapshot after the last step may still be taken behind. */
  async atRest(): Promise<void> {
    await this.#until(() => isAtRest(this.#state));
  }

  /** Settles when the snapshot after the last step is kept, or has taken too long. */
  async finalized(): Promise<void> {
    const isFinalized = this.#until(() => this.#state.openCheckpoint === null);
    await withTimeout(isFinalized, SEAL_PATIENCE_MS);
  }

  async close(): Promise<void> {
    // Without that snapshot an undo could not tell what the step changed from what came later.
    if (this.#state.turn === null && this.#state.openCheckpoint !== null) await this.finalized();
    await this.#halting;
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
    this.#ended ??= CLOSED;
    for (const listener of [...this.#listeners]) listener(null);
    await this.#deps.onClose();
    this.#deps.log.close();
  }

  async #until(isDone: () => boolean): Promise<void> {
    if (this.isBroken || isDone()) return;
    await new Promise<void>((resolve) => {
      const listener = (recorded: Recorded | null): void => {
        if (recorded !== null && !this.isBroken && !isDone()) return;
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
    });
  }

  #writeFirst(): void {
    if (this.#unwritten === null) return;
    const first = this.#unwritten;
    this.#unwritten = null;
    this.#announce(this.#append(first));
  }

  #append(event: SessionEvent): Recorded {
    const at = this.#deps.now();
    const { log } = this.#deps;
    if (!isDurable(event)) return { seq: log.seq, at, event };
    try {
      const [recorded] = log.append([event], at);
      if (mustBeSynced(event, this.#state)) log.sync();
      if (recorded !== undefined) this.#recorded.push(recorded);
      return recorded ?? { seq: log.seq, at, event };
    } catch (thrown) {
      this.#stop(thrown, { seq: log.seq, at, event });
      return { seq: log.seq, at, event };
    }
  }

  /** The log cannot be written: going on would do things that no log records. The clients still receive the events that have ended. */
  #stop(thrown: unknown, unwritten: Recorded): void {
    const { message, hint } = toErrorFact(thrown);
    this.#ended = stoppedSession(message);
    for (const controller of this.#running.values()) controller.abort();
    if (/\.(completed|ended)$/.test(unwritten.event.type)) this.#announce(unwritten);
    this.#tell({ type: 'notice', level: 'error', text: formatLogFailure(message, hint) });
    for (const listener of [...this.#listeners]) listener(null);
  }

  /** Tells that nothing became of a request, and at which attached client it was made. */
  refuse(op: Op, error: ErrorFact, client?: string): ErrorFact {
    this.#tell(fromClient({ type: 'op.rejected', op: op.type, error }, client));
    return error;
  }

  #tell(event: SessionEvent): void {
    this.#announce({
      seq: this.#deps.log.seq,
      at: this.#deps.now(),
      event: redactEvent(event, this.#deps.secrets.cover),
    });
  }

  /** An event of an earlier process may hold a value that became known as a secret only now. */
  #covered(recorded: Recorded): Recorded {
    if (recorded.seq > this.#begun) return recorded;
    return { ...recorded, event: redactEvent(recorded.event, this.#deps.secrets.cover) };
  }

  /** A typed line may set a secret, and the value is a secret from this very line on. */
  #learnFrom(op: Op): void {
    const { secrets } = this.#deps;
    if (op.type === 'run') secrets.learnLine(op.line);
    if (op.type === 'send' && op.files !== undefined) secrets.learnAttached(op.files);
    if (op.type === 'decide' && op.decision.type === 'edit') secrets.learnLine(op.decision.command);
  }

  #announce(recorded: Recorded): void {
    const announced = this.#said.take(recorded);
    for (const listener of [...this.#listeners]) listener(announced);
  }

  /** Starts what the state now waits for and aborts what it no longer does. */
  #reconcile(): void {
    if (this.#reconciled === this.#state) return;
    this.#reconciled = this.#state;
    for (const [key, effect] of this.#callOff(this.#state)) if (!this.#running.has(key)) this.#start(key, effect);
  }

  /** Aborts what a state does not wait for, and returns what it does. */
  #callOff(state: SessionState): ReadonlyMap<string, Effect> {
    const wanted = new Map(next(state).map((effect) => [effect.key, effect]));
    for (const [key, controller] of this.#running) {
      if (wanted.has(key)) continue;
      this.#running.delete(key);
      controller.abort(this.#calledOff);
    }
    return wanted;
  }

  #start(key: string, effect: Effect): void {
    const controller = new AbortController();
    this.#running.set(key, controller);
    const record = (...events: readonly SessionEvent[]): void => {
      if (!controller.signal.aborted) this.record(...events);
    };
    const takeTypedLine = (): string => {
      const line = this.#typedLine;
      this.#typedLine = '';
      return line;
    };
    const onFormAnswer: EffectContext['onFormAnswer'] = (form, waiting) => {
      this.#forms.set(form, waiting);
      return () => this.#forms.delete(form);
    };
    const { signal } = controller;
    const spend: EffectContext['spend'] = (event) => this.record(event);
    const context: EffectContext = { state: () => this.#state, record, spend, signal, takeTypedLine, onFormAnswer };
    queueMicrotask(() => {
      if (!controller.signal.aborted) void this.#deps.run(effect, context);
    });
  }
}

/** Requests that begin nothing. */
const ENDING: ReadonlySet<Op['type']> = new Set(['decide', 'answer-form', 'interrupt', 'halt']);

/** Facts that must be on the disk before what follows them happens. */
const SYNCED: ReadonlySet<SessionEvent['type']> = new Set([
  'tool-call.started',
  'restore.started',
  'restore.resolved',
  'dry-run.applying',
  'turn.ended',
  'session.resumed',
]);

/**
 * Whether a fact must be on the disk before the next step happens. A read-only tool of aish has no effect to account for, and neither has a
 * read-only command in the sandbox, in which nothing can be changed. The effects of other tools are unknown.
 */
export function mustBeSynced(event: SessionEvent, { turn }: Pick<SessionState, 'turn'>): boolean {
  if (event.type !== 'tool-call.started') return SYNCED.has(event.type);
  const open = turn?.open.find(({ call }) => call.id === event.callId);
  if (event.sandboxed === true && open?.preview?.decided?.autoRun === true) return false;
  return open?.call.effect !== 'read' || !open.call.name.startsWith('aish.');
}
