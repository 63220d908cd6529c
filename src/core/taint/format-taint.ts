import type { CallTaint, TaintSource } from '../../protocol/taint.ts';
import { aliasOf, isDescriptions, isMore } from './taint-state.ts';

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

function nameSource(source: TaintSource): string {
  if (isMore(source)) return source.name;
  if (source.kind === 'command') return `the command \`${source.name}\``;
  return isDescriptions(source) ? `what server ${aliasOf(source)} says of its tools` : source.name;
}
