import { parseHandleLine } from '../../core/meta/meta-line.ts';
import type { SessionState } from '../../core/session/state.ts';
import { newSources, sourcesOfDescriptions, toSource } from '../../core/session/taint-state.ts';
import type { ReadContext } from '../../core/taint/sources-of-line.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { AttachedFile } from '../../protocol/model.ts';
import type { TaintSource, Tool } from '../../protocol/tool.ts';
import type { CommandGate } from '../policy/command-gate.ts';
import { contextAt } from '../policy/line-classifier.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import { lazy } from './lazy.ts';
import type { UntrustedContent } from './untrusted-content.ts';

/** The dependencies that find the source of a text. */
export interface TaintDeps {
  readonly gate: Pick<CommandGate, 'context' | 'contextOf' | 'classify'>;
  readonly outputs: Pick<SessionOutputs, 'find'>;
  readonly untrustedContent: Pick<UntrustedContent, 'below'>;
}

/** The sources by which untrusted content reached the model, and the files that hold some. */
export interface Found {
  readonly sources: readonly TaintSource[];
  readonly written: readonly string[];
}

export const NOTHING: Found = { sources: [], written: [] };

/** The fact that the model is sent untrusted content, as far as it is news; none for nothing. */
export function toTaintFacts({ taint }: SessionState, { sources, written }: Found): readonly SessionEvent[] {
  const fresh = newSources(taint, sources);
  const paths = written.filter((path) => !taint.paths.includes(path));
  if (fresh.length === 0 && paths.length === 0) return [];
  return [{ type: 'turn.tainted', sources: fresh, ...(paths.length === 0 ? {} : { paths }) }];
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
  const { sourcesOfLine, sourcesOfPlace } = await lazy.sources();
  const { FILE_FACTS, toReadContext } = await lazy.fileFacts();
  const sources: TaintSource[] = [];
  const written: string[] = [];
  for (const { line, cwd } of taint.unread) {
    const handle = parseHandleLine(line)?.handle;
    const record = handle === undefined ? null : deps.outputs.find(handle);
    sources.push(...sourcesOfPlace(record));
    const meant = record?.line ?? line;
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

/** The sources of the content of files. */
export async function sourcesOfPaths(paths: readonly string[], place: ReadContext): Promise<readonly TaintSource[]> {
  const { sourcesOfFiles } = await lazy.sources();
  const { FILE_FACTS } = await lazy.fileFacts();
  return sourcesOfFiles(paths, place, FILE_FACTS);
}
