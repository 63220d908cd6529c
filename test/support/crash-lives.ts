import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import type { Op } from '../../src/protocol/op.ts';
import { prompted } from './at-prompt.ts';
import { type CrashWorld, LAST_WORDS } from './crash-world.ts';

/** Nobody waits longer for a session to open, or for its last answer. */
const PATIENCE_MS = 30_000;

/** One life of aish with a session, that ends by kill -9 at a random moment. */
export interface Life {
  /** The session; null while there is none yet. */
  readonly id: string | null;
  /** The number of the last fact that a client received. */
  readonly seq: number;
}

/*
 * When a life is killed goes by what it has done: by the clock alone a slow machine would have done nothing by then, and the test would
 * prove nothing. The rest of a moment is chance, so that a kill also falls between two facts.
 */

/** A life is killed after so many events at most, now and then after more, so that it comes to the end of what takes its time. */
const EVENTS = 45;
const MANY_EVENTS = 120;
/** A life without a client's ear is killed after so many requests, or lines, at most. */
const REQUESTS = 4;
const LINES = 3;
/** So much later than what it goes by. */
const LATER_MS = 60;
/** And now and then it is killed so long after a call began to run. */
const RUNNING_MS = 250;
const STARTING_MS = 500;
/** A life with nothing to do any more is killed all the same. */
const IDLE_MS = 5000;
/** The delay before a refused request is sent again. */
const AGAIN_MS = 10;

/**
 * A life as a daemon, whose client sends, runs, answers, dry-runs, undoes and interrupts at random. Throws where the session cannot be
 * opened.
 */
export async function liveAsDaemon(world: CrashWorld, life: Life): Promise<Life> {
  const program = world.home.start(['serve'], { env: world.env });
  const errors = new Response(program.stderr).text();
  let killed = false;
  const kill = (): void => {
    killed = true;
    program.kill('SIGKILL');
  };
  const early = world.random.below(6) === 0;
  if (early) setTimeout(kill, world.random.below(STARTING_MS));
  const events = world.random.below(world.random.below(4) === 0 ? MANY_EVENTS : EVENTS);
  const killSoon = (ms: number): void => void setTimeout(kill, world.random.below(ms));
  const client = new DaemonClient(world, life, { events, killSoon });
  const giveUp = setTimeout(() => client.giveUp(kill), PATIENCE_MS);
  const lived = client
    .live(program.stdout, () => void setTimeout(kill, IDLE_MS))
    .catch((error: unknown) => {
      if (killed) return;
      client.fault = String(error);
      kill();
    });
  await program.exited;
  clearTimeout(giveUp);
  client.stop();
  await lived;
  if (client.fault !== null) throw new Error(`${client.fault}: ${await errors}`);
  if (program.signalCode !== 'SIGKILL') throw new Error(`aish serve ended by itself: ${await errors}`);
  return { id: client.id, seq: client.seq };
}

/** A life that answers one message; null where it was through before it could be killed. */
export async function liveAsOneShot(world: CrashWorld, { id, seq }: Life): Promise<Life | null> {
  const program = world.home.start(['-p', ...(id === null ? [] : ['--resume', id]), 'go on'], { env: world.env });
  const errors = new Response(program.stderr).text();
  const kill = (): void => program.kill('SIGKILL');
  if (world.random.below(4) === 0) setTimeout(kill, world.random.below(STARTING_MS));
  const later = world.random.below(2 * LATER_MS);
  const count = world.model.requests.length + 1 + world.random.below(REQUESTS);
  // One that is through before asks no more.
  world.model.requested(count).then(
    () => setTimeout(kill, later),
    () => {},
  );
  const code = await program.exited;
  if (program.signalCode === 'SIGKILL') return { id, seq };
  // It was refused something, or came to the end of its steps.
  if (![0, 3, 4].includes(code)) throw new Error(`aish -p ended with ${code}: ${await errors}`);
  return null;
}

/** A life at a terminal, where somebody types messages and commands. */
export async function liveAtPrompt(world: CrashWorld, { id, seq }: Life): Promise<Life> {
  await using terminal = world.home.open(id === null ? [] : ['--resume', id], { env: world.env });
  const early = world.random.below(5) === 0;
  let killed = false;
  const end = (): void => {
    if (killed) return;
    killed = true;
    process.kill(terminal.pid, 'SIGKILL');
  };
  if (early) setTimeout(end, world.random.below(STARTING_MS));
  const lived = (async () => {
    await prompted(terminal);
    const last = world.random.below(LINES);
    // A question may stand that nobody answers.
    setTimeout(end, IDLE_MS / 2);
    for (let line = 0; ; line += 1) {
      if (line === last && !early) setTimeout(end, world.random.below(2 * RUNNING_MS));
      terminal.type(world.random.below(3) === 0 ? `${world.command()}\n` : '?work\n');
      await terminal.waitFor((screen) => !/(?:^|\n)\S* >$/.test(screen));
      await prompted(terminal);
    }
  })().catch((error: unknown) => {
    if (!killed) throw error;
  });
  await terminal.ended();
  await lived;
  if (!killed) throw new Error(`aish ended by itself:\n${terminal.history()}`);
  return { id, seq };
}

/** A user at a daemon who does one thing after the other. */
class DaemonClient {
  readonly #world: CrashWorld;
  readonly #abort = new AbortController();
  readonly #killSoon: (ms: number) => void;
  /** It is killed after so many more. */
  #events: number;
  #socket = '';
  #asked: string | null = null;
  id: string | null;
  seq: number;
  /** A fault that was not caused by the kill. */
  fault: string | null = null;

