import { parseLog } from '../../src/adapters/store/log-line.ts';
import { fold } from '../../src/core/session/evolve.ts';
import type { Op } from '../../src/protocol/op.ts';
import type { Random } from '../fidelity/random.ts';
import type { ActorProcess, AtRest, Known } from './actor-process.ts';
import { ActorsHistory, type EnteredLine, findDifferences, toPrompt } from './actors-history.ts';
import { ActorsWorld } from './actors-world.ts';
import { OpenPrompts } from './open-prompts.ts';
import { isUsualRefusal, randomAnswer, randomCommand, randomRestore, randomSettings } from './random-requests.ts';
import { stateDigest } from './state-digest.ts';
import { until } from './until.ts';

/** How often each thing happened, by name. */
export type Tally = Record<string, number>;

const CLIENTS = 2;
/** An owner and two clients who do at one session whatever comes to mind, and are killed; what is not as it must be is a fault. */
export class ActorsPlay {
  readonly tally: Tally;
  readonly faults: string[] = [];
  readonly #random: Random;
  readonly #world: ActorsWorld;
  readonly #history = new ActorsHistory();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #lives = new Map<ActorProcess, string>();
  readonly #entered = new Map<ActorProcess, Promise<void>>();
  #owner!: ActorProcess;
  #clients: ActorProcess[] = [];
  #owners = 0;
  #number = 0;
  #open = new OpenPrompts();

  constructor(random: Random, tally: Tally) {
    this.#random = random;
    this.tally = tally;
    this.#world = new ActorsWorld(random, CLIENTS);
  }

