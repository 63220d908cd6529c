import { closeSync, openSync } from 'node:fs';
import { errorCode } from '../../protocol/error.ts';

/** Why a program could not be started, and what to do about it. */
interface StartFault {
  /** No program of that name is there, or no folder to start it in. */
  readonly isMissing: boolean;
  /** Ends the sentence "cannot start X: …". */
  readonly why: string;
  /** Null where only who starts it knows. */
  readonly hint: string | null;
}

/** Faults by the system's code. A fault that does not concern the program itself has a hint of its own. */
const FAULTS: Readonly<Record<string, Omit<StartFault, 'isMissing'>>> = {
  ENOENT: { why: 'no such program or working directory', hint: null },
  EACCES: { why: 'you have no permission to run it', hint: null },
  EPERM: { why: 'the system does not allow it', hint: null },
  ENOEXEC: { why: 'the file is not a program', hint: null },
  E2BIG: { why: 'its arguments and environment are too long', hint: null },
  EMFILE: { why: 'aish has too many open files', hint: 'raise the limit: ulimit -n 1024' },
  ENFILE: { why: 'the system has too many open files', hint: 'end other programs, or raise fs.file-max' },
  ENOMEM: { why: 'there is not enough memory', hint: 'end other programs, or raise the memory limit' },
  EAGAIN: { why: 'there are too many processes', hint: 'end other programs, or raise the limit: ulimit -u' },
};

/** Finds out from a thrown value why a program could not be started. */
export function describeStartFault(cause: unknown): StartFault {
  // A terminal that cannot be made gives no code; if no file can be opened any more, that is the reason.
  const code = codeOf(cause) ?? findOpenFault() ?? '';
  const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  const fault = known ?? { why: cause instanceof Error ? cause.message : String(cause), hint: null };
  return { ...fault, isMissing: code === 'ENOENT' };
}

function codeOf(thrown: unknown): string | null {
  return errorCode(thrown) || null;
}

/** The code of the reason why no file can be opened; null where one can. */
function findOpenFault(): string | null {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return null;
  } catch (thrown) {
    return codeOf(thrown);
  }
}
