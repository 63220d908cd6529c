import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileVersion, PathPlan, RestorePlan } from '../../../protocol/checkpoint.ts';
import { inRoom, privateEnvironment } from '../object-store/private-directory.ts';
import { openRepository, type Repository } from '../object-store/repository.ts';
import { runGit } from '../process/git-process.ts';
import { readBlobs } from '../snapshot/blob.ts';
import { isSameState, readFile } from '../snapshot/work-file.ts';

/** A path's two versions and what they come to together; null if there is none. */
interface ConflictVersions {
  readonly mine: Buffer | null;
  readonly theirs: Buffer | null;
  readonly merged: Buffer | null;
}

/** The result of a merge: bytes and mode. */
interface MergedFile {
  readonly mode: string;
  readonly content: Buffer;
}

/** Both sides of a conflict, to be shown. The version of a link is its target. */
export async function readConflict(plan: RestorePlan, key: string): Promise<ConflictVersions> {
  const repository = await openRepository(plan.root, { apart: plan.apart });
  const path = plan.paths.find((one) => one.key === key);
  if (path === undefined) return { mine: null, theirs: null, merged: null };
  const [theirs = null] = await readBlobs(repository, path.target === null ? [] : [path.target.blob]);
  const merged = path.choices.includes('merged') ? await mergeVersions(repository, path) : null;
  return { mine: readNow(repository, path), theirs, merged: merged?.content ?? null };
}

/** True if three plain files are there to merge. */
export function isMergeable({ now, target, left }: PathPlan): boolean {
  return [now, target, left].every(isPlainFile) && !isSameState(now, left);
}

function isPlainFile(version: FileVersion | null | 'other'): boolean {
  return version !== null && version !== 'other' && version.mode !== '120000';
}

/** Takes the step's own lines back out of what is there now, or puts them in again. Null where the two overlap, or one is no text. */
export async function mergeVersions(repository: Repository, plan: PathPlan): Promise<MergedFile | null> {
  const { now, target, left } = plan;
  if (now === null || now === 'other' || target === null || left === null || !isMergeable(plan)) return null;
  const mine = readNow(repository, plan);
  const [base, theirs] = await readBlobs(repository, [left.blob, target.blob]);
  if (mine === null || !base || !theirs) return null;
  const content = await mergeContents(repository, { mine, base, theirs });
  // If one side alone changed the mode, its change stands.
  return content === null ? null : { mode: now.mode === left.mode ? target.mode : now.mode, content };
}

/** The bytes that a plan was made of; null if others are there by now. */
function readNow(repository: Repository, { key, now }: PathPlan): Buffer | null {
  if (now === null || now === 'other') return null;
  const file = readFile(repository, key);
  return file !== null && file !== 'other' && isSameState(file.version, now) ? file.content : null;
}

async function mergeContents(
  repository: Repository,
  sides: { readonly mine: Buffer; readonly base: Buffer; readonly theirs: Buffer },
): Promise<Buffer | null> {
  return inRoom(repository, 'merge', async (folder) => {
    mkdirSync(folder, { mode: 0o700 });
    for (const [name, content] of Object.entries(sides)) writeFileSync(join(folder, name), content, { mode: 0o600 });
    const args = ['merge-file', '-p', '-q', ...['mine', 'base', 'theirs'].map((name) => join(folder, name))];
    const { exit, stdout } = await runGit({ ...repository.place, env: privateEnvironment(repository), args });
    return exit === 0 ? stdout : null;
  });
}
