import { now } from './clock.ts';

/** A program under a bare pseudo-terminal: bytes in, bytes out, times noted as they arrive. */
export interface Screen {
  readonly pid: number;
  readonly startedAt: number;
  /** Bytes the program has written so far. */
  readonly bytes: number;
  write(text: string): void;
  /** Resolves with the time at which text (without escapes) was first seen at the end of what came since the last `forget`. */
  until(seen: (plain: string) => boolean, what: string): Promise<number>;
  forget(): void;
  /** Settles when the program has ended. */
  readonly ended: Promise<unknown>;
  close(): Promise<void>;
}

const ESCAPES = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[[?>=<()#][0-9;:?<>=!]*[ -/]*[@-~]?|\x1b./g;
const PATIENCE_MS = 20_000;
/** How much of the newest output is looked at: a flood must not be searched whole again with each piece. */
const LOOKED_AT = 4000;

/** Starts a program under a pseudo-terminal of 80 by 24. */
export function openScreen(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  { patienceMs = PATIENCE_MS }: { readonly patienceMs?: number } = {},
): Screen {
  const decoder = new TextDecoder();
  let received = '';
  let bytes = 0;
  let watcher: ((at: number) => void) | undefined;
  const startedAt = now();
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_terminal, chunk) => {
        bytes += chunk.length;
        received += decoder.decode(chunk, { stream: true });
        if (received.length > 100_000) received = received.slice(-10_000);
        watcher?.(now());
      },
    },
  });
  const until: Screen['until'] = (seen, what) =>
    new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        watcher = undefined;
        clearTimeout(timer);
        settle();
      };
      const timer = setTimeout(
        () =>
          finish(() =>
            reject(new Error(`waited in vain for ${what}; the screen had ${JSON.stringify(received.slice(-300))}`)),
          ),
        patienceMs,
      );
      watcher = (at) => {
        if (seen(received.slice(-LOOKED_AT).replaceAll(ESCAPES, ''))) finish(() => resolve(at));
      };
      watcher(now());
    });
  return {
    pid: child.pid,
    startedAt,
    get bytes() {
      return bytes;
    },
    write: (text) => void child.terminal?.write(text),
    until,
    ended: child.exited,
    forget: () => {
      received = '';
    },
    close: async () => {
      child.kill('SIGHUP');
      const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
      await child.exited;
      clearTimeout(timer);
      child.terminal?.close();
    },
  };
}

/** True once anything to read stands on the screen. */
export function anyText(plain: string): boolean {
  return /[^\s]/.test(plain);
}

/** Starts a program and waits for its prompt. */
export async function openPrompt(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  options: { readonly patienceMs?: number } = {},
): Promise<Screen> {
  const screen = openScreen(command, env, cwd, options);
  await screen.until(anyText, 'a prompt');
  await Bun.sleep(300);
  screen.forget();
  return screen;
}
