import type { TaintSource } from '../../protocol/taint.ts';
import type { OpenCall } from '../session/state.ts';
import { toSource } from './taint-state.ts';

/** What the fact that a call has ended tells by itself of text of others. */
export interface ResultTaint {
  readonly sources: readonly TaintSource[];
  readonly paths: readonly string[];
}

const NONE: ResultTaint = { sources: [], paths: [] };

/**
 * A server's answer is text of others whatever the server says of its tool. A file that is written after such a text was read may hold
 * what it said. What our own tools read is judged where files can be looked at, and comes as a fact of its own.
 */
export function taintOfResult(
  { call, stage, preview }: Pick<OpenCall, 'call' | 'stage' | 'preview'>,
  heard: readonly TaintSource[] = [],
): ResultTaint {
  // What was refused was answered by us.
  if (stage !== 'running') return NONE;
  if (!call.name.startsWith('aish.')) return { sources: [toSource('server', call.name)], paths: [] };
  if (call.effect !== 'write' || heard.length === 0 || preview?.path === undefined) return NONE;
  return { sources: [], paths: [preview.path] };
}
