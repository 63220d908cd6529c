import type { EventOf } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';

/** This many consecutive failures of one call end a turn. */
export const MOST_SAME_FAILURES = 3;

/** This many consecutive runs of one call with one result end a turn. A model may look at a slow process a few times. */
export const MOST_SAME_RESULTS = 4;

/** The last call of a turn, and how often in a row it had the same end. */
export interface RepeatedCall {
  /** Name and arguments. */
  readonly call: string;
  readonly failed: boolean;
  /** The text for the model; failures of one call count together, whatever their texts are. */
  readonly result: string;
  readonly times: number;
}

/** The count after a call; undefined if the call was denied or ended without a result. Any other call starts a new count. */
export function countRepetition(
  before: RepeatedCall | undefined,
  { call, denied }: { readonly call: ToolCall; readonly denied?: true },
  { text, isError, record }: EventOf<'tool-call.completed'>,
): RepeatedCall | undefined {
  if (denied === true || record?.exit === null) return undefined;
  const line = record?.line ?? JSON.stringify(call.arguments);
  const one = {
    call: `${call.name} ${line}`,
    failed: isError || call.invalid !== undefined || (record !== undefined && record.exit !== 0),
    result: record?.output ?? text,
  };
  const isSame = before?.call === one.call && before.failed === one.failed && (one.failed || before.result === one.result);
  return { ...one, times: isSame ? before.times + 1 : 1 };
}

/** The reason to end a turn whose model repeats a call; null to go on. */
export function endOfRepetition(repeated: RepeatedCall | undefined): 'repeated-failure' | 'repeated-call' | null {
  if (repeated === undefined) return null;
  if (repeated.failed) return repeated.times >= MOST_SAME_FAILURES ? 'repeated-failure' : null;
  return repeated.times >= MOST_SAME_RESULTS ? 'repeated-call' : null;
}
