import type { ApproveMode } from '../protocol/settings.ts';

/** A line that begins with `:` and a word, understood. */
export type MetaCommand =
  | { readonly name: 'help'; readonly topic?: string }
  | { readonly name: 'mcp'; readonly action: 'connect'; readonly url: string; readonly alias?: string }
  | { readonly name: 'mcp'; readonly action: 'disconnect'; readonly alias: string }
  | { readonly name: 'mcp'; readonly action: 'list' | 'tools' }
  | { readonly name: 'mcp'; readonly action: 'tool'; readonly tool: string }
  | { readonly name: 'model'; readonly model?: string }
  | { readonly name: 'undo'; readonly id?: string; readonly paths: readonly string[] }
  | { readonly name: 'diff'; readonly id?: string }
  | { readonly name: 'resume'; readonly id?: string }
  | { readonly name: 'approve'; readonly mode?: ApproveMode }
  | { readonly name: 'models' | 'checkpoints' | 'history' | 'sessions' | 'config' }
  | { readonly name: 'new' | 'demo' | 'quit' };

/** What parsing a meta line gives: the command, or a message that says how it is used. */
export type MetaResult =
  | { readonly ok: true; readonly command: MetaCommand }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** What can stand in an argument's place; completion offers the names of that kind. */
export type MetaArgument =
  | 'topic'
  | 'url'
  | 'alias'
  | 'server'
  | 'tool'
  | 'model'
  | 'checkpoint'
  | 'session'
  | 'path'
  | 'approve';

/** One row of the table that parsing, help and completion are made from. */
export interface MetaEntry {
  readonly name: string;
  /** Second word, where a command has several. */
  readonly action?: string;
  /** Arguments as help shows them. */
  readonly usage: string;
  readonly summary: string;
  /** A sentence or two more, for `:help NAME`. */
  readonly detail?: string;
  readonly required: number;
  readonly arguments: readonly MetaArgument[];
  /** The last argument may be repeated. */
  readonly repeats?: true;
  readonly build: (words: readonly string[]) => MetaCommand | null;
}

const APPROVE_MODES: readonly ApproveMode[] = ['ask', 'read-only', 'all'];

/** All meta-commands of this release, in the order help lists them. */
export const META_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'help',
    usage: '[command]',
    summary: 'list the commands, or explain one',
    required: 0,
    arguments: ['topic'],
    build: ([topic]) => (topic === undefined ? { name: 'help' } : { name: 'help', topic }),
  },
  {
    name: 'mcp',
    action: 'connect',
    usage: '<url> [alias]',
    summary: 'connect to an MCP server over HTTP',
    detail: 'Its tools are then offered to the model as alias.tool. Without an alias one is made from the host name.',
    required: 1,
    arguments: ['url', 'alias'],
    build: ([url, alias]) => {
      if (url === undefined || !/^https?:\/\/[^/]/.test(url)) return null;
      if (alias === undefined) return { name: 'mcp', action: 'connect', url };
      return { name: 'mcp', action: 'connect', url, alias };
    },
  },
  {
    name: 'mcp',
    action: 'disconnect',
    usage: '<alias>',
    summary: 'disconnect a server',
    required: 1,
    arguments: ['server'],
    build: ([alias]) => (alias === undefined ? null : { name: 'mcp', action: 'disconnect', alias }),
  },
  {
    name: 'mcp',
    action: 'list',
    usage: '',
    summary: 'show the servers and how they are',
    required: 0,
    arguments: [],
    build: () => ({ name: 'mcp', action: 'list' }),
  },
  {
    name: 'mcp',
    action: 'tools',
    usage: '',
    summary: 'show the tools of all servers',
    required: 0,
    arguments: [],
    build: () => ({ name: 'mcp', action: 'tools' }),
  },
  {
    name: 'mcp',
    action: 'tool',
    usage: '<alias.name>',
    summary: 'show one tool with its arguments',
    required: 1,
    arguments: ['tool'],
    build: ([tool]) => (tool === undefined ? null : { name: 'mcp', action: 'tool', tool }),
  },
  {
    name: 'model',
    usage: '[name]',
    summary: 'show the model, or take another',
    detail: 'Names are those of [models] in the configuration; :models lists them.',
    required: 0,
    arguments: ['model'],
    build: ([model]) => (model === undefined ? { name: 'model' } : { name: 'model', model }),
  },
  plain('models', 'list the models that are configured'),
  {
    name: 'undo',
    usage: '[id] [path…]',
    summary: 'take back what the last step changed, or put paths back as a checkpoint has them',
    detail:
      'Without an id the latest checkpoint is meant. A file that changed since is left alone and named. ' +
      'A first word like c12 is an id, everything else a path; write ./c12 for a file of such a name.',
    required: 0,
    arguments: ['checkpoint', 'path'],
    repeats: true,
    build: toUndo,
  },
  plain('checkpoints', 'list the checkpoints of this repository'),
  {
    name: 'diff',
    usage: '[id]',
    summary: 'show what changed since a checkpoint',
    detail: 'Without an id the latest checkpoint is meant.',
    required: 0,
    arguments: ['checkpoint'],
    build: ([id]) => (id === undefined ? { name: 'diff' } : { name: 'diff', id }),
  },
  plain('history', 'show the lines typed before'),
  plain('sessions', 'list the sessions'),
  {
    name: 'resume',
    usage: '[id]',
    summary: 'go on with an earlier session',
    detail: 'Without an id the latest session of this directory is meant.',
    required: 0,
    arguments: ['session'],
    build: ([id]) => (id === undefined ? { name: 'resume' } : { name: 'resume', id }),
  },
  plain('new', 'begin a new session'),
  plain('config', 'show the configuration and where each value comes from'),
  {
    name: 'approve',
    usage: '[ask|read-only|all]',
    summary: 'show or set what runs without asking',
    detail: 'ask: nothing. read-only: tools that only look. all: every tool call that can be undone.',
    required: 0,
    arguments: ['approve'],
    build: ([word]) => {
      if (word === undefined) return { name: 'approve' };
      const mode = APPROVE_MODES.find((known) => known === word);
      return mode === undefined ? null : { name: 'approve', mode };
    },
  },
  plain('demo', 'see the whole loop with a scripted model'),
  plain('quit', 'leave aish'),
];

