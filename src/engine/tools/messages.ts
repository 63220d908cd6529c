/** Texts of the built-in tools, for the model and the user. */

import { formatByteSize } from '../../core/text/truncate.ts';

export const NO_LINES = '(no lines in this range)';
export const FAILS = 'the call would fail';
export const EXIT_UNKNOWN = 'the shell ended, so the exit status is unknown';
export const ANSWERED = '; the user answered a hidden prompt';
export const SANDBOXED = '; ran in a sandbox, without network: cd, variables and functions do not last';
export const NO_OUTPUT = '(no output)';
export const formatNoOutput = (handle: string) => `there is no output ${handle}`;
export const formatWithheld = (handle: string) =>
  `${handle} is a place in another session, which you can read once a message of the user names ${handle}`;
export const formatMatches = (count: number) => (count === 1 ? '1 line matches' : `${count} lines match`);
export const formatTooLarge = (bytes: number, most: number) =>
  `the file has ${formatByteSize(bytes)}, but aish saves at most ${formatByteSize(most)}`;
export const formatTooManyFiles = (most: number) => `aish saves at most ${most} files of one result`;
/** The last line of an answer that stops before the end of the output. */
export const formatRest = (end: 'full' | 'slow', next: number) =>
  `[${end === 'full' ? 'more lines' : 'the search stopped at its time limit'}: call again with from=${next}]`;
export const formatMovedShell = (now: string, before: string) => `the shell is now in ${now}; it was in ${before}`;
export const formatMovedTarget = (now: string, before: string) => `the path now leads to ${now}; it led to ${before}`;
export const formatNoTool = (name: string) => `there is no tool ${name}`;
