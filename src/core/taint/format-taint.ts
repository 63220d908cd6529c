import type { CallTaint, TaintSource } from '../../protocol/taint.ts';
import type { CallPreview } from '../../protocol/tool.ts';
import { aliasOf, isDescriptions } from './taint-state.ts';

const MOST_NAMED = 4;

/** The sources in words, the latest first: those are the ones the person knows least of. */
export function formatSources(sources: readonly TaintSource[]): string {
  const shown = sources.toReversed().slice(0, MOST_NAMED).map(nameSource);
  const left = sources.length - shown.length;
  const all = left > 0 ? [...shown, `${left} more`] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Why a call is asked about although a rule allows it, or what else is to be known of it. */
export function formatCallTaint({ sources, reach, rule }: CallTaint): string {
  const read = `the model has read text from ${formatSources(sources)}, and this ${reach}`;
  return rule === undefined ? read : `${read}; asked although the rule "${rule}" allows it`;
}

/** Why a call that a rule would have allowed is denied where nobody can be asked; null where that was never in doubt. */
export function whyHeld({ taint, definition }: Pick<CallPreview, 'taint' | 'definition'>): string | null {
  if (definition === 'moved') return 'the tool is not what it was when a rule for its server began to hold';
  return taint?.rule === undefined ? null : formatCallTaint(taint);
}

function nameSource(source: TaintSource): string {
  if (source.kind === 'command') return `the command \`${source.name}\``;
  return isDescriptions(source) ? `what server ${aliasOf(source)} says of its tools` : source.name;
}