/** True for a line that is meant for aish itself: whatever begins with a colon. The shell's own `:` is written `!:`. */
export function isMetaLine(line: string): boolean {
  return line.trimStart().startsWith(':');
}

/** Understands a meta line; every failure says what to type instead. */
export function parseMetaCommand(line: string): MetaResult {
  if (!/^\s*:[a-zA-Z]/.test(line))
    return failure(
      'a line that begins with a colon is for aish, and this is none of its commands',
      ':help lists them; put ! before the line to run it in the shell',
    );
  const words = splitWords(line.trim().slice(1));
  if (words === null) return failure('a quote is not closed', 'close the quote, or put a backslash before it');
  const [name = '', ...rest] = words;
  const entries = META_COMMANDS.filter((entry) => entry.name === name);
  const [first] = entries;
  if (first === undefined)
    return unknown(`:${name}`, name, [...new Set(META_COMMANDS.map((entry) => entry.name))], ':');
  if (first.action === undefined) return build(first, rest);
  const [action, ...values] = rest;
  const entry = entries.find((one) => one.action === action);
  if (entry !== undefined) return build(entry, values);
  if (action === undefined) return failure(`:${name} needs a second word`, formatUsages(entries));
  return unknown(
    `:${name} ${action}`,
    action,
    entries.map((one) => one.action ?? ''),
    `:${name} `,
  );
}

/** How a command is typed, e.g. `:mcp connect <url> [alias]`. */
export function formatUsage(entry: MetaEntry): string {
  return `:${[entry.name, entry.action, entry.usage].filter((part) => part).join(' ')}`;
}

/** Help text from the table: everything, or the rows of one command; null for a topic that is none. */
export function formatHelp(topic?: string): string | null {
  const name = topic?.replace(/^:/, '');
  const entries = META_COMMANDS.filter((entry) => name === undefined || entry.name === name);
  if (entries.length === 0) return null;
  const width = Math.max(...entries.map((entry) => formatUsage(entry).length));
  const rows = entries.map((entry) => `${formatUsage(entry).padEnd(width)}  ${entry.summary}`);
  if (name !== undefined) return [...rows, ...entries.flatMap((entry) => entry.detail ?? [])].join('\n');
  const prefixes = [`${'!line'.padEnd(width)}  run the line in the shell`, `${'?line'.padEnd(width)}  ask the model`];
  return [...rows, '', ...prefixes].join('\n');
}

/** One thing that could stand at the cursor: it replaces the text from `start` on. */
export interface MetaCandidate {
  readonly start: number;
  readonly text: string;
  readonly description?: string;
}

