import type { JsonObject } from '../../protocol/json.ts';

/** Checked arguments of a call of one of the file tools. */
export type FileCall =
  | { readonly type: 'read'; readonly path: string; readonly offset: number; readonly limit: number | null }
  | { readonly type: 'write'; readonly path: string; readonly content: string }
  | {
      readonly type: 'edit';
      readonly path: string;
      readonly old: string;
      readonly fresh: string;
      readonly all: boolean;
    };

/** Checks the arguments of a call; a text says what is wrong with them, for the model. */
export function parseFileCall(name: string, args: JsonObject): FileCall | string {
  const { path } = args;
  if (typeof path !== 'string' || path === '') return `${name} needs "path", the path of a file as text`;
  switch (name) {
    case 'aish.read_file':
      return parseRead(path, args);
    case 'aish.write_file':
      if (typeof args.content !== 'string') return 'aish.write_file needs "content", the whole text of the file';
      return { type: 'write', path, content: args.content };
    case 'aish.edit_file':
      return parseEdit(path, args);
    default:
      return `there is no file tool ${name}`;
  }
}

function parseRead(path: string, args: JsonObject): FileCall | string {
  const offset = args.offset ?? 1;
  const limit = args.limit ?? null;
  if (!isCount(offset)) return '"offset" of aish.read_file is the number of the first line, 1 or more';
  if (limit !== null && !isCount(limit)) return '"limit" of aish.read_file is a number of lines, 1 or more';
  return { type: 'read', path, offset, limit };
}

function parseEdit(path: string, args: JsonObject): FileCall | string {
  const { old, new: fresh, all = false } = args;
  if (typeof old !== 'string' || typeof fresh !== 'string') return 'aish.edit_file needs "old" and "new" as texts';
  if (typeof all !== 'boolean') return '"all" of aish.edit_file is true or false';
  if (old === '') return '"old" of aish.edit_file is empty; use aish.write_file to write a whole file';
  if (old === fresh) return '"old" and "new" of aish.edit_file are the same; nothing would change';
  return { type: 'edit', path, old, fresh, all };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}
