import { UNKNOWN } from '../../adapters/impact/messages.ts';
import { type Argument, literal } from '../../core/commands/argument.ts';
import type { FileChange } from '../../core/commands/file-change.ts';
import type { Plan } from '../../core/impact/plan-line.ts';
import type { ImpactContext } from '../../core/impact/shell-state.ts';
import { type ChangeReport, NO_CHANGES } from '../../protocol/change-report.ts';
import { isJsonObject } from '../../protocol/json.ts';
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

const ADDRESS = /^(?:https?|wss?|ftp|ssh|git):\/\/(?:[^@/\s]*@)?([^/\s?#]+)/i;

/** The changes by a call that is no command line, as far as its arguments show; null if they show nothing. */
export function planCall(
  call: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  { cwd, home }: Pick<ImpactContext, 'cwd' | 'home'>,
): Plan | null {
  return changesOf(call, home)?.map((change) => ({ change, cwd, isMaybe: false, found: null })) ?? null;
}

function changesOf(
  { name, arguments: given, effect }: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  home: string,
): readonly FileChange[] | null {
  if (effect === 'read') return [];
  const path = typeof given.path === 'string' ? given.path : null;
  if (name === 'aish.write_file' || name === 'aish.edit_file') {
    if (path === null) return null;
    const targets = [atHome(path, home)];
    return name === 'aish.write_file'
      ? [{ do: 'write', targets, how: 'replace', makesFolders: true }]
      : [{ do: 'write', targets, how: 'edit', onlyExisting: true }];
  }
  if (name.startsWith('aish.')) return null;
  const texts = Object.values(given).flatMap((value) => (typeof value === 'string' ? [value] : []));
  const hosts = texts.flatMap((text) => ADDRESS.exec(text)?.[1] ?? []);
  const places = Object.entries(given).filter(
    ([key, value]) => /(path|file|folder|directory|source|destination)$/i.test(key) && typeof value === 'string',
  );
  const named = places.map(([, value]) => String(value)).join(', ');
  const isNested = Object.values(given).some((value) => Array.isArray(value) || isJsonObject(value));
  const what = UNKNOWN.tool(name, named, isNested);
  return [...hosts.map((host): FileChange => ({ do: 'host', name: host })), { do: 'unknown', what }];
}

/** A path as a tool takes it, for whom `~` is the home directory. */
function atHome(path: string, home: string): Argument {
  return { ...literal(path.replace(/^~(?=\/|$)/, home)), text: path };
}
