import { SYSTEM_PATH } from '../sandbox/bubblewrap-words.ts';
import { UNKNOWN } from './messages.ts';
import type { Pace } from './pace.ts';

/** How a search ended. */
interface Searched {
  readonly isCut: boolean;
  /** Folders that it could not read, as it wrote them. */
  readonly unreadable: readonly string[];
  /** Why it found nothing, or not all; null for no reason. */
  readonly fault: string | null;
}

/** Lets `find` itself evaluate conditions that only search, and passes on each name as it comes, as `find` writes it. */
export async function runFind(
  words: readonly string[],
  cwd: string,
  pace: Pace,
  onFound: (written: string) => Promise<void>,
): Promise<Searched> {
  const program = Bun.which('find', { PATH: SYSTEM_PATH });
  if (program === null) return { isCut: false, unreadable: [], fault: UNKNOWN.noFind() };
  const child = Bun.spawn([program, ...words], { cwd, env: { LC_ALL: 'C' }, stdin: 'ignore', stderr: 'pipe' });
  const stop = (): void => child.kill();
  pace.signal.addEventListener('abort', stop, { once: true });
  try {
    const told = new Response(child.stderr).text();
    const isCut = !(await passOn(child.stdout, pace, onFound));
    if (isCut) stop();
    return { isCut, ...readFaults(await told) };
  } finally {
    stop();
    pace.signal.removeEventListener('abort', stop);
  }
}

/** Passes on the names of a stream; false where there was no time for all of them. */
async function passOn(
  stream: ReadableStream<Uint8Array>,
  pace: Pace,
  onFound: (written: string) => Promise<void>,
): Promise<boolean> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const names = (rest + decoder.decode(chunk, { stream: true })).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) {
      if (!(await pace.breathe())) return false;
      await onFound(name);
    }
  }
  return !pace.isOver;
}

/** A name that is gone by now is no fault, and neither is a warning. */
function readFaults(told: string): Pick<Searched, 'unreadable' | 'fault'> {
  const lines = Array.from(told.matchAll(/^\S*find: (?!warning)(.*)$/gm), ([, line = '']) => line);
  const closed = lines.map((line) => /^'(.*)': Permission denied$/.exec(line)?.[1]);
  const [fault] = lines.filter((line, at) => closed[at] === undefined && !line.endsWith(': No such file or directory'));
  return {
    unreadable: closed.flatMap((path) => path ?? []),
    fault: fault === undefined ? null : UNKNOWN.findFails(fault),
  };
}
