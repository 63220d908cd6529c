/** Names of built-in rules that ask or deny, in the log and on the screen. */
export const BUILT_IN_RULES = {
  denies: 'built-in rule',
  private: 'private files',
  later: 'files that run later',
  own: "aish's own files",
} as const;

/* Why a call needs an approval or is denied. Each is a clause that can stand alone. */

export const TOO_MANY_FILES = 'names more files than aish looks up before a command runs';
export const formatCredentials = (path: string) => `prints credentials: ${path}`;
export const formatPrivate = (path: string) => `reads a file that only you can read: ${path}`;
export const MAY_BE_REDEFINED = 'aish cannot tell whether your shell redefines these words';
export const SHELL_MAY_DIFFER = 'your shell may read this command differently';
export const READS_UNNAMED = 'reads a file whose name only your shell knows';

export const formatNamesPrivate = (path: string) => `an argument names a private file: ${path}`;
export const formatNamesLater = (path: string) => `an argument names a file that runs later: ${path}`;
export const NAMES_OWN = "the path leads to aish's own files";
export const ARGUMENT_NAMES_OWN = "an argument names aish's own files";

export const GIT_OTHER_REPOSITORY = 'git may print files of another repository';
export const GIT_CHECKPOINT = 'git may print files of a checkpoint';
export const GIT_UNREACHABLE = 'git may print objects that no branch contains any more';
export const GIT_UNSEARCHED = 'git may print credentials, because aish could not search the whole history';
export const formatGitSecret = (name: string) => `git may print ${name}, which is or was in the repository`;

/*
 * Changes after the user saw a command.
 */

export const formatFileChanged = (path: string) => `the file ${path} has changed since you saw the command`;
export const formatMeaningUnknown = (name: string) =>
  `aish cannot tell whether ${name} still means the same to your shell`;
export const formatMeaningChanged = (name: string) =>
  `${name} means something else to your shell than when you saw the command`;

/** An unknown effect of a command. */
export const ESTIMATE_STOPPED = 'the estimate stopped before its end';