  /** So many steps, looked at now and then; the end is that of a user who leaves. */
  async run(steps: number): Promise<void> {
    try {
      await this.#openOwner(null);
      // A session that nothing happened in has no log, so nobody could go on with it.
      await this.#owner.submit({ type: 'rename', name: 'begun' });
      await Promise.all(Array.from({ length: CLIENTS }, (_, at) => this.#openClient(at)));
      for (let step = 1; step <= steps && this.faults.length === 0; step += 1) {
        await this.#step();
        if (step % 40 === 0 || step === steps) await this.#rest();
        if (step % 40 === 0) await this.#undoOfChanged();
        if (step % 10 === 5) await this.#prompt();
        if (step % 100 === 30) await this.#killClient();
        if (step % 100 === 60) await this.#killOwner();
      }
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    const actors = [...this.#clients, this.#owner].filter((actor) => actor !== undefined && !actor.isKilled);
    for (const actor of actors) {
      // One of the clients goes with its terminal, the other one without a word.
      if (actor.role === 'client' && this.#random.below(2) === 0) await actor.kill();
      else this.#world.note(await actor.close());
      this.#takeFaults(actor);
    }
    this.faults.push(...(await this.#world.leftovers()).map((left) => `left over: ${left}`));
    this.faults.push(...this.#world.model.failures);
    await this.#world.close();
  }

  get #actors(): readonly ActorProcess[] {
    return [this.#owner, ...this.#clients];
  }

  #count(what: string): void {
    this.tally[what] = (this.tally[what] ?? 0) + 1;
  }

  async #openOwner(resume: string | null): Promise<void> {
    this.#owners += 1;
    this.#owner = await this.#world.owner(resume, 0, (recorded) => this.#open.take(recorded));
    this.#lives.set(this.#owner, `owner ${this.#owners}`);
  }

  async #openClient(at: number, after = 0): Promise<void> {
    const key = `client ${at}`;
    const client = await this.#world.client(at, this.#owner.session, after);
    this.#lives.set(client, `${key} life ${client.pid}`);
    this.#clients[at] = client;
    if (this.#random.below(4) > 0) this.#later(client.do({ do: 'join' }));
  }

  #later(promise: Promise<unknown>): void {
    this.#pending.add(promise);
    void promise.finally(() => this.#pending.delete(promise));
  }

  async #step(): Promise<void> {
    const { asked, restore, dryRun, command } = this.#open;
    const at = this.#random.below(100);
    if (asked !== null && at < 55) await this.#race(asked);
    else if (asked !== null && at < 60) this.#submit('dry run of a call', { type: 'dry-run', ...asked });
    else if (restore !== null && at < 60) this.#resolve(restore);
    else if (dryRun === 'shown' && at < 60) this.#endDryRun();
    else if (command?.startsWith('read') === true && at < 50) await this.#keys();
    else await this.#anything();
    // Neither is always ahead of what runs, nor always behind.
    const pause = this.#random.below(6);
    if (pause === 0) await Promise.all(this.#pending);
    else if (pause === 1) await Bun.sleep(this.#random.below(20));
    else if (pause === 2) await Bun.sleep(0);
    else if (pause === 3) await this.#something();
  }

  /** Has the model ask for something, where it does nothing else, and all answer. */
  async #prompt(): Promise<void> {
    this.#send('calls');
    await this.#something();
    if (this.#open.asked !== null) await this.#race(this.#open.asked);
  }

  /** At rest the model changes a file, then the user does; the undo of it waits for a choice. */
  async #undoOfChanged(): Promise<void> {
    this.#number += 1;
    await this.#owner.submit({ type: 'send', text: `m${this.#number} write` });
    await this.#something();
    if (this.#open.asked === null) return;
    const { callId } = this.#open.asked;
    await this.#owner.submit({ type: 'decide', callId, decision: { type: 'allow' }, by: 'user' });
    await this.#something();
    this.#world.edit();
    this.#submit('undo or redo', { type: 'restore', checkpoint: null });
    await this.#something();
    if (this.#open.restore !== null) this.#resolve(this.#open.restore);
  }

  /** Waits for something to answer, but not where there is nothing under way. */
  async #something(): Promise<void> {
    await Promise.all(this.#pending);
    await until({ what: 'something to answer, or rest', lookMs: 15 }, async () => {
      return this.#open.isOpen || (await this.#owner.look())?.isAtRest !== false;
    });
  }

  async #anything(): Promise<void> {
    const at = this.#random.below(200);
    if (at < 64) this.#send();
    else if (at < 90) this.#enter({ type: 'run', line: this.#nextLine() });
    else if (at < 98) this.#submit('interrupt', { type: 'interrupt' });
    else if (at < 103) this.#submit('interrupt after step', { type: 'interrupt', after: 'step' });
    else if (at < 106) this.#submit('halt', { type: 'halt' });
    else if (at < 110) this.#submit('dry run of a line', { type: 'dry-run', line: 'echo tried >> made-0' });
    else if (at < 122) this.#undo();
    else if (at < 126) this.#submit('name', { type: 'rename', name: `name ${at}` });
    else if (at < 129) this.#submit('trust', { type: 'trust' });
    else if (at < 135) this.#submit('configure', randomSettings(this.#random));
    else if (at < 137) this.#submit('compact', { type: 'compact' });
    else if (at < 140) this.#submit('discard', { type: 'discard' });
    else if (at < 160) await this.#keyboard();
    else if (at < 166) this.#later(this.#client().do({ do: 'lag', ms: this.#random.below(120) }));
    else if (at < 170) this.#later(this.#client().do({ do: 'place' }));
    else if (at < 174) this.#stale();
    else if (at < 190) this.#cut();
    else if (at < 198) await this.#killClient();
    else await this.#killOwner();
  }

  #pickActor(): ActorProcess {
    return this.#random.pick([this.#owner, ...this.#clients]);
  }

  #client = (): ActorProcess => this.#clients[this.#random.below(CLIENTS)] ?? this.#owner;

  #life(actor: ActorProcess): string {
    return this.#lives.get(actor) ?? '';
  }

  /** A request whose outcome nobody waits for. */
  #submit(what: string, op: Op, actor = this.#pickActor()): void {
    this.#count(what);
    this.#later(actor.submit(op).then((known) => this.#refused(what, known)));
  }

  #refused(what: string, known: Known): void {
    if (known.type !== 'refused') return;
    this.#count(`refused ${known.error.code}`);
    if (!isUsualRefusal(known.error.code)) this.faults.push(`${what} was refused: ${known.error.code}`);
  }

  #send(kind = this.#random.pick(['say', 'call', 'call', 'call', 'calls', 'calls', 'slow', 'long'])): void {
    this.#number += 1;
    this.#enter({ type: 'send', text: `m${this.#number} ${kind}` });
  }

  #nextLine(): string {
    this.#number += 1;
    return randomCommand(this.#random, this.#number);
  }

  #enter(op: Extract<Op, { type: 'send' | 'run' }>): void {
    const actor = this.#pickActor();
    this.#count(op.type);
    const inTurn = this.#random.below(4) > 0;
    const line: EnteredLine = { actor: this.#life(actor), owner: this.#owners, inTurn, known: { type: 'pending' } };
    this.#history.lines.set(op.type === 'send' ? op.text : op.line, line);
    // Nobody enters a line before the one before it is on its way.
    const entered = (this.#entered.get(actor) ?? Promise.resolve()).then(async () => {
      line.known = await actor.submit(op, inTurn);
      this.#refused(op.type, line.known);
    });
    this.#entered.set(actor, entered);
    this.#later(entered);
  }

  /** Several answer one prompt at the same time. */
  async #race(asked: NonNullable<OpenPrompts['asked']>): Promise<void> {
    const count = 1 + this.#random.below(4);
    this.#count(count > 1 ? 'races' : 'answers');
    const racing = Array.from({ length: count }, () => {
      const actor = this.#pickActor();
      const op = randomAnswer(this.#random, asked);
      return actor.submit(op).then((known) => {
        const { callId, prompt: question } = op;
        if (question !== undefined) this.#history.answers.push({ prompt: toPrompt(callId, question), known });
        this.#refused('decide', known);
      });
    });
    for (const one of racing) this.#later(one);
    if (this.#random.below(2) === 0) await Promise.all(racing);
  }

  /** An answer to a prompt that was closed long ago. */
  #stale(): void {
    this.#count('late answer');
    const { first: callId, asked } = this.#open;
    const op = { type: 'decide', callId, decision: { type: 'allow' }, by: 'user', prompt: 1 } as const;
    const isLate = asked?.callId !== callId;
    const answered = this.#pickActor()
      .submit(op)
      .then((known) => {
        this.#refused('late answer', known);
        if (isLate && known.type === 'recorded') this.faults.push(`a late answer to ${callId} was taken`);
      });
    this.#later(answered);
  }

  #resolve({ conflicts }: NonNullable<OpenPrompts['restore']>): void {
    if (this.#random.below(4) === 0) {
      this.#submit('give an undo up', { type: 'discard' });
      return;
    }
    const choices = Object.fromEntries(
      conflicts.flatMap(({ key, choices: offered }) => {
        const choice = offered[this.#random.below(offered.length + 1)];
        return choice === undefined ? [] : [[key, choice]];
      }),
    );
    this.#submit('resolve', { type: 'resolve', choices });
  }

  #endDryRun(): void {
    this.#submit('end of a dry run', { type: this.#random.below(2) === 0 ? 'apply' : 'discard' });
  }

