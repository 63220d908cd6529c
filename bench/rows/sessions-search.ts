import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { logPath } from '../../src/adapters/store/event-log.ts';
import { formatHeader, formatRecord } from '../../src/adapters/store/log-line.ts';
import { searchSessions } from '../../src/adapters/store/session-index.ts';
import { toSettings } from '../../src/core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import type { DurableEvent } from '../../src/protocol/event.ts';
import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';

const SESSIONS = 5000;
const TURNS = 10;
const WORDS =
  'alpha beta gamma delta error warning docker compose network timeout build test function return value index file path module import export';

/** Looking for words in thousands of sessions: first in a process that has done nothing before. */
export const sessionsSearch: Row = {
  name: 'sessions-search',
  async measure(place) {
    const state = `${place.env.XDG_STATE_HOME}/aish`;
    const caches = `${place.env.XDG_CACHE_HOME ?? `${place.env.HOME}/.cache`}/aish`;
    writeSessions(state);
    const first = await timeOf(() => search(state, caches, 'docker network'));
    const [common = [], rare = [], program = []] = await inTurn(5, [
      async () => timeOf(() => search(state, caches, 'docker network')),
      async () => timeOf(() => search(state, caches, 'needle500')),
      () => timeOfProgram(place, ['sessions', 'search', 'docker', 'network']),
    ]);
    rmSync(`${state}/sessions`, { recursive: true });
    return [
      { what: `search over ${SESSIONS} sessions, words that stand in all`, unit: 'ms', values: common, atMost: 1000 },
      { what: `search over ${SESSIONS} sessions, a word that stands in one`, unit: 'ms', values: rare, atMost: 1000 },
      { what: `aish sessions search over ${SESSIONS} sessions, start to end`, unit: 'ms', values: program },
      { what: `first search of all over ${SESSIONS} sessions`, unit: 'ms', values: [first], atMost: 3000 },
    ];
  },
};

async function search(stateDir: string, cacheDir: string, words: string): Promise<void> {
  const found = await searchSessions(words, { stateDir, cacheDir }, { now: Date.now() });
  if (found?.length === 0) throw new Error(`"${words}" was not found`);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function timeOfProgram(place: Place, args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const program = Bun.spawn([place.aish, ...args], {
    cwd: place.work,
    env: place.env,
    stdout: 'ignore',
    stderr: 'ignore',
  });
  if ((await program.exited) !== 0) throw new Error(`aish ${args.join(' ')} failed`);
  return performance.now() - begun;
}

/** Sessions of messages, answers and commands, some 60 kB each. */
function writeSessions(state: string): void {
  const say = createSpeaker();
  for (let number = 0; number < SESSIONS; number += 1) {
    const id = `session${String(number).padStart(5, '0')}`;
    const created: DurableEvent = { type: 'session.created', id, cwd: '/w', settings: toSettings(DEFAULT_CONFIG, {}) };
    const turns = Array.from({ length: TURNS }, (_, turn) => turnOf(turn + 1, number, say)).flat();
    const at = Date.now() - number * 3_600_000;
    const lines = [created, ...turns].map((event, place) => formatRecord({ seq: place + 1, at: at + place, event }));
    const path = logPath(state, id);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, formatHeader() + lines.join(''), { mode: 0o600 });
  }
}

function turnOf(turn: number, session: number, say: (words: number) => string): DurableEvent[] {
  const commands = Array.from({ length: 3 }, (): DurableEvent[] => {
    const [line, output] = [`grep ${say(3)}`, say(150)];
    const record = { line, driver: 'user', exit: 0, cwd: '/w', output, bytes: output.length, durationMs: 1 } as const;
    return [
      { type: 'command.started', line, driver: 'user' },
      { type: 'command.completed', record },
    ];
  });
  return [
    { type: 'turn.started', turn, text: `${say(20)} needle${session}` },
    { type: 'step.completed', text: say(100), calls: [], finish: 'stop', model: 'test' },
    { type: 'turn.ended', reason: 'completed' },
    ...commands.flat(),
  ];
}

/** Words at random, the same in each run; one in five is one of many different ones. */
function createSpeaker(): (words: number) => string {
  const words = WORDS.split(' ');
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((seed / 0x80000000) * below);
  };
  const word = (): string => `${words[random(words.length)]}${random(5) === 0 ? random(5000) : ''}`;
  return (count) => Array.from({ length: count }, word).join(' ');
}
