import { statSync } from 'node:fs';
import { failsByArguments } from '../../adapters/files/file-tools.ts';
import { targetPath } from '../../adapters/files/target-path.ts';
import { locate } from '../../core/commands/place.ts';
import { applyRules } from '../../core/policy/policy.ts';
import { isProject } from '../../core/taint/sources-of-line.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { findKept } from '../policy/kept-files.ts';
import type { EffectContext } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';

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
