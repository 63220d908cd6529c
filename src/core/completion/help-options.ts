import type { Candidate } from './completion.ts';

/** Longer descriptions are cut: a menu shows one row of each. */
const LONGEST_DESCRIPTION = 200;
const MOST_OPTIONS = 1000;

/** A row that begins with an option: its names and their values, then two blanks or a tab, then its purpose. */
const ROW = /^(\s*)(-{1,2}[A-Za-z0-9?#@[][^\t]*?)(?:(?:\s{2,}|\t|\s+(?=:\s))(?::\s)?\s*(\S.*))?$/;
const NAME = /(?:^|[\s,|/])(--?(?:\[no-\])?[A-Za-z0-9?#@][\w.-]*)(\[?=)?/g;

interface Row {
  readonly names: readonly Candidate[];
  readonly indent: number;
  description: string;
}

/** Reads the options and their descriptions from the text that a program prints for `--help`, or from its manual page. */
export function parseHelpOptions(text: string): readonly Candidate[] {
  const rows: Row[] = [];
  let open: Row | null = null;
  for (const line of plainLines(text)) {
    const row = readRow(line);
    if (row !== null) rows.push(row);
    open = row ?? (open !== null && goesOn(open, line) ? open : null);
  }
  const found = new Map<string, Candidate>();
  for (const { names, description } of rows) {
    const text = description.replace(/\s+/g, ' ').slice(0, LONGEST_DESCRIPTION);
    for (const name of names) {
      const known = found.get(name.value);
      if (known !== undefined && (known.description !== undefined || text === '')) continue;
      found.set(name.value, text === '' ? name : { ...name, description: text });
    }
  }
  return [...found.values()].slice(0, MOST_OPTIONS);
}

/** Manual pages overstrike letters, and some programs colour their help without a terminal. */
function plainLines(text: string): readonly string[] {
  return text
    .replace(/.\x08/g, '')
    .replace(/\x1b\[[0-9;]*m/g, '')
    .split(/\r?\n/);
}

function readRow(line: string): Row | null {
  const [, blank = '', spec, description = ''] = ROW.exec(line) ?? [];
  if (spec === undefined) return null;
  const names = [...spec.matchAll(NAME)].flatMap(([, name = '', equals]) => toNames(name, equals === '='));
  return names.length === 0 ? null : { names, indent: blank.length, description: description.trim() };
}

/** `--[no-]status` is two options; one that needs a value behind an equals sign waits for it. */
function toNames(name: string, takesValue: boolean): readonly Candidate[] {
  const both = name.includes('[no-]') ? [name.replace('[no-]', ''), name.replace('[no-]', 'no-')] : [name];
  return both.map((one) => (takesValue ? { value: `${one}=`, suffix: '' } : { value: one }));
}

/** A line below an option that is indented deeper belongs to its description. */
function goesOn(row: Row, line: string): boolean {
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  if (line.trim() === '' || indent <= row.indent) return false;
  row.description = `${row.description} ${line.trim()}`.trim();
  return true;
}
