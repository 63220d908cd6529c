import type { TerminalSize } from '../../../protocol/client.ts';
import type { KeyTaker } from '../approvals/key-taker.ts';

/** The terminal of aish as another program has it for a while. */
export interface TerminalLent {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly size: () => TerminalSize;
  readonly write: (text: string) => void;
  /** Gives all keys to somebody until the answer is called. */
  readonly lendKeys: (taker: KeyTaker) => () => void;
}

/**
 * Runs a program on a terminal of its own, all of whose output and keys pass through: ours is being read already, and two readers would
 * each get half of the keys. Settles with its status, null when a signal ended it.
 */
export async function runOnTerminal(command: readonly string[], lent: TerminalLent): Promise<number | null> {
  const { Pty } = await import('../../../adapters/shell/pty.ts');
  const decoder = new TextDecoder();
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const pty = new Pty({
    command,
    cwd: lent.cwd(),
    env: definedOf(lent.env),
    size: lent.size(),
    onData: (bytes) => lent.write(decoder.decode(bytes, { stream: true })),
    onExit: resolve,
  });
  const onResize = (): void => pty.resize(lent.size());
  const giveBack = lent.lendKeys({ feed: (bytes) => pty.write(bytes) });
  process.on('SIGWINCH', onResize);
  try {
    return await promise;
  } finally {
    process.off('SIGWINCH', onResize);
    giveBack();
  }
}

function definedOf(env: TerminalLent['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
