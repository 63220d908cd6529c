import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { logPath } from '../../src/adapters/store/event-log.ts';
import type { Recorded } from '../../src/protocol/event.ts';
import type { Random } from '../fidelity/random.ts';
import { ActorProcess } from './actor-process.ts';
import { Home } from './aish.ts';
import { openBreakableSocket } from './breakable-socket.ts';
import { calls, held, type Reply, type SeenRequest, startModelServer, text } from './model-server.ts';
import { commandLine, survivors } from './processes.ts';

/** Every process of a test has this variable, with the number of its own. */
const MARK = 'AISH_TEST_ACTORS';
/** A job that a user has in the background. */
export const USERS_JOB = 'sleep 300';
/** The files that the model writes. */
const FILES = ['made-0', 'made-1', 'made-2'] as const;
/** More than any session of these has. */
const MOST_REQUESTS = 5000;

/** A session with its owner and clients, each a process that can be killed, and each client's connection one that can be broken. */
export class ActorsWorld {
  readonly home = new Home();
  readonly model = startModelServer({
    script: Array.from({ length: MOST_REQUESTS }, () => (request: SeenRequest) => this.#answer(request)),
  });
  readonly #random: Random;
  readonly #mark: string = crypto.randomUUID();
  readonly #run = join(this.home.root, 'run');
  readonly #started: number[] = [];
  readonly #proxies: ReturnType<typeof openBreakableSocket>[];

  constructor(random: Random, clients: number) {
    this.#random = random;
    this.#proxies = Array.from({ length: clients }, (_, at) =>
      openBreakableSocket(this.#socket, join(this.home.root, `client-${at}.sock`)),
    );
  }

  get #socket(): string {
    return join(this.#run, 'x.sock');
  }

  get #env(): Record<string, string> {
    return { ...this.home.env, [MARK]: this.#mark };
  }

  /** Starts an owner: of a new session, or of one that goes on. */
  async owner(resume: string | null, after: number, onEvent: (recorded: Recorded) => void): Promise<ActorProcess> {
    const place = { url: this.model.url, work: this.home.work, run: this.#run, path: this.#socket };
    const owner = new ActorProcess({ role: 'owner', ...place, resume, after }, this.#env, onEvent);
    await owner.opened();
    return owner;
  }

  /** Starts the client of a number. */
  async client(at: number, session: string, after: number): Promise<ActorProcess> {
    const path = this.#proxies[at]?.path ?? '';
    const client = new ActorProcess({ role: 'client', path, session, name: `client-${at}`, after }, this.#env);
    await client.opened();
    return client;
  }

  /** Breaks the connections of a client off. */
  cut(at: number): void {
    this.#proxies[at]?.cut();
  }

  /** The log of a session as it is on the disk. */
  log(session: string): Buffer {
    return readFileSync(logPath(this.home.state, session));
  }

  /** The user changes files beside the session that the model made. */
  edit(): void {
    for (const name of FILES) {
      const path = join(this.home.work, name);
      if (existsSync(path)) appendFileSync(path, 'a line of the user\n');
    }
  }

  /** Remembers processes that must be gone at the end. */
  note(pids: readonly number[]): void {
    this.#started.push(...pids);
  }

  /**
   * As `note`, for processes whose owner was killed. bash itself leaves its jobs alone where the terminal goes while it works at its
   * prompt.
   */
  killed(pids: readonly number[]): void {
    const jobs = pids.filter((pid) => commandLine(pid) === USERS_JOB);
    for (const pid of jobs) process.kill(pid, 'SIGKILL');
    this.note(pids);
  }

  /** The rest of it: processes by their number and by their environment, and files of sockets and shells. */
  async leftovers(): Promise<string[]> {
    const marked = readdirSync('/proc').flatMap((name) => (this.#isMarked(name) ? [Number(name)] : []));
    const left = await survivors([...new Set([...this.#started, ...marked])]);
    return [...left, ...readdirSync(this.#run).filter((name) => name.includes('.sock'))];
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies) proxy.close();
    await this.model.close();
    this.home[Symbol.dispose]();
  }

  #isMarked(name: string): boolean {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').includes(`${MARK}=${this.#mark}`);
    } catch {
      return false;
    }
  }

  /** The last word of a message says what the model does about it. */
  #answer({ body }: SeenRequest): Reply {
    const random = this.#random;
    if (body.tools === undefined) return text('They spoke of lines and files.');
    const last = body.messages.at(-1);
    const asked = body.messages.findLast(({ role }) => role === 'user');
    const kind = [...JSON.stringify(asked?.content ?? '').matchAll(/\bm\d+ (\w+)/g)].at(-1)?.[1];
    if (last?.role === 'tool' && (kind === 'write' || random.below(2) > 0)) return text('It is done.');
    if (kind === 'slow') return held(text('This takes a little while to say.'), Bun.sleep(random.below(150)), 3);
    if (kind === 'long') return text('many words '.repeat(150));
    if (kind === 'write')
      return calls({ name: 'aish__write_file', arguments: { path: FILES[0], content: `${random.below(1e6)}\n` } });
    if (kind === 'call') return calls(this.#call());
    if (kind === 'calls') return calls(this.#call(), this.#call());
    return text('All right.');
  }

  #call() {
    const random = this.#random;
    const path = random.pick(FILES);
    const content = `${random.below(1e6)}\n`;
    if (random.below(2) === 0) return { name: 'aish__write_file', arguments: { path, content } };
    const command = random.pick([`echo ${random.below(1e6)}`, `echo ${random.below(1e6)} >> ${path}`, 'sleep 0.05']);
    return { name: 'aish__exec', arguments: { command } };
  }
}
