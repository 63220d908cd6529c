import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import * as messages from './messages.ts';
import { indentText, wrapProse } from './wrap.ts';

/** Every argument of a call on rows no wider than `width`: escaped, wrapped, complete. Texts of several lines are blocks. */
export function formatArguments(values: JsonObject, width: number, indent = '  '): readonly string[] {
  const names = Object.keys(values);
  if (names.length === 0) return [`${indent}${messages.NO_ARGUMENTS}`];
  return names.flatMap((name) => formatArgument(escapeForDisplay(name), values[name] ?? null, width, indent));
}

/**
 * A command as the shell gets it: `$` leads its first line, `|` each further line, and `¦` the rows that a long line continues in. A note
 * below names characters that the rows do not show.
 */
export function formatCommand(command: string, width: number): readonly string[] {
  const further = `  ${CONTINUATION}`;
  const block = command.includes('\n') ? readBlock(command) : null;
  const [first = '', ...others] = (block?.text ?? escapeForDisplay(command)).split('\n');
  const spaces = / *$/.exec(command.replace(/\n$/, ''))?.[0].length ?? 0;
  const notes = [
    ...(block?.notes ?? []),
    ...(spaces === 0 ? [] : [messages.formatSpacesAtEnd(spaces)]),
    ...(block?.isEnded === true ? [messages.NEWLINE_AT_END] : []),
  ];
  return [
    ...indentText(first, '  $ ', width, further),
    ...others.flatMap((line) => indentText(line, '  | ', width, further)),
    ...(notes.length === 0 ? [] : wrapProse(`(${notes.join(', ')})`, width)),
  ];
}

/** Leads the rows that a long line continues in: not a line, an argument or shell syntax. */
const CONTINUATION = '¦ ';

function formatArgument(name: string, value: Json, width: number, indent: string): readonly string[] {
  const further = `${indent}${CONTINUATION}`;
  if (typeof value === 'string' && value.includes('\n')) {
    const { lines, isEnded, notes, text } = readBlock(value);
    const about = [messages.formatLineCount(lines), ...notes, ...(isEnded ? [] : [messages.NO_NEWLINE_AT_END])];
    const head = wrapProse(`${name}: (${about.join(', ')})`, width, indent);
    return [...head, ...indentText(text, `${indent}| `, width, further)];
  }
  // The first and the last quote are not part of the text.
  if (typeof value === 'string') return indentText(`${name}: "${escapeForDisplay(value)}"`, indent, width, further);
  if (typeof value !== 'object' || value === null)
    return indentText(`${name}: ${JSON.stringify(value)}`, indent, width);
  const text = escapeForDisplay(JSON.stringify(value, null, 2), { multiline: true });
  return [...indentText(`${name}:`, indent, width), ...indentText(text, `${indent}| `, width, further)];
}

const TAB = '    ';

/** A text of several lines, ready to be shown, and notes on characters that its rows do not show. */
interface Block {
  readonly lines: number;
  readonly isEnded: boolean;
  readonly notes: readonly string[];
  readonly text: string;
}

function readBlock(value: string): Block {
  const pieces = value.split('\n');
  const isEnded = pieces.at(-1) === '';
  const lines = isEnded ? pieces.slice(0, -1) : pieces;
  const ends = pieces.length - 1;
  const isCrlf = lines.slice(0, ends).every((line) => line.endsWith('\r'));
  const shown = isCrlf ? lines.map((line, at) => (at < ends ? line.slice(0, -1) : line)) : lines;
  const text = shown.join('\n');
  // A tab shows as four spaces only if the text has no other four spaces in a row.
  const spread = text.replaceAll('\t', TAB);
  const isSpread = spread !== text && spread.replaceAll(TAB, '\t') === text;
  const notes = [...(isCrlf ? [messages.LINES_END_WITH_CRLF] : []), ...(isSpread ? [messages.TABS_AS_SPACES] : [])];
  const shownText = escapeForDisplay(isSpread ? spread : text, { multiline: true });
  return { lines: lines.length, isEnded, notes, text: shownText };
}
