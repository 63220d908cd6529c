/**
 * The lines of a unified diff, with what their ends are told once for each file instead of in every line: where all that is shown of a side
 * ends with CRLF. Where lines of both kinds stand beside each other the carriage returns stay, to be shown by name.
 */
export function sayLineEnds(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => line.endsWith('\r'))) return lines;
  return splitFiles(lines).flatMap(sayOfFile);
}

/** A line of a hunk always begins with a sign, so the next file cannot be one of them. */
function splitFiles(lines: readonly string[]): readonly (readonly string[])[] {
  const files: string[][] = [];
  for (const line of lines) {
    if (files.length === 0 || line.startsWith('diff ')) files.push([]);
    files.at(-1)?.push(line);
  }
  return files;
}

function sayOfFile(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.startsWith('@@'));
  if (from === -1) return lines;
  const [head, body] = [lines.slice(0, from), lines.slice(from)];
  const [old, fresh] = [endsOf(body, ' -'), endsOf(body, ' +')];
  const note = nameEnds(old, fresh);
  return note === null ? lines : [...head, note, ...body.map((line) => line.replace(/\r$/, ''))];
}

type Ends = 'none' | 'LF' | 'CRLF' | 'mixed';

/** What ends the lines of one side; the last line of a file may have no end. */
function endsOf(body: readonly string[], signs: string): Ends {
  const ended = body.filter((line, at) => {
    const isOfSide = line !== '' && signs.includes(line[0] ?? '');
    return isOfSide && body[at + 1]?.startsWith('\\') !== true;
  });
  const returns = ended.filter((line) => line.endsWith('\r')).length;
  if (ended.length === 0) return 'none';
  if (returns === 0) return 'LF';
  return returns === ended.length ? 'CRLF' : 'mixed';
}

function nameEnds(old: Ends, fresh: Ends): string | null {
  if (old === 'mixed' || fresh === 'mixed') return null;
  if (old === fresh || old === 'none' || fresh === 'none') return '(lines end with CRLF)';
  return `(line ends change from ${old} to ${fresh})`;
}
