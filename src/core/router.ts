import { readFirstMark } from './router/first-mark.ts';
import { judgeInput } from './router/judge-input.ts';
import { pasteReason } from './router/paste.ts';
import type { Route } from './router/route.ts';
import type { ShellFacts } from './router/shell-facts.ts';

/**
 * Routes a line by its first mark, else by what the shell would make of it: a call goes to the shell, a sentence and what is pasted
 * from elsewhere to the model. In doubt it goes to the model, which changes nothing by itself.
 */
export function routeLine(line: string, facts: ShellFacts): Route {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  const marked = readFirstMark(line);
  if (marked !== null) return marked;
  const paste = pasteReason(text);
  if (paste !== null) return { type: 'message', text, reason: paste };
  const { call, reason } = judgeInput(line, facts);
  return call ? { type: 'command', text: line, reason } : { type: 'message', text, reason };
}
