import type { Json } from '../../protocol/json.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { TaintSource } from '../../protocol/taint.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import type { Entry } from '../session/state.ts';
import { aliasOf, isDescriptions } from './taint-state.ts';

/** So short a word says nothing that was read elsewhere. */
const SHORT = 12;

/**
 * What a call of a server's tool would do that text of others must not bring about unasked; null for nothing. Nobody knows where a server
 * sends what it is given, so a call counts as a connection. Two things are let through where a rule allows them:
 *
 * - What a server itself answered may lead to another call of it, as long as that hands it nothing new: what the person wrote, what the server
 *   said, and short words. A server learns nothing by it, and does nothing that it could not do on its own.
 * - What servers say of their own tools may lead to calls of their own; and to one of another that hands it nothing but the person's words.
 */
export function reachOfServerCall(
  call: Pick<ToolCall, 'name' | 'arguments'>,
  heard: readonly TaintSource[],
  entries: readonly Entry[],
): string | null {
  const alias = call.name.slice(0, call.name.indexOf('.'));
  const isOwn = (source: TaintSource) => source.kind === 'server' && aliasOf(source) === alias;
  const others = heard.filter((source) => !(isOwn(source) && isDescriptions(source)));
  if (others.length === 0) return null;
  const isHarmless = others.every((source) => isOwn(source) || isDescriptions(source));
  if (isHarmless && handsNothingNew(call.arguments, wordsFor(alias, entries))) return null;
  return `hands what the model knows to the server ${alias}`;
}

/** What the person wrote, and what the server itself has said. */
function wordsFor(alias: string, entries: readonly Entry[]): readonly string[] {
  const called = new Set(
    entries.flatMap((entry) =>
      entry.type === 'assistant'
        ? entry.calls.filter(({ name }) => name.startsWith(`${alias}.`)).map(({ id }) => id)
        : [],
    ),
  );
  return entries.flatMap((entry) => {
    if (entry.type === 'user') return [entry.text];
    return entry.type === 'result' && called.has(entry.callId) ? [entry.text] : [];
  });
}

function handsNothingNew(value: Json, words: readonly string[]): boolean {
  if (typeof value === 'string') return value.length <= SHORT || words.some((text) => text.includes(value));
  if (Array.isArray(value)) return value.every((one) => handsNothingNew(one, words));
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([name, one]) => name.length <= 40 && handsNothingNew(one, words));
}
