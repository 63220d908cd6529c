/** Reasons why a place has no checkpoints, and errors of their stores. */

import { AishError } from '../../../protocol/error.ts';

export const OUTSIDE = 'this directory is not in a git repository';
export const NO_OLDER = 'aish has no checkpoints from before this folder became a git repository';
export const BARE = 'this repository is bare, so it has no work tree';
export const INSIDE_GIT = 'this directory is inside the data of a git repository';
export const UNREADABLE = 'git cannot read this repository';
export const LINE_BREAK = 'the path of this repository contains a line break';
export const HOME = 'aish makes no checkpoints of your home directory';
export const OWN_FILES = "aish makes no checkpoints of aish's own files";
export const REPLACED = 'another program replaces it all the time';
export const NO_FOLDER = 'it is a file or a link, not a directory';
export const OTHER_OWNER = 'it belongs to another user';
export const formatOtherOwner = (cwd: string) =>
  `git does not trust this repository, because it belongs to another user; to trust it, run: git config --global --add safe.directory ${cwd}`;
export const formatForeignTree = (root: string) =>
  `core.worktree of this repository points to ${root}, which does not belong to it`;
export const formatForeignGit = (link: string, target: string) =>
  `${link} points to the git data of another work tree, ${target}`;
export const formatBrokenGit = (path: string) => `git finds no repository here, because ${path} is broken`;
export const formatSpecial = (path: string) => `${path} is a pipe or a device, and git would wait for it without end`;
export const formatTooManyFiles = (root: string, most: number) =>
  `${root} contains more than ${most.toLocaleString('en-US')} files, the limit for checkpoints outside a git repository ([checkpoint] max_files)`;
export const formatNoProject = (root: string) =>
  `aish makes no checkpoints of ${root}, because it is not the folder of one project`;
export const formatAboveHome = (root: string) =>
  `aish makes no checkpoints of ${root}, because it contains your home directory`;
export const formatSystem = (root: string) => `aish makes no checkpoints of ${root}, because it belongs to the system`;
export const formatNoStore = (folder: string, why: string) => `aish cannot save checkpoints in ${folder}: ${why}`;
export const unavailable = (why: string) =>
  new AishError('checkpoint.unavailable', why, {
    hint: 'change to the folder of a project; in a large folder, run "git init" first',
  });
export const unusable = (path: string, why: string) =>
  new AishError('checkpoint.unavailable', `aish cannot use ${path}: ${why}`, { hint: `remove ${path} and try again` });
export const outsideTree = (path: string, root: string) =>
  new AishError('checkpoint.outside', `${path} is outside the work tree ${root}`, {
    hint: 'name paths inside the work tree',
  });
export const privateFilesFailed = (folder: string, why: string, cause: unknown) =>
  new AishError('checkpoint.failed', `cannot save the private files of a checkpoint in ${folder}: ${why}`, {
    hint: 'make sure that the folder is writable and the disk is not full',
    cause,
  });
