import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import { formatTable } from '../screen/table.ts';
import { NO_TAINT, TAINT_EFFECT, TAINT_HEAD, TAINT_KINDS, TAINTED_PATH, TRUSTED_CONTENT } from './messages.ts';

/** `:trust list`: the untrusted content that the model has read in this session. */
export function listUntrusted({ session }: LiveSession): string {
  const { sources, paths } = session.state.taint;
  if (sources.length === 0 && paths.length === 0) return NO_TAINT;
  const rows = [
    ...sources.map(({ kind, name }) => [escapeForDisplay(name), TAINT_KINDS[kind]]),
    ...paths.map((path) => [escapeForDisplay(path), TAINTED_PATH]),
  ];
  return `${TAINT_HEAD}\n${formatTable(rows)}\n${TAINT_EFFECT}`;
}

/** `:trust`: the user has looked at what the model read so far. Null if the session rejected it, which its event shows. */
export function trustContent({ session }: LiveSession): string | null {
  if (session.take({ type: 'trust' }) !== null) return null;
  return TRUSTED_CONTENT;
}
