import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { logPath, newSessionId } from '../../src/adapters/store/event-log.ts';
import { formatHeader, formatRecord } from '../../src/adapters/store/log-line.ts';
import { toSettings } from '../../src/core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import type { DurableEvent } from '../../src/protocol/event.ts';
import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';
import { anyText, openScreen } from '../screen.ts';

const EVENTS = 75_000;

/** Going on with a long session: from the start until its last words are known. */
export const resume: Row = {
  name: 'resume',
  async measure(place) {
    const id = writeLongSession(place);
    const [values = [], plain = []] = await inTurn(5, [
      () => timeTo(place, ['--resume', id], (text) => text.includes(`session ${id}`)),
      () => timeTo(place, [], anyText),
    ]);
    return [
      {
        what: `resume of a session of ${EVENTS} events`,
        unit: 'ms',
        values,
        baseline: { what: 'start to prompt', values: plain },
        atMost: 500,
      },
    ];
  },
};

async function timeTo(place: Place, args: readonly string[], seen: (plain: string) => boolean): Promise<number> {
  const screen = openScreen([place.aish, ...args], place.env, place.work);
  const at = await screen.until(seen, 'the session');
  await screen.close();
  return at - screen.startedAt;
}

function writeLongSession(place: Place): string {
  const id = newSessionId(Date.now(), Math.random());
  const path = logPath(`${place.env.XDG_STATE_HOME}/aish`, id);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, 'wx', 0o600);
  writeSync(file, formatHeader());
  const cwd = place.work;
  let lines = '';
  for (let seq = 1; seq <= EVENTS; seq += 1) {
    lines += formatRecord({ seq, at: 1_700_000_000_000 + seq, event: eventAt(seq, id, cwd) });
    if (lines.length < 1_000_000 && seq < EVENTS) continue;
    writeSync(file, lines);
    lines = '';
  }
  closeSync(file);
  return id;
}

/** A session of commands with a few lines of output each. */
function eventAt(seq: number, id: string, cwd: string): DurableEvent {
  if (seq === 1) return { type: 'session.created', id, cwd, settings: toSettings(DEFAULT_CONFIG, {}) };
  const line = `grep -n word file-${seq >> 1}.txt`;
  if (seq % 2 === 0) return { type: 'command.started', line, driver: 'user' };
  const output = `${seq}:a line with the word in it\n`.repeat(8);
  return {
    type: 'command.completed',
    record: { line, driver: 'user', exit: 0, cwd, output, bytes: output.length, durationMs: 2 },
  };
}
