import { find } from '../findings.ts';
import type { Finding } from '../verdict.ts';

/**
 * Judges a program of awk. Inside it `system`, a pipe and `|&` start commands, a redirection writes a file, `getline <` reads
 * one, and `@` loads code; the rest prints. Comparisons look like redirections: outside of a print they are none.
 */
export function judgeAwk(program: string): readonly Finding[] {
  const code = withoutText(program);
  if (code === null) return [find('unclear', 'a program of awk that is not understood')];
  if (/\bsystem\b|@/.test(code)) return [find('runs', 'a command that awk starts')];
  if (code.replaceAll('||', '').includes('|')) return [find('runs', 'a command that awk starts')];
  if (/\bgetline\b/.test(code)) return [find('changes', 'a file that awk opens')];
  if (/\bENVIRON\b|\bPROCINFO\b/.test(code)) return [find('secrets', 'the environment')];
  return writes(code) ? [find('changes', 'a file that awk writes')] : [];
}

/**
 * The program without its strings, patterns and comments; null where one of them does not end. A slash begins a pattern where
 * no value stands before it, as the language has it.
 */
function withoutText(program: string): string | null {
  let code = '';
  for (let at = 0; at < program.length; ) {
    const character = program[at] ?? '';
    const isPattern = character === '/' && !/[\w)\]"$]\s*$/.test(code);
    if (character === '#') {
      const end = program.indexOf('\n', at);
      at = end < 0 ? program.length : end;
    } else if (character === '"' || isPattern) {
      const end = endOfText(program, at + 1, character);
      if (end < 0) return null;
      code += '""';
      at = end + 1;
    } else {
      code += character;
      at += 1;
    }
  }
  return code;
}

/** Where a string or a pattern ends; a slash in brackets does not end one. */
function endOfText(program: string, from: number, delimiter: string): number {
  let inBrackets = false;
  for (let at = from; at < program.length; at += 1) {
    const character = program[at];
    if (character === '\\') at += 1;
    else if (character === '\n') return -1;
    else if (character === delimiter && !inBrackets) return at;
    else if (delimiter === '/' && character === '[' && !inBrackets) {
      inBrackets = true;
      if (program[at + 1] === '^') at += 1;
      if (program[at + 1] === ']') at += 1;
    } else if (character === ']') inBrackets = false;
  }
  return -1;
}

/** `print x > "file"`: a greater-than sign behind a print, outside of parentheses. */
function writes(code: string): boolean {
  return [...code.matchAll(/\bprintf?\b([^;\n}]*)/g)].some(([, words = '']) => {
    let depth = 0;
    for (const character of words) {
      if (character === '(' || character === '[') depth += 1;
      else if (character === ')' || character === ']') depth -= 1;
      else if (character === '>' && depth <= 0) return true;
    }
    return false;
  });
}
