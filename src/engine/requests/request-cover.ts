import { concealRequest, concealTool } from '../../core/conceal-request.ts';
import type { Cover } from '../../core/session/conceal-event.ts';
import type { ModelRequest, OfferedTool } from '../../protocol/model.ts';
import type { SecretKeeper } from '../secrets/secret-keeper.ts';

/** A shorter text is looked at as quickly as it is found again. */
const SHORTEST = 200;

interface KnownTool {
  readonly name: string;
  readonly described: string;
  readonly covered: OfferedTool;
}

/** The last look over each request of a session. What the one before held, and nothing new is known of, is not looked at again. */
export class RequestCover {
  readonly #keeper: Pick<SecretKeeper, 'cover' | 'edition'>;
  /** Covered texts of the request before, and what was known then. */
  #texts: ReadonlyMap<string, string> = new Map();
  #edition: object | null = null;
  /** Covered tools by their parameters, which are the same from request to request. */
  #tools = new WeakMap<object, KnownTool>();

  constructor(keeper: Pick<SecretKeeper, 'cover' | 'edition'>) {
    this.#keeper = keeper;
  }

  /** The request without secrets. Tools with parameters of `plain` hold none. */
  cover({ messages, tools }: ModelRequest, plain: ReadonlySet<object> = new Set()): ModelRequest {
    const { cover, edition } = this.#keeper;
    const isKnown = edition === this.#edition;
    const before = isKnown ? this.#texts : new Map<string, string>();
    if (!isKnown) this.#tools = new WeakMap();
    const texts = new Map<string, string>();
    const text = (one: string): string => {
      if (one.length < SHORTEST) return cover.text(one);
      const covered = before.get(one) ?? cover.text(one);
      texts.set(one, covered);
      return covered;
    };
    const covered = concealRequest({ messages, tools: [] }, { text, known: cover.known });
    const offered = tools.map((tool) => (plain.has(tool.parameters) ? tool : this.#coverTool(tool, cover)));
    this.#texts = texts;
    this.#edition = edition;
    return { ...covered, tools: offered };
  }

  #coverTool(tool: OfferedTool, cover: Cover): OfferedTool {
    const known = this.#tools.get(tool.parameters);
    if (known?.name === tool.name && known.described === tool.description) return known.covered;
    const covered = concealTool(tool, cover);
    this.#tools.set(tool.parameters, { name: tool.name, described: tool.description, covered });
    return covered;
  }
}
