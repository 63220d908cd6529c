import { formatUsage } from './meta-command.ts';
import { isNamed, type MetaEntry } from './meta-entry.ts';
import { META_COMMANDS } from './meta-table.ts';

/** Which commands belong together, by their first words; what stands in none is listed with the last. */
const GROUPS: readonly { readonly title: string; readonly names: string }[] = [
  {
    title: 'The model',
    names: 'model models approve trust impact dry-run sandbox halt new sessions resume name why compact context',
  },
  { title: 'What was changed', names: 'undo redo checkpoints diff' },
  { title: 'Commands and their output', names: 'output history private' },
  { title: 'MCP servers', names: 'mcp' },
  { title: 'aish', names: 'help config theme demo quit' },
];

/** Marks that say what a line is. */
const MARKS: readonly (readonly [string, string])[] = [
  ['!line', 'run the line in the shell'],
  ['?line', 'ask the model'],
  ['%N, %N | …', 'show an output, or hand it to a command'],
  ['@path, @path:10-40', 'in a message: send the file, or these lines of it, along'],
];

/** A titled part of the help: rows of two columns. */
export interface HelpPart {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}

/** All meta-commands by group. */
export function metaCommandParts(from: readonly MetaEntry[] = META_COMMANDS): readonly HelpPart[] {
  const grouped = GROUPS.map(({ title, names }) => {
    return { title, entries: names.split(' ').flatMap((name) => entriesOf(name, from)) };
  });
  const listed = new Set(grouped.flatMap(({ entries }) => entries));
  const rest = from.filter((entry) => !listed.has(entry));
  return grouped.map(({ title, entries }, at) => {
    const all = at === grouped.length - 1 ? [...entries, ...rest] : entries;
    return { title, rows: all.map((entry) => [formatUsage(entry), entry.summary]) };
  });
}

/** What the marks before a line or in it mean. */
export function markPart(): HelpPart {
  return { title: 'In a line', rows: MARKS };
}

/** The keys of the editor, all or only those to know first. */
export function keyParts(): readonly HelpPart[] {
  const groups = KEY_GROUPS.map(({ title, rows }) => ({ title, rows: rows.map(toKeyRow) }));
  return [...groups, { title: 'Vi\'s keys, after Escape (with keys = "vi" in [ui])', rows: VI_KEYS }];
}

function firstKeys(): HelpPart {
  const rows = KEY_GROUPS.flatMap((group) => group.rows.filter(({ first }) => first === true));
  return { title: 'Keys (:help keys lists them all)', rows: rows.map(toKeyRow) };
}

function toKeyRow({ keys, does }: KeyRow): readonly [string, string] {
  return [keys.map(formatKey).join(', '), does];
}

function entriesOf(name: string, from: readonly MetaEntry[]): readonly MetaEntry[] {
  return from.filter((entry) => entry.name === name);
}

/** Help from the tables, no wider than `columns`: everything, the keys, or one command; null for a topic that is none. */
export function formatHelp(topic?: string, columns = 80, from: readonly MetaEntry[] = META_COMMANDS): string | null {
  const name = topic?.replace(/^:/, '').toLowerCase();
  if (name === undefined) return formatParts([...metaCommandParts(from), markPart(), firstKeys()], columns);
  if (name === 'keys') return formatParts(keyParts(), columns);
  const entries = META_COMMANDS.filter((entry) => isNamed(entry, name));
  if (entries.length === 0) return null;
  const rows = entries.map((entry) => [formatUsage(entry), entry.summary] as const);
  const details = entries.flatMap((entry) => entry.detail ?? []);
  return [...toLines(rows, widthOf(rows), columns, ''), ...details.flatMap((detail) => wrap(detail, columns))].join('\n');
}

/** Longer entries of the left column have a line of their own. */
const WIDEST = 29;

function formatParts(parts: readonly HelpPart[], columns: number): string {
  const width = Math.min(WIDEST, Math.max(...parts.map(({ rows }) => widthOf(rows))));
  return parts.map(({ title, rows }) => [title, ...toLines(rows, width, columns, '  ')].join('\n')).join('\n\n');
}

