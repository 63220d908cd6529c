/* All texts of the start of the program. Each follows the prefix `aish: `, so it begins in lower case. */

// A failure that ends the program

/** The reasons of a system for refusing a file. */
export const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'something with this name exists already',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its path is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EIO: 'the disk or terminal reports an input/output error',
  EMFILE: 'aish has too many files open',
  ENFILE: 'the system has too many files open',
};
export const formatUnusable = (path: string, why: string): string => `cannot use ${path}: ${why}`;
export const formatUnwritable = (why: string): string => `cannot write the output: ${why}`;
export const FOLDERS_HINT = 'HOME and the XDG variables set the folders of aish';
export const formatWithheld = (code: string): string =>
  `crashed (${code}). Details are withheld because aish could not check them for secrets.`;

// aish -p

export const formatDenied = (call: string, why: string): string => `denied: ${call}: ${why}`;
export const formatFormDeclined = (server: string): string =>
  `declined: the MCP server ${server} asked for input, and nobody is here to answer`;
export const formatResumeHint = (id: string): string => `to decide yourself, resume the session: aish --resume ${id}`;
export const NO_MESSAGE = 'no message was given';
export const NO_MESSAGE_HINT = 'type one, as in aish "question", or pipe in some text';
export const formatTooMuchInput = (characters: number, most: number): string =>
  `the piped input has ${characters} characters; aish takes at most ${most}`;
export const TOO_MUCH_INPUT_HINT = 'pipe in only a part of it, for example with tail or grep';
export const WAITING_FOR_INPUT =
  'waiting for the end of standard input, because aish sends it with your message; to send none, add </dev/null';

// The shell

export const NO_TERMINAL = 'cannot open the terminal';
export const NO_TERMINAL_HINT = 'for an answer without a terminal: aish -p "question"';
export const NESTED = 'you are in aish already, and aish does not run inside itself';
export const NESTED_HINT = 'type exit to leave it; for one answer: aish -p "question"';

// Subcommands

export const formatWritten = (path: string): string =>
  `Created ${path}. Remove the # before a line to change its value.`;
export const formatExists = (path: string): string => `${path} exists already`;
export const EXISTS_HINT = 'edit it, or move it away first';

export const formatTermAtResume = (option: string): string =>
  `a run that goes on keeps its own terms, so it takes no ${option}`;
export const NEEDS_GOAL = 'aish run needs --goal and --until';
export const NEEDS_WORKTREE = '--apply needs --worktree';

// aish halt

export function formatHalted(sessions: number): string {
  const count = sessions === 1 ? '1 session' : `${sessions} sessions`;
  const stopped = sessions === 0 ? 'The model was not running in any session.' : `Stopped the model in ${count}.`;
  return `${stopped} From now on aish asks before everything that no rule allows.`;
}
export const formatNoDaemon = (path: string): string => `no daemon is running at ${path}, so there is nothing to stop`;
export const NO_DAEMON_HINT = 'to stop the model in a terminal, press Ctrl-\\ there';
