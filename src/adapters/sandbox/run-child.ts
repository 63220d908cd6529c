import { readFileSync } from 'node:fs';
import { watchProcesses } from './process-watch.ts';
import type { SandboxRequest, SandboxResult } from './sandbox.ts';

/** A child that is about to be started. */
export interface ChildCall {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Open files that the child gets as its descriptors from 3 on. */
  readonly descriptors?: readonly number[];
}

/** A child that was started. */
export type SandboxChild = ReturnType<typeof startChild>;

const EXIT_BY_SIGNAL = 128;
const SIGKILL = 9;

/** Starts a child without input, in a group of its own. */
export function startChild({ command, cwd, env, descriptors = [] }: ChildCall) {
  return Bun.spawn([...command], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
  });
}

/**
 * Ends a child and what it has begun. While bubblewrap sets up, its own child does not end with it yet but is in its group; later it is
 * in a session of its own and ends with it. In between it is neither, so it is ended by name, too.
 */
export function endChild(child: SandboxChild): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const begun = childrenOf(child.pid);
  for (const pid of [-child.pid, child.pid, ...begun]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // It has ended, or the system does not tell.
  }
}

/** Passes on what a child prints, and ends it at its time, when it has too many processes or when it is called off. */
export async function followChild(
  child: SandboxChild,
  request: Pick<SandboxRequest, 'plan' | 'signal' | 'onOutput'>,
  options: { readonly isCounted: boolean },
): Promise<SandboxResult> {
  const { signal, plan } = request;
  let ended: SandboxResult['ended'] = null;
  const end = (why: 'time' | 'processes' | 'stopped'): void => {
    ended ??= why;
    endChild(child);
  };
  const stop = (): void => end('stopped');
  const timer = setTimeout(() => end('time'), plan.limits.wallSeconds * 1000);
  signal.addEventListener('abort', stop);
  const watch = options.isCounted ? watchProcesses(child.pid, plan.limits.processes, () => end('processes')) : null;
  if (signal.aborted) stop();
  try {
    await Promise.all([pass(child.stdout, request), pass(child.stderr, request), child.exited]);
  } finally {
    clearTimeout(timer);
    watch?.[Symbol.dispose]();
    signal.removeEventListener('abort', stop);
  }
  return { exit: child.exitCode ?? EXIT_BY_SIGNAL + SIGKILL, ended };
}

async function pass(stream: unknown, { onOutput }: Pick<SandboxRequest, 'onOutput'>): Promise<void> {
  if (!(stream instanceof ReadableStream)) return;
  for await (const bytes of stream) if (bytes instanceof Uint8Array) onOutput(bytes);
}
