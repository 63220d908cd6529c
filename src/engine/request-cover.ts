import { concealRequest } from '../core/conceal-request.ts';
import type { ModelRequest } from '../protocol/model.ts';
import type { SecretKeeper } from './secret-keeper.ts';

/** A shorter text is looked at as quickly as it is found again. */
const SHORTEST = 200;

/** The last look over each request of a session. What the one before held, and nothing new is known of, is not looked at again. */
export class RequestCover {
  readonly #keeper: Pick<SecretKeeper, 'cover' | 'edition'>;
  /** Covered texts of the request before, and what was known then. */
  #texts: ReadonlyMap<string, string> = new Map();
  #edition: object | null = null;

  constructor(keeper: Pick<SecretKeeper, 'cover' | 'edition'>) {
    this.#keeper = keeper;
  }

  /** The request without secrets. */
  cover(request: ModelRequest): ModelRequest {
    const { cover, edition } = this.#keeper;
    const before = edition === this.#edition ? this.#texts : new Map<string, string>();
    const texts = new Map<string, string>();
    const text = (one: string): string => {
      if (one.length < SHORTEST) return cover.text(one);
      const covered = before.get(one) ?? cover.text(one);
      texts.set(one, covered);
      return covered;
    };
    const covered = concealRequest(request, { text, known: cover.known });
    this.#texts = texts;
    this.#edition = edition;
    return covered;
  }
}
