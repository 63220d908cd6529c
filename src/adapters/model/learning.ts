import { applyLesson, type Lesson } from '../../core/model/endpoint-profile.ts';
import { readLesson } from '../../core/model/refusal.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { Completion, EndpointProfile } from '../../protocol/model.ts';
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

/** Asks one server, and leaves out what it refuses, until it answers or refuses something that a request needs. */
export class LearningClient {
  readonly lessons: Learned[] = [];
  #endpoint: ModelEndpoint;

  constructor(endpoint: ModelEndpoint) {
    this.#endpoint = endpoint;
  }

  /** The endpoint with all that is known of it by now. */
  get endpoint(): ModelEndpoint {
    return this.#endpoint;
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

  /** Each lesson changes the profile, so the lessons come to an end. */
  #learn(thrown: unknown, sent: string): boolean {
    const { provider = 'openai-chat' } = this.#endpoint;
    if (!(thrown instanceof ModelFault) || thrown.refusal === null || provider !== 'openai-chat') return false;
    const profile: EndpointProfile = this.#endpoint.profile ?? {};
    const body = parseJsonObject(sent);
    const lesson = body === null ? null : readLesson(thrown.refusal, body, profile);
    const next = lesson === null ? null : applyLesson(profile, lesson);
    if (lesson === null || next === null) return false;
    this.lessons.push({ lesson, text: formatLesson(lesson), said: thrown.said });
    this.#endpoint = { ...this.#endpoint, profile: next };
    return true;
  }
}
