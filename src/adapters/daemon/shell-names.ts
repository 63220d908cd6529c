import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { ShellNames, WordKind } from '../../protocol/query.ts';

const KINDS: ReadonlySet<string> = new Set<WordKind>(['alias', 'function', 'builtin', 'keyword', 'file']);

/** Reads the names as a session answers them; null where it has no shell. */
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

/** The names as they are sent: what `readShellNames` reads. */
export function writeShellNames({ commands, aliases, variables }: ShellNames): Json {
  return { commands: [...commands], aliases: [...aliases], variables };
}
