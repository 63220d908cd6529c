import { rmSync } from 'node:fs';
import { now } from '../clock.ts';
import { startDaemon } from '../daemon.ts';
import { peakMemory } from '../memory.ts';
import { quantile, type Row } from '../row.ts';

const SESSIONS = 50;
const ROUNDS = 5;

/** Fifty sessions of one daemon that get a message at the same moment: each answer's time, and the most memory of the daemon. */
export const sessions: Row = {
  name: 'sessions',
  async measure(place) {
    const times: number[] = [];
    const worst: number[] = [];
    const peaks: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const daemon = await startDaemon(place);
      try {
        const ids = await Promise.all(Array.from({ length: SESSIONS }, () => openSession(daemon.socket)));
        const answered = await Promise.all(ids.map((id) => ask(daemon.socket, id)));
        times.push(...answered);
        worst.push(quantile(answered, 0.99));
        peaks.push(peakMemory(daemon.pid) ?? Number.NaN);
      } finally {
        await daemon.stop();
        rmSync(daemon.socket, { force: true });
      }
    }
    return [
      { what: `daemon, ${SESSIONS} sessions asked at once, each answer`, unit: 'ms', values: times },
      { what: `daemon, ${SESSIONS} sessions asked at once, p99 of a round`, unit: 'ms', values: worst, atMost: 150 },
      { what: `daemon, ${SESSIONS} sessions, peak`, unit: 'MiB', values: peaks, atMost: 120 },
    ];
  },
};

async function openSession(socket: string): Promise<string> {
  const response = await fetch('http://localhost/sessions', { method: 'POST', unix: socket });
  const made: { id: string } = JSON.parse(await response.text());
  return made.id;
}

/** Asks and reads the session's events to the end of the turn. The answer is how long that took. */
async function ask(socket: string, id: string): Promise<number> {
  const events = await fetch(`http://localhost/sessions/${id}/events`, { unix: socket });
  const startedAt = now();
  const sent = await fetch(`http://localhost/sessions/${id}/ops`, {
    method: 'POST',
    unix: socket,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'send', text: 'hello' }),
  });
  if (sent.status !== 202) throw new Error(`the daemon refused a message: ${await sent.text()}`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of events.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes('"turn.ended"')) break;
  }
  if (!text.includes('"reason":"completed"')) throw new Error(`a turn did not complete: ${text.slice(-300)}`);
  return now() - startedAt;
}