function widthOf(rows: readonly (readonly [string, string])[]): number {
  return Math.max(...rows.map(([left]) => left.length));
}

/** Two columns; where the left one is too long, or the window too narrow for two, the right one stands below. */
function toLines(rows: readonly (readonly [string, string])[], width: number, columns: number, indent: string): readonly string[] {
  const room = columns - indent.length - width - 2;
  return rows.flatMap(([left, right]) => {
    if (room < 24) return [indent + left, ...wrap(right, columns - 4).map((line) => `    ${line}`)];
    const lines = wrap(right, room);
    const rest = ' '.repeat(indent.length + width + 2);
    if (left.length > width) return [indent + left, ...lines.map((line) => rest + line)];
    return lines.map((line, at) => (at === 0 ? `${indent}${left.padEnd(width)}  ${line}` : rest + line));
  });
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) lines.push(line);
    line = line !== '' && longer.length > width ? word : longer;
  }
  return [...lines, line];
}

/** One row of the keys that help and the manual list. */
interface KeyRow {
  /** Keys as the editor names them; a blank stands between keys pressed after each other. */
  readonly keys: readonly string[];
  readonly does: string;
  /** Told by `:help` itself; the others by `:help keys`. */
  readonly first?: true;
}

/** Keys that belong together. */
interface KeyGroup {
  readonly title: string;
  readonly rows: readonly KeyRow[];
}

/** The keys of the line editor. A test holds this table against what the editor does. */
export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'The line',
    rows: [
      { keys: ['enter'], does: 'run the line, or begin another where a quote or a block is open', first: true },
      { keys: ['alt-enter', 'shift-enter', 'ctrl-enter'], does: 'begin another line', first: true },
      { keys: ['tab'], does: 'complete; once more for the menu', first: true },
      { keys: ['shift-tab'], does: 'send the line the other way: to the model, or to the shell', first: true },
      { keys: ['right', 'ctrl-f', 'end', 'ctrl-e'], does: 'at the end of the line: take the suggestion', first: true },
      { keys: ['ctrl-right', 'alt-right', 'alt-f'], does: 'at the end of the line: take a word of the suggestion' },
      { keys: ['ctrl-c'], does: 'give the line up; while somebody works: stop', first: true },
      { keys: ['ctrl-d'], does: 'delete what is under the cursor; on an empty line: leave', first: true },
      { keys: ['ctrl-l'], does: 'clear the screen' },
      { keys: ['ctrl-x ctrl-e', 'alt-e'], does: 'change the line in $EDITOR', first: true },
      {
        keys: ['alt-s'],
        does: 'put sudo before the line, or take it away; on an empty line: the line before, with sudo',
      },
      { keys: ['alt-#'], does: 'keep the line in history as a comment' },
    ],
  },
  {
    title: 'History',
    rows: [
      { keys: ['up', 'ctrl-p', 'down', 'ctrl-n'], does: 'older and newer lines that begin as this one', first: true },
      { keys: ['page-up', 'page-down', 'alt-p', 'alt-n'], does: 'the same, also from the middle of several lines' },
      { keys: ['ctrl-r', 'ctrl-s'], does: 'search in history', first: true },
      { keys: ['alt-.'], does: 'the last word of the line before; again for older ones' },
      { keys: ['ctrl-o'], does: 'run the line, and bring the one that followed it' },
    ],
  },
  {
    title: 'While somebody works',
    rows: [
      { keys: ['enter'], does: 'queue the line; queued lines run in order when the work has ended' },
      { keys: ['up', 'alt-up'], does: 'edit the last queued line (Up: from an empty line)' },
      {
        keys: ['ctrl-s', 'ctrl-enter'],
        does: 'send the line now: stop the answer, or let the call that runs end and begin nothing after it',
        first: true,
      },
      { keys: ['ctrl-c'], does: 'stop; queued lines come back and do not run: Up brings the next' },
      {
        keys: ['ctrl-\\'],
        does: 'halt: stop all that the model does with every process it has started, and ask about everything from then on',
        first: true,
      },
    ],
  },
  {
    title: 'Moving',
    rows: [
      { keys: ['left', 'ctrl-b', 'right', 'ctrl-f'], does: 'a character' },
      { keys: ['ctrl-left', 'alt-left', 'alt-b', 'ctrl-right', 'alt-right', 'alt-f'], does: 'a word' },
      { keys: ['home', 'ctrl-a', 'end', 'ctrl-e'], does: 'to the beginning or the end of the line' },
      { keys: ['ctrl-home', 'alt-<', 'ctrl-end', 'alt->'], does: 'to the beginning or the end of all lines' },
      { keys: ['ctrl-]', 'ctrl-alt-]'], does: 'to the next or the last place of the character typed then' },
    ],
  },
  {
    title: 'Changing',
    rows: [
      { keys: ['backspace', 'delete'], does: 'delete a character' },
      { keys: ['ctrl-w'], does: 'cut back to a blank' },
      { keys: ['alt-backspace', 'ctrl-backspace'], does: 'cut back to the beginning of a word' },
      { keys: ['alt-d', 'alt-delete', 'ctrl-delete'], does: 'cut to the end of the word' },
      { keys: ['ctrl-u', 'ctrl-x backspace'], does: 'cut to the beginning of the line' },
      { keys: ['ctrl-k'], does: 'cut to the end of the line' },
      { keys: ['ctrl-y', 'alt-y'], does: 'put back what was cut last, and what was cut before it' },
      { keys: ['ctrl-_', 'ctrl-/', 'ctrl-z', 'ctrl-x ctrl-u'], does: 'undo', first: true },
      { keys: ['alt-_', 'alt-/', 'ctrl-shift-z', 'ctrl-x ctrl-r'], does: 'redo' },
      { keys: ['alt-r'], does: 'the line as it was at first' },
      { keys: ['ctrl-t', 'alt-t'], does: 'swap two characters or words' },
      { keys: ['alt-u', 'alt-l', 'alt-c'], does: 'a word in capitals, in small letters, with a capital' },
      { keys: ['alt-\\'], does: 'delete the blanks around the cursor' },
      { keys: ['ctrl-v', 'ctrl-q'], does: 'take the next key as a character' },
      { keys: ['alt-1'], does: 'with any digit: how often the next key is meant' },
    ],
  },
];

