import type { ImpactContext } from '../../core/impact/shell-state.ts';
import { type ChangeReport, NO_CHANGES } from '../../protocol/change-report.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import type { CommandGate } from './command-gate.ts';
import { lazy } from './lazy.ts';
import { contextAt } from './line-classifier.ts';
import { ESTIMATE_STOPPED, SHELL_MAY_DIFFER } from './messages.ts';

/** The first answer is there by then, all that comes before the counting included. */
const ANSWER_MS = 100;
/** The counting goes on so long behind the prompt. */
const LONGEST_MS = 3000;

type LineGate = Pick<CommandGate, 'classify' | 'impactContext' | 'mayDiffer' | 'worker'>;

/**
 * Estimates what a line would change if it ran in the shared shell now, or in the directory that it was classified for. Nothing of it runs.
 * An answer that says `counting` is followed by another.
 */
export async function* countLine(
  line: string,
  gate: LineGate,
  signal: AbortSignal,
  cwd?: string,
): AsyncGenerator<ChangeReport> {
  yield* countWith(line, gate, signal, { cwd, limit: ANSWER_MS });
}

/** Estimates what a line would change, and waits for the whole estimate. */
export async function measureLine(
  line: string,
  gate: LineGate,
  signal: AbortSignal,
  cwd?: string,
): Promise<ChangeReport> {
  // The worker that classifies it goes on to count.
  await gate.classify(line, await placeOf(gate, cwd));
  let last: ChangeReport | null = null;
  for await (const report of countWith(line, gate, signal, { cwd, limit: LONGEST_MS })) last = report;
  return last ?? { ...NO_CHANGES, unknown: [ESTIMATE_STOPPED] };
}

/** Estimates what a tool call would change, from its arguments; nothing if they name nothing. */
export async function* countCall(
  call: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  gate: Pick<CommandGate, 'context'>,
  signal: AbortSignal,
): AsyncGenerator<ChangeReport> {
  const { planCall } = await lazy.planCall();
  const context = await gate.context();
  const plan = planCall(call, context);
  if (plan === null) return;
  const { estimateInThread } = await lazy.estimate();
  const prepare = async () => ({ estimated: { plan }, context });
  yield* estimateInThread(prepare, signal, { limit: ANSWER_MS, longest: LONGEST_MS });
}

async function* countWith(
  line: string,
  gate: LineGate,
  signal: AbortSignal,
  { cwd, limit }: { readonly cwd: string | undefined; readonly limit: number },
): AsyncGenerator<ChangeReport> {
  const { estimateInThread } = await lazy.estimate();
  const thread = (await gate.worker.take()) ?? undefined;
  // Whether it does is known only once it was looked up.
  let mayDiffer = false;
  const prepare = async () => {
    const context = await placeOf(gate, cwd);
    mayDiffer = await gate.mayDiffer(line, context);
    const { classification } = await gate.classify(line, context);
    return { estimated: { classification }, context };
  };
  for await (const report of estimateInThread(prepare, signal, { limit, longest: LONGEST_MS, thread }))
    yield mayDiffer ? { ...report, unknown: [...report.unknown, SHELL_MAY_DIFFER] } : report;
}

async function placeOf(gate: Pick<LineGate, 'impactContext'>, cwd: string | undefined): Promise<ImpactContext> {
  const here = await gate.impactContext();
  return cwd === undefined ? here : contextAt(here, cwd);
}
