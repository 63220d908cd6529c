import type { BlastRadius } from '../../protocol/blast-radius.ts';
import { type CommandGate, groundAt } from './command-gate.ts';

/** The first answer is there by then, all that comes before the counting included. */
const ANSWER_MS = 125;
const LEAST_MS = 30;
/** So long is counted for somebody who asked for the count itself. */
const PATIENCE_MS = 3000;

type LineGate = Pick<CommandGate, 'blastGround' | 'mayDiffer'>;

/**
 * Counts what a line would touch if it ran in the shared shell now, or in the directory that it was judged for. Nothing of it runs. An answer that
 * says `counting` is followed by another.
 */
export async function* countLine(
  line: string,
  gate: LineGate,
  signal: AbortSignal,
  cwd?: string,
): AsyncGenerator<BlastRadius> {
  const startedAt = performance.now();
  const { countBlast, ground, unsure } = await prepare(line, gate, cwd);
  const limit = Math.max(LEAST_MS, ANSWER_MS - (performance.now() - startedAt));
  for await (const blast of countBlast(line, ground, signal, { limit })) yield unsure ? withDoubt(blast) : blast;
}

/** What a line would touch, for somebody who waits for it. */
export async function measureLine(
  line: string,
  gate: LineGate,
  signal: AbortSignal,
  cwd?: string,
): Promise<BlastRadius> {
  const { measureBlast, ground, unsure } = await prepare(line, gate, cwd);
  const blast = await measureBlast(line, ground, signal, { limit: PATIENCE_MS });
  return unsure ? withDoubt(blast) : blast;
}

async function prepare(line: string, gate: LineGate, cwd: string | undefined) {
  const [{ countBlast, measureBlast }, here] = await Promise.all([
    import('../../adapters/blast/measure.ts'),
    gate.blastGround(),
  ]);
  const ground = cwd === undefined ? here : groundAt(here, cwd);
  return { countBlast, measureBlast, ground, unsure: await gate.mayDiffer(line, ground) };
}

function withDoubt(blast: BlastRadius): BlastRadius {
  return { ...blast, unknown: [...blast.unknown, 'whether zsh reads it as bash does'] };
}
