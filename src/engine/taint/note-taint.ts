import type { SessionState } from '../../core/session/state.ts';
import { sourcesOfDescriptions } from '../../core/taint/descriptions.ts';
import type { ReadGround } from '../../core/taint/sources-of-line.ts';
import { newSources, toSource } from '../../core/taint/taint-state.ts';
import type { AttachedFile } from '../../protocol/attachment.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { TaintSource } from '../../protocol/taint.ts';
import type { CallPreview, Tool, ToolCall } from '../../protocol/tool.ts';
import type { CommandGate } from '../gate/command-gate.ts';
import type { EffectContext } from '../session.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import type { TextOfOthers } from './text-of-others.ts';

/** What it takes to tell where text comes from. */
export interface TaintHands {
  readonly gate: Pick<CommandGate, 'ground'>;
  readonly outputs: Pick<SessionOutputs, 'find'>;
  readonly textOfOthers: Pick<TextOfOthers, 'below'>;
}

/** What text of others came to the model by, and which files hold some. */
interface Found {
  readonly sources: readonly TaintSource[];
  readonly written: readonly string[];
}

const NOTHING: Found = { sources: [], written: [] };

/** The fact that the model is sent text of others, as far as it is news; none for nothing. */
export function toTaintFacts({ taint }: SessionState, { sources, written }: Found): readonly SessionEvent[] {
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

/** Notes what the next request shows the model for the first time: tools, commands of the person, files that went along. */
export async function noteRequest(context: EffectContext, tools: readonly Tool[], hands: TaintHands): Promise<void> {
  const state = context.state();
  const described: Found = { sources: sourcesOfDescriptions(tools), written: [] };
  const typed = state.taint.unread.length === 0 ? NOTHING : await taintOfTyped(state, hands);
  const attached = await taintOfFiles(state, hands);
  const all = [described, typed, attached];
  context.record(
    ...toTaintFacts(context.state(), {
      sources: all.flatMap(({ sources }) => sources),
      written: all.flatMap(({ written }) => written),
    }),
  );
}

/** What the person ran since the last request. */
async function taintOfTyped({ taint }: SessionState, hands: TaintHands): Promise<Found> {
  const { sourcesOfLine } = await import('../../core/taint/sources-of-line.ts');
  const { FILE_FACTS, toReadGround } = await import('./file-facts.ts');
  const { parseHandleLine } = await import('../../core/output-line.ts');
  const { groundAt } = await import('../gate/command-gate.ts');
  const ground = await hands.gate.ground();
  const sources: TaintSource[] = [];
  const written: string[] = [];
  for (const { line, cwd } of taint.unread) {
    const handle = parseHandleLine(line)?.handle;
    const meant = handle === undefined ? line : (hands.outputs.find(handle)?.line ?? line);
    const place = toReadGround(groundAt(ground, cwd), [...taint.paths, ...written], hands.textOfOthers);
    const found = sourcesOfLine(meant, place, FILE_FACTS, { wasHeard: false });
    sources.push(...found.sources);
    written.push(...found.written);
  }
  return { sources, written };
}

/** The files that go along with the message of a turn that begins. */
async function taintOfFiles({ turn, entries, taint }: SessionState, hands: TaintHands): Promise<Found> {
  if (turn?.steps !== 0) return NOTHING;
  const asked = entries.findLast((entry) => entry.type === 'user');
  const files: readonly AttachedFile[] = asked?.type === 'user' ? (asked.files ?? []) : [];
  if (files.length === 0) return NOTHING;
  const { realTarget, toReadGround } = await import('./file-facts.ts');
  const ground = await hands.gate.ground();
  const place = toReadGround(ground, taint.paths, hands.textOfOthers);
  const paths = files.map(({ path }) => realTarget(path, place));
  return { sources: await sourcesOfPaths(paths, place), written: [] };
}

async function sourcesOfPaths(paths: readonly string[], place: ReadGround): Promise<readonly TaintSource[]> {
  const { holdsOthers } = await import('../../core/taint/places.ts');
  return paths.filter((path) => holdsOthers(path, place)).map((path) => toSource('file', path));
}

/** A server that was told by text of others to write a file of the project may have written that text. */
async function taintOfServer(call: ToolCall, state: SessionState, hands: TaintHands): Promise<readonly SessionEvent[]> {
  if ((state.turn?.heard ?? []).length === 0) return taintFactsOfServer(call, state);
  const { findPathArguments } = await import('../../core/path-arguments.ts');
  const { isBelow } = await import('../../core/taint/below.ts');
  const { FILE_FACTS, realTarget, toReadGround } = await import('./file-facts.ts');
  const place = toReadGround(await hands.gate.ground(), []);
  const { cwd, project } = place;
  const written = (findPathArguments(call.arguments) ?? [project])
    .map((path) => realTarget(path, place))
    .filter((path) => FILE_FACTS.exists(path) && isBelow(path, project) && path !== cwd);
  return toTaintFacts(state, { sources: [toSource('server', call.name)], written });
}

/** What a call of the model brought before it, and what came of it where it is a command: the facts that go with its result. */
export async function taintFactsOfCall(
  call: ToolCall,
  preview: CallPreview | undefined,
  context: EffectContext,
  hands: TaintHands & { readonly record?: CommandRecord | undefined; readonly isError?: boolean },
): Promise<readonly SessionEvent[]> {
  const state = context.state();
  if (!call.name.startsWith('aish.')) return taintOfServer(call, state, hands);
  if (call.effect === 'exec') {
    const { reachedNobody } = await import('../../core/taint/failed-fetch.ts');
    const { record } = hands;
    const { ranNothing } = await import('../../core/taint/not-found.ts');
    const line = String(call.arguments.command ?? '');
    if (record !== undefined && (reachedNobody(line, record) || ranNothing(line, record))) return [];
    return toTaintFacts(state, await taintOfCommand(call, preview, state, hands));
  }
  if (call.name === 'aish.output') return toTaintFacts(state, await taintOfOutput(call, state, hands));
  // Why a write failed may show a line of what is there.
  const shows = call.effect === 'read' || hands.isError === true;
  if (!shows || preview?.path === undefined) return [];
  const { toReadGround } = await import('./file-facts.ts');
  const place = toReadGround(await hands.gate.ground(), state.taint.paths, hands.textOfOthers);
  const sources = await sourcesOfPaths([preview.path], place);
  return toTaintFacts(state, { sources, written: [] });
}

async function taintOfCommand(
  call: ToolCall,
  preview: CallPreview | undefined,
  state: SessionState,
  hands: TaintHands,
): Promise<Found> {
  const line = String(call.arguments.command ?? '');
  return readLineAt(line, preview?.judged?.cwd, state, hands, { wasHeard: (state.turn?.heard ?? []).length > 0 });
}

/** An output is of the same origin whenever it is read. */
async function taintOfOutput(call: ToolCall, state: SessionState, hands: TaintHands): Promise<Found> {
  const { parseHandle } = await import('../../core/output-line.ts');
  const handle = parseHandle(String(call.arguments.handle));
  const record = handle === null ? null : hands.outputs.find(handle);
  const { ranNothing } = await import('../../core/taint/not-found.ts');
  if (record === null || ranNothing(record.line, record)) return NOTHING;
  const { sources } = await readLineAt(record.line, record.cwd, state, hands, { wasHeard: false });
  return { sources, written: [] };
}

async function readLineAt(
  line: string,
  cwd: string | undefined,
  { taint }: SessionState,
  hands: TaintHands,
  options: { readonly wasHeard: boolean },
): Promise<Found> {
  const { sourcesOfLine } = await import('../../core/taint/sources-of-line.ts');
  const { FILE_FACTS, toReadGround } = await import('./file-facts.ts');
  const { groundAt } = await import('../gate/command-gate.ts');
  const ground = await hands.gate.ground();
  const place = toReadGround(cwd === undefined ? ground : groundAt(ground, cwd), taint.paths, hands.textOfOthers);
  return sourcesOfLine(line, place, FILE_FACTS, options);
}
