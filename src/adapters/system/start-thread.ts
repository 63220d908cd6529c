import { ptr } from 'bun:ffi';
import { Worker } from 'node:worker_threads';
import { startedIn } from './own-program.ts';
import { once, openLibC } from './system-calls.ts';

/**
 * Starts a thread that opens no file of the directory the program is in. Bun opens `package.json` and `tsconfig.json` of the
 * directory that it takes for the current one when a thread begins: it takes the checkout for it until then, while the system's
 * own idea stays as it is. A thread has begun when it sends its first message. Meanwhile `resolve` of a relative path would go by
 * the checkout.
 */
export function startThread(entry: string | URL): Worker {
  const checkout = startedIn();
  return checkout === null ? new Worker(entry) : directory().startIn(checkout, entry);
}

/** The current directory belongs to the process, so there is one. */
const directory: () => CurrentDirectory = once(() => new CurrentDirectory());

class CurrentDirectory {
  readonly #starting = new Set<Worker>();

  startIn(checkout: string, entry: string | URL): Worker {
    pretend(checkout);
    const worker = new Worker(entry);
    this.#starting.add(worker);
    const begun = (): void => {
      if (this.#starting.delete(worker) && this.#starting.size === 0) comeBack();
    };
    // Its event `online` comes before it has begun.
    for (const event of ['message', 'error', 'exit']) worker.once(event, begun);
    return worker;
  }
}

/** Bun takes `folder` for the current directory, and the system does not. */
function pretend(folder: string): void {
  try {
    const here = Buffer.from(`${process.cwd()}\0`);
    const libc = openLibC({ chdir: { args: ['ptr'], returns: 'i32' } });
    if (libc === null) return;
    process.chdir(folder);
    libc.chdir(ptr(here));
  } catch {
    // The directory is gone, and so are its files.
  }
}

/** Bun takes the directory that the system has. */
function comeBack(): void {
  try {
    process.chdir(process.cwd());
  } catch {
    // It is gone: relative paths lead nowhere in either.
  }
}
