import { isAbsolute, join } from 'node:path';
import type { HistoryEntry } from '../../../adapters/history/history-store.ts';
import { chooseHistories, readForeignHistories } from '../../../adapters/history/import-history.ts';
import { isDirectory } from '../../../adapters/system/file-status.ts';
import type { HistoryFilter, HistoryRequest, HistoryTarget } from '../../../core/meta/meta-arguments.ts';
import { formatGoTo, matchDirectories, type UsedDirectory } from '../../../core/prompt/directories.ts';
import { isChoice } from '../../../core/routing/shell-facts.ts';
import { styled, type Theme } from '../../../core/terminal/theme.ts';
import { wrapProse } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import * as messages from './messages.ts';

/* The commands about what was typed before: the lines, and the directories in which they ran. */

/** Dependencies of `:history`. */
interface HistoryCommandDeps {
  readonly history: PromptHistory;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory of the shell. */
  readonly cwd: string;
  readonly columns: number;
  readonly theme: Theme;
  readonly now: number;
}

/** Lines shown by default. */
const USUAL = 50;
/** More lines than this need `--all`. */
const MOST_WITHOUT_ALL = 20;
/** Below this the directory has no room. */
const WIDE = 80;

/** Carries out `:history`; returns the text to print. */
export function runHistory(request: HistoryRequest, deps: HistoryCommandDeps): string {
  switch (request.action) {
    case 'list':
      return listHistory(request, deps);
    case 'delete':
      return deleteLines(request.target, deps);
    case 'clear':
      return clear(request.isSure, deps);
    case 'import':
      return importLines(request.source, deps);
  }
}

function listHistory(filter: HistoryFilter, deps: HistoryCommandDeps): string {
  const entries = deps.history.entries();
  // The `:history` line itself is the last entry; it is left out.
  const isAsking = entries.at(-1)?.route === 'meta' && entries.at(-1)?.durationMs === null;
  const found = entries.slice(0, isAsking ? -1 : undefined).filter(toTest(filter, deps.cwd));
  if (found.length === 0) return messages.NO_LINES;
  return formatEntries(found.slice(-(filter.most ?? USUAL)), deps);
}

/** Lists the lines whose mark sent them to the shell or to the model; they decide about the same line without it. */
export function listChoices(deps: HistoryCommandDeps): string {
  const chosen = deps.history.entries().filter(({ line, who }) => who === 'user' && isChoice(line));
  if (chosen.length === 0) return messages.NO_CHOICES;
  return `${formatEntries(chosen.slice(-USUAL), deps)}\n${messages.FORGET_CHOICE}`;
}

/** Letter case counts where a word has a capital. */
function toTest({ words, isHere, isFailed, isModel }: HistoryFilter, cwd: string): (entry: HistoryEntry) => boolean {
  return (entry) => {
    const small = entry.line.toLowerCase();
    return (
      words.every((word) => (word === word.toLowerCase() ? small : entry.line).includes(word)) &&
      (!isHere || entry.cwd === cwd) &&
      (!isFailed || (entry.exit !== null && entry.exit !== 0)) &&
      (!isModel || entry.who === 'model')
    );
  };
}

/** One line each, what it is before what was typed, so that nothing of the latter is cut. */
function formatEntries(entries: readonly HistoryEntry[], deps: HistoryCommandDeps): string {
  const facts = entries.map((entry) => toFacts(entry, deps));
  const widths =
    facts[0]?.map((_, column) => Math.max(...facts.map((row) => Bun.stringWidth(row[column] ?? '')))) ?? [];
  return entries
    .map((entry, at) => {
      const cells = (facts[at] ?? []).map((cell, column) => {
        const blanks = ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
        return column === 0 || column === 3 ? blanks + cell : cell + blanks;
      });
      const before = cells.filter((cell) => cell !== '').join('  ');
      const lines = escapeForDisplay(entry.line, { multiline: true }).split('\n');
      return putBeside(before, lines, deps);
    })
    .join('\n');
}

/** Fewer columns than these are no room for a line. */
const LEAST_LINE = 24;

/** The lines stand beside the facts, or where there is no room under them, folded at blanks. */
function putBeside(facts: string, lines: readonly string[], { columns, theme }: HistoryCommandDeps): string {
  const beside = Bun.stringWidth(facts) + 2;
  const isFitting = lines.every((line) => beside + Bun.stringWidth(line) <= columns);
  const isBeside = isFitting || columns - beside >= LEAST_LINE;
  const indent = ' '.repeat(isBeside ? beside : 4);
  const room = columns - indent.length;
  const rows = lines.flatMap((line) => (Bun.stringWidth(line) <= room ? [line] : wrapProse(line, room, '')));
  const shown = rows.map((row) => indent + row).join('\n');
  const head = styled(theme, 'dim', facts);
  return isBeside ? `${head}  ${shown.slice(beside)}` : `${head}\n${shown}`;
}

