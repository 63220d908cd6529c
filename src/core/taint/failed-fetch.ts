import { parseShell } from '../shell-syntax/syntax.ts';

/** What came of a command. */
interface Ended {
  readonly exit: number | null;
  readonly output: string;
}

/** curl could not resolve a name, or not connect. */
const NOT_REACHED: ReadonlySet<number> = new Set([5, 6, 7]);
const LONGEST = 512;

/** Options of curl that take the word behind them, and say nothing of where it connects. */
const WITH_VALUE =
  /^(?:-[a-zA-Z]*[AHXbdemouw]|--(?:connect-timeout|cookie|data|data-binary|data-raw|header|max-time|output|referer|request|retry|user|user-agent|write-out))$/;

/**
 * True for a fetch that never reached the other machine: nothing of it was read. It has to be one plain call of curl for one address, and what it
 * printed must be nothing, or words that hold no more than the name that the line itself has.
 */
export function reachedNobody(line: string, { exit, output }: Ended): boolean {
  if (exit === null || !NOT_REACHED.has(exit) || output.length > LONGEST) return false;
  const [program, ...words] = plainWords(line) ?? [];
  const address = program === 'curl' ? onlyAddress(words) : null;
  const host = address === null ? null : hostOf(address);
  return host !== null && output.split('\n').every((row) => saysNoMore(row.trim(), host));
}

/** The words of a line that is one command and nothing else; null for any other. */
function plainWords(line: string): readonly string[] | null {
  const { commands, errors } = parseShell(line);
  const [statement, ...more] = commands;
  const command = statement?.command;
  if (errors !== undefined || more.length > 0 || statement?.background === true || command?.type !== 'Command')
    return null;
  const { name, prefix, args, redirects } = command;
  if (name === undefined || prefix.length > 0 || redirects.length > 0) return null;
  const words = [name, ...args].flatMap((word) =>
    word.type === 'Word' && !/[$`]/.test(word.text) ? [word.value] : [],
  );
  return words.length === args.length + 1 ? words : null;
}

/** The one word that is no option and belongs to none; null where there are more, or may be. */
function onlyAddress(words: readonly string[]): string | null {
  // A configuration, another call behind `--next` and patterns may stand for more addresses.
  if (words.some((word) => /^(?:-[a-zA-Z]*K|--(?:config|next|url)|-[a-zA-Z]*:)/.test(word))) return null;
  const found = words.filter((word, at) => !word.startsWith('-') && !WITH_VALUE.test(words[at - 1] ?? ''));
  const [address = ''] = found;
  return found.length === 1 && !/[[\]{}]/.test(address) ? address : null;
}

function hostOf(address: string): string | null {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/?#\s]*@)?([\w.-]+)(?::\d+)?(?:[/?#]|$)/i.exec(address)?.[1] ?? null;
}

function saysNoMore(row: string, host: string): boolean {
  const told = row.replace(host, 'HOST');
  return (
    row === '' ||
    /^curl: \(6\) Could not resolve host: HOST$/.test(told) ||
    /^curl: \(7\) Failed to connect to HOST port \d+(?: after \d+ ms)?: (?:Couldn't connect to server|Could not connect to server|Connection refused|No route to host)$/.test(
      told,
    )
  );
}
