import type { ToolCall } from '../../protocol/tool.ts';

/** The text of a call that names files: the line of a command, or the path that a tool of ours is given. */
export function namingText({ name, arguments: args }: Pick<ToolCall, 'name' | 'arguments'>): string {
  if (name === 'aish.exec') return typeof args.command === 'string' ? args.command : '';
  return typeof args.path === 'string' ? JSON.stringify(args.path) : '';
}
