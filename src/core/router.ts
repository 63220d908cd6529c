import { readFirstMark } from './router/first-mark.ts';
import { judgeInput } from './router/judge-input.ts';
import { pasteReason } from './router/paste.ts';
import type { ShellFacts } from './router/shell-facts.ts';

/** Where a typed line goes. `text` is the line without its prefix. */
export type Route =
  | { readonly type: 'meta'; readonly text: string }
  | { readonly type: 'command'; readonly text: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'nothing' };

/** Tells whether the person's shell knows a first word: alias, function, builtin, keyword or program. */
export type KnowsWord = (word: string) => boolean;

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(\[[^\]]*\])?\+?=/;
const SYNTAX = /^[({<>&|;#[]/;
const FUNCTION_DEFINITION = /^[^\s'"$`\\;|&<>()]+\s*\(\s*\)\s*[{(]/;
const PATH_LIKE = /^(\.{0,2}|~[\w-]*)\//;

/**
 * Routes a line by its first mark (`!` shell, `?` model, `:` meta, whatever follows), else by its first word: what resolves in the
 * shell is a command, everything else a message.
 */
export function routeLine(line: string, knows: KnowsWord): Route {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  if (text.startsWith('?') && text.length > 1) return { type: 'message', text: text.slice(1).trim() };
  if (text.startsWith('!') && text.length > 1) return { type: 'command', text: withoutMark(text) };
  if (text.startsWith(':')) return { type: 'meta', text };
  return isCommand(text, knows) ? { type: 'command', text: line } : { type: 'message', text };
}

/** The shell's own `! command` and its history forms keep their mark: without it they would mean something else. */
function withoutMark(text: string): string {
  return /^!(\s|[!$^*#?]|-?\d|:[\d$^*-])/.test(text) ? text : text.slice(1);
}

function isCommand(text: string, knows: KnowsWord): boolean {
  if (SYNTAX.test(text) || ASSIGNMENT.test(text) || FUNCTION_DEFINITION.test(text)) return true;
  const word = firstWord(text);
  return PATH_LIKE.test(word) || word.includes('$') || knows(word);
}

/** The first word with its quoting removed, ended by blanks or shell operators. */
function firstWord(text: string): string {
  const raw = /^(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;|&<>()])+/.exec(text)?.[0] ?? text;
  return raw.replace(/\\(.)|['"]/g, '$1');
}

/** Where an input goes, what is handed on, and the rule that decided. */
export interface Routing {
  readonly route: 'meta' | 'shell' | 'ai' | 'nothing';
  readonly text: string;
  readonly reason: string;
}

/**
 * Routes an input by the first mark, else by what the shell would make of it: a call goes to the shell, a sentence and what is pasted
 * from elsewhere to the model. In doubt it goes to the model, which changes nothing by itself.
 */
export function routeInput(input: string, facts: ShellFacts): Routing {
  if (input.trim() === '') return { route: 'nothing', text: '', reason: 'nothing was entered' };
  const marked = readFirstMark(input);
  if (marked !== null) return marked;
  const paste = pasteReason(input.trim());
  if (paste !== null) return { route: 'ai', text: input.trim(), reason: paste };
  const verdict = judgeInput(input, facts);
  return verdict.call
    ? { route: 'shell', text: input, reason: verdict.reason }
    : { route: 'ai', text: input.trim(), reason: verdict.reason };
}
