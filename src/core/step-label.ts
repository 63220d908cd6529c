import type { StepCause } from '../protocol/checkpoint.ts';
import type { ToolCall } from '../protocol/tool.ts';
import { isCommand } from './policy.ts';

/** Characters of a command that lists of steps show. */
const LONGEST_LINE = 72;

/** Who or what changes the tree where a call does. */
export function causeOf(call: Pick<ToolCall, 'name' | 'effect' | 'origin'>): StepCause {
  if (call.origin === 'command-line') return 'command-line';
  if (isCommand(call)) return 'approved-command';
  return call.name.startsWith('aish.') ? 'tool' : 'mcp';
}

/** What a step is called in lists: the call it was made before, of a command its line, and how many more of its calls may change something. */
export function labelOf(
  call: Pick<ToolCall, 'name' | 'effect' | 'origin' | 'arguments'>,
  others: readonly Pick<ToolCall, 'effect'>[] = [],
): string {
  const name = isCommand(call) ? shortLine(String(call.arguments.command ?? '')) : call.name;
  const more = others.filter(({ effect }) => effect !== 'read').length;
  return `before ${name}${more === 0 ? '' : ` and ${more} more ${more === 1 ? 'call' : 'calls'}`}`;
}

/** The beginning of a command in one line. */
export function shortLine(line: string): string {
  const one = line.replace(/\s+/g, ' ').trim();
  const cut = [...one].slice(0, LONGEST_LINE).join('');
  return cut === one ? `$ ${one}` : `$ ${cut}…`;
}
