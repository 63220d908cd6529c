import { applyRestore, type RestoreOutcome } from './apply.ts';
import { planRestore } from './plan.ts';

/** What to take back. */
export interface RestoreOptions {
  readonly cwd: string;
  /** Null takes back the newest step that changed something and is not taken back already. */
  readonly id: string | null;
  /** Files or directories, absolute or relative to `cwd`. */
  readonly paths?: readonly string[];
  readonly sessionId?: string;
  /** Stops the work before the first file is put back. */
  readonly signal?: AbortSignal | undefined;
  /** Looked at between files: true leaves the rest as it is, and says so of each. */
  readonly shouldEnd?: () => boolean;
}

/** Takes a step back where nobody can be asked: a path that changed since is left alone. */
export async function restoreCheckpoint(options: RestoreOptions): Promise<RestoreOutcome> {
  const { sessionId = '', ...rest } = options;
  const plan = await planRestore({ ...rest, direction: 'undo' });
  return applyRestore(plan, {}, { ...rest, sessionId, keep: options.cwd });
}
