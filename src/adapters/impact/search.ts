import type { ImpactContext } from '../../core/impact/shell-state.ts';
import { errorCode } from '../../protocol/error.ts';
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
  { cwd, shell }: Pick<ImpactContext, 'cwd' | 'shell'>,
  pace: Pace,
  onFound: (written: string) => Promise<void>,
): Promise<Searched> {
  const program = Bun.which('find', { PATH: SYSTEM_PATH });
  if (program === null) return { isCut: false, unreadable: [], fault: UNKNOWN.noFind() };
  const env = findEnvironment(shell);
  const child = start([program, ...words], cwd, env);
  if (typeof child === 'string') return { isCut: false, unreadable: [], fault: child };
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

/** A process of `find`; or why there is none. The line may make the folder that it runs in, or may never get there. */
function start(words: string[], cwd: string, env: Record<string, string | undefined>) {
  try {
    return Bun.spawn(words, { cwd, env, stdin: 'ignore', stderr: 'pipe' });
  } catch (thrown) {
    const code = errorCode(thrown);
    return /^(?:ENOENT|ENOTDIR)$/.test(code) ? UNKNOWN.searchLater() : UNKNOWN.findFails(code);
  }
}

/** Patterns and dates mean what they mean in the user's shell; the messages are in English, because they are read here. */
function findEnvironment(shell: ImpactContext['shell']): Record<string, string | undefined> {
  const all: Record<string, string | undefined> = { ...process.env, ...Object.fromEntries(shell?.variables ?? []) };
  const { LC_ALL, TZ, POSIXLY_CORRECT } = all;
  const locale = Object.entries(all).filter(([name]) => /^(?:LANG|LC_(?!ALL$)\w+)$/.test(name));
  return { ...(LC_ALL ? { LANG: LC_ALL } : Object.fromEntries(locale)), TZ, POSIXLY_CORRECT, LC_MESSAGES: 'C' };
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

/** A name that is gone by now is no fault, and neither is a warning. The quotes are those of the encoding. */
function readFaults(told: string): Pick<Searched, 'unreadable' | 'fault'> {
  const lines = Array.from(told.matchAll(/^\S*find: (?!warning)(.*)$/gm), ([, line = '']) => line);
  const closed = lines.map((line) => /^['‘](.*)['’]: Permission denied$/.exec(line)?.[1]);
  const [fault] = lines.filter((line, at) => closed[at] === undefined && !line.endsWith(': No such file or directory'));
  return {
    unreadable: closed.flatMap((path) => path ?? []),
    fault: fault === undefined ? null : UNKNOWN.findFails(fault.replace(/‘(.*?)’/g, "'$1'")),
  };
}
