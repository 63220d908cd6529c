import { targetPath } from '../../adapters/files/target-path.ts';
import { findPathArguments } from '../../core/path-arguments.ts';
import { isCommand } from '../../core/policy.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';

/** Absolute paths that a call says it is about; none for a command, whose words tell too little. */
export function touchedPaths(call: ToolCall, preview: CallPreview | undefined, cwd: string): readonly string[] {
  if (isCommand(call)) return [];
  if (preview?.path !== undefined) return [preview.path];
  return (findPathArguments(call.arguments) ?? []).flatMap((path) => {
    try {
      return [targetPath(path, cwd).real];
    } catch {
      // The tool itself says what is wrong with its arguments.
      return [];
    }
  });
}
