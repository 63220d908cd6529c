import { formatUsage } from './meta-command.ts';
import { isNamed, type MetaEntry } from './meta-entry.ts';
import { META_COMMANDS } from './meta-table.ts';

/** Groups of commands by their names. */
const GROUPS: readonly { readonly title: string; readonly names: string }[] = [
  { title: 'The model', names: 'model models doctor cloud skills approve trust impact dry-run sandbox halt why compact context cost' },
  { title: 'Autonomous runs', names: 'norris pause resume-run' },
  { title: 'Sessions and memory', names: 'new sessions resume name recall remember memory' },
  { title: 'Changes', names: 'undo redo checkpoints diff' },
  { title: 'Commands and their output', names: 'output history route private z cdh abbr' },
  { title: 'MCP servers', names: 'mcp' },
  { title: 'aish', names: 'help config theme keyboard demo aish quit' },
];

/** Signs in a line that have a meaning for aish. */
const MARKS: readonly (readonly [string, string])[] = [
  ['!line', 'run the line in the shell'],
  ['?line', 'ask the model'],
  ['%N, %N | …', 'show an output, or pipe it into a command'],
  ['@path, @path:10-40', 'in a message: attach the file, or some of its lines'],
];

/** A titled part of the help: rows of two columns. */
export interface HelpPart {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}

/** All meta-commands by group. */
export function metaCommandParts(from: readonly MetaEntry[] = META_COMMANDS): readonly HelpPart[] {
  return GROUPS.map(({ title, names }) => {
    const entries = names.split(' ').flatMap((name) => from.filter((entry) => entry.name === name));
    return { title, rows: entries.map((entry) => [formatUsage(entry), entry.summary]) };
  });
}

function customPart(custom: readonly MetaEntry[]): readonly HelpPart[] {
  const rows = custom.map((entry) => [formatUsage(entry), entry.summary] as const);
  return rows.length === 0 ? [] : [{ title: 'Your own commands', rows }];
}

/** The signs before or in a line, with their meaning. */
export function markPart(): HelpPart {
  return { title: 'In a line', rows: MARKS };
}

/** The keys of the editor, all or only those to know first. */
export function keyParts(): readonly HelpPart[] {
  const groups = KEY_GROUPS.map(({ title, rows }) => ({ title, rows: rows.map(toKeyRow) }));
  return [...groups, { title: 'Vi\'s keys, after Escape (with keys = "vi" in [ui])', rows: VI_KEYS }];
}

/** Keys of the startup files that do nothing here. */
function leftPart(left: readonly (readonly [keys: string, does: string])[]): readonly HelpPart[] {
  const rows = left.map(([keys, does]) => [formatKey(keys), does] as const);
  return rows.length === 0 ? [] : [{ title: 'Keys of your startup files that aish does not take over', rows }];
}

function firstKeys(): HelpPart {
  const rows = KEY_GROUPS.flatMap((group) => group.rows.filter(({ first }) => first === true));
  return { title: 'Keys (:help keys lists them all)', rows: rows.map(toKeyRow) };
}

function toKeyRow({ keys, does }: KeyRow): readonly [string, string] {
  return [keys.map(formatKey).join(', '), does];
}

/** The name of a topic as it was typed: without its colon, in small letters. */
function toTopic(topic: string | undefined): string | undefined {
  return topic?.replace(/^:/, '').toLowerCase();
}

/** Whether the help about a topic lists the keys. */
export function listsKeys(topic: string | undefined): boolean {
  return toTopic(topic) === 'keys';
}

/** Help from the tables, at most `columns` wide: everything, the keys, or one command. Null for an unknown topic. */
export function formatHelp(
  topic?: string,
  columns = 80,
  from: readonly MetaEntry[] = META_COMMANDS,
  left: readonly (readonly [keys: string, does: string])[] = [],
  custom: readonly MetaEntry[] = [],
): string | null {
  const name = toTopic(topic);
  if (name === undefined) return formatParts([...metaCommandParts(from), ...customPart(custom), markPart(), firstKeys()], columns);
  if (listsKeys(topic)) return formatParts([...keyParts(), ...leftPart(left)], columns);
  const entries = [...META_COMMANDS, ...custom].filter((entry) => isNamed(entry, name));
  if (entries.length === 0) return null;
  const rows = entries.map((entry) => [formatUsage(entry), entry.summary] as const);
  const details = entries.flatMap((entry) => entry.detail ?? []);
  return [...toColumns(rows, widthOf(rows), columns, ''), ...details.flatMap((detail) => wrap(detail, columns))].join('\n');
}

