import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { WordKind } from '../shell/lookup.ts';

/** What a shell has names for. */
export interface ShellNames {
  readonly commands: ReadonlyMap<string, WordKind>;
  /** What aliases stand for. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
}

const KINDS: ReadonlySet<string> = new Set<WordKind>(['alias', 'function', 'builtin', 'keyword', 'file']);

/** Reads the names as the door of a session tells them; null where it has no shell. */
export function readShellNames(value: unknown): ShellNames | null {
  if (!isJsonObject(value)) return null;
  const { commands, aliases, variables } = value;
  return {
    commands: new Map(pairsOf(commands).flatMap(([word, kind]) => (isKind(kind) ? [[word, kind]] : []))),
    aliases: new Map(pairsOf(aliases)),
    variables: Array.isArray(variables) ? variables.filter((name) => typeof name === 'string') : [],
  };
}

function isKind(kind: string): kind is WordKind {
  return KINDS.has(kind);
}

function pairsOf(value: Json | undefined): readonly (readonly [string, string])[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair) => {
    const [name, meaning] = Array.isArray(pair) ? pair : [];
    return typeof name === 'string' && typeof meaning === 'string' ? [[name, meaning] as const] : [];
  });
}
