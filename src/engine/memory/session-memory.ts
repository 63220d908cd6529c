import { existsSync } from 'node:fs';
import { findProjectFile } from '../../adapters/config/load.ts';
import { REMEMBER } from '../../core/context/messages.ts';
import type { SessionState } from '../../core/session/state.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { RecalledFact } from '../../protocol/memory.ts';
import type { Recall } from './recall-facts.ts';

interface MemoryContext {
  /** The present directory of the shell. */
  readonly cwd: () => string;
  readonly state: string;
  readonly home: string;
}

/** The facts from earlier sessions in the requests of a session. A session without facts loads nothing more. */
export class SessionMemory {
  facts: readonly RecalledFact[];
  readonly #context: MemoryContext;
  #recall: Recall | null = null;

  /** `facts` were in the last request of a stored session. */
  constructor(context: MemoryContext, facts: readonly RecalledFact[]) {
    this.#context = context;
    this.facts = facts;
    setTimeout(() => this.#readAhead().catch(() => {}), 1000).unref();
  }

  /** Chooses the facts with the first message, and later drops those that the user forgot. Returns new notices. */
  async look(state: SessionState): Promise<readonly SessionEvent[]> {
    if (!this.#isThere() && this.facts.length === 0) return [];
    const isElsewhere = this.facts.length === 0 && this.#recall?.cwd !== this.#context.cwd();
    if (this.#recall === null || isElsewhere) this.#recall = await this.#open();
    return this.#recall.look(state, this);
  }

  /** Reads the facts while the user types. */
  async #readAhead(): Promise<void> {
    if (!this.#isThere()) return;
    this.#recall ??= await this.#open();
    this.#recall.readAhead();
  }

  #isThere(): boolean {
    const { state, cwd } = this.#context;
    return existsSync(`${state}/memory.jsonl`) || findProjectFile(cwd(), 'memory.jsonl') !== null;
  }

  /** Puts the facts that an answer proposes into the inbox. Returns a notice. */
  async propose(answer: string, state: SessionState): Promise<readonly SessionEvent[]> {
    return answer.includes(REMEMBER) ? (await this.#open()).propose(answer, state) : [];
  }

  async #open(): Promise<Recall> {
    const { Recall } = await import('./recall-facts.ts');
    return new Recall({ ...this.#context, cwd: this.#context.cwd() });
  }
}
