/** Texts about checkpoints: why a change is in none, and errors. */

import { AishError } from '../../../protocol/error.ts';

export const OTHER_STAGED = 'because another version is staged';
export const MAYBE_SECRET = 'because it may contain a secret and git does not track it';
export const LARGE_FILE = 'the file is too large for a checkpoint (over 10 MB)';
export const OUTSIDE_TREE = 'the path leaves the work tree';
export const OTHER_REPOSITORY = 'the path is inside another repository';
/** Why a file stays whose place no other file can take. */
export const MOUNTED = 'a file system is mounted in its place; unmount it first';
/** Why aish does not touch a path that only a link leads to. */
export const BEYOND_LINK = 'a parent directory is now a symbolic link';
/** Why aish does not touch what is, or may be, git's own. */
export const GIT_DATA = "the path is inside git's own data";
export const formatIgnored = (path: string) => `git ignores ${path}, so no checkpoint holds it`;
export const formatLeftOut = (path: string) => `no checkpoint outside a git repository holds ${path}`;
export const formatOutside = (path: string, root: string) => `${path} is outside the work tree ${root}`;
/** `most`: the limits of a checkpoint. */
export const formatTooMany = (files: string, most: string, isRepository: boolean) =>
  isRepository
    ? `no checkpoint holds the ${files} untracked files here, because a checkpoint takes at most ${most}; add them to .gitignore or to git`
    : `no checkpoint holds the ${files} files here, because a checkpoint takes at most ${most}; list files that need none in .gitignore`;
export const formatShared = (checkpoint: string, isSure: boolean) =>
  `${checkpoint}, which ran at the same time, ${isSure ? 'changed it as well' : 'may have changed it'}`;
export const cannotCommit = (why: string, isSigned: boolean) =>
  new AishError('git.failed', `cannot ${isSigned ? 'sign the commit' : 'commit'} before the change: ${why}`, {
    hint: isSigned
      ? 'unlock the signing key, set commit.gpgSign to false for this repository, or set [checkpoint] mode = "ref"'
      : 'commit yourself, or set [checkpoint] mode = "ref"',
  });
export const cannotStage = (why: string) =>
  new AishError('git.failed', `cannot stage the changes before the commit: ${why}`, {
    hint: 'commit yourself, or set [checkpoint] mode = "ref", which stages nothing and runs no filters',
  });
export const cannotSave = (why: string, folder: string) =>
  new AishError('checkpoint.failed', `cannot save the checkpoint: ${why}`, {
    hint: `make sure that ${folder} is writable and has no old .lock files under refs/aish`,
  });
export const linkInTheWay = (link: string) =>
  new AishError(
    'checkpoint.unavailable',
    `${link} is a symbolic link, so git would write the checkpoint to its target`,
    { hint: `check its target, then remove the link: rm ${link}` },
  );
export const cannotRemove = (why: string, folder: string) =>
  new AishError('checkpoint.failed', `cannot delete checkpoints: ${why}`, {
    hint: `make sure that ${folder} is writable and the disk is not full; aish deleted none of them`,
  });
export const cannotList = (file: string, why: string, cause: unknown) =>
  new AishError('checkpoint.failed', `cannot save the list of changed files in ${file}: ${why}`, {
    hint: 'make sure that the file is writable and the disk is not full',
    cause,
  });
export const permissionsGone = () =>
  new AishError('git.failed', 'the file permissions of an earlier snapshot are missing');
export const noCheckpoints = () => new AishError('checkpoint.none', 'there is no checkpoint in this work tree yet');
export const unknownCheckpoint = (id: string | null, known: readonly string[]) =>
  new AishError('checkpoint.unknown', `there is no checkpoint "${id}" in this work tree`, {
    hint: `the newest are ${known.join(', ')}; :checkpoints lists all`,
  });
