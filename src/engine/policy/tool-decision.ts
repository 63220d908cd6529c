import { resolve } from 'node:path';
import { type OwnFiles, touchOf } from '../../core/commands/protected-files.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { findPathArguments, isGuardedPath, refuseWrite } from '../../core/policy/path-arguments.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { CommandDecision, ToolCall } from '../../protocol/tool.ts';
import { toDecision, toRefused } from './command-decisions.ts';
import { lazy } from './lazy.ts';
import { ARGUMENT_NAMES_OWN, BUILT_IN_RULES, formatNamesLater, formatNamesPrivate, NAMES_OWN } from './messages.ts';
import { withLinks } from './self-protection.ts';

interface LineGate {
  readonly context: () => Promise<LineContext>;
  readonly classify: (line: string, place: LineContext) => Promise<{ readonly classification: Classification }>;
}

/** Decides about a call that is no command of ours: by its paths, by what it writes, and by the commands among its arguments. */
export async function decideTool(call: ToolCall, gate: LineGate): Promise<CommandDecision | null> {
  const context = await gate.context();
  const own = classifyOwnPaths(call, context);
  if (own !== null) return own;
  const argued = await classifyArguments(call, context, gate);
  if (argued?.decision === 'deny') return argued;
  return (await classifyWritten(call, context)) ?? (await classifyKept(call, context)) ?? argued;
}

/** A tool that reads a private file needs an approval, as a command does, whatever rule approves the tool. */
async function classifyKept(call: ToolCall, context: LineContext): Promise<CommandDecision | null> {
  const isOwnTool = call.name.startsWith('aish.');
  // The result of an edit shows a line of the file, or that the file contains the text.
  if (isOwnTool && call.effect !== 'read' && call.name !== 'aish.edit_file') return null;
  const { findKept } = await lazy.privateReads();
  const kept = findKept(pathsOf(call.arguments, context, isOwnTool), context);
  if (kept === null) return null;
  // aish cannot control what a server does with the content.
  const reasons = [isOwnTool ? kept.reading : formatNamesPrivate(kept.path)];
  const kind = call.effect === 'read' ? 'read-only' : 'mutating';
  return { class: kind, decision: 'ask', reasons, hardDenials: [], cwd: context.cwd, rule: BUILT_IN_RULES.private };
}

/**
 * Classifies a write that acts later, or that governs which code may run. aish denies it to its own tools as to a command. For a server's
 * tool it asks, whatever approves the tool, because the effect of the call is unknown here.
 */
async function classifyWritten(call: ToolCall, context: LineContext): Promise<CommandDecision | null> {
  if (call.effect === 'read') return null;
  const isOwnTool = call.name.startsWith('aish.');
  const { cwd } = context;
  const [{ policyOf }, { leadsTo }] = await Promise.all([lazy.effectPolicy(), lazy.namedFile()]);
  const use = call.name === 'aish.edit_file' ? 'edit' : 'replace';
  for (const named of pathsOf(call.arguments, context, isOwnTool)) {
    const real = leadsTo(named);
    const refused = isOwnTool ? refuseWrite({ named, real, use }, context) : null;
    const hardDeny = refused === null ? undefined : policyOf(refused).hardDeny;
    if (refused !== null && hardDeny !== undefined) return toRefused({ effects: [refused] }, hardDeny, cwd);
    if (isOwnTool || !(isGuardedPath(named, context) || isGuardedPath(real, context))) continue;
    const reasons = [formatNamesLater(named)];
    return { class: 'mutating', decision: 'ask', reasons, hardDenials: [], cwd, rule: BUILT_IN_RULES.later };
  }
  return null;
}

/** Guards aish's own files: a built-in tool may read them with an approval, and no tool may do anything else to them. */
function classifyOwnPaths(call: ToolCall, { cwd, home, ours }: LineContext): CommandDecision | null {
  if (ours === undefined) return null;
  const isOwnTool = call.name.startsWith('aish.');
  if (!namesOwn(call.arguments, { cwd, home, ours }, isOwnTool)) return null;
  const reasons = [isOwnTool ? NAMES_OWN : ARGUMENT_NAMES_OWN];
  if (isOwnTool && call.effect === 'read')
    return { class: 'read-only', decision: 'ask', reasons, hardDenials: [], cwd, rule: BUILT_IN_RULES.own };
  return toRefused({ reasons }, 'D3', cwd);
}

/** The paths among the arguments of a tool, absolute. */
function pathsOf(
  args: JsonObject,
  { cwd, home }: Pick<LineContext, 'cwd' | 'home'>,
  isOwnTool: boolean,
): readonly string[] {
  const written = isOwnTool ? [args.path].filter((path) => typeof path === 'string') : (findPathArguments(args) ?? []);
  return written.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, home)));
}

function namesOwn(
  args: JsonObject,
  { cwd, home, ours }: Pick<LineContext, 'cwd' | 'home'> & { readonly ours: OwnFiles },
  isOwnTool: boolean,
): boolean {
  const paths = pathsOf(args, { cwd, home }, isOwnTool);
  const known = withLinks(ours, paths);
  const owned = [...known.paths, ...known.program];
  return paths.some((path) => touchOf(path, owned, false) === 'own') || (!isOwnTool && namesSocket(args, ours));
}

/** A server's command runs at an unknown place: the built-in rules hold for it, and the approval of its tool covers the rest. */
async function classifyArguments(
  call: ToolCall,
  context: LineContext,
  gate: LineGate,
): Promise<CommandDecision | null> {
  if (call.name.startsWith('aish.')) return null;
  const { carriedLines, gravestArgument } = await lazy.rules();
  const lines = objectsIn(call.arguments).flatMap(carriedLines);
  const decided = lines.map(async ({ name, text }) => ({ name, ...(await gate.classify(text, context)) }));
  const classification = gravestArgument(await Promise.all(decided));
  if (classification === null) return null;
  const { refuse } = await lazy.rules();
  const isRefused = classification.decision === 'deny';
  return toDecision(
    isRefused ? refuse(classification) : { decision: 'ask', rule: null, hardDenials: [], classification },
    context.cwd,
  );
}

/** An address that leads to a socket of aish: `unix:/run/…`, `http+unix://%2Frun…`. */
function namesSocket(args: JsonObject, { paths }: OwnFiles): boolean {
  const addresses = objectsIn(args)
    .flatMap((one) => Object.values(one).flat())
    .filter((value): value is string => typeof value === 'string' && /^(?=[a-z+]*unix)[a-z+]+:/i.test(value));
  return addresses.some((address) => paths.some((path) => address.replace(/%2f/gi, '/').includes(path)));
}

/** The arguments, and every object within them. */
function objectsIn(value: Json): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}
