import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type FactLine, formatMemoryLine, SCOPES } from '../../src/protocol/memory.ts';
import { runOneShot } from '../one-shot.ts';
import { inTurn, type Row } from '../row.ts';

const FACTS = 10_000;

/** The facts of many sessions, of which a quarter count everywhere, must not be felt at the first message. */
export const facts: Row = {
  name: 'facts',
  async measure(place) {
    const state = join(place.root, 'facts-state');
    mkdirSync(join(state, 'aish'), { recursive: true, mode: 0o700 });
    const lines = Array.from({ length: FACTS }, (_, at) => formatMemoryLine(factAt(at)));
    writeFileSync(join(state, 'aish/memory.jsonl'), lines.join(''), { mode: 0o600 });
    const run = async (env: Readonly<Record<string, string>>): Promise<number> =>
      (await runOneShot(place, [place.aish, '-p', 'which port does service 77 have?'], env)).toRequest;
    const [full = [], none = []] = await inTurn(20, [
      () => run({ ...place.env, XDG_STATE_HOME: state }),
      () => run(place.env),
    ]);
    const baseline = { what: 'without facts', values: none };
    return [{ what: `one-shot with ${FACTS} facts, start to request`, unit: 'ms', values: full, baseline }];
  },
};

function factAt(at: number): FactLine {
  const scope = SCOPES[at % SCOPES.length] ?? 'everywhere';
  const place = {
    project: `/p${at % 97}`,
    directory: `/p${at % 97}/d`,
    host: `${hostname()}-${at % 7}`,
    everywhere: '',
  }[scope];
  const text = `The service number ${at} listens on port ${3000 + at} behind the proxy of team ${at % 50}.`;
  return { text, scope, place, at: 1_790_000_000_000 + at, by: 'user', confirmed: Date.now() };
}
