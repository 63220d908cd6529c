import type { Key } from './keys.ts';

const LITERALS: Readonly<Record<string, string>> = {
  tab: '\t',
  enter: '\r',
  escape: '\x1b',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  delete: '\x1b[3~',
  'shift-tab': '\x1b[Z',
};

/** The characters that a key sends, for a person who wants them in the text; empty where nobody can tell. */
export function literalOf(key: Key): string {
  if (key.type !== 'key') return key.text;
  const named = LITERALS[key.key];
  if (named !== undefined) return named;
  const control = /^ctrl-([@-_a-z])$/.exec(key.key)?.[1];
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
  const alt = /^alt-(.+)$/.exec(key.key)?.[1];
  if (alt === undefined) return '';
  return `\x1b${alt.length === 1 ? alt : literalOf({ type: 'key', key: alt })}`;
}
