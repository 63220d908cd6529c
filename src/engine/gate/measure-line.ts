import { type BlastRadius, NO_BLAST } from '../../protocol/blast-radius.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { type CommandGate, groundAt } from './command-gate.ts';

/** The first answer is there by then, all that comes before the counting included. */
const ANSWER_MS = 100;
/** So long is counted on behind it. */
const LONGEST_MS = 3000;

type LineGate = Pick<CommandGate, 'blastGround' | 'mayDiffer' | 'counter'>;

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
  yield* countWith(line, gate, signal, { cwd, limit: ANSWER_MS });
}

/** What a line would touch, for somebody who waits for it. */
export async function measureLine(
  line: string,
  gate: LineGate,
  signal: AbortSignal,
  cwd?: string,
): Promise<BlastRadius> {
  let last: BlastRadius | null = null;
  for await (const blast of countWith(line, gate, signal, { cwd, limit: LONGEST_MS })) last = blast;
  return last ?? { ...NO_BLAST, unknown: ['what it would touch: the counting was stopped'] };
}

/** Counts what a call that is no command would touch, as far as its arguments tell; nothing for one that tells nothing. */
export async function* countCall(
  call: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  gate: Pick<CommandGate, 'ground'>,
  signal: AbortSignal,
): AsyncGenerator<BlastRadius> {
  const { planCall } = await import('../../adapters/blast/call-steps.ts');
  const ground = await gate.ground();
  const plan = planCall(call, ground);
  if (plan === null) return;
  const { countApart } = await import('../../adapters/blast/count-apart.ts');
  const prepare = async () => ({ counted: { plan }, ground });
  yield* countApart(prepare, signal, { limit: ANSWER_MS, longest: LONGEST_MS });
}

async function* countWith(
  line: string,
  gate: LineGate,
  signal: AbortSignal,
  { cwd, limit }: { readonly cwd: string | undefined; readonly limit: number },
): AsyncGenerator<BlastRadius> {
  const { countApart } = await import('../../adapters/blast/count-apart.ts');
  const thread = (await gate.counter.take()) ?? undefined;
  // Whether it does is known only once it was looked up.
  let mayDiffer = false;
  const prepare = async () => {
    const here = await gate.blastGround();
    const ground = cwd === undefined ? here : groundAt(here, cwd);
    mayDiffer = await gate.mayDiffer(line, ground);
    return { counted: { line }, ground };
  };
  for await (const blast of countApart(prepare, signal, { limit, longest: LONGEST_MS, thread }))
    yield mayDiffer ? withDoubt(blast) : blast;
}

function withDoubt(blast: BlastRadius): BlastRadius {
  return { ...blast, unknown: [...blast.unknown, 'whether zsh reads it as bash does'] };
}
