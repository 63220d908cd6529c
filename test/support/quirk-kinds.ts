import type { AnswerGap } from '../../src/core/session/state.ts';
import type { TurnEnd } from '../../src/protocol/event.ts';
import { answer, callPart, say } from './quirk-replies.ts';
import type { WireBody } from './request-check.ts';

/** One request to a server with a quirk. */
export interface Asked {
  readonly body: WireBody & Readonly<Record<string, unknown>>;
  /** The number of the request to this quirk, from 1. */
  readonly nth: number;
  /** The result of the call is there, so the answer is due. */
  readonly hasResult: boolean;
}

/** How a turn at the server has to end. */
export type Expected =
  /** The call ran, and the answer came. */
  | { readonly end: 'loop' }
  /** An answer came without a call. */
  | { readonly end: 'talk' }
  /** A turn that ends without an answer, and says why. */
  | { readonly end: 'gap'; readonly gap: AnswerGap }
  | { readonly end: 'failed'; readonly code: string }
  | { readonly end: Exclude<TurnEnd, 'completed' | 'failed'> };

/** A server that differs in one thing. */
export interface Quirk {
  readonly expected: Expected;
  readonly chat: (asked: Asked) => Response | Promise<Response>;
  /** The time limit of a request, if a test waits it out; a long one otherwise, because a busy machine is slow. */
  readonly limitMs?: number;
  /** The list of models; the configuration then names no model. */
  readonly models?: () => Response | Promise<Response>;
}

export const LOOP: Expected = { end: 'loop' };
export const failed = (code: string): Expected => ({ end: 'failed', code });
export const gap = (one: AnswerGap): Expected => ({ end: 'gap', gap: one });

/** The usual server: a call, and after its result the answer. */
export function usual({ hasResult }: Asked): Response {
  return hasResult ? say('It says that the sea is blue.') : answer([callPart()], 'tool_calls');
}

/** The usual server, after this reply to its first request. */
export function once(reply: () => Response): Quirk {
  return { expected: LOOP, chat: (asked) => (asked.nth === 1 ? reply() : usual(asked)) };
}

/** The same reply to every request. */
export function always(code: string, reply: () => Response | Promise<Response>): Quirk {
  return { expected: failed(code), chat: reply };
}

/** A server that refuses requests with this fault; null for one without it. */
export function strict(check: (body: Asked['body']) => Response | null, expected: Expected = LOOP): Quirk {
  return {
    expected,
    chat: (asked) => check(asked.body) ?? (asked.body.tools === undefined ? say('I can only talk.') : usual(asked)),
  };
}
