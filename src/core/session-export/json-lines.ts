import type { Recorded } from '../../protocol/event.ts';
import { toSafeJson } from '../safe-json.ts';

/** A session's facts, one JSON object a line: reading them gives the facts as they were. */
export function formatJsonLines(recorded: readonly Recorded[]): string {
  return recorded.map((one) => `${toSafeJson(one)}\n`).join('');
}
