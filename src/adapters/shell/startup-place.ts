import { readFileSync, statSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';

/** Larger startup files are not searched. */
const LARGEST = 1024 * 1024;

/** The place in a startup file, as `~/.bashrc:4`; without a line where only the file is known. */
export function formatStartupPlace(file: string, line: number | null, home: string | undefined): string {
  const name = home !== undefined && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
  return line === null ? name : `line ${line} of ${name}`;
}

/** The line of a file where a command stands, if exactly one line contains it. */
export function findLineOf(file: string, command: string): number | null {
  const text = attempt(() => (statSync(file).size <= LARGEST ? readFileSync(file, 'utf8') : ''), '');
  const found = text
    .split('\n')
    .flatMap((line, at) => (line.includes(command) && !line.trimStart().startsWith('#') ? [at + 1] : []));
  const [first, ...more] = found;
  return first !== undefined && more.length === 0 ? first : null;
}
