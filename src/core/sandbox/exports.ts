/** What stands before a name: with all that bash and zsh tell of a variable beside its being exported. */
const HEAD = String.raw`^(?:declare -[a-zA-Z]*x[a-zA-Z]*|typeset -[a-zA-Z]*x[a-zA-Z]*|export(?: -[a-zA-Z]+)*) (\w+)=`;
const DOUBLE = String.raw`"(?:[^"\\]|\\[\s\S])*"`;
const ANSI = String.raw`\$'(?:[^'\\]|\\[\s\S])*'`;
const SINGLE = `'[^']*'`;
const BARE = String.raw`[^'"\s$\\]|\\[\s\S]`;

const LINE = new RegExp(`${HEAD}((?:${DOUBLE}|${ANSI}|${SINGLE}|${BARE})*)$`, 'gm');
const PIECE = new RegExp(`${DOUBLE}|${ANSI}|${SINGLE}|${BARE}`, 'g');

/** Variables of the list that bash and zsh print of what they export. A value in another form is passed over. */
export function parseExports(printed: string): Record<string, string> {
  const [text = ''] = printed.split('\0');
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(LINE)) found[name] = value.replace(PIECE, unquote);
  return found;
}

function unquote(piece: string): string {
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\$`])/g, '$1');
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('$')) return piece.slice(2, -1).replace(ESCAPE, readEscape);
  return piece.startsWith('\\') ? piece.slice(1) : piece;
}

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|C-([\s\S])|([\s\S]))/g;

const SIGNS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function readEscape(all: string, octal?: string, hex?: string, code?: string, control?: string, sign = ''): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (code !== undefined) {
    const point = Number.parseInt(code, 16);
    return point > 0x10ffff ? all : String.fromCodePoint(point);
  }
  if (control !== undefined) return control === '?' ? '\x7f' : String.fromCharCode(control.charCodeAt(0) & 0x1f);
  return SIGNS[sign] ?? sign;
}
