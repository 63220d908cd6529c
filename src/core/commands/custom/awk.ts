import { joinedRegExp } from '../../text/joined-regexp.ts';
import { literal } from '../argument.ts';
import { usePath } from '../path-use.ts';
import type { Call } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';
import { classifyStarted } from './started-code.ts';

/**
 * Classifies an awk program. `system`, a pipe and `|&` start commands, a redirection writes a file, `getline <` reads a file, and `@` loads
 * code; everything else prints. Comparisons look like redirections, but only inside a print statement does `>` redirect.
 */
export function classifyAwk(program: string, call: Call): readonly Effect[] {
  const code = withoutText(program);
  const starts = code !== null && (/\bsystem\b/.test(code) || code.replaceAll('||', '').includes('|'));
  const written = [...program.matchAll(/>>?\s*"([^"\n]+)"/g)].flatMap(([, path = '']) =>
    usePath(literal(path), 'add', { ...call.scope, trace: null }),
  );
  const fetches = starts && /\b(curl|wget)\b/.test(program);
  const runs = code !== null && /\bsystem\b|(?<!\w)\d*[A-Za-z_]\w*\s*\|\s*getline/.test(code);
  const connects = /\/inet[46]?\/(tcp|udp)\//.test(program);
  return [
    ...(connects || fetches ? [effect(runs ? 'remote code' : 'network', 'a connection that awk opens')] : []),
    ...classifyProgramOf(code),
    ...classifyStarted(program, call, starts),
    ...(code !== null && writes(code) ? written.filter((one) => one.class === 'destructive') : []),
  ];
}

function classifyProgramOf(code: string | null): readonly Effect[] {
  if (code === null) return [effect('unclear', 'a program of awk that is not understood')];
  if (/\bsystem\b|@/.test(code)) return [effect('runs', 'a command that awk starts')];
  if (code.replaceAll('||', '').includes('|')) return [effect('runs', 'a command that awk starts')];
  if (/\bgetline\b/.test(code)) return [effect('changes', 'a file that awk opens'), effect('beyond', 'a file that awk opens')];
  if (/\b(?:ENVIRON|SYMTAB|FUNCTAB)\b/.test(code)) return [effect('secrets', 'the environment')];
  if (/\bARG[VC]\b/.test(code)) return [effect('changes', 'what awk reads'), effect('beyond', 'what awk reads')];
  return writes(code) ? [effect('changes', 'a file that awk writes')] : [];
}

/**
 * The program without strings, patterns and comments. Null if one of them is unclosed, or if the dialects of awk disagree whether a slash
 * divides or starts a pattern, because one dialect would run what another reads as text.
 */
function withoutText(program: string): string | null {
  const before = new Before();
  let code = '';
  for (let at = 0; at < program.length; ) {
    const character = program[at] ?? '';
    if (character === '#') {
      const end = program.indexOf('\n', at);
      if (program[end - 1] === '\\') return null;
      at = end < 0 ? program.length : end;
    } else if (character === '\\' && program[at + 1] === '\n') {
      code += ' ';
      at += 2;
    } else if (character === '"' || character === '/') {
      if (character === '/' && before.slash === 'unclear') return null;
      const isDivision = character === '/' && before.slash === 'divides';
      const end = isDivision ? at : character === '"' ? endOfString(program, at + 1) : endOfPattern(program, at + 1);
      if (end < 0) return null;
      code += isDivision ? '/' : '""';
      if (isDivision) before.read('/');
      else before.value();
      at = end + 1;
    } else if (/[\\'`]|[^\n\t\x20-\x7e]/.test(character)) {
      return null;
    } else {
      WORD.lastIndex = at;
      const word = WORD.exec(program)?.[0] ?? character;
      code += word;
      before.read(word);
      at += word.length;
    }
  }
  return code;
}

const WORD = /[A-Za-z_]\w*/y;

const KEYWORDS = /^(print|printf|return|in|getline|else|do|delete|exit|if|while|for|function|BEGIN|END|next|break|continue)$/;

/** Keywords of one awk that are variables in another, and functions that some dialects call without parentheses. */
const UNCLEAR = joinedRegExp(
  '',
  '^(case|default|switch|func|nextfile|BEGINFILE|ENDFILE|length|substr|index|split|patsplit|gsub|sub|gensub',
  '|match|sprintf|tolower|toupper|sin|cos|atan2|exp|log|sqrt|int|rand|srand|close|fflush|system|strftime|systime',
  '|mktime|and|or|xor|compl|lshift|rshift|asort|asorti|isarray|typeof|strtonum)$',
);

/** Tracks whether a slash divides, after a value, or starts a pattern. */
class Before {
  slash: 'divides' | 'begins' | 'unclear' = 'begins';
  #last = '';
  #isApart = false;
  /** A value preceded the last sign. */
  #isValueBefore = false;
  readonly #heads: string[] = [];

  value(): void {
    this.slash = 'divides';
    this.#last = '';
    this.#isApart = false;
  }

  read(word: string): void {
    if (/^[ \t]$/.test(word)) {
      this.#isApart = true;
      return;
    }
    if (word === '(') this.#heads.push(this.#last);
    const head = word === ')' ? (this.#heads.pop() ?? '') : '';
    const isSigns = (word === '+' || word === '-') && this.#last === word;
    // `x++ / 2` divides. `- -/x/` may mean `--` before a pattern, or two signs.
    const isStep = isSigns && !this.#isApart && this.#isValueBefore;
    this.#isValueBefore = this.slash === 'divides' && !isSigns;
    this.#isApart = false;
    if (isStep) this.slash = 'divides';
    else if (isSigns || UNCLEAR.test(word) || head === 'switch') this.slash = 'unclear';
    else if (/^(if|while|for)$/.test(head) || KEYWORDS.test(word)) this.slash = 'begins';
    else this.slash = /^[\w)\].]/.test(word) ? 'divides' : 'begins';
    this.#last = word;
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

/** The end of a pattern. Dialects disagree about a slash in brackets, so such a pattern is rejected. */
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

/** `print x > "file"`: a greater-than sign in a print statement, outside parentheses, perhaps on the next line. */
function writes(code: string): boolean {
  return [...code.matchAll(/\bprintf?\b([^;}]*)/g)].some(([, words = '']) => {
    let depth = 0;
    for (const character of words) {
      if (character === '(' || character === '[') depth += 1;
      else if (character === ')' || character === ']') depth -= 1;
      else if (character === '>' && depth <= 0) return true;
    }
    return false;
  });
}
