import type { CommandRecord } from '../../src/protocol/command.ts';
import { isDurable } from '../../src/protocol/durable-event.ts';
import type { Recorded, SessionEvent } from '../../src/protocol/event.ts';
import type { ActorProcess, Known } from './actor-process.ts';
import { firstDifference } from './state-digest.ts';

/** A line that somebody entered, and what its client knows of it. */
export interface EnteredLine {
  /** Which life of which actor entered it, and under which owner. */
  readonly actor: string;
  readonly owner: number;
  /** It waits for its turn. */
  readonly inTurn: boolean;
  known: Known | { readonly type: 'pending' };
}

/** Somebody's answer to an approval prompt. */
export interface GivenAnswer {
  readonly prompt: string;
  readonly known: Known;
}

/** The name of a prompt: the question of a call with this number. */
export function toPrompt(callId: string, question: number): string {
  return `${callId}/${question}`;
}

/** Checks the log's facts about prompts and lines, each once. */
export class ActorsHistory {
  readonly faults: string[] = [];
  /** Lines since the last look, by their text. */
  readonly lines = new Map<string, EnteredLine>();
  readonly answers: GivenAnswer[] = [];
  /** As which events each line began. */
  readonly #began = new Map<string, number[]>();
  /** The line of the turn or command that runs. */
  #running: string | null = null;
  /** How often each prompt was answered by a user. */
  readonly #decided = new Map<string, number>();
  /** How many lines each client that waited in vain must have heard of, and how many refusals it had heard of before. */
  #dropped = new Map<string, number>();
  readonly #untrusted = new Map<string, number>();
  /** As which event the last line of each queue began. */
  readonly #last = new Map<string, number>();
  readonly #questions = new Map<string, number>();
  #open: string | null = null;
  #seq = 0;

