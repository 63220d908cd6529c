import { failsByArguments } from '../../adapters/files/file-tools.ts';
import { targetPath } from '../../adapters/files/target-path.ts';
import { locate } from '../../core/gate/place.ts';
import { judge } from '../../core/policy.ts';
import { isProject } from '../../core/taint/places.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import type { EffectContext } from '../session.ts';
import type { Hands } from './hands.ts';

/**
 * Why a call of our file tools fails as things stand, where the model may be told so unasked; null for any other call. A reason tells of what is
 * there: of the project's own files, and of others as far as the model may read them unasked anyway. A secret is not tried out that way.
 */
export async function tellableProblem(
  call: ToolCall,
  preview: CallPreview,
  { state }: Pick<EffectContext, 'state'>,
  hands: Pick<Hands, 'gate' | 'sharedShell'>,
): Promise<string | null> {
  const { problem, path } = preview;
  if (problem === undefined) return null;
  if (path === undefined) return failsByArguments(call.name, call.arguments) ? problem : null;
  const asReading = judge({ ...call, name: 'aish.read_file', effect: 'read' }, state().settings, preview);
  if (asReading.decision === 'allow') return problem;
  if (asReading.rule !== 'default' || preview.foreign === true) return null;
  if (!(await isOfProject(call, path, hands))) return null;
  // What only looks runs unasked: a hint may show a line of the file, or the names beside it. Else the bare fact has to do.
  return state().settings.unasked === 'read-only' ? problem : (problem.split('\n')[0] ?? '');
}

/** No secret, neither under the name that the call gives it nor the one that it leads to; and a home directory is nobody's project. */
async function isOfProject(
  { arguments: { path } }: ToolCall,
  real: string,
  { gate, sharedShell }: Pick<Hands, 'gate' | 'sharedShell'>,
): Promise<boolean> {
  const ground = await gate.ground();
  const { named } = targetPath(String(path), sharedShell.cwd);
  return isProject(ground) && ![named, real].some((one) => locate(one, null, ground).isSecret);
}
