/** Errors of git itself. */

import { AishError } from '../../../protocol/error.ts';

const INSTALL = 'install git, or check that it is on the PATH';
export const gitStopped = () => new AishError('git.stopped', 'the git operation was stopped');
export const gitWaits = (cwd: string) =>
  new AishError(
    'git.waits',
    'a pipe stands in the place of a .gitignore or another file of git, and git would wait for it without end',
    {
      hint: `to find it, run "find ${cwd} -type p"`,
    },
  );
/** `purpose`: a verb and its object, such as `read the checkpoint`. */
export const gitFailed = (purpose: string, why: string, cwd: string) =>
  new AishError('git.failed', `cannot ${purpose}: ${why}`, {
    hint: `to see what is wrong with the repository, run "git status" in ${cwd}`,
  });
export const formatExit = (status: number) => `git ended with status ${status}`;
export const diskFull = (purpose: string, cwd: string) =>
  new AishError('git.disk-full', `cannot ${purpose}: the disk is full`, {
    hint: `free some space on the disk of ${cwd}, then try again`,
  });
export const noDirectory = (cwd: string) => new AishError('git.no-directory', `the directory ${cwd} does not exist`);
export const notStarted = (why: string, hint: string | null, cause: unknown) =>
  new AishError('git.not-started', `cannot start git: ${why}`, { hint: hint ?? INSTALL, cause });
export const gitMissing = () => new AishError('git.missing', 'cannot find git', { hint: INSTALL });
export const badFilter = (filter: string) =>
  new AishError('git.failed', `aish cannot turn off the git filter "${filter}", because its name contains =`);
