import { judgeLine, type LineGround } from '../../core/gate/judge-line.ts';
import { type BlastRadius, NO_BLAST } from '../../protocol/blast-radius.ts';
import type { ToolCall } from '../../protocol/tool.ts';

/** How long may be counted. */
export interface MeasureOptions {
  /** Milliseconds after which counting stops, and what there is by then is the answer. */
  readonly limit?: number;
}

/** What a line would touch on the tree as it is. Nothing of the line is run, and nothing of the tree is changed. */
export async function measureBlast(
  line: string,
  ground: LineGround,
  _signal: AbortSignal,
  _options: MeasureOptions = {},
): Promise<BlastRadius> {
  const judgement = judgeLine(line, ground);
  if (judgement.class === 'read-only' && judgement.decision === 'allow') return NO_BLAST;
  return { ...NO_BLAST, unknown: judgement.reasons };
}

/** What a call that is no command line would touch, as far as its arguments tell; null for one that tells nothing. */
export async function measureCall(
  _call: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  _ground: LineGround,
  _signal: AbortSignal,
  _options: MeasureOptions = {},
): Promise<BlastRadius | null> {
  return null;
}
