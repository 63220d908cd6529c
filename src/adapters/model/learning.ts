import { applyLesson, type Lesson } from '../../core/model/endpoint-profile.ts';
import { guessLessons, readLesson } from '../../core/model/refusal.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { Completion } from '../../protocol/model.ts';
import { formatLesson } from './messages.ts';
import { ModelFault } from './model-error.ts';
import type { ModelEndpoint } from './models.ts';

/** A lesson that led to an answer. */
export interface Learned {
  readonly lesson: Lesson;
  /** The lesson as the end of a sentence. */
  readonly text: string;
  /** One line of the server's own words. */
  readonly said: string;
}

/** Failures that may be refusals in unknown words. */
const GUESSED: ReadonlySet<string> = new Set(['model.refused', 'model.template']);

/** Most refusals of one request that are guessed at. */
const MOST_GUESSED = 3;

/** A server that contradicts itself would be asked for ever: the last refusal counts as its answer. */
const MOST_REFUSALS = 20;

/** Lessons on trial: they count if the server then answers, or refuses something else. */
interface Trial {
  readonly before: ModelEndpoint;
  readonly known: readonly Learned[];
  /** The words of the refusal that they may answer. */
  readonly said: string;
  /** The lessons to try next. */
  readonly others: readonly (readonly Lesson[])[];
}

/** Asks one server, and leaves out what it refuses, until it answers or refuses something that a request needs. */
export class LearningClient {
  #lessons: readonly Learned[] = [];
  #endpoint: ModelEndpoint;
  #trial: Trial | null = null;
  /** The words that guesses were made for. */
  readonly #guessed = new Set<string>();
  /** The words of the last failure. */
  #failed = '';
  #refusals = 0;

  constructor(endpoint: ModelEndpoint) {
    this.#endpoint = endpoint;
  }

  /** The endpoint with all that is known of it by now. */
  get endpoint(): ModelEndpoint {
    return this.#endpoint;
  }

  get lessons(): readonly Learned[] {
    return this.#lessons;
  }

  /** `sent` gives the body of the last request. */
  async ask(work: (endpoint: ModelEndpoint) => Promise<Completion>, sent: () => string): Promise<Completion> {
    for (;;) {
      try {
        return await work(this.#endpoint);
      } catch (thrown) {
        if (!this.#learn(thrown, sent())) throw thrown;
      }
    }
  }

  #learn(thrown: unknown, sent: string): boolean {
    const { provider = 'openai-chat' } = this.#endpoint;
    const body = parseJsonObject(sent);
    if (!(thrown instanceof ModelFault) || thrown.refusal === null || provider !== 'openai-chat' || body === null)
      return false;
    this.#refusals += 1;
    if (this.#refusals > MOST_REFUSALS) return false;
    const said = withoutNumbers(thrown.said);
    if (this.#trial?.said === said) return this.#tryNext(this.#trial);
    this.#trial = null;
    const profile = this.#endpoint.profile ?? {};
    const lesson = readLesson(thrown.refusal, body, profile);
    if (lesson !== null && this.#take(lesson, thrown.said)) return true;
    const isRepeated = this.#failed === said;
    this.#failed = said;
    const mayGuess = GUESSED.has(thrown.code) || (thrown.code === 'model.server-error' && isRepeated);
    if (!mayGuess || this.#guessed.has(said) || this.#guessed.size >= MOST_GUESSED) return false;
    this.#guessed.add(said);
    const others = guessLessons(thrown.refusal, body, profile);
    return this.#tryNext({ before: this.#endpoint, known: this.#lessons, said, others });
  }

  #tryNext({ before, known, said, others: [next, ...others] }: Trial): boolean {
    this.#endpoint = before;
    this.#lessons = known;
    this.#trial = next === undefined ? null : { before, known, said, others };
    return next?.map((lesson) => this.#take(lesson, said)).includes(true) === true;
  }

  #take(lesson: Lesson, said: string): boolean {
    const next = applyLesson(this.#endpoint.profile ?? {}, lesson);
    if (next === null) return false;
    this.#lessons = [...this.#lessons, { lesson, text: formatLesson(lesson), said }];
    this.#endpoint = { ...this.#endpoint, profile: next };
    return true;
  }
}

/** Two refusals with other numbers, such as ids of requests, are the same. */
function withoutNumbers(said: string): string {
  return said.replaceAll(/[\da-f-]*\d[\da-f-]*/gi, '');
}
