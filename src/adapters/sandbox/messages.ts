/** Reasons why there is no sandbox, and errors of a sandbox. */

import { AishError } from '../../protocol/error.ts';

export const NO_BUBBLEWRAP = 'bubblewrap is not installed (its program is bwrap)';
export const NO_BASH = 'bash is not installed';
export const UNTESTED = 'aish has not been tested with the sandbox of this system';
export const formatUnknownProcessor = (name: string) => `aish does not know the system calls of ${name}`;
export const formatNotWorking = (why: string) => `bubblewrap does not work here: ${why}`;
export const formatEnded = (status: number) => `it ended with status ${status}`;
export const formatNoProgram = (path: string) => `${path} does not exist`;
export const formatNoSandbox = (system: string) => `aish has no sandbox for ${system}`;
export const setupFailed = (why: string) => new AishError('sandbox.failed', `cannot set up the sandbox: ${why}`);
export const noUnshare = () =>
  new AishError('sandbox.failed', 'cannot mount an overlay, because the program unshare is not installed');
export const projectTooWide = (project: string) =>
  new AishError(
    'sandbox.too-wide',
    `${project} contains folders of the system, so a sandboxed command may not write to it`,
    { hint: 'change to the folder of one project' },
  );
