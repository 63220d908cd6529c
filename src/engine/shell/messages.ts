/** Texts about the shared shell, its outputs, the sandbox and dry runs. */

import type { SandboxResult } from '../../adapters/sandbox/sandbox.ts';
import type { SandboxLimits } from '../../core/sandbox/sandbox-plan.ts';
import { formatByteSize } from '../../core/text/truncate.ts';
import type { Driver } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';

export const STOPPED = 'the command was stopped';
export const KEEPS_BRANCHES = 'Undo restores files, not branches: changes to .git stay after you apply them.';
export const formatLasting = (why: string) => `Undo cannot restore these files after you apply them: ${why}.`;
export const formatWriteOutside = (path: string) => `a write to ${path}, outside the project`;
export const dryRunGone = () =>
  new AishError('dry-run.gone', 'this dry run no longer exists', { hint: 'start the dry run again' });
/** The user's own line has no approval prompt. */
export const noDryRun = (why: string, driver: Driver) =>
  new AishError('dry-run.impossible', `cannot dry-run here: ${why}`, {
    hint:
      driver === 'user'
        ? 'leave out :dry-run to run the command for real'
        : 'answer y to run the command for real; :undo restores the files that a checkpoint holds',
  });
export const formatPrinted = (file: string) => `git may print ${file}, which it tracks`;
export const formatShared = (file: string) => `git needs ${file}, which the sandbox hides from other programs`;
export const formatNoSandbox = (why: string) =>
  `read-only commands need your approval, because there is no sandbox: ${why}`;
/** The last line of a command's output that the sandbox ended. */
export const formatEnded = (ended: NonNullable<SandboxResult['ended']>, limits: SandboxLimits) => {
  const why = {
    time: `it ran longer than ${limits.wallSeconds} s`,
    processes: `it started more than ${limits.processes} processes`,
    memory: 'it used more memory than a sandboxed command may use',
    stopped: 'a stop was requested',
  };
  return `\n[aish] ended the command: ${why[ended]}\n`;
};
export const formatExit = (program: string, signal: string | null, status: number | null) =>
  `${program} ${signal === null ? `ended with status ${status ?? '?'}` : `was killed (${signal})`}`;
export const ENDED_BY_AISH = 'aish ended the shell';
export const formatBrokenStart = (exit: string, place: string | null) =>
  `${exit} ${place === null ? 'in a startup file (such as ~/.bashrc or ~/.zshrc)' : `at ${place}`}, so it starts without your startup files; fix the file and start aish again`;
export const formatNewShell = (exit: string, cwd: string, hasExports: boolean) =>
  `${exit}; a new shell starts in ${cwd}, ${hasExports ? 'with your exported variables' : 'with the environment of the start'}, but without your functions, aliases and options`;
export const formatPartOfOutput = (handle: number, why: string) =>
  `aish could not save the whole output %${handle}: ${why}`;
export const formatCutOutput = (handle: number, bytes: number) =>
  `output %${handle} is too long: aish saved its beginning and end, without ${formatByteSize(bytes)} in the middle`;
