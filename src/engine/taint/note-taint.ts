import { onceEach } from '../../adapters/system/system-calls.ts';
import { isBelow } from '../../core/commands/place.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import { parseHandle, parseHandleLine } from '../../core/meta/handle-line.ts';
import { findPathArguments } from '../../core/policy/path-arguments.ts';
import { isCommand } from '../../core/policy/policy.ts';
import type { SessionState } from '../../core/session/state.ts';
import { newSources, ranNothing, sourcesOfDescriptions, toSource } from '../../core/session/taint-state.ts';
import type { Reach } from '../../core/taint/reach.ts';
import type { ReadContext } from '../../core/taint/sources-of-line.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { AttachedFile } from '../../protocol/model.ts';
import type { CallPreview, CallTaint, TaintSource, Tool, ToolCall } from '../../protocol/tool.ts';
import { type CommandGate, commandOf } from '../policy/command-gate.ts';
import { contextAt } from '../policy/line-classifier.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import type { UntrustedContent } from './untrusted-content.ts';

/** The dependencies that find the source of a text. */
export interface TaintDeps {
  readonly gate: Pick<CommandGate, 'context' | 'contextOf' | 'classify'>;
  readonly outputs: Pick<SessionOutputs, 'find'>;
  readonly untrustedContent: Pick<UntrustedContent, 'below'>;
}

/** The sources by which untrusted content reached the model, and the files that hold some. */
interface Found {
  readonly sources: readonly TaintSource[];
  readonly written: readonly string[];
}

const NOTHING: Found = { sources: [], written: [] };

/** The fact that the model is sent untrusted content, as far as it is news; none for nothing. */
function toTaintFacts({ taint }: SessionState, { sources, written }: Found): readonly SessionEvent[] {
  const fresh = newSources(taint, sources);
  const paths = written.filter((path) => !taint.paths.includes(path));
  if (fresh.length === 0 && paths.length === 0) return [];
  return [{ type: 'turn.tainted', sources: fresh, ...(paths.length === 0 ? {} : { paths }) }];
}

/** The fact for the answer of a server's tool, be it an error. */
export function taintFactsOfServer(call: ToolCall, state: SessionState): readonly SessionEvent[] {
  if (call.name.startsWith('aish.')) return [];
  return toTaintFacts(state, { sources: [toSource('server', call.name)], written: [] });
}

/** The content that the next request shows the model for the first time: tools, commands of the user, attached files. */
export async function taintFactsOfRequest(
  now: () => SessionState,
  tools: readonly Tool[],
  deps: TaintDeps,
): Promise<readonly SessionEvent[]> {
  const state = now();
  const described: Found = { sources: sourcesOfDescriptions(tools), written: [] };
  const typed = state.taint.unread.length === 0 ? NOTHING : await taintOfTyped(state, deps);
  const attached = await taintOfFiles(state, deps);
  const all = [described, typed, attached];
  return toTaintFacts(now(), {
    sources: all.flatMap(({ sources }) => sources),
    written: all.flatMap(({ written }) => written),
  });
}

/** The commands that the user ran since the last request. */
async function taintOfTyped({ taint }: SessionState, deps: TaintDeps): Promise<Found> {
  const { sourcesOfLine } = await lazy.sources();
  const { FILE_FACTS, toReadContext } = await lazy.fileFacts();
  const sources: TaintSource[] = [];
  const written: string[] = [];
  for (const { line, cwd } of taint.unread) {
    const handle = parseHandleLine(line)?.handle;
    const meant = handle === undefined ? line : (deps.outputs.find(handle)?.line ?? line);
    const context = contextAt(await deps.gate.context(), cwd);
    const place = toReadContext(context, [...taint.paths, ...written], deps.untrustedContent);
    const { classification } = await deps.gate.classify(meant, place);
    const found = sourcesOfLine(classification, place, FILE_FACTS, { wasTainted: false, isTyped: true });
    sources.push(...found.sources);
    written.push(...found.written);
  }
  return { sources, written };
}

/** The files that go along with the message of a turn that begins. */
async function taintOfFiles({ turn, entries, taint }: SessionState, deps: TaintDeps): Promise<Found> {
  if (turn?.steps !== 0) return NOTHING;
  const asked = entries.findLast((entry) => entry.type === 'user');
  const files: readonly AttachedFile[] = asked?.type === 'user' ? (asked.files ?? []) : [];
  if (files.length === 0) return NOTHING;
  const { realTarget, toReadContext } = await lazy.fileFacts();
  const context = await deps.gate.context();
  const place = toReadContext(context, taint.paths, deps.untrustedContent);
  const remote = files.flatMap((file) => ('server' in file ? [toSource('server', file.path)] : []));
  const paths = files.flatMap((file) => ('server' in file ? [] : [realTarget(file.path, place)]));
  return { sources: [...remote, ...(await sourcesOfPaths(paths, place))], written: [] };
}

async function sourcesOfPaths(paths: readonly string[], place: ReadContext): Promise<readonly TaintSource[]> {
  const { sourcesOfFiles } = await lazy.sources();
  const { FILE_FACTS } = await lazy.fileFacts();
  return sourcesOfFiles(paths, place, FILE_FACTS);
}

/** A server that untrusted content told to write a file of the project may have written that text. */
async function taintOfServer(call: ToolCall, state: SessionState, deps: TaintDeps): Promise<readonly SessionEvent[]> {
  if ((state.turn?.untrusted ?? []).length === 0) return taintFactsOfServer(call, state);
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
    return toTaintFacts(state, await taintOfLine(read, { wasTainted: (state.turn?.untrusted ?? []).length > 0 }));
  }
  if (call.name === 'aish.output') return toTaintFacts(state, await taintOfOutput(call, state, deps));
  // The reason of a failed write may show a line of the file.
  const shows = call.effect === 'read' || deps.isError === true;
  if (!shows || preview?.path === undefined) return [];
  const { toReadContext } = await lazy.fileFacts();
  const place = toReadContext(await deps.gate.context(), state.taint.paths, deps.untrustedContent);
  const sources = await sourcesOfPaths([preview.path], place);
  return toTaintFacts(state, { sources, written: [] });
}

/** An output is of the same origin whenever it is read. */
async function taintOfOutput(call: ToolCall, state: SessionState, deps: TaintDeps): Promise<Found> {
  const handle = parseHandle(String(call.arguments.handle));
  const record = handle === null ? null : deps.outputs.find(handle);
  if (record === null || ranNothing(record.line, record)) return NOTHING;
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

/** Modules that taint tracking loads at the first request or call. */
const lazy = onceEach({
  /** Looks at files: only where a line or a call names some. */
  fileFacts: () => import('./file-facts.ts'),
  /** The sources of a line's output, and whether a fetch reached anybody. */
  sources: () => import('../../core/taint/sources-of-line.ts'),
  /** Whether a call reaches out: only after untrusted content was read. */
  reach: () => import('../../core/taint/reach.ts'),
});
