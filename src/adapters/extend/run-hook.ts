import { attempt } from '../../core/text/attempt.ts';
import { killGroup } from '../system/processes.ts';

interface HookRequest {
  /** A line for `/bin/sh`. */
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** One JSON object for its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The end of a hook. */
interface HookEnd {
  /** Its output; complete only if nothing cut it short. */
  readonly output: string;
  readonly errors: string;
  readonly exit: number;
  /** The limit that ended it, or that it could not start; null for neither. */
  readonly cut: 'time' | 'size' | 'start' | null;
}

/** Most bytes of its output, and of its errors. */
const MOST_OUTPUT = 64 * 1024;

/** Runs a hook in a process group of its own, which ends with it, at its limits, and with the signal. */
export async function runHook({ line, cwd, env, input, timeoutMs, signal }: HookRequest): Promise<HookEnd> {
  const child = attempt(
    () =>
      Bun.spawn(['/bin/sh', '-c', line], {
        cwd,
        env,
        detached: true,
        stdin: new TextEncoder().encode(input),
        stdout: 'pipe',
        stderr: 'pipe',
      }),
    null,
  );
  if (child === null) return { output: '', errors: '', exit: -1, cut: 'start' };
  let cut: HookEnd['cut'] = null;
  const end = (why: HookEnd['cut']): void => {
    cut ??= why;
    killGroup(child.pid);
  };
  const stop = (): void => end(null);
  const timer = setTimeout(() => end('time'), timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const read = (stream: ReadableStream<Uint8Array>): Promise<string> => readBounded(stream, () => end('size'));
  try {
    // A process that it left behind may hold its output open: what counts is the hook itself.
    const all = Promise.all([read(child.stdout), read(child.stderr)]);
    const exit = await child.exited;
    killGroup(child.pid);
    const [output, errors] = await all;
    return { output, errors, exit, cut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

async function readBounded(stream: ReadableStream<Uint8Array>, onTooMuch: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) {
    if (text.length > MOST_OUTPUT) continue;
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MOST_OUTPUT) onTooMuch();
  }
  return text;
}