  constructor(
    world: CrashWorld,
    { id, seq }: Life,
    { events, killSoon }: { readonly events: number; readonly killSoon: (ms: number) => void },
  ) {
    this.#world = world;
    this.#events = events;
    this.#killSoon = killSoon;
    this.id = id;
    this.seq = seq;
  }

  stop(): void {
    this.#abort.abort();
  }

  /** It was not killed in time, because it never came to work. */
  giveUp(kill: () => void): void {
    this.fault = `the session ${this.id} did not open in ${PATIENCE_MS} ms`;
    kill();
  }

  /** Opens the session, tells that it works, and does what comes to mind until the daemon is gone. */
  async live(stdout: ReadableStream<Uint8Array>, working: () => void): Promise<void> {
    this.#socket = await listening(stdout);
    const answer = await this.#post('/sessions', this.id === null ? {} : { resume: this.id });
    const opened: unknown = await answer.json();
    if (!answer.ok || !isJsonObject(opened)) throw new Error(`not opened: ${JSON.stringify(opened)}`);
    this.id = String(opened.id);
    working();
    const { body } = await this.#ask(`/sessions/${this.id}/events`, { headers: { 'last-event-id': `${this.seq}` } });
    this.#begin();
    for await (const event of eventsOf(body)) {
      this.seq = Math.max(this.seq, Number(event.seq));
      this.#events -= 1;
      if (this.#events === 0) this.#killSoon(LATER_MS);
      if (isJsonObject(event.event)) this.#react(event.event);
    }
  }

  #react(event: JsonObject): void {
    const { random } = this.#world;
    switch (event.type) {
      case 'approval.requested':
        this.#asked = String(event.callId);
        this.#decide(this.#asked);
        return;
      case 'approval.decided':
        this.#asked = null;
        return;
      case 'tool-call.started':
        if (random.below(4) === 0) this.#killSoon(RUNNING_MS);
        if (random.below(12) === 0) this.#submit({ type: 'interrupt', ...(random.below(2) ? { after: 'step' } : {}) });
        return;
      case 'dry-run.completed':
        if (event.error === undefined) this.#submit({ type: random.below(2) === 0 ? 'apply' : 'discard' });
        else this.#allowOrBegin();
        return;
      case 'dry-run.discarded':
      case 'dry-run.applied':
        this.#allowOrBegin();
        return;
      case 'restore.conflicted':
        this.#submit({ type: 'discard' });
        return;
      case 'op.rejected':
        if (event.op !== 'decide' && event.op !== 'interrupt') setTimeout(() => this.#begin(), AGAIN_MS);
        return;
      case 'turn.ended':
      case 'command.completed':
      case 'restore.completed':
      case 'restore.abandoned':
      case 'context.compacted':
      case 'compaction.failed':
      case 'taint.cleared':
        this.#begin();
    }
  }

  #decide(callId: string): void {
    const { random } = this.#world;
    const at = random.below(10);
    if (at < 6) this.#submit({ type: 'decide', callId, decision: { type: 'allow' }, by: 'user' });
    else if (at === 6) this.#submit({ type: 'decide', callId, decision: { type: 'deny' }, by: 'user' });
    else if (at === 7) this.#submit({ type: 'halt' });
    else this.#submit({ type: 'dry-run', callId });
  }

  #allowOrBegin(): void {
    if (this.#asked === null) this.#begin();
    else this.#submit({ type: 'decide', callId: this.#asked, decision: { type: 'allow' }, by: 'user' });
  }

  #begin(): void {
    const world = this.#world;
    const { random } = world;
    const at = random.below(20);
    if (at < 10) this.#submit({ type: 'send', text: 'go on with it' });
    else if (at < 14) this.#submit({ type: 'run', line: world.command() });
    else if (at === 14) this.#submit({ type: 'dry-run', line: `echo ${world.token()} >> tried` });
    else if (at < 17) this.#submit({ type: 'restore', checkpoint: null });
    else if (at === 17) this.#submit({ type: 'restore', checkpoint: null, direction: 'redo' });
    else if (at === 18) this.#submit({ type: random.below(2) === 0 ? 'compact' : 'trust' });
    else {
      world.edit();
      this.#submit({ type: 'send', text: 'I changed the README' });
    }
  }

  #submit(op: Op): void {
    this.#post(`/sessions/${this.id}/ops`, op).catch(() => {});
  }

  #post(path: string, body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  #ask(path: string, init: RequestInit): Promise<Response> {
    return fetch(`http://localhost${path}`, { ...init, unix: this.#socket, signal: this.#abort.signal });
  }
}

async function listening(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stdout) {
    text += decoder.decode(bytes, { stream: true });
    const found = /^listening unix:(\S+)\n/.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`it does not listen: ${text}`);
}

async function* eventsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      const event: unknown = data === undefined ? null : JSON.parse(data);
      if (isJsonObject(event)) yield event;
    }
  }
}

/** The last life, which nobody kills: what is wrong with it, or nothing. */
export async function liveToTheEnd({ home, env }: CrashWorld, id: string | null): Promise<string[]> {
  const program = home.start(['-p', ...(id === null ? [] : ['--resume', id]), LAST_WORDS], { env });
  const errors = new Response(program.stderr).text();
  const timer = setTimeout(() => program.kill('SIGKILL'), PATIENCE_MS);
  const code = await program.exited;
  clearTimeout(timer);
  return code === 0 ? [] : [`the last life ended with ${code}: ${await errors}`];
}
