import { join, relative } from 'node:path';
import { projectAround } from '../../../adapters/config/paths.ts';
import type { AppliedCopy, CopyPlace } from '../../../adapters/git/restore/working-copy.ts';
import { isAtWork, RunStore } from '../../../adapters/store/run-store.ts';
import { removeFolder } from '../../../adapters/system/own-file.ts';
import { formatContractEnd } from '../../../core/contract/messages.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { RunRecord } from '../../../protocol/contract.ts';
import type { Setup } from '../setup/setup.ts';
import { retentionOf } from './checkpoints-command.ts';
import * as messages from './messages-extend.ts';

/** Without a change in it, a working copy is removed after so long. */
const FORGOTTEN_MS = 7 * 24 * 60 * 60 * 1000;

/** The user's place when a run begins. */
interface RunStart extends Pick<RunRecord, 'contract' | 'owner' | 'model' | 'cloud'> {
  readonly setup: Setup;
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

/** Copies the project around a directory for a run. Ignored files are not in the copy yet. */
export async function beginCopy({ setup, cwd, signal, ...run }: RunStart): Promise<RunRecord> {
  const store = new RunStore(setup.paths.state);
  await removeForgotten(store, Date.now());
  const project = projectAround(cwd, setup.env.HOME ?? '');
  const record = store.begin({ ...run, project, cwd: relative(project, cwd), begunAt: Date.now() });
  try {
    const { makeWorkingCopy } = await import('../../../adapters/git/restore/working-copy.ts');
    const base = await makeWorkingCopy(project, record.tree, signal);
    store.trustCopy(record);
    store.update(record.id, { base });
    return { ...record, base };
  } catch (thrown) {
    await removeCopy(store, record);
    throw thrown;
  }
}

/** The directory in a working copy that stands for the user's own. */
export function cwdIn({ tree, cwd }: RunRecord): string {
  return join(tree, cwd);
}

/** Removes the working copy of a run, and the run with it. */
export async function removeCopy(store: RunStore, run: RunRecord): Promise<void> {
  await removeFolder(store.folderOf(run));
  store.forget(run);
}

/** Removes copies that nobody needs: they never were complete, or nothing changed in them for days. */
export async function removeForgotten(store: RunStore, now: number): Promise<void> {
  for (const run of store.list()) {
    if (isAtWork(run) || run.begunAt > now - FORGOTTEN_MS) continue;
    if (run.base === null || (await countChanges(run)) === 0) await removeCopy(store, run);
  }
}

/** The working copy of a run that has a snapshot of its start. Throws `AishError` for any other. */
export function placeOf({ id, project, tree, base }: RunRecord): CopyPlace {
  if (base === null) throw messages.notReady(id);
  return { project, tree, base };
}

/** The files that a run changed; null if nobody knows. */
export async function countChanges(run: RunRecord): Promise<number | null> {
  if (run.base === null) return null;
  const { planCopyChanges } = await import('../../../adapters/git/restore/working-copy.ts');
  try {
    return (await planCopyChanges(placeOf(run))).length;
  } catch {
    return null;
  }
}

/** The end of a run and its changes, with the commands for them, in one line. */
export async function describeEnd(run: RunRecord): Promise<string> {
  const end = run.reason === null ? messages.CUT_SHORT : formatContractEnd(run.reason);
  return messages.formatEnded(run.id, end, await describeChanges(run));
}

/** The changes of a run, with the commands for them. */
export async function describeChanges(run: RunRecord): Promise<string> {
  const count = await countChanges(run);
  if (count === 0) return messages.NO_CHANGES;
  return `${count === null ? messages.NO_CHANGES : messages.formatChanged(count)} ${messages.formatOffer(run.id)}`;
}

/** Applies the changes of a run to its project. The copy goes if nothing of it is left to apply. */
export async function applyRun(
  store: RunStore,
  run: RunRecord,
  { setup, sessionId }: { readonly setup: Setup; readonly sessionId: string },
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  if (isAtWork(run)) throw messages.stillAtWork(run.id);
  const { applyWorkingCopy } = await import('../../../adapters/git/restore/working-copy.ts');
  const { snapshotLimits } = setup.settings;
  const done = await applyWorkingCopy(placeOf(run), {
    cwd: join(run.project, run.cwd),
    label: `before the changes of run ${run.id}`,
    sessionId,
    limits: retentionOf(setup),
    most: snapshotLimits,
  });
  const isWhole = done.conflicts.length === 0;
  if (isWhole) await removeCopy(store, run);
  return { text: formatAppliedCopy(run, done), isWhole };
}

function formatAppliedCopy({ id, tree }: RunRecord, { applied, conflicts, checkpoint }: AppliedCopy): string {
  const undo = checkpoint === null ? messages.NOTHING_TO_APPLY : messages.formatUndoneBy(checkpoint);
  return [
    `${messages.formatApplied(id, applied.length)}; ${undo}`,
    ...conflicts.map(({ path, why }) => messages.formatConflict(escapeForDisplay(path), escapeForDisplay(why))),
    ...(conflicts.length === 0 ? [] : [messages.formatKeptCopy(id, escapeForDisplay(tree))]),
  ].join('\n');
}

/** Copies the ignored files of a project; the answer names those that could not be copied. */
export async function copyRest({ project, tree }: RunRecord, signal?: AbortSignal): Promise<string | null> {
  const { copyIgnored } = await import('../../../adapters/git/restore/working-copy.ts');
  const left = await copyIgnored(project, tree, signal);
  return left.length === 0 ? null : messages.formatNotCopied(left.map((name) => escapeForDisplay(name)).join(', '));
}
