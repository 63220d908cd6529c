import { nameObject, readLooseObject, writeObject } from '../object-store/loose-object.ts';
import { privateEnvironment } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { isWithheld, keepWithheldContent, readWithheldContent } from '../object-store/withheld.ts';
import { readGit } from '../process/git-process.ts';

/** Reads contents in the order they are named, withheld ones and those of git; null for one that is missing. */
export async function readBlobs(repository: Repository, blobs: readonly string[]): Promise<readonly (Buffer | null)[]> {
  const found = blobs.map(
    (blob) => readWithheldContent(repository.withheldFolder, blob) ?? readLooseObject(repository, 'blob', blob),
  );
  const others = await readFromGit(
    repository,
    blobs.filter((_, at) => found[at] === null),
  );
  let next = 0;
  return found.map((content) => content ?? others[next++] ?? null);
}

/** With one git process for all. */
async function readFromGit(repository: Repository, blobs: readonly string[]): Promise<readonly (Buffer | null)[]> {
  if (blobs.length === 0) return [];
  const call = { ...repository.place, env: privateEnvironment(repository), args: ['cat-file', '--batch'] };
  const output = await readGit({ ...call, input: blobs.map((blob) => `${blob}\n`).join('') }, 'read the checkpoint');
  const contents: (Buffer | null)[] = [];
  let at = 0;
  for (const _ of blobs) {
    const end = output.indexOf(10, at);
    const [, kind, size] = output.toString('latin1', at, end).split(' ');
    const length = kind === 'blob' ? Number(size) : null;
    contents.push(length === null ? null : output.subarray(end + 1, end + 1 + length));
    at = end + 1 + (length === null ? 0 : length + 1);
  }
  return contents;
}

/** Keeps the bytes of a file where a snapshot keeps the path, and returns their name. */
export async function keepContent(
  repository: Repository,
  path: string,
  { mode, content }: { readonly mode: string; readonly content: Buffer },
): Promise<string> {
  if (!isWithheld(path, mode === '120000')) return writeObject(repository, 'blob', content, 'save the restored file');
  const blob = nameObject(repository, 'blob', content);
  keepWithheldContent(repository.withheldFolder, blob, content);
  return blob;
}
