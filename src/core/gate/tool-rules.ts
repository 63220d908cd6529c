import { judgeLine, type LineGround } from './judge-line.ts';
import type { Judgement } from './verdict.ts';

/** The most specific key of a table that names a tool: `alias.tool`, else `alias.*`; null for none. The alias ends at the first dot. */
export function matchTool(table: Readonly<Record<string, unknown>> | undefined, name: string): string | null {
  const dot = name.indexOf('.');
  if (table === undefined || dot <= 0 || dot === name.length - 1) return null;
  for (const key of [name, `${name.slice(0, dot)}.*`]) if (Object.hasOwn(table, key)) return key;
  return null;
}

/** True for a tool that is not what it was when it was approved. */
export function isQuestioned(
  pinned: Readonly<Record<string, unknown>> | undefined,
  call: { readonly name: string; readonly definition?: string },
): boolean {
  if (pinned === undefined || !Object.hasOwn(pinned, call.name)) return false;
  return pinned[call.name] !== call.definition;
}

const CARRIERS = ['command', 'cmd', 'script', 'shell', 'code'];

/** The judgement of the gravest argument that carries a command; null where none does. Code that is no shell's is left alone. */
export function judgeArguments(args: Readonly<Record<string, unknown>>, ground: LineGround): Judgement | null {
  let gravest: Judgement | null = null;
  for (const [name, value] of Object.entries(args)) {
    const text = Array.isArray(value) ? value.filter((word) => typeof word === 'string').join(' ') : value;
    if (!CARRIERS.includes(name.toLowerCase()) || typeof text !== 'string') continue;
    const judgement = judgeLine(text, ground);
    if (name.toLowerCase() === 'code' && judgement.class === 'unparseable' && !judgement.floors.includes('D5'))
      continue;
    if (gravest === null || judgement.decision === 'deny') gravest = judgement;
  }
  return gravest;
}
