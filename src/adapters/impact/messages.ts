/** Notes of an impact preview; each one stands alone in a line. `name` is a path as the command has it. */
export const NOTES = {
  missing: (name: string) => wouldFail(`${name} does not exist`),
  missingYet: (name: string) => `${name} does not exist yet`,
  sameFile: (name: string) => wouldFail(`source and target are the same file, ${name}`),
  emptyName: () => wouldFail('a file name is empty'),
  cleanNeedsForce: () => wouldFail('git clean needs -f here'),
  rmRefuses: (name: string) => `rm refuses to delete ${name}`,
  skipsFolder: (name: string) => `cp skips the folder ${name}`,
  keepsExisting: (name: string) => `${name} exists, and mv leaves it as it is`,
  cannotMove: (name: string, to: string) => `${name} cannot be moved to ${to}`,
  device: (path: string) => `writes to the device ${path}`,
  hardLinks: (name: string) => `${name} has hard links, and the content of all of them changes`,
  mountPoint: (path: string) => `${path} is a mount point: its content would be deleted, the mount point would stay`,
  notWeighed: () => 'git did not report which of these files undo can restore',
};

/** Why a part of a line fails, as far as the parts before it are known. */
export const FAULTS = {
  folder: (sight: Sight, name: string) => fails(sight, `${name} is a folder`),
  file: (sight: Sight, name: string) => fails(sight, `${name} is a file`),
  notFolder: (sight: Sight, name: string) => fails(sight, `${name} is not a folder`),
  notEmpty: (sight: Sight, name: string) => fails(sight, `${name} is not empty`),
  exists: (sight: Sight, name: string) => fails(sight, `${name} already exists`),
  noMatch: (sight: Sight, pattern: string) => fails(sight, `${pattern} matches nothing`),
  noBranch: (sight: Sight, branch: string) => fails(sight, `git has no branch ${branch}`),
  noRevision: (sight: Sight) => fails(sight, 'git finds no such revision or path'),
};

/** Unknown effects; each one follows `effect unknown:`. */
export const UNKNOWN = {
  value: (text: string) => `${text} (unknown value)`,
  directory: (text: string) => `${text} (unknown working directory)`,
  deepPattern: (text: string) => `${text} (matches at any depth)`,
  slowPattern: (text: string) => `${text} (there was no time to expand it)`,
  laterMatches: (text: string) => `${text} (may match files that the line creates)`,
  dashMatches: (text: string) => `${text} (matches names that begin with "-")`,
  splitMatches: (text: string) => `${text} (unquoted, and matches names that contain spaces)`,
  splitByXargs: (text: string) => `${text} (xargs reads it as several names)`,
  severalTargets: (text: string) => `${text} (may be several targets)`,
  deviceTarget: (text: string) => `the result of writing to ${text}`,
  copyIntoItself: (text: string) => `the size of a copy of ${text} into itself`,
  unreadable: (path: string) => `the content of ${path} (unreadable)`,
  noFind: () => 'what find finds (this system has none)',
  findFails: (fault: string) => `what find finds (${fault})`,
  searchLater: () => 'find after the commands before it',
  restOfSearch: () => 'the rest of what find finds (there was no time to search all folders)',
  restOfLine: () => 'the rest of this long line',
  notCounted: (isPartial: boolean) =>
    `${isPartial ? 'further changes' : 'its changes'} (there was no time to count them)`,
  notEnded: () => 'perhaps more changes (the estimate was cut off)',
  cdPath: () => 'the folder that cd goes to (CDPATH is set)',
  missingDirectory: (path: string) => `the directory that the line runs in (${path} does not exist)`,
  git: (verb: string) => `git ${verb} (aish cannot tell whether there is a repository)`,
  gitLater: (verb: string) => `git ${verb} after the commands before it`,
  gitSilent: (verb: string) => `the files that git ${verb} changes (git did not report them)`,
  gitHook: () => "the repository's post-checkout hook",
  gitCleans: (name: string) => `${name}, deleted by git clean`,
  gitHost: () => 'the host that git connects to',
  tool: (tool: string, named: string, hasMore: boolean) =>
    named === '' ? tool : `${tool} on ${named}${hasMore ? ' and more' : ''}`,
};

/** Whether something before in the line has an effect that aish does not know, or runs only perhaps. */
interface Sight {
  readonly isVague: boolean;
  readonly hasMaybe: boolean;
}

const fails = ({ isVague, hasMaybe }: Sight, reason: string): string =>
  `${reason}, so this ${isVague || hasMaybe ? 'may' : 'would'} fail`;
const wouldFail = (reason: string): string => fails({ isVague: false, hasMaybe: false }, reason);
