import { nearestNames } from '../text/nearest.ts';
import {
  formatBadArgument,
  formatExtraWord,
  formatMissingWord,
  formatNoCommand,
  formatUnknownCommand,
  type MetaFault,
  OPEN_QUOTE,
} from './messages.ts';
import { APPROVE_WORDS } from './meta-arguments.ts';
import { isNamed, type MetaArgument, type MetaCommand, type MetaEntry, SHOW_NAMES, type ShowCommand, THEME_CHOICES } from './meta-entry.ts';
import { isMetaLine } from './meta-line.ts';
import { META_COMMANDS } from './meta-table.ts';

/** The result of parsing a meta line: the command, or a fault with a hint how to type it. */
type MetaResult = { readonly ok: true; readonly command: MetaCommand } | ({ readonly ok: false } & MetaFault);

/** Parses a meta line. The hint of every fault shows what to type instead. */
export function parseMetaCommand(line: string): MetaResult {
  if (!/^\s*:[a-zA-Z]/.test(line)) return failure(formatNoCommand(line.trim()));
  const typed = /^\s*:([a-zA-Z-]+)\s+(\S[\s\S]*)$/.exec(line);
  const whole = META_COMMANDS.find((entry) => entry.takesLine === true && isNamed(entry, typed?.[1]));
  if (whole !== undefined && typed?.[2] !== undefined) return build(whole, [typed[2].trimEnd()]);
  const words = splitWords(line.trim().slice(1));
  if (words === null) return failure(OPEN_QUOTE);
  const [name = '', ...rest] = words;
  const entries = META_COMMANDS.filter((entry) => isNamed(entry, name));
  const [first] = entries;
  if (first === undefined) return unknown(`:${name}`, name, [...new Set(META_COMMANDS.map((entry) => entry.name))], ':');
  if (first.action === undefined) return build(first, rest);
  const [action, ...values] = rest;
  const entry = entries.find((one) => one.action === action);
  if (entry !== undefined) return build(entry, values);
  if (action === undefined) return failure(formatMissingWord(`:${name}`, 'a second word', entries.map(formatUsage)));
  return unknown(
    `:${name} ${action}`,
    action,
    entries.map((one) => one.action ?? ''),
    `:${name} `,
  );
}

/** The usage of a command, e.g. `:mcp login <alias> [address]`. */
export function formatUsage(entry: MetaEntry): string {
  return `:${[entry.name, entry.action, entry.usage].filter((part) => part).join(' ')}`;
}

/** One thing that could stand at the cursor: it replaces the text from `start` on. */
interface MetaCandidate {
  readonly start: number;
  readonly text: string;
  readonly description?: string;
}

/** Names that only the running program knows, by the kind of argument they fit. */
type MetaNames = (kind: MetaArgument) => readonly string[];

/** Completions for the end of an unfinished meta line, of the commands possible here. */
export function completeMetaCommand(
  line: string,
  names: MetaNames = () => [],
  commands: readonly MetaEntry[] = META_COMMANDS,
): readonly MetaCandidate[] {
  if (!isMetaLine(line)) return [];
  const start = Math.max(line.lastIndexOf(' '), line.indexOf(':')) + 1;
  const word = line.slice(start);
  const before = line
    .slice(line.indexOf(':') + 1, start)
    .split(' ')
    .filter((part) => part !== '');
  return offers(before, names, commands)
    .filter((offer) => offer.text.startsWith(word))
    .map((offer) => ({ start, ...offer }));
}

interface Offer {
  readonly text: string;
  readonly description?: string;
}

function offers(before: readonly string[], names: MetaNames, commands: readonly MetaEntry[]): readonly Offer[] {
  const [name, action, ...rest] = before;
  if (name === undefined) return commandOffers(commands);
  const entries = commands.filter((entry) => entry.name === name);
  const [first] = entries;
  if (first === undefined) return [];
  if (first.arguments[0] === 'contract') return contractOffers(before.slice(1));
  if (first.action === undefined) return argumentOffers(first, before.length - 1, names);
  if (action === undefined) return entries.map((entry) => ({ text: entry.action ?? '', description: entry.summary }));
  const entry = entries.find((one) => one.action === action);
  return entry === undefined ? [] : argumentOffers(entry, rest.length, names);
}

function commandOffers(commands: readonly MetaEntry[] = META_COMMANDS): readonly Offer[] {
  const firsts = commands.filter((entry, at) => commands.findIndex((one) => one.name === entry.name) === at);
  return firsts.map((entry) => ({
    text: entry.name,
    description: entry.action === undefined ? entry.summary : 'MCP servers and their tools',
  }));
}

const CONTRACT_ACTIONS: readonly string[] = ['resume', 'plan', 'receipt', 'undo', 'diff', 'apply', 'discard', 'stop'];
const CONTRACT_UNITS: readonly string[] = ['steps', 'min', 'tokens', 'usd'];
const CONTRACT_CLAUSES: readonly string[] = ['until', 'within', 'only', 'net', 'in'];

