import { find } from '../findings.ts';
import type { Finding } from '../verdict.ts';

/** Judges a program of jq: it reads its input, and may look into the environment or at other files. */
export function judgeJq(program: string): readonly Finding[] {
  const code = program.replace(/"(\\.|[^"\\])*"/g, (string) => (string.includes('\\(') ? string : '""'));
  if (/\$ENV\b|(?<![.\w$])env\b|\bstrenv\b|\benvsubst\b/.test(code)) return [find('secrets', 'the environment')];
  if (/\$__prog_args|(?<![.\w])(include|import|system|exec)\b|(?<![.\w])load\w*\(/.test(code))
    return [find('runs', 'a module of jq')];
  return [];
}
