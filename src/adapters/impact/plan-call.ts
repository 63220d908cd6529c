import { type Argument, literal } from '../../core/commands/argument.ts';
import type { FileChange } from '../../core/commands/file-change.ts';
import type { Plan } from '../../core/impact/plan-line.ts';
import type { ImpactContext } from '../../core/impact/shell-state.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { UNKNOWN } from './messages.ts';

const ADDRESS = /^(?:https?|wss?|ftp|ssh|git):\/\/(?:[^@/\s]*@)?([^/\s?#]+)/i;

/** The changes by a call that is no command line, as far as its arguments show; null if they show nothing. */
export function planCall(
  call: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  { cwd, home }: Pick<ImpactContext, 'cwd' | 'home'>,
): Plan | null {
  return changesOf(call, home)?.map((change) => ({ change, cwd, isMaybe: false, found: null })) ?? null;
}

function changesOf(
  { name, arguments: given, effect }: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  home: string,
): readonly FileChange[] | null {
  if (effect === 'read') return [];
  const path = typeof given.path === 'string' ? given.path : null;
  if (name === 'aish.write_file' || name === 'aish.edit_file') {
    if (path === null) return null;
    const targets = [atHome(path, home)];
    return name === 'aish.write_file'
      ? [{ do: 'write', targets, how: 'replace', makesFolders: true }]
      : [{ do: 'write', targets, how: 'edit', onlyExisting: true }];
  }
  if (name.startsWith('aish.')) return null;
  const texts = Object.values(given).flatMap((value) => (typeof value === 'string' ? [value] : []));
  const hosts = texts.flatMap((text) => ADDRESS.exec(text)?.[1] ?? []);
  const places = Object.entries(given).filter(
    ([key, value]) => /(path|file|folder|directory|source|destination)$/i.test(key) && typeof value === 'string',
  );
  const named = places.map(([, value]) => String(value)).join(', ');
  const isNested = Object.values(given).some((value) => Array.isArray(value) || isJsonObject(value));
  const what = UNKNOWN.tool(name, named, isNested);
  return [...hosts.map((host): FileChange => ({ do: 'host', name: host })), { do: 'unknown', what }];
}

/** A path as a tool takes it, for whom `~` is the home directory. */
function atHome(path: string, home: string): Argument {
  return { ...literal(path.replace(/^~(?=\/|$)/, home)), text: path };
}
