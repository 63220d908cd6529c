import { watchProcesses } from './process-watch.ts';
import type { SandboxRequest, SandboxResult } from './sandbox.ts';

/** A child that is about to be started. */
export interface ChildCall {
  readonly command: readonly string[];
  readonly cwd: string;
  /** An open file that the child gets as its descriptor 3. */
  readonly descriptor?: number;
  /** Nothing else bounds the number of its processes. */
  readonly isCounted?: boolean;
}

const EXIT_BY_SIGNAL = 128;
const SIGKILL = 9;

/** Starts a sandboxed child without input, passes on what it prints, and ends it at its time or when it is called off. */
export async function runChild(call: ChildCall, request: SandboxRequest): Promise<SandboxResult> {
  const { env, signal, plan } = request;
  if (signal.aborted) return { exit: EXIT_BY_SIGNAL + SIGKILL, ended: 'stopped' };
  const child = Bun.spawn([...call.command], {
    cwd: call.cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(call.descriptor === undefined ? [] : [call.descriptor])],
  });
  let ended: SandboxResult['ended'] = null;
  const end = (why: 'time' | 'processes' | 'stopped'): void => {
    ended ??= why;
    child.kill('SIGKILL');
  };
  const stop = (): void => end('stopped');
  const timer = setTimeout(() => end('time'), plan.limits.wallSeconds * 1000);
  signal.addEventListener('abort', stop);
  const watch =
    call.isCounted === true ? watchProcesses(child.pid, plan.limits.processes, () => end('processes')) : null;
  try {
    await Promise.all([pass(child.stdout, request), pass(child.stderr, request), child.exited]);
  } finally {
    clearTimeout(timer);
    watch?.[Symbol.dispose]();
    signal.removeEventListener('abort', stop);
  }
  return { exit: child.exitCode ?? EXIT_BY_SIGNAL + SIGKILL, ended };
}

async function pass(stream: unknown, { onOutput }: SandboxRequest): Promise<void> {
  if (!(stream instanceof ReadableStream)) return;
  for await (const bytes of stream) if (bytes instanceof Uint8Array) onOutput(bytes);
}
