import { formatKey, KEY_GROUPS, type KeyRow, VI_KEYS } from './key-table.ts';
import { formatUsage } from './meta-command.ts';
import type { MetaEntry } from './meta-entry.ts';
import { META_COMMANDS } from './meta-table.ts';

/** Which commands belong together, by their first words; what stands in none is listed with the last. */
const GROUPS: readonly { readonly title: string; readonly names: string }[] = [
  {
    title: 'The model',
    names: 'model models approve blast rehearse sandbox halt new sessions resume name why compact context',
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
export function metaCommandParts(): readonly HelpPart[] {
  const grouped = GROUPS.map(({ title, names }) => ({ title, entries: names.split(' ').flatMap(entriesOf) }));
  const listed = new Set(grouped.flatMap(({ entries }) => entries));
  const rest = META_COMMANDS.filter((entry) => !listed.has(entry));
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

function entriesOf(name: string): readonly MetaEntry[] {
  return META_COMMANDS.filter((entry) => entry.name === name);
}

/** Help from the tables, no wider than `columns`: everything, the keys, or one command; null for a topic that is none. */
export function formatHelp(topic?: string, columns = 80): string | null {
  const name = topic?.replace(/^:/, '').toLowerCase();
  if (name === undefined) return formatParts([...metaCommandParts(), markPart(), firstKeys()], columns);
  if (name === 'keys') return formatParts(keyParts(), columns);
  const entries = entriesOf(name);
  if (entries.length === 0) return null;
  const rows = entries.map((entry) => [formatUsage(entry), entry.summary] as const);
  const details = entries.flatMap((entry) => entry.detail ?? []);
  return [...toLines(rows, widthOf(rows), columns, ''), ...details.flatMap((detail) => wrap(detail, columns))].join(
    '\n',
  );
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
function toLines(
  rows: readonly (readonly [string, string])[],
  width: number,
  columns: number,
  indent: string,
): readonly string[] {
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