/** Keys of vi's normal mode, as they are typed; a blank stands between different ones. A test holds them against what the editor does. */
export const VI_KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['i I a A o O', 'insert here, at the first character, behind, at the end, on a line below or above'],
  ['R', 'type over what stands there'],
  ['v V', 'select characters or lines (d c y u U ~ r p act on what is selected, o goes to its other end)'],
  ['h l 0 ^ _ $', 'a character; to the beginning, the first character, the end of the line'],
  ['w W b B e E', 'to the next word, back, to its end; large letters go from blank to blank'],
  ['f F t T ; ,', 'to a character, forward or back, or just before it; again; the other way'],
  ['% gg G', 'to the other bracket, the first line, the last line'],
  ['j k / ? n N', 'newer and older lines; search in history; the next and the last line found'],
  ['d c y', 'delete, change or copy up to where a motion goes; doubled: the line'],
  ['gu gU g~', 'small letters, capitals, or the other of both, in the same way'],
  ['iw aw i" a( iB', 'with these: a word, or what stands in quotes or brackets, without or with them'],
  ['x X D C s S Y', 'dl dh d$ c$ cl cc yy'],
  ['p P', 'put back what was deleted or copied last, behind or before the cursor'],
  ['r ~ J', 'another character here, the other case, the next line joined to this one'],
  ['u .', 'undo (Ctrl-R: redo); the last change once more'],
  ['#', 'keep the line in history as a comment'],
];

const NAMES: Readonly<Record<string, string>> = { 'page-up': 'Page Up', 'page-down': 'Page Down' };

/** A key as users write it: `Ctrl-X Ctrl-E`. */
function formatKey(keys: string): string {
  return keys
    .split(' ')
    .map((key) => NAMES[key] ?? key.replace(/(^|(?<=-))[a-z]/g, (letter) => letter.toUpperCase()))
    .join(' ');
}
