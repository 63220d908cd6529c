import type { SessionState } from '../../src/core/session/state.ts';
import { isJsonObject } from '../../src/protocol/json.ts';

/** The whole of a state as text in one order, so that two processes can compare theirs. */
export function stateDigest(state: SessionState): string {
  return JSON.stringify(state, (_, value: unknown) => {
    if (value instanceof Map) return { map: [...value] };
    if (value instanceof Set) return { set: [...value] };
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** The place at which two digests begin to differ; null if they are the same. */
export function firstDifference(one: string, other: string): string | null {
  if (one === other) return null;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 120);
  return `…${one.slice(from, at + 200)}\n  instead of\n…${other.slice(from, at + 200)}`;
}