function toFacts(entry: HistoryEntry, { cwd, env, columns, now }: HistoryCommandDeps): readonly string[] {
  const { number, at, exit, durationMs, who } = entry;
  const ended = exit === null || exit === 0 ? '' : `exit ${exit}`;
  const status = isWithoutEnd(entry) ? messages.RUNNING : ended;
  const directory = columns < WIDE ? '' : toShownDirectory(entry.cwd, cwd, env.HOME);
  return [
    String(number),
    formatTime(at, now),
    status,
    formatDuration(durationMs),
    directory,
    who === 'model' ? 'ai' : '',
  ];
}

/** A command that runs, or that was cut short with the aish it ran in. */
function isWithoutEnd({ id, route, exit, durationMs }: HistoryEntry): boolean {
  return route === 'command' && id !== '' && exit === null && durationMs === null;
}

/** The time of today, the day of this year, or the date. */
function formatTime(at: number, now: number): string {
  if (at === 0) return '';
  const [time, today] = [new Date(at), new Date(now)];
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  if (time.toDateString() === today.toDateString()) return clock;
  return time.getFullYear() === today.getFullYear() ? `${day} ${clock}` : `${time.getFullYear()}-${day}`;
}

/** A very short duration is left out. */
function formatDuration(ms: number | null): string {
  if (ms === null || ms < 100) return '';
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;
  return `${Math.floor(ms / 3_600_000)}h${String(Math.floor(ms / 60_000) % 60).padStart(2, '0')}`;
}

/** A dot for this directory; the end of a long one. */
function toShownDirectory(path: string, cwd: string, home: string | undefined): string {
  if (path === cwd) return '.';
  const short = home !== undefined && `${path}/`.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  const shown = sanitizeLine(short);
  return shown.length <= 24 ? shown : `…${shown.slice(-23)}`;
}

function deleteLines(target: HistoryTarget, { history }: HistoryCommandDeps): string {
  if (target.type === 'numbers') {
    const { from, to } = target;
    const count = history.remove(({ number }) => number >= from && number <= to);
    if (count > 0) return messages.formatRemoved(count);
    throw new AishError('history.none', messages.formatNoLine(from, to), { hint: messages.LISTS_NUMBERS });
  }
  const found = history.entries().filter(({ line }) => line.includes(target.text)).length;
  if (found === 0) throw new AishError('history.none', messages.NO_MATCH, { hint: messages.NO_MATCH_HINT });
  if (found > MOST_WITHOUT_ALL && !target.isSure)
    throw new AishError('history.many', messages.formatManyMatches(found), {
      hint: messages.formatDeleteAll(escapeForDisplay(target.text)),
    });
  return messages.formatRemoved(history.remove(({ line }) => line.includes(target.text)));
}

function clear(isSure: boolean, { history }: HistoryCommandDeps): string {
  const count = history.entries().length;
  if (!isSure) return messages.formatClear(count);
  return messages.formatRemoved(history.remove(() => true));
}

function importLines(source: string | undefined, { history, env, cwd }: HistoryCommandDeps): string {
  const { rules, maxLines: most } = history;
  const found = readForeignHistories(chooseHistories(source, env, cwd), { rules, most });
  if (found.length === 0)
    throw new AishError('history.none', messages.NOTHING_TO_IMPORT, { hint: messages.IMPORT_HINT });
  const count = history.merge(found);
  return count === 0 ? messages.formatAllKnown(found.length) : messages.formatImported(count);
}

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
  throw new AishError('directory.none', messages.formatNoDirectory(words.join(' ')), {
    hint: messages.NO_DIRECTORY_HINT,
  });
}

/** The command that goes to a directory of the list of `:cdh`. Throws `AishError` for a number that is not there. */
export function findVisitedLine(number: number, visited: readonly string[], home: string | undefined): string {
  const path = visited[number - 1];
  if (path !== undefined) return formatGoTo(path, home);
  throw new AishError('directory.none', messages.formatNoVisited(number), { hint: messages.VISITED_HINT });
}

function toPath(word: string, { cwd, home }: Pick<DirectoryContext, 'cwd' | 'home'>): string {
  if (home !== undefined && /^~(?:\/|$)/.test(word)) return join(home, word.slice(1));
  return isAbsolute(word) ? word : join(cwd, word);
}
