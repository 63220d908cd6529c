/** Where a first mark sends an input, and what is handed on. */
export interface Marked {
  readonly route: 'meta' | 'shell' | 'ai';
  readonly text: string;
  readonly reason: string;
}

/** Forms in which `!` belongs to the shell: its negation and its history. */
const KEEPS_MARK = /^!(?:$|\s|[!$^*#?]|-?\d|:[\d$^*-])/;

/** Reads the mark an input begins with: `:` meta, `!` shell, `?` model, whatever follows. */
export function readFirstMark(input: string): Marked | null {
  const text = input.trimStart();
  if (text.startsWith(':')) return { route: 'meta', text, reason: 'it begins with “:”' };
  if (text.startsWith('?')) return { route: 'ai', text: text.slice(1).trimStart(), reason: 'it begins with “?”' };
  if (text.startsWith('!')) {
    return { route: 'shell', text: KEEPS_MARK.test(text) ? text : text.slice(1), reason: 'it begins with “!”' };
  }
  return null;
}
