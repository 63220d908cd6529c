import { cpSync, existsSync, fsyncSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fold } from '../../core/session/evolve.ts';
import { nameOfFork } from '../../core/session/session-name.ts';
import { isIdle } from '../../core/session/state.ts';
import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import { withFile } from '../system/file-status.ts';
import { logPath, newSessionId } from './event-log.ts';
import { formatHeader, formatRecord, parseLog } from './log-line.ts';
import { nothingToFork } from './messages.ts';
import { listSessions } from './sessions.ts';

/**
 * Begins a session with the entries of another one up to the end of its last whole turn, whichever process has that open. It changes
 * nothing of the other; the answer is the id of the new one.
 */
export function forkSession(stateDir: string, from: string, at: number): string {
  const { recorded } = parseLog(readFileSync(logPath(stateDir, from)));
  const kept = closedPart(recorded);
  const [first] = kept;
  if (first?.event.type !== 'session.created') throw nothingToFork(from);
  const id = newSessionId(at, Math.random());
  const name = nameCopy(stateDir, kept);
  const facts: readonly Omit<Recorded, 'seq'>[] = [
    { ...first, event: { ...first.event, id } },
    ...kept.slice(1),
    { at, event: { type: 'session.forked', from } },
    ...(name === null ? [] : [{ at, event: name }]),
  ];
  // The numbers of those that this release does not know and passed over are missing, and a log has no gap.
  const lines = facts.map((fact, index) => formatRecord({ ...fact, seq: index + 1 }));
  const path = logPath(stateDir, id);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Before the log: a session whose log is there is whole.
  const outputs = join(dirname(logPath(stateDir, from)), 'outputs');
  if (existsSync(outputs)) cpSync(outputs, join(dirname(path), 'outputs'), { recursive: true });
  withFile(path, 'wx', (fd) => {
    writeFileSync(fd, formatHeader() + lines.join(''));
    fsyncSync(fd);
  });
  return id;
}

/**
 * The name of a copy; null if there is no message or command yet to name it after. A client that named the origin counts as having named
 * it.
 */
function nameCopy(stateDir: string, kept: readonly Recorded[]): DurableEvent | null {
  const { named = null } = fold(kept.map(({ event }) => event));
  const title = named?.name ?? firstWords(kept);
  if (title === null) return null;
  const taken = new Set(listSessions(stateDir).flatMap(({ name }) => name ?? []));
  return { type: 'session.named', name: nameOfFork(title, taken), by: named?.by ?? 'model' };
}

/** The name in lists of a session without a name. */
function firstWords(kept: readonly Recorded[]): string | null {
  const said = kept.flatMap(({ event }) => (event.type === 'turn.started' ? event.text.trim() : [])).find(Boolean);
  const typed = kept.flatMap(({ event }) => {
    return event.type === 'command.completed' && event.record.private !== true ? `$ ${event.record.line}` : [];
  });
  return (said ?? typed[0])?.split('\n')[0] ?? null;
}

/** Up to the last fact after which nothing was going on. */
function closedPart(recorded: readonly Recorded[]): readonly Recorded[] {
  let folded = 0;
  let length = 0;
  fold(
    recorded.map(({ event }) => event),
    (state) => {
      folded += 1;
      if (isIdle(state)) length = folded;
    },
  );
  return recorded.slice(0, length);
}
