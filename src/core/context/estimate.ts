import type { Message, ModelRequest, OfferedTool } from '../../protocol/model.ts';
import { memoize } from '../text/memoize.ts';

/** Letters of code and prose in Latin script that make one token, on average and rather too few. */
const LETTERS_A_TOKEN = 3.6;
/** Characters of other scripts are about a token each with most vocabularies. */
const OTHERS_A_TOKEN = 1.3;
/** Tokens that a chat template adds around each message. */
const AROUND_MESSAGE = 6;
const AROUND_TOOL = 12;
/** Tokens that servers count for one image, as far as they tell. */
const SNAPSHOT = 1000;

/** About how many tokens a text is. The server's own count corrects it later. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x24f) others += 1;
  return Math.ceil((text.length - others) / LETTERS_A_TOKEN + others / OTHERS_A_TOKEN);
}

/** About how many tokens a message is. */
export const estimateMessage = memoize((message: Message): number => {
  const around = AROUND_MESSAGE + estimateTokens(message.content);
  if (message.role === 'user') return around + (message.images ?? []).length * SNAPSHOT;
  if (message.role !== 'assistant') return around;
  const calls = (message.toolCalls ?? []).map((call) => AROUND_TOOL + estimateTokens(call.name + call.arguments));
  const reasoning = message.toolCalls === undefined ? 0 : estimateTokens(message.reasoning ?? '');
  return calls.reduce((sum, one) => sum + one, around + reasoning);
});

/** About how many tokens the offer of a tool is. */
export function estimateTool({ name, description, parameters }: OfferedTool): number {
  return AROUND_TOOL + estimateTokens(name + description + JSON.stringify(parameters));
}

/** About how many tokens a request is. */
export function estimateRequest({ messages, tools }: ModelRequest): number {
  const said = messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  return tools.reduce((sum, tool) => sum + estimateTool(tool), said);
}

/** A count this far from the estimate counts something else: only the uncached part, or nothing at all. */
const MOST_OFF = 3;

/** The factor for estimates of a model, after its server counted a request; null if the count cannot mean that. */
export function correctionOf(estimated: number, counted: number): number | null {
  if (estimated <= 0 || counted <= 0) return null;
  const ratio = counted / estimated;
  return ratio > MOST_OFF || ratio < 1 / MOST_OFF ? null : ratio;
}

/** The shares of a window. */
export interface ContextLimits {
  /** Tokens the model can hold. */
  readonly window: number;
  /** Kept free for the answer. */
  readonly reserve: number;
  /** A longer request is compacted first. */
  readonly most: number;
  /** The most that a compaction leaves, if possible. */
  readonly target: number;
}

/** Per cent of the window that fill it before it is compacted, unless the user says otherwise. */
export const COMPACT_AT = 80;

const LEAST_RESERVE = 256;
const MOST_RESERVE = 8192;

/** Shares out a window of so many tokens. `compactAt` is in per cent. */
export function shareOut(window: number, compactAt: number): ContextLimits {
  const reserve = Math.min(MOST_RESERVE, Math.max(LEAST_RESERVE, Math.floor(window / 8)));
  const most = Math.max(1, Math.min(Math.floor((window * compactAt) / 100), window - reserve));
  return { window, reserve, most, target: Math.floor(most / 2) };
}
