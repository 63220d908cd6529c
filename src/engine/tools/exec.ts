import { formatExcerpt } from '../../core/output-excerpt.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { Tool } from '../../protocol/tool.ts';

/** The tool that runs a command in the shell the person sits at. */
export const EXEC_TOOL: Tool = {
  name: 'aish.exec',
  description:
    "Run a command line in the person's own interactive shell; its directory, variables and functions persist.",
  parameters: {
    type: 'object',
    properties: { command: { type: 'string', description: 'command line' } },
    required: ['command'],
  },
  effect: 'exec',
};

/** What the model reads of a command that ran; `budget` bounds the output. */
export function formatExecResult(record: CommandRecord, budget: number): string {
  const exit =
    record.exit === null ? 'the shell ended before the command could tell its exit status' : `exit ${record.exit}`;
  const output = formatExcerpt(record, budget);
  const handle = record.handle === undefined ? '' : `; output %${record.handle}`;
  const answered = record.answered === true ? '; the person answered a hidden question of it' : '';
  const apart = record.sandboxed === true ? '; in a sandbox, without network: nothing of it lasts in the shell' : '';
  return `${exit}; cwd ${record.cwd}${handle}${answered}${apart}\n${output === '' ? '(no output)' : output}`;
}
