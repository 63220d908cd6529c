import type {
  Outcome,
  SessionClient,
  SubmitOptions,
  TerminalListener,
  TerminalStream,
} from '../../core/session/session-client.ts';
import type { SessionState } from '../../core/session/state.ts';
import { AishError, type ErrorFact } from '../../protocol/error.ts';
import type { Op } from '../../protocol/op.ts';
import type { Answers, QueryAnswers, QueryOf, QueryType, ShellNames, TerminalSize } from '../../protocol/query.ts';
import type { LiveSession } from './engine.ts';
import type { EventQueue } from './event-queue.ts';
import { NO_SCREEN, NO_TERMINAL } from './messages.ts';
import type { AnswerShow } from './session-server.ts';
import type { TerminalShare } from './terminal-share.ts';

interface LocalClientDeps {
  readonly live: LiveSession;
  /** Its name among several clients; absent for the owner's own. */
  readonly name?: string | undefined;
  /** The terminal that several share; absent where it cannot be joined. */
  readonly share?: () => TerminalShare;
  /** Prints what meta-commands print that only read; absent where nothing can. */
  readonly show?: AnswerShow | undefined;
  /** Why this client may not ask for something, whatever the state of the session; null where it may. */
  readonly refuse?: (op: Op) => ErrorFact | null;
  /** Live events that may wait for one reader: a reader that lets more wait is given up, and says so by `overflowed`. */
  readonly mostWaiting?: number;
  /** Ends the session. */
  readonly onClose?: () => Promise<void>;
}

/** More words than these are not answered at once. */
const MOST_WORDS = 200;

/** A session of this process. Other processes reach it through such a client, too. */
export class LocalSessionClient implements SessionClient {
  readonly #deps: LocalClientDeps;
  readonly #queues = new Set<EventQueue>();
  readonly #terminals = new Set<TerminalStream>();
  #name: string | null;

  constructor(deps: LocalClientDeps) {
    this.#deps = deps;
    this.#name = deps.name ?? null;
  }

  get sessionId(): string {
    return this.#deps.live.session.sessionId;
  }

  get name(): string | null {
    return this.#name;
  }

  get state(): SessionState {
    return this.#deps.live.session.state;
  }

  get seq(): number {
    return this.#deps.live.session.seq;
  }

  /** As the contract says. The request has been taken, or waits, when this returns: before the promise settles. */
  async submit(op: Op, { inTurn = false }: SubmitOptions = {}): Promise<Outcome> {
    const { session } = this.#deps.live;
    const client = this.#name ?? undefined;
    const error = this.#deps.refuse?.(op) ?? null;
    if (error !== null) return toOutcome(session.refuse(op, error, client));
    if (!inTurn || (op.type !== 'send' && op.type !== 'run')) return toOutcome(session.take(op, client));
    const queued = session.queue.submit(op, { client });
    const outcome = await Promise.race([queued, Promise.resolve('waits' as const)]);
    return outcome === 'waits' || outcome === 'dropped' ? { type: outcome } : toOutcome(outcome);
  }

  /** As the contract says; `nth` is for a reader that comes back, as in `Session.events`. */
  events(seq: number, nth?: number): EventQueue {
    const { live, mostWaiting } = this.#deps;
    const queue = live.session.events(seq, { most: mostWaiting, nth });
    this.#queues.add(queue);
    return queue;
  }

  async query<T extends QueryType>(query: QueryOf<T>): Promise<Answers[T]> {
    return await this.#answers[query.type](query);
  }

  terminal(size: TerminalSize, listener: TerminalListener): TerminalStream {
    const { share, live } = this.#deps;
    if (share === undefined) throw new AishError(NO_TERMINAL.code, NO_TERMINAL.message, NO_TERMINAL);
    const stream = share().join({ name: this.#name ?? 'a client', size }, listener);
    this.#name = stream.name;
    const close = (): void => {
      stream.close();
      // No user is there any more to see the outcome of a waiting line.
      live.session.queue.drop({ client: stream.name });
    };
    const joined: TerminalStream = { ...stream, close };
    this.#terminals.add(joined);
    return joined;
  }

  async detach(): Promise<void> {
    for (const terminal of this.#terminals) terminal.close();
    this.#terminals.clear();
    await Promise.all([...this.#queues].map((queue) => queue.return()));
    this.#queues.clear();
  }

  async close(): Promise<void> {
    const { onClose, live } = this.#deps;
    await (onClose?.() ?? live.session.close());
  }

  readonly #answers: QueryAnswers = {
    show: async ({ request }) => {
      const { show, live } = this.#deps;
      if (show !== undefined) return show(request, live);
      throw new AishError(NO_SCREEN.code, NO_SCREEN.message, NO_SCREEN);
    },
    names: () => readNames(this.#deps.live),
    words: ({ words }) => readKnownWords(this.#deps.live, words.slice(0, MOST_WORDS)),
    place: async () => {
      const { sharedShell, secrets } = this.#deps.live;
      const jobs = sharedShell.shell?.report.jobs ?? [];
      return {
        cwd: sharedShell.cwd,
        jobs: jobs.map(({ number, state, line }) => ({ number, state, line: secrets.redact(line) })),
      };
    },
  };
}

function toOutcome(error: ErrorFact | null): Outcome {
  return error === null ? { type: 'recorded' } : { type: 'refused', error };
}

async function readKnownWords(
  { sharedShell }: LiveSession,
  words: readonly string[],
): Promise<ReadonlySet<string> | null> {
  const { shell } = sharedShell;
  if (shell === null) return null;
  for (const word of words) shell.lookup(word);
  // Changes by the last command are read behind the prompt, and the read may still run.
  await shell.lookups.settled();
  return new Set(words.filter((word) => shell.lookup(word) !== null));
}

/** The text of an alias may hold secrets. */
async function readNames({ sharedShell, secrets }: LiveSession): Promise<ShellNames | null> {
  const { shell } = sharedShell;
  if (shell === null) return null;
  await shell.lookups.settled();
  const commands = await shell.lookups.list(() => true, shell.cwd);
  const { aliases, variables } = shell.lookups;
  return {
    commands,
    aliases: new Map([...aliases].map(([name, meaning]) => [name, secrets.redact(meaning)])),
    variables,
  };
}
