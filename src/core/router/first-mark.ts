import type { Route } from './route.ts';

/** Forms in which `!` belongs to the shell: its negation and its history. */
const KEEPS_MARK = /^!(?:$|\s|[!$^*#?]|-?\d|:[\d$^*-])/;

/** Reads the mark an input begins with: `:` meta, `!` shell, `?` model, whatever follows. */
export function readFirstMark(input: string): Route | null {
  const text = input.trimStart();
  if (text.startsWith(':')) return { type: 'meta', text, reason: 'it begins with “:”' };
  if (text.startsWith('?')) return { type: 'message', text: text.slice(1).trimStart(), reason: 'it begins with “?”' };
  if (text.startsWith('!')) {
    return { type: 'command', text: KEEPS_MARK.test(text) ? text : text.slice(1), reason: 'it begins with “!”' };
  }
  return null;
}
