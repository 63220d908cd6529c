/** How a program that copies files went. */
export interface Copied {
  readonly exit: number;
  /** What it said of what went wrong. */
  readonly wrong: string;
}

/** Runs a program that copies; the signal kills it with all that it has started. */
export async function runCopying(
  command: readonly string[],
  { stdin = null, signal }: { readonly stdin?: Buffer | null; readonly signal?: AbortSignal | undefined } = {},
): Promise<Copied> {
  if (signal?.aborted === true) return { exit: -1, wrong: '' };
  // In a group of its own, so that it can be killed as a whole.
  const child = Bun.spawn([...command], { stdin: stdin ?? 'ignore', stdout: 'ignore', stderr: 'pipe', detached: true });
  const kill = (): void => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  };
  signal?.addEventListener('abort', kill, { once: true });
  try {
    const [wrong, exit] = await Promise.all([child.stderr.text(), child.exited]);
    return { exit, wrong };
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}
