import { statSync } from 'node:fs';
import type { Recorded } from '../../protocol/event.ts';

/** A session goes on where its shell stood, while that is still a directory. */
export function placeToBegin(recorded: readonly Recorded[], cwd: string): { cwd: string; warnings: readonly string[] } {
  const last = lastCwd(recorded);
  if (last === undefined || isDirectory(last)) return { cwd: last ?? cwd, warnings: [] };
  return { cwd, warnings: [`the session left off in ${last}, which is gone; its shell begins in ${cwd}`] };
}

/** Where the last command left the shell, whoever ran it. */
function lastCwd(recorded: readonly Recorded[]): string | undefined {
  for (const { event } of recorded.toReversed()) {
    if (event.type !== 'command.completed' && event.type !== 'tool-call.completed') continue;
    if (event.record !== undefined) return event.record.cwd;
  }
  return undefined;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
