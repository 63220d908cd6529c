import { escapeBlock, escapeForDisplay } from '../../../core/sanitize.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { indentText } from './fold.ts';

/** Every argument of a call on rows no wider than `width`: escaped, folded, nothing left out. Texts of several lines stand as blocks. */
export function formatArguments(values: JsonObject, width: number, indent = '  '): readonly string[] {
  const names = Object.keys(values);
  if (names.length === 0) return [`${indent}(no arguments)`];
  return names.flatMap((name) => formatArgument(escapeForDisplay(name), values[name] ?? null, width, indent));
}

function formatArgument(name: string, value: Json, width: number, indent: string): readonly string[] {
  // What a long line goes on in must not pass for a line, or an argument, of its own.
  const further = `${indent}: `;
  if (typeof value === 'string' && value.includes('\n')) {
    const count = value.split('\n').length;
    const head = indentText(`${name}: (${count} lines)`, indent, width);
    return [...head, ...indentText(escapeBlock(value), `${indent}| `, width, further)];
  }
  // JSON doubles every backslash that is really there, so a spelled-out character cannot be mistaken for typed text.
  if (typeof value === 'string')
    return indentText(`${name}: ${escapeForDisplay(JSON.stringify(value))}`, indent, width, further);
  if (typeof value !== 'object' || value === null)
    return indentText(`${name}: ${JSON.stringify(value)}`, indent, width);
  const text = escapeForDisplay(JSON.stringify(value, null, 2), { multiline: true });
  return [...indentText(`${name}:`, indent, width), ...indentText(text, `${indent}| `, width, further)];
}
