import { escapeForDisplay } from '../../../core/sanitize.ts';
import type { LiveSession } from '../../../engine/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import type { TaintSource } from '../../../protocol/taint.ts';
import { formatTable } from '../reports.ts';

const KINDS: Readonly<Record<TaintSource['kind'], string>> = {
  server: 'a server',
  network: 'the network',
  file: 'a file',
  input: 'handed in',
  command: 'a command of which nobody can tell',
};

const HELD =
  'what opens a connection, leaves the project or is handed a secret is asked, whatever allows it;\n:approve vouch says that you have looked at it, and the rules hold again';

/** What text of others the model has read in this session. */
export function formatTaintOf({ session }: LiveSession): string {
  const { sources, paths } = session.state.taint;
  if (sources.length === 0 && paths.length === 0)
    return 'the model has read no text of others: the rules hold as they are';
  const rows = [
    ...sources.map(({ kind, name }) => [escapeForDisplay(name), KINDS[kind]]),
    ...paths.map((path) => [escapeForDisplay(path), 'a file of the project that may hold such text']),
  ];
  return `the model has read text of others:\n${formatTable(rows)}\n${HELD}`;
}

/** A person has looked at what the model read. */
export async function vouch({ session }: LiveSession): Promise<string> {
  const refused = session.take({ type: 'vouch' });
  if (refused !== null)
    throw new AishError(refused.code, refused.message, refused.hint === undefined ? {} : { hint: refused.hint });
  return 'what was read so far is vouched for: the rules hold again, until the model reads other text';
}
