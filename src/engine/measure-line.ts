import type { BlastRadius } from '../protocol/blast-radius.ts';
import type { CommandGate } from './command-gate.ts';

/** Counts what a line would touch if it ran in the shared shell now, or in the directory that it was judged for. Nothing of it runs. */
export async function measureLine(
  line: string,
  gate: Pick<CommandGate, 'ground' | 'mayDiffer'>,
  signal: AbortSignal,
  cwd?: string,
): Promise<BlastRadius> {
  const [{ measureBlast }, here] = await Promise.all([import('../adapters/blast/measure.ts'), gate.ground()]);
  const ground = cwd === undefined ? here : { ...here, cwd };
  const [blast, unsure] = await Promise.all([measureBlast(line, ground, signal), gate.mayDiffer(line, ground)]);
  return unsure ? { ...blast, unknown: [...blast.unknown, 'whether zsh reads it as bash does'] } : blast;
}
