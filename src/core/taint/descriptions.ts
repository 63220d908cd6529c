import type { TaintSource } from '../../protocol/taint.ts';
import type { Tool } from '../../protocol/tool.ts';
import { toDescriptionsSource } from './taint-state.ts';

/**
 * The sources among the descriptions of the tools that are offered. What a server says of its tools is text of others too, sent with every
 * request, until the person has reviewed exactly these definitions.
 */
export function sourcesOfDescriptions(tools: readonly Tool[]): readonly TaintSource[] {
  const unknown = tools.filter((tool) => !tool.name.startsWith('aish.') && tool.reviewed !== true);
  const aliases = new Set(unknown.map(({ name }) => name.slice(0, name.indexOf('.'))));
  return [...aliases].map(toDescriptionsSource);
}
