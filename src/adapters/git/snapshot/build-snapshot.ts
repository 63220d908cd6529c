import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { adoptObjects } from '../object-store/own-objects.ts';
import { inRoom, privateEnvironment } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { isVersionWithheld, keepWithheldList, readWithheld, type SnapshotContent } from '../object-store/withheld.ts';
import { readGit } from '../process/git-process.ts';
import { isForbiddenByGit } from '../process/raw-path.ts';

/** The version that one path of a built tree holds; null for nothing. */
interface TreeEdit {
  /** Raw path. */
  readonly path: string;
  readonly version: FileVersion | null;
}

/** Writes what a snapshot becomes by the edits. The work tree is not looked at. */
export async function buildSnapshot(
  repository: Repository,
  base: SnapshotContent,
  edits: readonly TreeEdit[],
): Promise<SnapshotContent> {
  const inTree = edits.map((edit) => (isEditWithheld(edit) ? { ...edit, version: null } : edit));
  const tree = await buildTree(
    repository,
    base.tree,
    inTree.filter(({ path }) => !isForbiddenByGit(path, false)),
  );
  return { tree, withheld: buildList(repository, base, edits) };
}

function isEditWithheld({ path, version }: TreeEdit): boolean {
  return version !== null && isVersionWithheld(path, version);
}

function buildList(repository: Repository, base: SnapshotContent, edits: readonly TreeEdit[]): string | null {
  const files = new Map(readWithheld(repository, base));
  let isSame = true;
  for (const { path, version } of edits) {
    if (files.delete(path)) isSame = false;
    if (version === null || !isVersionWithheld(path, version)) continue;
    files.set(path, version);
    isSame = false;
  }
  return isSame ? base.withheld : keepWithheldList(repository.withheldFolder, repository.commonDirectory, files);
}

async function buildTree(repository: Repository, tree: string, edits: readonly TreeEdit[]): Promise<string> {
  if (edits.length === 0) return tree;
  return inRoom(repository, 'build', async (index) => {
    const call = { ...repository.place, env: privateEnvironment(repository, index) };
    await readGit({ ...call, args: ['read-tree', tree] }, 'read the checkpoint');
    const input = Buffer.from(
      sortEdits(edits)
        .map((edit) => formatEdit(repository, edit))
        .join(''),
      'latin1',
    );
    await readGit({ ...call, args: ['update-index', '-z', '--index-info'], input }, 'write the checkpoint');
    // A file that the repository lost must not keep the others from coming back.
    const built = await readGit({ ...call, args: ['write-tree', '--missing-ok'] }, 'write the checkpoint');
    adoptObjects(repository);
    return built.toString('latin1').trim();
  });
}

/** Puts removals first, so that a file can stand where a directory was. */
function sortEdits(edits: readonly TreeEdit[]): readonly TreeEdit[] {
  return [...edits.filter(({ version }) => version === null), ...edits.filter(({ version }) => version !== null)];
}

function formatEdit({ objectFormat }: Repository, { path, version }: TreeEdit): string {
  const none = '0'.repeat(objectFormat === 'sha256' ? 64 : 40);
  return `${version?.mode ?? '0'} ${version?.blob ?? none}\t${path}\0`;
}
