import { formatExcerpt } from '../../core/context/output-excerpt.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import * as messages from './messages.ts';

/** The tool that reads what a command printed, without running it again. */
export const OUTPUT_TOOL: Tool = {
  name: 'aish.output',
  description: 'Read or search the complete output %N of a command.',
  parameters: {
    type: 'object',
    properties: {
      handle: { type: 'string' },
      from: { type: 'integer', description: 'first line' },
      lines: { type: 'integer' },
      search: { type: 'string', description: 'text to find; * is any text, | is or' },
      context: { type: 'integer', description: 'lines around a match' },
    },
    required: ['handle'],
  },
  effect: 'read',
};

/** The tool that runs a command in the user's shell. */
export const EXEC_TOOL: Tool = {
  name: 'aish.exec',
  description: "Run a command line in the user's interactive shell. Its directory, variables and functions persist.",
  parameters: {
    type: 'object',
    properties: { command: { type: 'string', description: 'command line' } },
    required: ['command'],
  },
  effect: 'exec',
};

/** The result of a command for the model; `budget` bounds the output. */
export function formatExecResult(record: CommandRecord, budget: number): string {
  const exit = record.exit === null ? messages.EXIT_UNKNOWN : `exit ${record.exit}`;
  const output = formatExcerpt(record, budget);
  const handle = record.handle === undefined ? '' : `; output %${record.handle}`;
  const answered = record.answered === true ? messages.ANSWERED : '';
  const sandboxed = record.sandboxed === true ? messages.SANDBOXED : '';
  return `${exit}; cwd ${record.cwd}${handle}${answered}${sandboxed}\n${output === '' ? messages.NO_OUTPUT : output}`;
}

const PATH = { type: 'string' };

/** The built-in file tools. Every request holds these descriptions, so they are short. */
export const FILE_TOOLS: readonly Tool[] = [
  {
    name: 'aish.read_file',
    description: 'Read a text file or list a directory.',
    parameters: describe(
      {
        path: PATH,
        offset: { type: 'integer', description: 'first line, counted from 1' },
        limit: { type: 'integer', description: 'lines' },
      },
      ['path'],
    ),
    effect: 'read',
  },
  {
    name: 'aish.write_file',
    description: 'Create or replace a file.',
    parameters: describe({ path: PATH, content: { type: 'string' } }, ['path', 'content']),
    effect: 'write',
  },
  {
    name: 'aish.edit_file',
    description: 'Replace exact text in a file. `old` must occur once, unless `all` is true.',
    parameters: describe({ path: PATH, old: { type: 'string' }, new: { type: 'string' }, all: { type: 'boolean' } }, [
      'path',
      'old',
      'new',
    ]),
    effect: 'write',
  },
];

function describe(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required };
}
