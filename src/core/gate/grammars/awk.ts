import { find } from '../findings.ts';
import type { Finding } from '../verdict.ts';

/**
 * Judges a program of awk. Inside it `system`, a pipe and `|&` start commands, a redirection writes a file, `getline <` reads
 * one, and `@` loads code; the rest prints. Comparisons look like redirections: outside of a print they are none.
 */
export function judgeAwk(program: string): readonly Finding[] {
  const code = program
    .replace(/"(\\.|[^"\\])*"/g, '""')
    .replace(/(^|[~(,!&|;{])\s*\/(\\.|\[[^\]]*\]|[^/\\\n])+\//g, '$1//')
    .replace(/#[^\n]*/g, '');
  if (/\bsystem\s*\(|\bsyste\b|@\s*(load|include|\w+\s*\()|\bextension\b/.test(code))
    return [find('runs', 'a command that awk starts')];
  const pipes = code.replaceAll('||', '');
  if (pipes.includes('|')) return [find('runs', 'a command that awk starts')];
  if (/\bgetline\b/.test(code)) return [find('changes', 'a file that awk opens')];
  if (/\bENVIRON\b|\bPROCINFO\b/.test(code)) return [find('secrets', 'the environment')];
  return writes(code) ? [find('changes', 'a file that awk writes')] : [];
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
