import { statSync } from 'node:fs';
import { failsByArguments } from '../../adapters/files/file-tools.ts';
import { targetPath } from '../../adapters/files/named-file.ts';
import { locate } from '../../core/commands/place.ts';
import { formatRefusal } from '../../core/policy/messages.ts';
import { applyRules, GUARD_RULES, isCommand, mayHold } from '../../core/policy/policy.ts';
import { isProject } from '../../core/taint/sources-of-line.ts';
import type { CallPreview, CallTaint, ToolCall } from '../../protocol/tool.ts';
import { commandOf } from '../policy/command-gate.ts';
import { findKept } from '../policy/private-reads.ts';
import { taintFactsOfCall, taintOfCall } from '../taint/note-taint.ts';
import { type EffectContext, type EffectDeps, withEdit } from './effect-context.ts';
import { CHECKPOINTS_OFF, formatNotRun } from './messages.ts';
import type { RevealedCall } from './secret-injection.ts';

interface SecondLook {
  readonly again: string;
  /** The sandbox was in the way: it is about the shared shell. */
  readonly isBlocked?: true;
}

/** Finds out what a call would do. The rules then allow or deny it, or aish asks the user. */
export async function decideByRules(
  call: ToolCall,
  context: EffectContext,
  deps: EffectDeps,
  second?: SecondLook,
): Promise<void> {
  if (second === undefined && isCommand(call)) await beginAhead(call, context, deps);
  if (isCommand(call)) await deps.sharedShell.start();
  await deps.sharedShell.settled();
  if (context.signal.aborted) return;
  const { settings } = context.state();
  const callId = call.id;
  const revealed = await deps.injector.look(call);
  if (revealed.problem !== null) {
    const text = withEdit(call, context, formatNotRun(revealed.problem));
    return context.record({ type: 'tool-call.completed', callId, text, isError: true });
  }
  const found = await previewCall(revealed, context, deps, second);
  const looked = second === undefined ? found : { ...found, again: second.again };
  const taint = await taintOfCall(call, looked, context.state(), deps);
  const decided = applyRules(call, settings, taint === null ? looked : { ...looked, taint });
  const { rule, held } = decided;
  const isHeld = held !== undefined && rule === GUARD_RULES.untrusted;
  const ruled = taint === null ? looked : withTaint(looked, isHeld ? { ...taint, rule: held } : taint);
  const problem = decided.decision === 'deny' ? null : await tellableProblem(call, ruled, context, deps);
  if (problem !== null) {
    const tainted = await taintFactsOfCall(call, ruled, context.state(), { ...deps, isError: true });
    const text = deps.secrets.redact(problem);
    return context.record(...tainted, { type: 'tool-call.completed', callId, text, isError: true });
  }
  const preview = decided.decision === 'deny' ? ruled : await askHooks(call, ruled, context, deps);
  if (preview === null) return;
  const isBlocked = decided.decision === 'allow' && second?.isBlocked === true;
  const decision = isBlocked || preview.hook !== undefined ? 'ask' : decided.decision;
  if (context.state().contractRun && decision !== 'deny') {
    const { decideByContract } = await import('./contract.ts');
    return decideByContract({ call, preview, isAllowed: decision === 'allow' }, context, deps);
  }
  const wantsSandbox = settings.sandbox === true && isCommand(call) && second?.isBlocked !== true;
  const missing = wantsSandbox && decision === 'ask' ? await deps.sandbox.whyMissing() : null;
  const apart = wantsSandbox ? (missing === null ? { sandboxed: true as const } : { unsandboxed: missing }) : {};
  switch (decision) {
    case 'ask':
      return context.record({
        type: 'approval.requested',
        callId,
        preview: showReasonOnce({ ...preview, ...apart }, deps),
      });
    case 'allow':
      if (settings.autoApprove[rule] === true) await deps.toolbox.noteRuled(call);
      return context.record({ type: 'approval.decided', callId, decision, by: 'policy', rule, preview });
    case 'deny':
      return context.record(
        { type: 'approval.decided', callId, decision, by: 'policy', rule, preview },
        {
          type: 'tool-call.completed',
          callId,
          text: withEdit(call, context, formatRefusal(preview, rule)),
          isError: true,
        },
      );
  }
}

/** To start a shell takes as long as the decision. One waits at a time, so it is for the first of the open calls. */
async function beginAhead(call: ToolCall, { state }: EffectContext, { sandbox }: EffectDeps): Promise<void> {
  const { settings, turn } = state();
  if (settings.autoRun === 'read-only' && turn?.open[0]?.call.id === call.id) await sandbox.begin(commandOf(call));
}

/** The preview after the hooks: with the sentence of a hook that asks for an approval; null if a hook denied the call. */
async function askHooks(
  call: ToolCall,
  preview: CallPreview,
  context: EffectContext,
  { hooks }: Pick<EffectDeps, 'hooks'>,
): Promise<CallPreview | null> {
  if (hooks === null) return preview;
  const { decideByHooks } = await import('./hook-effects.ts');
  return decideByHooks(call, preview, context, await hooks());
}

