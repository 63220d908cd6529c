import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';
import type { PinnedFile } from '../../../protocol/contract.ts';
import { openRepository } from '../object-store/repository.ts';
import { readGit } from '../process/git-process.ts';
import { formatRawPath, splitRawPaths } from '../process/raw-path.ts';
import { takeSnapshot } from './snapshot.ts';

/** The files of a project that git does not ignore, relative to it. Throws `AishError` if no snapshot is possible here. */
export async function readProject(project: string, signal: AbortSignal): Promise<readonly string[]> {
  const { place } = await openRepository(project, { signal });
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = await readGit({ ...place, cwd: project, args }, 'list the files of the project');
  return [...new Set(splitRawPaths(listed).map(formatRawPath))];
}

/** The files at these paths, relative to the project, with a hash of each; a link counts as its target's content. */
export function readPinned(project: string, paths: readonly string[]): readonly PinnedFile[] {
  return paths.map((path) => ({
    path,
    sha256: attempt(() => new Bun.CryptoHasher('sha256').update(readFileSync(join(project, path))).digest('hex'), null),
  }));
}

/** A hash of the project's files, as far as a snapshot holds them. */
export async function hashProject(project: string, signal: AbortSignal): Promise<string> {
  return (await takeSnapshot(await openRepository(project, { signal }))).tree;
}