  #undo(): void {
    if (this.#random.below(3) > 0) this.#world.edit();
    this.#submit('undo or redo', randomRestore(this.#random));
  }

  /** Clients request, lend, give back and take the keyboard. */
  async #keyboard(): Promise<void> {
    const client = this.#client();
    const at = this.#random.below(10);
    this.#count('keyboard');
    if (at < 3) this.#later(client.do({ do: 'ask' }));
    else if (at < 5) this.#later(client.do({ do: 'give-back' }));
    else if (at < 6) this.#later(client.do({ do: 'resize', columns: 20 + this.#random.below(100), rows: 10 }));
    else if (at < 7) this.#later(client.do({ do: 'leave' }));
    else if (at < 8) this.#later(client.do({ do: 'join' }));
    else {
      const answer = this.#random.pick(['grant', 'grant', 'refuse', 'take-back'] as const);
      this.#later(this.#owner.do({ do: 'keyboard', answer }));
    }
  }

  /** One of them gets the keyboard, everybody types, and who has it may go without a word. */
  async #keys(): Promise<void> {
    this.#count('keys');
    const at = this.#random.below(CLIENTS);
    if ((await this.#clients[at]?.borrowKeyboard(this.#owner)) === true) this.#count('keyboard lent');
    if (this.#random.below(3) > 0) for (const one of this.#clients) this.#later(one.do({ do: 'keys', text: 'word\n' }));
    const end = this.#random.below(8);
    if (end < 2) await this.#killClient(at);
    else if (end === 2) this.#world.cut(at);
    else if (end === 3) this.#later(this.#client().do({ do: 'leave' }));
  }

  #cut(): void {
    this.#count('cut');
    const at = this.#random.below(CLIENTS);
    this.#world.cut(at);
    const client = this.#clients[at];
    if (client !== undefined && this.#random.below(2) === 0) this.#later(client.do({ do: 'join' }));
  }

  async #killClient(at = this.#random.below(CLIENTS)): Promise<void> {
    this.#count('kill of a client');
    const client = this.#clients[at];
    if (client === undefined) return;
    await client.kill();
    this.#takeFaults(client);
    // Some come back to where they were, others read it all again.
    await this.#openClient(at, this.#random.below(3) === 0 ? client.followed : 0);
  }

  async #killOwner(): Promise<void> {
    this.#count('kill of the owner');
    const { session } = this.#owner;
    this.#world.killed(await this.#owner.kill());
    this.#takeFaults(this.#owner);
    this.#open = new OpenPrompts();
    await this.#openOwner(session);
  }

  #takeFaults(actor: ActorProcess): void {
    this.faults.push(...actor.faults.map((fault) => `${this.#life(actor)}: ${fault}`));
  }

  /** Lets all come to rest, answers prompts, and compares the knowledge of all actors. */
  async #rest(): Promise<void> {
    this.#count('rests');
    await Promise.all(this.#pending);
    const what = 'the session comes to rest';
    await until(
      { what, lookMs: 15 },
      () => this.#settle(),
      (look) => look?.isIdle === true && look.waiting === 0,
    );
    await this.#mark();
    const log = parseLog(this.#world.log(this.#owner.session)).recorded;
    this.#history.take(log);
    const digest = stateDigest(fold(log.map(({ event }) => event)));
    for (const actor of this.#actors) {
      await this.#reached(actor, log.length);
      this.faults.push(...(await findDifferences(actor, log, digest)).map((one) => `${this.#life(actor)} ${one}`));
    }
    this.#history.check(this.#owners);
    for (const client of this.#clients) this.#history.checkTold(client, this.#life(client));
    this.#history.forgetLines();
    await this.#checkKeyboard();
    this.faults.push(...this.#history.faults);
    for (const actor of this.#actors) this.#takeFaults(actor);
  }

  /** With one more event all have come back whose connection was broken, and refusals before it have arrived. */
  async #mark(): Promise<void> {
    await this.#owner.submit({ type: 'rename', name: `rest ${this.tally.rests}` });
    const seq = (await this.#owner.look())?.seq ?? 0;
    for (const actor of this.#actors) await this.#reached(actor, seq);
  }

  async #reached(actor: ActorProcess, seq: number): Promise<void> {
    const what = `${this.#life(actor)} has seen ${seq}; faults ${actor.faults.join()}`;
    await until(
      { what, lookMs: 15 },
      () => actor.look(),
      (look) => (look?.followed ?? 0) >= seq,
    );
  }

  /** The state of the owner; it ends the work that keeps the owner from rest. */
  async #settle(): Promise<AtRest | null> {
    const look = await this.#owner.look();
    if (look === null || (look.isIdle && look.waiting === 0)) return look;
    const { asked, restore, dryRun, command } = this.#open;
    if (asked !== null) {
      const op = { type: 'decide', callId: asked.callId, decision: { type: 'deny' }, by: 'user' } as const;
      await this.#owner.submit(op);
    }
    if (restore !== null || dryRun === 'shown') await this.#owner.submit({ type: 'discard' });
    if (command?.startsWith('read') === true) await this.#owner.submit({ type: 'interrupt' });
    return look;
  }

  /** All actors agree on the holder of the keyboard, once all messages have arrived. */
  async #checkKeyboard(): Promise<void> {
    const look = async (): Promise<readonly unknown[]> => {
      const holder = (await this.#owner.look())?.holder ?? null;
      const others = this.#clients.flatMap(({ keyboard, name }) => {
        if (keyboard === null) return [];
        return keyboard.holder === holder && keyboard.isOurs === (holder === name) ? [] : [keyboard];
      });
      const isHeld =
        holder === null || this.#clients.some(({ keyboard, name }) => keyboard !== null && name === holder);
      return others.length === 0 && isHeld ? [] : [holder, ...others];
    };
    await until({ what: 'all believe the same of the keyboard', lookMs: 15 }, look, ({ length }) => length === 0);
  }
}
