/*
 * Why a command does not run in the sandbox without an approval, and why one failed there. Each is a clause that follows a colon.
 */

export const CHANGES_SHELL = 'the command changes only the shell itself';
export const USES_SHELL = 'the command reads or changes the shell itself';
export const USES_MACHINE = 'the command reports on this machine, and the sandbox would show a different one';
export const READS_OTHER_FOLDERS = 'the command reads folders that are different in the sandbox';
export const READS_BEYOND = 'the command reads outside the project, where folders are different in the sandbox';
export const SEARCHES_ALL = 'the command searches the whole system, and the sandbox shows only a part of it';
export const formatEndless = (program: string) => `${program} runs until somebody stops it`;
export const formatShellVariable = (name: string) => `the command uses the shell variable ${name}`;
export const formatNotShown = (path: string) => `the command reads ${path}, which the sandbox does not show`;

export const WROTE = 'the command wrote to a read-only place';
export const NO_NETWORK = 'the sandbox has no network';
export const LIMIT_REACHED = 'the command reached a limit of the sandbox';
export const FORBIDDEN = 'the command tried something that the sandbox forbids';
export const formatHidden = (name: string) => `the sandbox hides ${name}`;
export const formatEmptied = (path: string, folder: string) => `the sandbox does not show ${path}: ${folder} is empty there`;
