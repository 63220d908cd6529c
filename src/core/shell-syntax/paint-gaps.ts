import { Kind, type ShellPaint } from './shell-paint.ts';

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'in', 'do', 'done', 'while', 'until', 'select', 'case', 'esac'],
  ...['function', 'time', 'coproc', 'foreach', 'end', 'repeat', 'always', '{', '}', '[[', ']]', '!'],
]);

/** In the order they are tried at each place; what none of them takes is plain. */
const TOKEN =
  /([ \t\r\n]+)|(\\[\s\S]?)|("(?:\\[\s\S]|[^"\\])*"?|'[^']*'?)|(\$\w+|\$[^\w\s]?)|(\[\[|\]\]|[A-Za-z_][\w-]*|[{}!])|([;&|()<>=~]+)|(-\w+)|(#)|[\s\S]/y;

/** Paints what no word of the tree covers: keywords, operators, comments, and what the parser could make nothing of. */
export function paintGaps(paint: ShellPaint): void {
  const { kinds } = paint;
  for (let at = 0; at < kinds.length; ) {
    if (kinds[at] !== Kind.gap) {
      at += 1;
      continue;
    }
    let end = at + 1;
    while (end < kinds.length && kinds[end] === Kind.gap) end += 1;
    paintGap(paint, at, end);
    at = end;
  }
}

function paintGap(paint: ShellPaint, start: number, end: number): void {
  const text = paint.text.slice(0, end);
  for (TOKEN.lastIndex = start; TOKEN.lastIndex < end; ) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) return;
    const isComment = found[8] !== undefined && beginsWord(text, at);
    const stop = isComment ? endOfLine(text, at) : TOKEN.lastIndex;
    paint.paint(at, stop, isComment ? Kind.comment : kindOf(found));
    TOKEN.lastIndex = stop;
  }
}

function kindOf([, blank, escaped, quoted, variable, word, operator, option]: RegExpExecArray): Kind {
  if (blank !== undefined) return Kind.gap;
  if (escaped !== undefined) return Kind.plain;
  if (quoted !== undefined) return Kind.string;
  if (variable !== undefined) return Kind.variable;
  if (word !== undefined) return KEYWORDS.has(word) ? Kind.keyword : Kind.plain;
  if (operator !== undefined) return Kind.operator;
  return option === undefined ? Kind.plain : Kind.option;
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || /[\s;&|()]/.test(text.charAt(at - 1));
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