/** The words of a contract that may follow; none within quotes. */
function contractOffers(before: readonly string[]): readonly Offer[] {
  if ((before.join(' ').match(/['"]/g)?.length ?? 0) % 2 === 1) return [];
  return wordsAfter(before).map((text) => ({ text }));
}

function wordsAfter(before: readonly string[]): readonly string[] {
  const last = before.at(-1);
  if (last === undefined) return CONTRACT_ACTIONS;
  if (before.length === 1 && last === 'plan') return ['add', 'drop'];
  if (before.length === 1 && last === 'resume') return ['within'];
  if (/^\d+k?$/.test(last)) return CONTRACT_UNITS;
  if (last === 'net') return ['off'];
  if (last === 'in') return ['background'];
  const isOpen = CONTRACT_CLAUSES.includes(last) || CONTRACT_ACTIONS.includes(before[0] ?? '');
  return isOpen ? [] : CONTRACT_CLAUSES.filter((clause) => !before.includes(clause));
}

const HISTORY_WORDS: readonly string[] = ['delete', 'clear', 'import', '--here', '--failed', '--ai', '-n'];

function argumentOffers(entry: MetaEntry, position: number, names: MetaNames): readonly Offer[] {
  const kind = entry.arguments[position] ?? (entry.repeats ? entry.arguments.at(-1) : undefined);
  if (kind === undefined) return [];
  if (kind === 'topic') return [...commandOffers(), { text: 'keys', description: 'the keys of the line editor' }];
  if (kind === 'history') return HISTORY_WORDS.map((text) => ({ text }));
  if (kind === 'switch') return ['on', 'off'].map((text) => ({ text }));
  if (kind === 'memory') return ['list', 'search', 'edit', 'forget', 'inbox'].map((text) => ({ text }));
  if (kind === 'list') return [{ text: 'list' }];
  if (kind === 'usage') return ['list', 'usage', 'prune'].map((text) => ({ text }));
  if (kind === 'theme') return THEME_CHOICES.map((text) => ({ text }));
  if (kind === 'approve') return APPROVE_WORDS.map((text) => ({ text }));
  return names(kind).map((text) => ({ text }));
}

function build(entry: MetaEntry, words: readonly string[]): MetaResult {
  const usage = formatUsage(entry);
  const name = `:${entry.name}${entry.action === undefined ? '' : ` ${entry.action}`}`;
  const missing = entry.usage.match(/<[^<>]+>/g)?.[words.length];
  if (missing !== undefined) return failure(formatMissingWord(name, missing, [usage]));
  if (!entry.repeats && words.length > entry.arguments.length)
    return failure(formatExtraWord(name, words[entry.arguments.length] ?? '', usage));
  const command = entry.build(words);
  return command === null ? failure(formatBadArgument(name, words[0] ?? '', usage)) : { ok: true, command };
}

function failure(fault: MetaFault): MetaResult {
  return { ok: false, ...fault };
}

function unknown(shown: string, word: string, known: readonly string[], prefix: string): MetaResult {
  const [nearest = known.find((name) => name.startsWith(word))] = nearestNames(word, known, Math.max(1, Math.floor(word.length / 2)));
  return failure(formatUnknownCommand(shown, nearest === undefined ? null : prefix + nearest));
}

/** Words as a shell would split them, without expansion; null when a quote stays open. */
/** The words of a line; null if a quote is open. */
export function splitWords(text: string): readonly string[] | null {
  const words: string[] = [];
  const pattern = /((?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\])+)|(\s+)|([\s\S])/g;
  for (const [, word, , stray] of text.matchAll(pattern)) {
    if (stray !== undefined) return null;
    if (word !== undefined) words.push(unquote(word));
  }
  return words;
}

function unquote(word: string): string {
  return word.replace(/\\(.)|'([^']*)'|"((?:\\.|[^"\\])*)"/g, (_, escaped, single, double) => {
    if (escaped !== undefined) return String(escaped);
    if (single !== undefined) return String(single);
    return String(double).replace(/\\(["\\$`])/g, '$1');
  });
}

/** The meta-commands that the owner of a session can give. */
export const OWNER_COMMANDS: readonly MetaEntry[] = META_COMMANDS.filter(({ needs }) => needs !== 'client');

/** Those that an attached client can give, as far as one of their forms needs no owner. */
export const CLIENT_COMMANDS: readonly MetaEntry[] = META_COMMANDS.filter(({ needs }) => needs !== 'owner');

/** Whether only the owner of the session can run a typed command. */
export function needsOwner(command: MetaCommand): boolean {
  const needs = entryOf(command)?.needs;
  return typeof needs === 'function' ? needs(command) : needs === 'owner';
}

/** Whether a typed command makes sense at an attached client only. */
export function needsClient(command: MetaCommand): boolean {
  return entryOf(command)?.needs === 'client';
}

function entryOf(command: MetaCommand): MetaEntry | undefined {
  const action = 'action' in command ? command.action : undefined;
  return META_COMMANDS.find((entry) => entry.name === command.name && entry.action === action);
}

/** A command that only reads, so that its output may be sent to any client; null for all others. */
export function toShown(command: MetaCommand): ShowCommand | null {
  return isShown(command) && !needsOwner(command) ? command : null;
}

function isShown(command: MetaCommand): command is ShowCommand {
  return command.name === 'mcp' || SHOW_NAMES.some((name) => name === command.name);
}
