/** Texts about configuration files and the private folder. */

import { AishError } from '../../protocol/error.ts';

export const NOT_REGULAR = 'it is not a regular file';
export const TOO_LARGE = 'it is larger than 1 MiB';
export const NO_FOLDER = 'is not a folder';
export const OTHER_OWNER = 'belongs to another user';
export const OPEN_TO_OTHERS = 'is open to other users';
const OWN_FOLDER = 'set XDG_RUNTIME_DIR to a folder of your own';
/** `source`: the option or variable that names the file. */
export const configNotFound = (path: string, source: string) =>
  new AishError('config.not-found', `there is no configuration file ${path}`, {
    hint: `${source} names this file; to create it, run: aish config init`,
  });
export const unreadableConfig = (path: string, why: string, cause?: unknown) =>
  new AishError('config.unreadable', `cannot read the configuration ${path}: ${why}`, {
    hint: 'make sure that you can read it, or name another file with --config',
    cause,
  });
export const formatBadProjectFile = (mistake: string) => `${mistake}; aish ignores this project file`;
export const formatChangedProjectFile = (path: string) =>
  `${path} has changed since you trusted it, so it can only make settings stricter; to see the changes, run: aish config trust`;
export const formatLooserKeys = (path: string, keys: string) =>
  `${path}: aish ignores ${keys}, because an untrusted project file can only make settings stricter; to trust it, run: aish config trust`;
export const formatOwnersKeys = (path: string, keys: string) =>
  `${path}: aish ignores ${keys}, because only your own configuration can set them`;
export const formatUnmatched = (rule: string, line: string) => `${rule} does not match its example ${line}`;
export const formatMatched = (rule: string, line: string) => `${rule} matches ${line}, but no_match lists it`;
export const noFolder = (path: string, other: string) =>
  new AishError('folder.unusable', `cannot make the folder ${path}, nor one in ${other} instead`, { hint: OWN_FOLDER });
export const failedFolder = (path: string, cause: unknown) =>
  new AishError(
    'folder.unusable',
    `cannot make the folder ${path}: ${cause instanceof Error ? cause.message : cause}`,
    { hint: OWN_FOLDER, cause },
  );
export const relativeHome = (home: string) =>
  new AishError('folder.unusable', `HOME is ${home}, but it must be an absolute path`, {
    hint: 'set HOME to the full path of your home directory',
  });
export const unsafeFolder = (path: string, why: string) =>
  new AishError('folder.unsafe', `${path} ${why}, so aish does not use it`, {
    hint: 'remove it, or make it private with: chmod 700',
  });
