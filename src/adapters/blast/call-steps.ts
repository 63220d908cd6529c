import type { Plan, Step } from '../../core/blast/plan.ts';
import type { BlastGround } from '../../core/blast/shell-state.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';

const ADDRESS = /^(?:https?|wss?|ftp|ssh|git):\/\/(?:[^@/\s]*@)?([^/\s?#]+)/i;

/** What a call that is no command line does, as far as its arguments tell; null for one that tells nothing. */
export function planCall(
  call: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  { cwd, home }: Pick<BlastGround, 'cwd' | 'home'>,
): Plan | null {
  const steps = stepsOf(call)?.map((step) => ({ step: atHome(step, home), cwd, isMaybe: false }));
  return steps === undefined ? null : { steps, wanted: [] };
}

function stepsOf({
  name,
  arguments: given,
  effect,
}: Pick<ToolCall, 'name' | 'arguments' | 'effect'>): readonly Step[] | null {
  if (effect === 'read') return [];
  const path = typeof given.path === 'string' ? given.path : null;
  if (name === 'aish.write_file' || name === 'aish.edit_file') {
    if (path === null) return null;
    const targets = [{ text: path, path }];
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
  const reason = named === '' ? `what ${name} does` : `what ${name} does with ${named}${isNested ? ' and more' : ''}`;
  return [...hosts.map((host): Step => ({ do: 'host', name: host })), { do: 'unknown', reason }];
}

/** A step as a tool takes it, for whom `~` is the home directory. */
function atHome(step: Step, home: string): Step {
  if (step.do !== 'write') return step;
  const targets = step.targets.map((word) => ({ ...word, path: word.path?.replace(/^~(?=\/|$)/, home) ?? null }));
  return { ...step, targets };
}