  take(history: readonly Recorded[]): void {
    for (const { seq, event } of history.slice(this.#seq)) {
      this.#seq += 1;
      if (seq !== this.#seq) this.faults.push(`the log has ${seq} in the place of ${this.#seq}`);
      this.#takeEvent(event);
    }
  }

  #takeEvent(event: SessionEvent): void {
    switch (event.type) {
      case 'turn.started':
        this.#begin(event.text);
        return;
      case 'command.started':
        this.#begin(event.line);
        return;
      case 'approval.requested': {
        const question = (this.#questions.get(event.callId) ?? 0) + 1;
        this.#questions.set(event.callId, question);
        this.#open = toPrompt(event.callId, question);
        this.#decided.set(this.#open, 0);
        return;
      }
      case 'approval.decided': {
        if (event.by !== 'user') return;
        const prompt = toPrompt(event.callId, this.#questions.get(event.callId) ?? 0);
        if (prompt !== this.#open) this.faults.push(`${prompt} was answered while ${this.#open} was open`);
        this.#decided.set(prompt, (this.#decided.get(prompt) ?? 0) + 1);
        this.#open = null;
        return;
      }
      case 'command.completed':
        this.#complete(event.record);
        return;
      case 'turn.ended':
      case 'session.resumed':
        this.#running = null;
        this.#open = null;
        return;
      case 'session.halted':
        this.#open = null;
    }
  }

  /** One thing at a time, each to its end. */
  #begin(text: string): void {
    if (this.#running !== null) this.faults.push(`"${text}" began while "${this.#running}" ran`);
    this.#running = text;
    this.#began.set(text, [...(this.#began.get(text) ?? []), this.#seq]);
  }

  /** Nothing of another line is in what a command printed; after a Ctrl-C some of its own may be lost. */
  #complete({ line, output }: CommandRecord): void {
    if (this.#running !== line) this.faults.push(`"${line}" ended while "${this.#running}" ran`);
    this.#running = null;
    const own = /L\d+/.exec(line)?.[0];
    const others = (output.match(/^L\d+/gm) ?? []).filter((printed) => printed !== own);
    if (others.length > 0) this.faults.push(`"${line}" printed ${others.join()}`);
  }

  /**
   * Each prompt had one answer at most, from an actor that learned of its success. A request that was taken began once, and one that was
   * refused or dropped never did.
   */
  check(owner: number): void {
    for (const [prompt, times] of this.#decided) {
      if (times > 1) this.faults.push(`${prompt} was answered ${times} times`);
      const given = this.answers.filter((answer) => answer.prompt === prompt);
      const recorded = given.filter(({ known }) => known.type === 'recorded').length;
      if (recorded > times) this.faults.push(`${prompt}: ${recorded} were told that theirs counts, ${times} do`);
    }
    for (const { prompt, known } of this.answers)
      if (known.type === 'recorded' && !this.#decided.has(prompt))
        this.faults.push(`${prompt} was never asked, and answered`);
    this.#dropped = new Map();
    this.#last.clear();
    for (const [text, line] of this.lines) {
      const began = this.#began.get(text)?.length ?? 0;
      const { type } = line.known;
      const most = type === 'refused' || type === 'dropped' ? 0 : 1;
      const least = type === 'recorded' ? 1 : 0;
      if (began > most || began < least) this.faults.push(`"${text}" (${type}) began ${began} times`);
      this.#checkOrder(text, line);
      // The queue goes with its owner; who follows the session sees that it was resumed.
      if (type !== 'waits' || began > 0 || line.owner !== owner) continue;
      this.#dropped.set(line.actor, (this.#dropped.get(line.actor) ?? 0) + 1);
    }
  }

  /** Lines of one client that wait begin in the order in which they were entered. */
  #checkOrder(text: string, { actor, owner, inTurn, known: { type } }: EnteredLine): void {
    const [seq] = this.#began.get(text) ?? [];
    if (seq === undefined || !inTurn || (type !== 'recorded' && type !== 'waits')) return;
    const queue = `${actor} of owner ${owner}`;
    if ((this.#last.get(queue) ?? 0) > seq)
      this.faults.push(`"${text}" of ${queue} began before one that was entered before`);
    this.#last.set(queue, seq);
  }

  /** A client hears of each of its lines that waited and that nothing came of. */
  checkTold({ events, names }: ActorProcess, life: string): void {
    const told = events.filter(
      ({ event }) =>
        event.type === 'op.rejected' &&
        isLine(event.op) &&
        names.includes(event.client) &&
        event.error.code === 'op.dropped',
    ).length;
    const before = this.#untrusted.get(life) ?? 0;
    this.#untrusted.set(life, told);
    const dropped = this.#dropped.get(life) ?? 0;
    if (told - before < dropped)
      this.faults.push(`${life} heard of ${told - before} of ${dropped} lines that were dropped`);
  }

  /** All was looked at. */
  forgetLines(): void {
    this.lines.clear();
  }
}

function isLine(op: string): boolean {
  return op === 'send' || op === 'run';
}

/**
 * The differences between an actor's knowledge and the log: its state, or an event that is missing, came twice, came late or is another
 * one.
 */
export async function findDifferences(
  actor: ActorProcess,
  log: readonly Recorded[],
  digest: string,
): Promise<readonly string[]> {
  const durable = actor.events.filter(({ event }) => isDurable(event));
  const expected = log.slice(actor.after);
  const other = expected.findIndex((recorded, at) => JSON.stringify(recorded) !== JSON.stringify(durable[at]));
  const faults: string[] = [];
  if (other >= 0 || durable.length !== expected.length) {
    const pair = `${JSON.stringify(durable[other])} instead of ${JSON.stringify(expected[other])}`.slice(0, 600);
    faults.push(`was handed ${durable.length} events of ${expected.length}, as number ${other}: ${pair}`);
  }
  // An actor that begins in the middle has the events, and no state.
  const difference = actor.after > 0 ? null : firstDifference(await actor.digest(), digest);
  if (difference !== null) faults.push(`has another state than the log: ${difference}`);
  return faults;
}