/** Names that only the running program knows, by the kind of argument they fit. */
export type MetaNames = (kind: MetaArgument) => readonly string[];

/** What can be typed at the end of an unfinished meta line. */
export function completeMetaCommand(line: string, names: MetaNames = () => []): readonly MetaCandidate[] {
  if (!isMetaLine(line)) return [];
  const start = Math.max(line.lastIndexOf(' '), line.indexOf(':')) + 1;
  const word = line.slice(start);
  const before = line
    .slice(line.indexOf(':') + 1, start)
    .split(' ')
    .filter((part) => part !== '');
  return offers(before, names)
    .filter((offer) => offer.text.startsWith(word))
    .map((offer) => ({ start, ...offer }));
}

interface Offer {
  readonly text: string;
  readonly description?: string;
}

function offers(before: readonly string[], names: MetaNames): readonly Offer[] {
  const [name, action, ...rest] = before;
  if (name === undefined) return commandOffers();
  const entries = META_COMMANDS.filter((entry) => entry.name === name);
  const [first] = entries;
  if (first === undefined) return [];
  if (first.action === undefined) return argumentOffers(first, before.length - 1, names);
  if (action === undefined) return entries.map((entry) => ({ text: entry.action ?? '', description: entry.summary }));
  const entry = entries.find((one) => one.action === action);
  return entry === undefined ? [] : argumentOffers(entry, rest.length, names);
}

function commandOffers(): readonly Offer[] {
  const firsts = META_COMMANDS.filter((entry, at) => META_COMMANDS.findIndex((one) => one.name === entry.name) === at);
  return firsts.map((entry) => ({
    text: entry.name,
    description: entry.action === undefined ? entry.summary : 'MCP servers and their tools',
  }));
}

function argumentOffers(entry: MetaEntry, position: number, names: MetaNames): readonly Offer[] {
  const kind = entry.arguments[position] ?? (entry.repeats ? entry.arguments.at(-1) : undefined);
  if (kind === undefined) return [];
  if (kind === 'topic') return commandOffers();
  if (kind === 'approve') return APPROVE_MODES.map((text) => ({ text }));
  return names(kind).map((text) => ({ text }));
}

function plain(
  name: 'models' | 'checkpoints' | 'history' | 'sessions' | 'new' | 'config' | 'demo' | 'quit',
  summary: string,
): MetaEntry {
  return { name, usage: '', summary, required: 0, arguments: [], build: () => ({ name }) };
}

function toUndo(words: readonly string[]): MetaCommand {
  const [first, ...rest] = words;
  if (first === undefined) return { name: 'undo', paths: [] };
  if (/^c\d+$/.test(first)) return { name: 'undo', id: first, paths: rest };
  return { name: 'undo', paths: words };
}

function build(entry: MetaEntry, words: readonly string[]): MetaResult {
  const usage = `usage: ${formatUsage(entry)}`;
  const name = `:${entry.name}${entry.action === undefined ? '' : ` ${entry.action}`}`;
  if (words.length < entry.required) return failure(`${name} needs ${entry.usage.split(' ')[0]}`, usage);
  if (!entry.repeats && words.length > entry.arguments.length) {
    return failure(`${name} does not know what to do with "${words[entry.arguments.length]}"`, usage);
  }
  const command = entry.build(words);
  return command === null ? failure(`${name} cannot take "${words[0] ?? ''}"`, usage) : { ok: true, command };
}

function failure(message: string, hint: string): MetaResult {
  return { ok: false, message, hint };
}

function formatUsages(entries: readonly MetaEntry[]): string {
  return `usage: ${entries.map(formatUsage).join('\n       ')}`;
}

function unknown(shown: string, word: string, known: readonly string[], prefix: string): MetaResult {
  const [nearest] = [...known]
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name) }))
    .filter((one) => one.distance <= Math.max(1, Math.floor(one.name.length / 2)) || one.name.startsWith(word))
    .sort((one, other) => one.distance - other.distance);
  const hint = nearest === undefined ? ':help lists the commands' : `did you mean ${prefix}${nearest.name}?`;
  return failure(`there is no ${shown}`, hint);
}

function editDistance(one: string, other: string): number {
  if (one.length > 64) return one.length;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Words as a shell would split them, without expansion; null when a quote stays open. */
function splitWords(text: string): readonly string[] | null {
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
