import { constants, fstatSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { HistoryRules } from '../../core/prompt/history-index.ts';
import { isWorthKeeping } from '../../core/prompt/kept-line.ts';
import { attempt } from '../../core/text/attempt.ts';
import { AishError } from '../../protocol/error.ts';
import { withFile } from '../system/file-status.ts';
import type { HistoryEntry } from './history-store.ts';

interface ForeignHistory {
  readonly shell: ForeignShell;
  readonly path: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** aish reads only the end of a larger file. */
const MOST_BYTES = 4 * 1024 * 1024;
const SHELLS: readonly ForeignShell[] = ['bash', 'zsh', 'fish'];

/** The paths of the shells' histories, whether or not there is any. */
export function listForeignHistories(env: Environment): readonly ForeignHistory[] {
  const home = env.HOME ?? '/';
  const data = env.XDG_DATA_HOME;
  const [bash, zsh] = [join(home, '.bash_history'), join(env.ZDOTDIR || home, '.zsh_history')];
  const own = env.HISTFILE ?? '';
  const isOwn = (shell: ForeignShell): boolean => isAbsolute(own) && own.includes(shell);
  return [
    { shell: 'bash', path: isOwn('bash') ? own : bash },
    { shell: 'zsh', path: isOwn('zsh') ? own : zsh },
    // A name from older setups of zsh.
    { shell: 'zsh', path: join(env.ZDOTDIR || home, '.histfile') },
    {
      shell: 'fish',
      path: join(data !== undefined && isAbsolute(data) ? data : join(home, '.local/share'), 'fish/fish_history'),
    },
  ];
}

/** The histories that a user names: a shell, a path, or nothing for all there are. Throws where one that was named cannot be read. */
export function chooseHistories(named: string | undefined, env: Environment, cwd: string): readonly ForeignHistory[] {
  const all = listForeignHistories(env);
  if (named === undefined) return all;
  const shell = SHELLS.find((one) => one === named);
  if (shell !== undefined) return all.filter((one) => one.shell === shell);
  const path = named.replace(/^~(?=\/|$)/, env.HOME ?? '~');
  const found = isAbsolute(path) ? path : join(cwd, path);
  const file = readEnd(found);
  if (file === null)
    throw new AishError('history.unreadable', `cannot read a history from ${found}`, {
      hint: 'name bash, zsh, fish or the path of a history file',
    });
  const text = new TextDecoder().decode(file.bytes);
  return [{ shell: guessShell(text), path: found }];
}

/**
 * Reads histories into one list by time, at most the newest `most` lines, without what history does not keep. A line without a time is
 * put where it would stand if its file had been written line after line up to its last change.
 */
export function readForeignHistories(
  histories: readonly ForeignHistory[],
  { rules, most }: { readonly rules: HistoryRules; readonly most: number },
): readonly HistoryEntry[] {
  const placed = histories.flatMap((history) => readPlaced(history, rules, most));
  return placed
    .sort((one, other) => one.place - other.place)
    .slice(-most)
    .map(({ line }) => toEntry(line));
}

interface PlacedLine {
  readonly line: ForeignLine;
  readonly place: number;
}

function readPlaced({ shell, path }: ForeignHistory, rules: HistoryRules, most: number): readonly PlacedLine[] {
  const file = readEnd(path);
  if (file === null) return [];
  const lines = parse(shell, file.bytes)
    .slice(file.isCut ? 1 : 0)
    .filter((found, at, all) => found.line !== all[at - 1]?.line && isWorthKeeping(found.line, rules))
    .slice(-most);
  return lines.map((line, at) => ({ line, place: line.at === 0 ? file.changedAt - (lines.length - at) : line.at }));
}

function parse(shell: ForeignShell, bytes: Uint8Array): readonly ForeignLine[] {
  if (shell === 'zsh') return parseZshHistory(bytes);
  const text = new TextDecoder().decode(bytes);
  return shell === 'bash' ? parseBashHistory(text) : parseFishHistory(text);
}

function toEntry({ line, at, durationMs }: ForeignLine): HistoryEntry {
  const unknown = { number: 0, id: '', cwd: '', session: '', exit: null };
  return { ...unknown, line, at, route: 'command', who: 'user', durationMs };
}

interface FileEnd {
  readonly bytes: Uint8Array;
  /** The beginning is missing, and so perhaps half of the first line. */
  readonly isCut: boolean;
  readonly changedAt: number;
}

/** Null for what is no file or cannot be read. */
function readEnd(path: string): FileEnd | null {
  const read = (fd: number): FileEnd | null => {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return null;
    const from = Math.max(0, stat.size - MOST_BYTES);
    const bytes = new Uint8Array(stat.size - from);
    const length = readSync(fd, bytes, 0, bytes.length, from);
    return { bytes: bytes.subarray(0, length), isCut: from > 0, changedAt: stat.mtimeMs };
  };
  return attempt(() => withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, read), null);
}

interface ForeignLine {
  readonly line: string;
  /** Milliseconds since the epoch; 0 where the file does not tell. */
  readonly at: number;
  readonly durationMs: number | null;
}

type ForeignShell = 'bash' | 'zsh' | 'fish';

const SECOND_MS = 1000;

/** Reads the history file of bash. If it has times, the text between two of them is one command, of any number of lines. */
export function parseBashHistory(text: string): readonly ForeignLine[] {
  const lines = text.split('\n');
  const isTimed = lines.some((line) => TIME.test(line));
  if (!isTimed) return lines.flatMap((line) => toLine(line, 0, null));
  const found: ForeignLine[] = [];
  let at = 0;
  let body: string[] = [];
  const end = (): void => {
    found.push(...(at === 0 ? body.flatMap((line) => toLine(line, 0, null)) : toLine(body.join('\n'), at, null)));
    body = [];
  };
  for (const line of lines) {
    const [, seconds] = TIME.exec(line) ?? [];
    if (seconds === undefined) body.push(line);
    else {
      end();
      at = Number(seconds) * SECOND_MS;
    }
  }
  end();
  return found;
}

/** The line that bash writes before a command when HISTTIMEFORMAT is set. */
const TIME = /^#(\d{9,11})$/;

/** Reads the history file of zsh, extended or not: a backslash at the end goes on, and bytes of other scripts are written as two. */
export function parseZshHistory(bytes: Uint8Array): readonly ForeignLine[] {
  const lines = new TextDecoder().decode(unmetafy(bytes)).split('\n');
  const found: ForeignLine[] = [];
  let whole = '';
  for (const line of lines) {
    if (line.endsWith('\\')) {
      whole += `${line.slice(0, -1)}\n`;
      continue;
    }
    found.push(...toZshLine(whole + line));
    whole = '';
  }
  return [...found, ...toZshLine(whole)];
}

function toZshLine(text: string): readonly ForeignLine[] {
  const [head = '', seconds = '0', lasted = '0'] = /^: (\d+):(\d+);/.exec(text) ?? [];
  // A command that ends with a backslash gets a blank behind it, so that it does not seem to go on.
  const line = text.slice(head.length).replace(/(\\ *) $/, '$1');
  return toLine(line, Number(seconds) * SECOND_MS, head === '' ? null : Number(lasted) * SECOND_MS);
}

const META = 0x83;
const FLIP = 0x20;

/** zsh keeps bytes that mean something to it as a mark and the byte with one bit turned. */
function unmetafy(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    plain[length++] = byte === META && at + 1 < bytes.length ? (bytes[++at] ?? 0) ^ FLIP : byte;
  }
  return plain.subarray(0, length);
}

/** Reads the history file of fish. */
export function parseFishHistory(text: string): readonly ForeignLine[] {
  return text.split(/^(?=- cmd: )/m).flatMap((item) => {
    const [, command] = /^- cmd: (.*)$/m.exec(item) ?? [];
    if (command === undefined) return [];
    const [, seconds = '0'] = /^ {2}when: (\d+)$/m.exec(item) ?? [];
    const line = command.replace(/\\([\\n])/g, (_, letter) => (letter === 'n' ? '\n' : '\\'));
    return toLine(line, Number(seconds) * SECOND_MS, null);
  });
}

/** The likely shell of a history file of unknown origin. */
export function guessShell(text: string): ForeignShell {
  if (/^- cmd: /m.test(text)) return 'fish';
  return /^: \d+:\d+;/m.test(text) ? 'zsh' : 'bash';
}

function toLine(text: string, at: number, durationMs: number | null): readonly ForeignLine[] {
  const line = text.replace(/(?<!\n)\n+$/, '');
  return line.trim() === '' ? [] : [{ line, at, durationMs }];
}