/** The reason why nothing can be undone in a folder stands in the first prompt only. */
function showReasonOnce(preview: CallPreview, { told }: Pick<EffectDeps, 'told'>): CallPreview {
  const { undoable, why, everywhere, decided } = preview;
  // A command that only reads needs no undo.
  if (undoable || why === undefined || everywhere !== true || decided?.class === 'read-only') return preview;
  if (told.has(why)) return { ...preview, repeated: true };
  told.add(why);
  return preview;
}

/** No rule applies after untrusted content, so the prompt offers none. */
function withTaint(preview: CallPreview, taint: CallTaint): CallPreview {
  if (preview.decided?.proposal === undefined) return { ...preview, taint };
  const { proposal: _, ...decided } = preview.decided;
  return { ...preview, decided, taint };
}

/** The preview of a call that reads a file of a skill; null for any other call. */
async function previewSkill(call: ToolCall, context: EffectContext, deps: EffectDeps): Promise<CallPreview | null> {
  if (call.name !== 'aish.read_file') return null;
  const preview = await deps.toolbox.preview(call, { signal: context.signal });
  const { path, problem } = preview;
  if (path === undefined || problem !== undefined || deps.notes.isFileOfSkill?.(path) !== true) return null;
  return { undoable: true, path, skill: true };
}

/** Classifies and shows exactly the call that would run; events redact its secrets. */
async function previewCall(
  { call, secrets }: RevealedCall,
  context: EffectContext,
  deps: EffectDeps,
  second: SecondLook | undefined,
): Promise<CallPreview> {
  const { settings } = context.state();
  const isRuled = secrets.every(({ rule }) => rule !== undefined);
  const autoRun = second === undefined && isRuled ? settings.autoRun : 'none';
  const skill = await previewSkill(call, context, deps);
  if (skill !== null) return skill;
  const deciding = deps.gate.decide(call, settings.commands, autoRun);
  const handed = secrets.length === 0 ? {} : { secrets };
  // A command that only reads changes nothing that needs an undo.
  const command = isCommand(call) ? await deciding : null;
  if (command?.class === 'read-only') return { undoable: true, decided: command, ...handed };
  const [looked, decided] = await Promise.all([
    deps.toolbox.preview(call, { signal: context.signal, most: settings.snapshotLimits }),
    deciding,
  ]);
  const found = { ...looked, ...handed };
  const off = call.effect !== 'read' && settings.checkpointMode === 'off';
  const preview = off ? { ...found, undoable: false, why: CHECKPOINTS_OFF } : found;
  if (decided === null) return preview;
  // The prompt offers no rule that could not apply here.
  const { proposal, ...plain } = decided;
  const mayPropose = proposal !== undefined && mayHold(decided, preview.undoable);
  return { ...preview, decided: mayPropose ? { ...plain, proposal } : plain };
}

/**
 * The reason that a call of aish's file tools fails as things stand, if the model may learn it without an approval; null for any other
 * call. A reason reveals existing content: of the project's own files, and of others as far as the model may read them without approval
 * anyway. Private files cannot be probed that way, whatever approves the tool.
 */
export async function tellableProblem(
  call: ToolCall,
  preview: CallPreview,
  { state }: Pick<EffectContext, 'state'>,
  deps: {
    readonly gate: Pick<EffectDeps['gate'], 'context'>;
    readonly sharedShell: Pick<EffectDeps['sharedShell'], 'cwd'>;
  },
): Promise<string | null> {
  const { problem, path } = preview;
  if (problem === undefined) return null;
  if (path === undefined) return failsByArguments(call.name, call.arguments) ? problem : null;
  const context = await deps.gate.context();
  const { named } = targetPath(String(call.arguments.path), deps.sharedShell.cwd);
  if (findKept([named, path], context) !== null) return null;
  const bare = problem.split('\n')[0] ?? '';
  // Its other name may be that of a secret.
  const told = hasOtherNames(path) ? bare : problem;
  const asReading = applyRules({ ...call, name: 'aish.read_file', effect: 'read' }, state().settings, preview);
  if (asReading.decision === 'allow') return told;
  if (asReading.rule !== 'default' || preview.foreign === true) return null;
  // A home directory is no project.
  if (!isProject(context) || [named, path].some((one) => locate(one, null, context).isSecret)) return null;
  // Read-only calls run without asking: a hint may show a line of the file, or the names beside it. Otherwise the bare fact is the answer.
  return state().settings.autoRun === 'read-only' ? told : bare;
}

function hasOtherNames(path: string): boolean {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.nlink > 1;
  } catch {
    return false; // Nothing is there that could have one, or nothing that we can read.
  }
}