/** Longer entries of the left column have a line of their own. */
const WIDEST = 29;

function formatParts(parts: readonly HelpPart[], columns: number): string {
  const width = Math.min(WIDEST, Math.max(...parts.map(({ rows }) => widthOf(rows))));
  return parts.map(({ title, rows }) => [title, ...toColumns(rows, width, columns, '  ')].join('\n')).join('\n\n');
}

function widthOf(rows: readonly (readonly [string, string])[]): number {
  return Math.max(...rows.map(([left]) => left.length));
}

/** Two columns; where the left one is too long, or the window too narrow for two, the right one stands below. */
export function toColumns(rows: readonly (readonly [string, string])[], width: number, columns: number, indent: string): readonly string[] {
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

interface KeyRow {
  /** Keys as the editor names them, with a space between keys that follow each other. */
  readonly keys: readonly string[];
  readonly does: string;
  /** Listed by `:help`; the others only by `:help keys`. */
  readonly first?: true;
}

/** The keys of the line editor. A test compares this table with the editor. */
export const KEY_GROUPS: readonly { readonly title: string; readonly rows: readonly KeyRow[] }[] = [
  {
    title: 'Editing a line',
    rows: [
      { keys: ['enter'], does: 'run the line, or start another line if a quote or a block is open', first: true },
      { keys: ['alt-enter', 'shift-enter', 'ctrl-enter'], does: 'start another line', first: true },
      { keys: ['tab'], does: 'complete the word; press again for the menu', first: true },
      { keys: ['shift-tab'], does: 'switch the line between the shell and the model', first: true },
      { keys: ['right', 'ctrl-f', 'end', 'ctrl-e'], does: 'at the end of the line: accept the suggestion', first: true },
      { keys: ['ctrl-right', 'alt-right', 'alt-f'], does: 'at the end of the line: accept one word of the suggestion' },
      { keys: ['ctrl-c'], does: 'clear the line; while a command or the model runs: stop it', first: true },
      { keys: ['ctrl-d'], does: 'delete the character at the cursor; on an empty line: exit', first: true },
      { keys: ['ctrl-l'], does: 'clear the screen' },
      { keys: ['alt-h'], does: 'open the manual page of the command at the cursor' },
      { keys: ['ctrl-x ctrl-e', 'alt-e'], does: 'edit the line in $EDITOR', first: true },
      { keys: ['alt-s'], does: 'add or remove sudo; on an empty line: repeat the last line with sudo' },
      { keys: ['alt-#'], does: 'save the line in history as a comment' },
    ],
  },
  {
    title: 'History',
    rows: [
      { keys: ['up', 'ctrl-p', 'down', 'ctrl-n'], does: 'show older and newer lines that start like this line', first: true },
      { keys: ['page-up', 'page-down', 'alt-p', 'alt-n'], does: 'show older and newer lines, even inside a multi-line text' },
      { keys: ['ctrl-r', 'ctrl-s'], does: 'search the history', first: true },
      { keys: ['alt-.'], does: 'insert the last word of the previous line; press again for older lines' },
      { keys: ['ctrl-o'], does: 'run the line, and insert the history line that followed it' },
    ],
  },
  {
    title: 'While a command or the model runs',
    rows: [
      { keys: ['enter'], does: 'queue the line; queued lines run in order afterwards' },
      { keys: ['up', 'alt-up'], does: 'edit the last queued line (Up: if the prompt is empty)' },
      {
        keys: ['ctrl-s', 'ctrl-enter'],
        does: 'send the line next: stop the answer; a running tool call finishes, and no other call starts',
        first: true,
      },
      { keys: ['ctrl-c'], does: 'stop; queued lines return to the prompt and do not run' },
      {
        keys: ['ctrl-\\'],
        does: 'halt: stop the model and every process it started; from then on aish asks before everything that no rule allows',
        first: true,
      },
    ],
  },
  {
    title: 'Moving the cursor',
    rows: [
      { keys: ['left', 'ctrl-b', 'right', 'ctrl-f'], does: 'move by a character' },
      { keys: ['ctrl-left', 'alt-left', 'alt-b', 'ctrl-right', 'alt-right', 'alt-f'], does: 'move by a word' },
      { keys: ['alt-left', 'alt-right'], does: 'at an empty line: go to the previous or next directory' },
      { keys: ['home', 'ctrl-a', 'end', 'ctrl-e'], does: 'go to the beginning or the end of the line' },
      { keys: ['ctrl-home', 'alt-<', 'ctrl-end', 'alt->'], does: 'go to the beginning or the end of the whole text' },
      { keys: ['ctrl-]', 'ctrl-alt-]'], does: 'jump to the next or previous character that you type' },
    ],
  },
  {
    title: 'Changing text',
    rows: [
      { keys: ['backspace', 'delete'], does: 'delete a character' },
      { keys: ['ctrl-w'], does: 'cut back to a space' },
      { keys: ['alt-backspace', 'ctrl-backspace'], does: 'cut to the beginning of the word' },
      { keys: ['alt-d', 'alt-delete', 'ctrl-delete'], does: 'cut to the end of the word' },
      { keys: ['ctrl-u', 'ctrl-x backspace'], does: 'cut to the beginning of the line' },
      { keys: ['ctrl-k'], does: 'cut to the end of the line' },
      { keys: ['ctrl-y', 'alt-y'], does: 'paste the last cut text, and replace it with older cuts' },
      { keys: ['ctrl-_', 'ctrl-/', 'ctrl-z', 'ctrl-x ctrl-u'], does: 'undo the last edit', first: true },
      { keys: ['alt-_', 'alt-/', 'ctrl-shift-z', 'ctrl-x ctrl-r'], does: 'redo an edit' },
      { keys: ['alt-r'], does: 'restore the original line' },
      { keys: ['ctrl-t', 'alt-t'], does: 'swap two characters, or two words' },
      { keys: ['alt-u', 'alt-l', 'alt-c'], does: 'change a word to upper case, lower case or title case' },
      { keys: ['alt-\\'], does: 'delete the spaces around the cursor' },
      { keys: ['ctrl-@'], does: 'type a blank that expands no abbreviation' },
      { keys: ['ctrl-v', 'ctrl-q'], does: 'insert the next key as a character' },
      { keys: ['alt-1'], does: 'with any digit: repeat the next key that many times' },
    ],
  },
];

/** Keys of vi's normal mode, separated by spaces. A test compares them with the editor. */
export const VI_KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['i I a A o O', 'insert before the cursor, at the start, after the cursor, at the end, on a line below or above'],
  ['R', 'replace text while you type'],
  ['v V', 'select characters or lines (d c y u U ~ r p change the selection, o goes to its other end)'],
  ['h l 0 ^ _ $', 'move by a character, or to the beginning, the first non-blank character or the end of the line'],
  ['w W b B e E', 'go to the next word, the previous word, the end of the word; capitals split words at spaces only'],
  ['f F t T ; ,', 'go to a character, or just before it, forward or back; repeat; repeat backwards'],
  ['% gg G', 'go to the matching bracket, the first line, the last line'],
  ['j k / ? n N', 'show newer or older lines; search the history; show the next or previous match'],
  ['d c y', 'delete, change or copy the text of a motion; doubled: the line'],
  ['gu gU g~', 'make the text of a motion lower case, upper case, or swap its case'],
  ['iw aw i" a( iB', 'after an operator: a word, or the text in quotes or brackets, without or with these'],
  ['x X D C s S Y', 'do the same as dl dh d$ c$ cl cc yy'],
  ['p P', 'paste after or before the cursor'],
  ['r ~ J', 'replace a character, swap its case, join the next line'],
  ['u .', 'undo (Ctrl-R: redo); repeat the last change'],
  ['#', 'save the line in history as a comment'],
];

const NAMES: Readonly<Record<string, string>> = { 'ctrl-@': 'Ctrl-Space', 'page-up': 'Page Up', 'page-down': 'Page Down' };

/** A key as users write it: `Ctrl-X Ctrl-E`. */
function formatKey(keys: string): string {
  return keys
    .split(' ')
    .map((key) => NAMES[key] ?? key.replace(/(^|(?<=-))[a-z]/g, (letter) => letter.toUpperCase()))
    .join(' ');
}
