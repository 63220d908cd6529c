import type { JsonObject } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';

const PATH = { type: 'string' };

/** The built-in tools for files. They go with every request, so they are described in as few words as models need. */
export const FILE_TOOLS: readonly Tool[] = [
  {
    name: 'aish.read_file',
    description: 'Read a text file or list a directory.',
    parameters: describe(
      {
        path: PATH,
        offset: { type: 'integer', description: 'first line, from 1' },
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
