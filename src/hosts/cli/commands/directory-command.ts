import { isAbsolute, join } from 'node:path';
import { isDirectory } from '../../../adapters/system/file-status.ts';
import { formatGoTo, matchDirectories, type UsedDirectory } from '../../../core/prompt/directories.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatNoDirectory, formatNoVisited, NO_DIRECTORY_HINT, VISITED_HINT } from './messages.ts';

interface DirectoryContext {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly used: readonly UsedDirectory[];
}

/** The rest of the line behind the words: `z site && ls`. */
const REST = /\s*(?:&&|\|\||;)[\s\S]*$/;

/** The command that goes where `:z` says. Throws `AishError` if no directory matches. */
export async function findDirectoryLine(typed: string, { cwd, home, used }: DirectoryContext): Promise<string> {
  const rest = REST.exec(typed)?.[0] ?? '';
  const words = typed
    .slice(0, typed.length - rest.length)
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/\\(.)|["']/g, '$1'));
  const [only = ''] = words.length === 1 ? words : [];
  if (typed === '' || only === '-') return `cd${only === '' ? '' : ' -'}${rest}`;
  const named = toPath(only, { cwd, home });
  if (only !== '' && (await isDirectory(named))) return formatGoTo(named, home) + rest;
  for (const path of matchDirectories(words, used))
    if (path !== cwd && (await isDirectory(path))) return formatGoTo(path, home) + rest;
  throw new AishError('directory.none', formatNoDirectory(words.join(' ')), { hint: NO_DIRECTORY_HINT });
}

/** The command that goes to a directory of the list of `:cdh`. Throws `AishError` for a number that is not there. */
export function findVisitedLine(number: number, visited: readonly string[], home: string | undefined): string {
  const path = visited[number - 1];
  if (path !== undefined) return formatGoTo(path, home);
  throw new AishError('directory.none', formatNoVisited(number), { hint: VISITED_HINT });
}

function toPath(word: string, { cwd, home }: Pick<DirectoryContext, 'cwd' | 'home'>): string {
  if (home !== undefined && /^~(?:\/|$)/.test(word)) return join(home, word.slice(1));
  return isAbsolute(word) ? word : join(cwd, word);
}
