import { isBelow } from '../../core/commands/place.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import { parseHandle } from '../../core/meta/meta-line.ts';
import { findPathArguments } from '../../core/policy/path-arguments.ts';
import { isCommand } from '../../core/policy/policy.ts';
import type { SessionState } from '../../core/session/state.ts';
import { ranNothing, toSource } from '../../core/session/taint-state.ts';
import type { Reach } from '../../core/taint/reach.ts';
import type { ReadContext } from '../../core/taint/sources-of-line.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { CallPreview, CallTaint, ToolCall } from '../../protocol/tool.ts';
import { commandOf } from '../policy/command-gate.ts';
import { lazy } from './lazy.ts';
import { type Found, NOTHING, sourcesOfPaths, type TaintDeps, toTaintFacts } from './request-taint.ts';

/** The fact for the answer of a server's tool, be it an error. */
export function taintFactsOfServer(call: ToolCall, state: SessionState): readonly SessionEvent[] {
  if (call.name.startsWith('aish.')) return [];
  return toTaintFacts(state, { sources: [toSource('server', call.name)], written: [] });
}

/** A server that untrusted content told to write a file of the project may have written that text. */
async function taintOfServer(call: ToolCall, state: SessionState, deps: TaintDeps): Promise<readonly SessionEvent[]> {
  if (!isTainted(state)) return taintFactsOfServer(call, state);
  const { FILE_FACTS, realTarget, toReadContext } = await lazy.fileFacts();
  const place = toReadContext(await deps.gate.context(), []);
  const { cwd, project } = place;
  const written = (findPathArguments(call.arguments) ?? [project])
    .map((path) => realTarget(path, place))
    .filter((path) => FILE_FACTS.exists(path) && isBelow(path, project) && path !== cwd);
  return toTaintFacts(state, { sources: [toSource('server', call.name)], written });
}

/** The content that came before a call of the model, and the call's result if it is a command: the facts that go with its result. */
export async function taintFactsOfCall(
  call: ToolCall,
  preview: CallPreview | undefined,
  state: SessionState,
  deps: TaintDeps & { readonly record?: CommandRecord | undefined; readonly isError?: boolean },
): Promise<readonly SessionEvent[]> {
  if (!call.name.startsWith('aish.')) return taintOfServer(call, state, deps);
  if (call.effect === 'exec') {
    const { reachedNobody } = await lazy.sources();
    const { record } = deps;
    const line = commandOf(call);
    const read = await classifyAt(line, preview?.decided?.cwd, state, deps);
    if (record !== undefined && (reachedNobody(read.classification, record) || ranNothing(line, record))) return [];
    return toTaintFacts(state, await taintOfLine(read, { wasTainted: isTainted(state) }));
  }
  if (call.name === 'aish.output')
    return deps.isError === true ? [] : toTaintFacts(state, await taintOfOutput(call, state, deps));
  // The reason of a failed write may show a line of the file.
  const shows = call.effect === 'read' || deps.isError === true;
  if (!shows || preview?.path === undefined || preview.skill === true) return [];
  const { toReadContext } = await lazy.fileFacts();
  const place = toReadContext(await deps.gate.context(), state.taint.paths, deps.untrustedContent);
  const sources = await sourcesOfPaths([preview.path], place);
  return toTaintFacts(state, { sources, written: [] });
}

/** The content that a command of the model reads, where nothing that it does can change the answer. */
export async function taintOfReading(
  call: ToolCall,
  preview: CallPreview | undefined,
  state: SessionState,
  deps: TaintDeps,
): Promise<Found> {
  const read = await classifyAt(commandOf(call), preview?.decided?.cwd, state, deps);
  return taintOfLine(read, { wasTainted: isTainted(state) });
}

function isTainted({ turn }: SessionState): boolean {
  return (turn?.untrusted ?? []).length > 0;
}

/** An output is of the same origin whenever it is read. */
async function taintOfOutput(call: ToolCall, state: SessionState, deps: TaintDeps): Promise<Found> {
  const handle = parseHandle(String(call.arguments.handle));
  const record = handle === null ? null : deps.outputs.find(handle);
  if (record === null || ranNothing(record.line, record)) return NOTHING;
  if (record.recalled !== undefined) return { sources: (await lazy.sources()).sourcesOfPlace(record), written: [] };
  const read = await classifyAt(record.line, record.cwd, state, deps);
  const { sources } = await taintOfLine(read, { wasTainted: false });
  return { sources, written: [] };
}

/** A line as it was classified where it ran, without links. */
interface ReadLine {
  readonly classification: Classification;
  readonly place: ReadContext;
}

async function classifyAt(
  line: string,
  cwd: string | undefined,
  { taint }: SessionState,
  { gate, untrustedContent }: TaintDeps,
): Promise<ReadLine> {
  const { toReadContext } = await lazy.fileFacts();
  const context = cwd === undefined ? await gate.context() : await gate.contextOf(line, cwd);
  const place = toReadContext(context, taint.paths, untrustedContent);
  const { classification } = await gate.classify(line, place);
  return { classification, place };
}

async function taintOfLine(
  { classification, place }: ReadLine,
  options: { readonly wasTainted: boolean },
): Promise<Found> {
  const { sourcesOfLine } = await lazy.sources();
  const { FILE_FACTS } = await lazy.fileFacts();
  return sourcesOfLine(classification, place, FILE_FACTS, options);
}

/** The taint of a call, because the model had read untrusted content when it made the call; null for nothing. */
export async function taintOfCall(
  call: ToolCall,
  preview: CallPreview,
  state: SessionState,
  deps: Pick<TaintDeps, 'gate'>,
): Promise<CallTaint | null> {
  const sources = state.turn?.untrusted ?? [];
  if (sources.length === 0) return null;
  const reach = await findReach(call, preview, state, deps);
  return reach === null ? null : { sources, ...reach };
}

async function findReach(
  call: ToolCall,
  preview: CallPreview,
  { turn, entries, taint }: SessionState,
  deps: Pick<TaintDeps, 'gate'>,
): Promise<Reach | null> {
  const { reachOf, reachOfSecrets, reachOfServerCall } = await lazy.reach();
  if (!call.name.startsWith('aish.'))
    return reachOfSecrets(preview) ?? reachOfServerCall(call, turn?.untrusted ?? [], entries);
  const { FILE_FACTS, toReadContext } = await lazy.fileFacts();
  const context = toReadContext(await deps.gate.context(), taint.paths);
  if (!isCommand(call)) return reachOf(call, preview, context, FILE_FACTS);
  const { classification } = await deps.gate.classify(commandOf(call), context);
  return reachOf(call, { ...preview, classification }, context, FILE_FACTS);
}
