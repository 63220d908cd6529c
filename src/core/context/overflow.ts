import { AishError } from '../../protocol/error.ts';

/** The sizes that a server names when it refuses a request as too long. */
export interface Overflow {
  /** Tokens the model can hold, where the server says so. */
  readonly windowTokens?: number;
  /** Tokens the request had. */
  readonly promptTokens?: number;
}

/** The request is longer than the model can hold. */
export class ContextTooLongError extends AishError {
  readonly overflow: Overflow;

  constructor(message: string, hint: string, overflow: Overflow) {
    super('model.context-too-long', message, { hint });
    this.overflow = overflow;
  }
}

/** Servers put it in many words; each of these was seen with one. */
const TOO_LONG = [
  /exceeds? (the |its )?(available |model'?s? |maximum |configured |allowed )*(context|input token|token limit|num_ctx|n_ctx)/i,
  /maximum context length/i,
  /context[ _](length|window|size)(_| (is |was |has been )?)exceeded/i,
  /(prompt|input|request|conversation|messages?) (is |are |was )?(too (long|large|many tokens)|longer than)/i,
  /too many (input |prompt )?tokens/i,
  /(greater|more|longer) than the (model'?s? )?(context|maximum input) (length|window|size)/i,
  /context the overflows|inputs.{0,12} tokens \+ .{0,12}max_new_tokens/i,
  /input (token count|length).{0,80}exceeds?/i,
  /reduce (the length of|your) (the )?(messages|prompt|input)/i,
  /does not fit (in|into) the context/i,
  /not enough (room|space) in the context|context (is )?full|kv cache (is )?full/i,
  /tokens? to keep from the initial prompt/i,
  /max_tokens must be at least 1, got -/i,
  /(超过|超出|大于).{0,30}(长度|上下文|token)|(长度|上下文).{0,20}(超过|超出|过长)/i,
];

/** True where a server's words say that the request is longer than the model can hold. */
export function saysTooLong(message: string): boolean {
  return TOO_LONG.some((pattern) => pattern.test(message));
}

const WINDOW = [
  /maximum context length (?:is|of) (\d+)|max_new_tokens.{0,12} must be <= (\d+)|context length of only (\d+)/i,
  /maximum (?:number of )?(?:input |prompt )?tokens(?: allowed)?(?: is| of)?:? ?\(?(\d+)/i,
  /context (?:size|length|window)(?: of| is)?:? ?\(?(\d+)/i,
  /(?:>|exceeds?|limit(?: of| is)?:?|maximum(?: of| is)?:?|up to|n_ctx:?|num_ctx:?) ?\(?(\d+)(?: tokens?)?\b/i,
];

const PROMPT = [
  /requested (?:about )?(\d+) tokens/i,
  /(?:prompt|input|messages)(?: is| contains?| has| resulted in| of| token count)?:? ?\(?(\d+) ?(?:input )?tokens?/i,
  /(?<!\d)(\d+) tokens?\)?[^.]{0,40}(?:exceeds?|>)/i,
  /token count \(?(\d+)/i,
];

/** The numbers in such words. A window that is not smaller than the request it refused was read wrongly. */
export function readOverflow(message: string): Overflow {
  const plain = message.replaceAll(/(\d)[,_](?=\d{3})/g, '$1');
  const promptTokens = firstNumber(plain, PROMPT);
  const windowTokens = firstNumber(plain, WINDOW);
  const isRight = windowTokens !== undefined && (promptTokens === undefined || windowTokens <= promptTokens);
  return { ...(isRight ? { windowTokens } : {}), ...(promptTokens === undefined ? {} : { promptTokens }) };
}

/** Smaller ones are numbers of something else. */
const SMALLEST = 128;

function firstNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const found = Number(
      pattern
        .exec(text)
        ?.slice(1)
        .find((digits) => digits !== undefined),
    );
    if (found >= SMALLEST) return found;
  }
  return undefined;
}
