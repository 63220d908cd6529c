import { readGit } from './git-process.ts';
import { privateEnvironment } from './private-directory.ts';
import type { Repository } from './repository.ts';

/** Reads blobs with one git process, in the order they are named; null for one that is missing. */
export async function readBlobs(repository: Repository, blobs: readonly string[]): Promise<readonly (Buffer | null)[]> {
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

/** Writes bytes as they are into the object store and tells their name. */
export async function writeBlob(repository: Repository, content: Buffer): Promise<string> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin'];
  const call = { ...repository.place, env: privateEnvironment(repository), args, input: content };
  return (await readGit(call, 'keep the merged file')).toString('latin1').trim();
}
