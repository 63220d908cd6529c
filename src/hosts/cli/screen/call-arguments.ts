import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { indentText, wrapProse } from './wrap.ts';

/** Every argument of a call on rows no wider than `width`: escaped, folded, nothing left out. Texts of several lines stand as blocks. */
export function formatArguments(values: JsonObject, width: number, indent = '  '): readonly string[] {
  const names = Object.keys(values);
  if (names.length === 0) return [`${indent}(no arguments)`];
  return names.flatMap((name) => formatArgument(escapeForDisplay(name), values[name] ?? null, width, indent));
}

function formatArgument(name: string, value: Json, width: number, indent: string): readonly string[] {
  // What a long line goes on in must not pass for a line, or an argument, of its own, nor its mark for a word of the shell.
  const further = `${indent}¦ `;
  if (typeof value === 'string' && value.includes('\n')) {
    const { about, text } = describeBlock(value);
    const head = wrapProse(`${name}: (${about})`, width, indent);
    return [...head, ...indentText(text, `${indent}| `, width, further)];
  }
  // The first and the last quote are the ends, and the text between them reads as it is.
  if (typeof value === 'string') return indentText(`${name}: "${escapeForDisplay(value)}"`, indent, width, further);
  if (typeof value !== 'object' || value === null)
    return indentText(`${name}: ${JSON.stringify(value)}`, indent, width);
  const text = escapeForDisplay(JSON.stringify(value, null, 2), { multiline: true });
  return [...indentText(`${name}:`, indent, width), ...indentText(text, `${indent}| `, width, further)];
}

const TAB = '    ';

/** The lines of a text, with what they do not show by themselves: what ends them, and whether the last one is ended. */
function describeBlock(value: string): { readonly about: string; readonly text: string } {
  const pieces = value.split('\n');
  const isEnded = pieces.at(-1) === '';
  const lines = isEnded ? pieces.slice(0, -1) : pieces;
  const ends = pieces.length - 1;
  const isCrlf = lines.slice(0, ends).every((line) => line.endsWith('\r'));
  const shown = isCrlf ? lines.map((line, at) => (at < ends ? line.slice(0, -1) : line)) : lines;
  const text = shown.join('\n');
  // Tabs are what many files are indented with. Each can be told from blanks where no other four of them stand together.
  const spread = text.replaceAll('\t', TAB);
  const isSpread = spread !== text && spread.replaceAll(TAB, '\t') === text;
  const about = [
    `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`,
    ...(isCrlf ? ['ended with CRLF'] : []),
    ...(isSpread ? ['each tab as 4 blanks'] : []),
    ...(isEnded ? [] : ['no new line at the end']),
  ];
  return { about: about.join(', '), text: escapeForDisplay(isSpread ? spread : text, { multiline: true }) };
}
