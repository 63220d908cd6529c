import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import type { TaintSource } from '../../../protocol/tool.ts';
import { formatTable } from '../screen/table.ts';

const KINDS: Readonly<Record<TaintSource['kind'], string>> = {
  server: 'an MCP server',
  network: 'the network',
  file: 'a file outside the project',
  input: 'input from elsewhere',
  command: 'a command whose sources are unknown',
};

const HELD =
  'aish asks before a command connects, leaves the project or gets a secret, even if a rule approves it.\n' +
  'If you have looked at this content, :trust makes your rules apply again.';

/** `:trust list`: the untrusted content that the model has read in this session. */
export function listUntrusted({ session }: LiveSession): string {
  const { sources, paths } = session.state.taint;
  if (sources.length === 0 && paths.length === 0) return 'No untrusted content in this session.';
  const rows = [
    ...sources.map(({ kind, name }) => [escapeForDisplay(name), KINDS[kind]]),
    ...paths.map((path) => [escapeForDisplay(path), 'a project file that may hold such content']),
  ];
  return `The model has read untrusted content:\n${formatTable(rows)}\n${HELD}`;
}

/** `:trust`: the user has looked at what the model read so far. Null if the session rejected it, which its event shows. */
export function trustContent({ session }: LiveSession): string | null {
  if (session.take({ type: 'trust' }) !== null) return null;
  return 'You trust what the model has read so far. Your rules apply again until it reads more untrusted content.';
}
