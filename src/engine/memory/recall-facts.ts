import { MemoryStore } from '../../adapters/store/memory-store.ts';
import {
  createFact,
  extractProposals,
  type Fact,
  isLive,
  isProposed,
  isSameText,
  recall,
  untrustedAmong,
} from '../../core/memory/facts.ts';
import type { SessionState } from '../../core/session/state.ts';
import { newSources, toSource } from '../../core/session/taint-state.ts';
import { succeeds } from '../../core/text/attempt.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { RecalledFact } from '../../protocol/memory.ts';
import {
  formatFactSource,
  formatProposed,
  formatRecalled,
  formatUntrustedMemory,
  INBOX_FULL,
  NOT_KEPT,
} from './messages.ts';

/** More proposals than these are not kept: the user looks at them one by one. */
const MOST_PROPOSALS = 50;

/** Chooses facts for the requests of a session, and takes proposals. */
export class Recall {
  readonly #store: MemoryStore;
  /** The files as they were when the facts were checked, and the time at which the first of them expires. */
  #checked = '';
  #until = 0;

  constructor(context: { readonly cwd: string; readonly state: string; readonly home: string }) {
    this.#store = new MemoryStore(context);
  }

  /** The directory whose facts it chooses. */
  get cwd(): string {
    return this.#store.place.cwd;
  }

  /** Reads the facts, and searches them once, before anybody waits for them: the code of a first search has to be compiled. */
  readAhead(): void {
    const { place } = this.#store;
    recall(this.#store.read('here').facts, { text: place.cwd, place, now: Date.now() });
  }

  /** Changes the facts in `held`: the first message of a session chooses them; after that, facts can only go. */
  look(state: SessionState, held: { facts: readonly RecalledFact[] }): readonly SessionEvent[] {
    const now = Date.now();
    if (held.facts.length === 0) return isFirst(state) ? this.#choose(state, held, now) : [];
    const { stamp } = this.#store;
    if (stamp === this.#checked && now < this.#until) return [];
    const live = this.#store.read('here').facts.filter((fact) => isLive(fact, now));
    held.facts = held.facts.filter(({ id }) => live.some((fact) => fact.id === id));
    this.#note(live, held, stamp);
    return [];
  }

  /** The proposals of an answer, each with the untrusted content that the model had read before. */
  propose(answer: string, { id, turns, taint }: SessionState): readonly SessionEvent[] {
    const { place } = this.#store;
    const { facts } = this.#store.read();
    const fresh = extractProposals(answer).filter((text) => !facts.some((fact) => isSameText(fact.text, text)));
    if (fresh.length === 0) return [];
    if (facts.filter(isProposed).length >= MOST_PROPOSALS) return [notice(INBOX_FULL, 'warning')];
    const scope = place.project === null ? 'directory' : 'project';
    const untrusted = taint.sources.length === 0 ? {} : { untrusted: taint.sources.map(({ name }) => name) };
    const context = { facts, place, now: Date.now() };
    const lines = fresh.map((text) =>
      createFact({ text, scope, by: 'model', session: id, turn: turns, ...untrusted }, context),
    );
    const isKept = succeeds(() => this.#store.append(lines));
    return [isKept ? notice(formatProposed(fresh)) : notice(NOT_KEPT, 'warning')];
  }

  #choose(state: SessionState, held: { facts: readonly RecalledFact[] }, now: number): readonly SessionEvent[] {
    const { facts, untrusted } = this.#store.read('here');
    const message = state.entries.findLast((entry) => entry.type === 'user');
    const text = message?.type === 'user' ? message.text : '';
    held.facts = recall(facts, { text, place: this.#store.place, now });
    const of = held.facts.map(({ id }) => id);
    const mark = { mark: 'used', of, at: now, session: state.id, turn: state.turns } as const;
    // Without its mark a fact only fades earlier.
    if (of.length > 0) succeeds(() => this.#store.append([mark]));
    this.#note(facts, held, this.#store.stamp);
    return [
      ...(untrusted === null ? [] : [notice(formatUntrustedMemory(untrusted.path, untrusted.hasChanged), 'warning')]),
      ...(of.length === 0 ? [] : [notice(formatRecalled(of))]),
      ...taintOf(held.facts, facts, state),
    ];
  }

  #note(facts: readonly Fact[], held: { readonly facts: readonly RecalledFact[] }, stamp: string): void {
    const ids = new Set(held.facts.map(({ id }) => id));
    const ends = facts.flatMap(({ id, expires }) => (ids.has(id) && expires !== undefined ? [expires] : []));
    this.#until = Math.min(Number.POSITIVE_INFINITY, ...ends);
    this.#checked = stamp;
  }
}

/** A fact that the model proposed after it had read untrusted content is untrusted content itself, also if the user kept it. */
function taintOf(
  recalled: readonly RecalledFact[],
  facts: readonly Fact[],
  { taint }: SessionState,
): readonly SessionEvent[] {
  const sources = untrustedAmong(recalled, facts).map((id) => toSource('input', formatFactSource(id)));
  const fresh = newSources(taint, sources);
  return fresh.length === 0 ? [] : [{ type: 'turn.tainted', sources: fresh }];
}

/** Whether the model has answered nothing in this session yet: later, another beginning would spoil the cache of its server. */
function isFirst({ turn, entries }: SessionState): boolean {
  return turn?.steps === 0 && !entries.some(({ type }) => type === 'assistant');
}

function notice(text: string, level: 'info' | 'warning' = 'info'): SessionEvent {
  return { type: 'notice', level, text };
}
