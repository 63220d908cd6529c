import { literal } from '../argument.ts';
import { find } from '../findings.ts';
import { usePath } from '../path-use.ts';
import type { Call } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { judgeStarted } from './started-code.ts';

/**
 * Judges a program of awk. Inside it `system`, a pipe and `|&` start commands, a redirection writes a file, `getline <` reads
 * one, and `@` loads code; the rest prints. Comparisons look like redirections: outside of a print they are none.
 */
export function judgeAwk(program: string, call: Call): readonly Finding[] {
  const code = withoutText(program);
  const starts = code !== null && (/\bsystem\b/.test(code) || code.replaceAll('||', '').includes('|'));
  const written = [...program.matchAll(/>>?\s*"([^"\n]+)"/g)].flatMap(([, path = '']) =>
    usePath(literal(path), 'add', { ...call.scope, watcher: undefined }),
  );
  const fetches = starts && /\b(curl|wget)\b/.test(program);
  const runs = code !== null && /\bsystem\b|[A-Za-z_]\w*\s*\|\s*getline/.test(code);
  const connects = /\/inet[46]?\/(tcp|udp)\//.test(program);
  return [
    ...(connects || fetches ? [find(runs ? 'remote code' : 'network', 'a connection that awk opens')] : []),
    ...judgeProgramOf(code),
    ...judgeStarted(program, call, starts),
    ...(code !== null && writes(code) ? written.filter((one) => one.decision === 'deny') : []),
  ];
}

function judgeProgramOf(code: string | null): readonly Finding[] {
  if (code === null) return [find('unclear', 'a program of awk that is not understood')];
  if (/\bsystem\b|@/.test(code)) return [find('runs', 'a command that awk starts')];
  if (code.replaceAll('||', '').includes('|')) return [find('runs', 'a command that awk starts')];
  if (/\bgetline\b/.test(code)) return [find('changes', 'a file that awk opens')];
  if (/\bENVIRON\b/.test(code)) return [find('secrets', 'the environment')];
  if (/\bARG[VC]\b/.test(code)) return [find('changes', 'what awk reads')];
  return writes(code) ? [find('changes', 'a file that awk writes')] : [];
}

/**
 * The program without its strings, patterns and comments; null where one of them does not end. A slash begins a pattern where
 * no value stands before it, as the language has it.
 */
function withoutText(program: string): string | null {
  const before = new Before();
  let code = '';
  for (let at = 0; at < program.length; ) {
    const character = program[at] ?? '';
    if (character === '#') {
      const end = program.indexOf('\n', at);
      at = end < 0 ? program.length : end;
    } else if (character === '"' || (character === '/' && !before.isValue)) {
      const end = character === '"' ? endOfString(program, at + 1) : endOfPattern(program, at + 1);
      if (end < 0) return null;
      code += '""';
      before.value();
      at = end + 1;
    } else {
      const word = /^[A-Za-z_]\w*/.exec(program.slice(at, at + 64))?.[0] ?? character;
      code += word;
      before.read(word);
      at += word.length;
    }
  }
  return code;
}

const KEYWORDS =
  /^(print|printf|return|in|getline|case|else|do|delete|exit|if|while|for|switch|function|func|BEGIN|END|next|nextfile|break|continue|default|BEGINFILE|ENDFILE)$/;

/** Keeps whether a value stands before a place of a program: a slash then divides. */
class Before {
  isValue = false;
  #last = '';
  readonly #heads: boolean[] = [];

  value(): void {
    this.isValue = true;
    this.#last = '';
  }

  read(word: string): void {
    if (/^[ \t]$/.test(word)) return;
    if (word === '(') this.#heads.push(/^(if|while|for|switch)$/.test(this.#last));
    const isHead = word === ')' && this.#heads.pop() === true;
    const isStep = (word === '+' || word === '-') && this.#last === word;
    this.isValue = isStep || (/^[\w)\].]/.test(word) && !isHead && !KEYWORDS.test(word));
    this.#last = isStep ? '' : word;
  }
}

function endOfString(program: string, from: number): number {
  for (let at = from; at < program.length; at += 1) {
    if (program[at] === '\\') at += 1;
    else if (program[at] === '\n') return -1;
    else if (program[at] === '"') return at;
  }
  return -1;
}

/** Where a pattern ends. Some read a slash in brackets as its end, and some do not: such a pattern is not understood. */
function endOfPattern(program: string, from: number): number {
  let inBrackets = false;
  for (let at = from; at < program.length; at += 1) {
    const character = program[at];
    if (character === '\\') at += 1;
    else if (character === '\n') return -1;
    else if (character === '/') return inBrackets ? -1 : at;
    else if (character === '[' && !inBrackets) {
      inBrackets = true;
      if (program[at + 1] === '^') at += 1;
      if (program[at + 1] === ']') at += 1;
    } else if (character === '[' && /[:.=]/.test(program[at + 1] ?? '')) {
      const end = program.indexOf(`${program[at + 1]}]`, at + 2);
      if (end < 0) return -1;
      at = end + 1;
    } else if (character === ']') inBrackets = false;
  }
  return -1;
}

/** `print x > "file"`: a greater-than sign behind a print, outside of parentheses. */
function writes(code: string): boolean {
  return [...code.replace(/(\\|,|&&|\|\|)\s*\n/g, ' ').matchAll(/\bprintf?\b([^;\n}]*)/g)].some(([, words = '']) => {
    let depth = 0;
    for (const character of words) {
      if (character === '(' || character === '[') depth += 1;
      else if (character === ')' || character === ']') depth -= 1;
      else if (character === '>' && depth <= 0) return true;
    }
    return false;
  });
}
