import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatStore } from '../src/adapters/history/history-store.ts';
import type { Place } from './place.ts';

const COMMANDS = [
  'git commit -m "part %"',
  'cd ~/code/project-%',
  'docker logs service-%',
  'grep -rn word% src',
  'make target-%',
];

/** Lays a history of so many different lines into a home of its own, and returns the environment that has it. */
export function withHistory(place: Place, lines: number): Readonly<Record<string, string>> {
  const state = join(place.root, `history-${lines}`);
  mkdirSync(join(state, 'aish'), { recursive: true, mode: 0o700 });
  const entries = Array.from({ length: lines }, (_, at) => ({
    number: at + 1,
    id: `i${at}`,
    line: (COMMANDS[at % COMMANDS.length] ?? '').replace('%', String(at)),
    at: 1_700_000_000_000 + at * 1000,
    cwd: place.work,
    route: 'command' as const,
    who: 'user' as const,
    session: 'bench',
    exit: 0,
    durationMs: 5,
  }));
  writeFileSync(join(state, 'aish/history.jsonl'), formatStore(entries, lines + 1), { mode: 0o600 });
  return { ...place.env, XDG_STATE_HOME: state };
}
