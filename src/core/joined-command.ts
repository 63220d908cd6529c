import { findOpenPart } from './open-line.ts';

/** Behind these bash puts a blank instead of a semicolon: a command follows anyhow, or none may. */
const NO_SEMICOLON =
  /(?:^|[;&|(){}]|\s(?:then|do|else|if|while|until|\{))\s*(?:then|do|else|if|while|until|\{)$|[;&|()]$|\bcase\s+\S+\s+in$|\bfunction\s+\S+$/;
const COMMENT = /(?:^|\s)#/;

/**
 * A command of several lines as bash keeps it in its history (`cmdhist`): one line, joined by semicolons, where quotes, here-documents and
 * substitutions let it. Several commands, and what bash would join in a way of its own, are left as they were typed: null.
 */
export function joinCommand(text: string): string | null {
  const lines = text.split('\n');
  let joined = lines[0] ?? '';
  for (let at = 1; at < lines.length; at++) {
    const before = lines.slice(0, at).join('\n');
    const next = lines[at] ?? '';
    const glue = toGlue(before, lines[at - 1] ?? '');
    if (glue === null) return null;
    joined = glue === 'cut' ? joined.slice(0, -1) + next : joined + glue + next;
  }
  return joined + (endsDocument(text, lines) ? '\n' : '');
}

/** What stands between a line and the next; `cut` for a backslash that goes with its line end. */
function toGlue(before: string, line: string): string | null {
  switch (findOpenPart(before)) {
    case null:
      return null;
    case 'quote':
      return '\n';
    case 'here-document':
      return '\n';
    case 'backslash':
      return 'cut';
    case 'operator':
      return ' ';
    case 'block':
      return toGlueInBlock(before, line);
  }
}

function toGlueInBlock(before: string, line: string): string | null {
  // bash forgets a line of nothing but a remark, and joins what is around it in its own way.
  if (/^\s*#/.test(line)) return null;
  if (COMMENT.test(line)) return '\n';
  // A substitution takes a quote for its own; between commands one would be open.
  if (findOpenPart(`${before}'`) === 'block') return '\n';
  if (/\[\[[^\]]*$|\(\([^)]*$/.test(before)) return null;
  if (/=\([^()]*$/.test(before) || line.trim() === '') return ' ';
  if (endsDocument(before, before.split('\n'))) return '\n ';
  return NO_SEMICOLON.test(line.trimEnd()) ? ' ' : '; ';
}

/** Whether the last line is the end of a here-document. */
function endsDocument(text: string, lines: readonly string[]): boolean {
  const last = lines.at(-1) ?? '';
  return (
    lines.length > 1 &&
    text.includes('<<') &&
    findOpenPart(lines.slice(0, -1).join('\n')) === 'here-document' &&
    last !== ''
  );
}
