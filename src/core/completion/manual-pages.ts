import { type CursorContext, expandAlias, findCursorContext } from './cursor-context.ts';

/** Words behind a command that may name its subcommand. */
const MOST_WORDS = 3;

/** The names of manual pages for the command at the cursor, the closest first: `git-commit` before `git`. */
export function manualPages(line: string, cursor: number, aliases: ReadonlyMap<string, string>): readonly string[] {
  const shift = /^\s*[!?]/.exec(line)?.[0].length ?? 0;
  const text = line.slice(shift);
  const from = Math.max(0, cursor - shift);
  const end = from + (/^[^\s;&|()<>`]*/.exec(text.slice(from))?.[0].length ?? 0);
  const typed = findCursorContext(text, end);
  if (typed === null) return [];
  const context = expandAlias(text.slice(0, end), typed, aliases)?.context ?? typed;
  const [command = '', ...rest] = wordsOf(context);
  const name = command.slice(command.lastIndexOf('/') + 1);
  if (!PAGE.test(name)) return [];
  const subcommands = rest.slice(0, MOST_WORDS).filter((word) => PAGE.test(word));
  return [...subcommands.map((word) => `${name}-${word}`), name];
}

/** No option, and nothing that the shell or the file system would read otherwise. */
const PAGE = /^[A-Za-z0-9_[][\w.+:[-]*$/;

function wordsOf({ words, word, place }: CursorContext): readonly string[] {
  const before = words.map(({ value }) => value);
  return place === 'target' || word.value === '' ? before : [...before, word.value];
}
