import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toPaths } from '../../src/adapters/config/paths.ts';
import { toSettings } from '../../src/core/session/settings.ts';
import { addToReport, EMPTY_REPORT, type TurnReport } from '../../src/core/session/turn-report.ts';
import { Engine } from '../../src/engine/session/engine.ts';
import { formatTurnEnd } from '../../src/hosts/cli/screen/messages.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import type { SessionEvent } from '../../src/protocol/event.ts';
import { Home } from '../support/aish.ts';
import type { Expected } from '../support/quirk-kinds.ts';
import { QuirkServer } from '../support/quirk-server.ts';
import { LONG_LIMIT_MS, QUIRKS } from '../support/quirks.ts';

/** Sessions at a time: their waits pass side by side. */
const AT_ONCE = 64;

interface Played {
  readonly report: TurnReport;
  readonly notices: readonly string[];
  /** The line about the end of the turn. */
  readonly line: string | null;
  /** The turn after it, at a clean server. */
  readonly after: TurnReport;
}

const server = new QuirkServer();
const home = new Home();
const played = new Map<string, Played>();
let engine: Engine;

function configOf(): Config {
  const models = Object.entries(QUIRKS).map(([name, quirk]) => [
    name,
    {
      base_url: server.url(name),
      timeout_ms: quirk.limitMs ?? LONG_LIMIT_MS,
      ...(quirk.models === undefined ? { model: 'm' } : {}),
    },
  ]);
  return {
    ...DEFAULT_CONFIG,
    models: { ...Object.fromEntries(models), clean: { base_url: server.url('clean'), model: 'm' } },
  };
}

async function play(name: string, config: Config): Promise<Played> {
  const live = await engine.open({
    cwd: home.work,
    settings: { ...toSettings(config, { model: name }), approve: 'all' },
  });
  const turn = async (text: string): Promise<readonly SessionEvent[]> => {
    const events: SessionEvent[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const { event } of live.session.events(live.session.seq)) {
        events.push(event);
        if (event.type === 'turn.ended') break;
      }
      stop.abort();
    })();
    await live.session.submit({ type: 'send', text });
    await live.session.idle();
    await reading;
    return events;
  };
  const events = await turn('Read note.txt, and say what it says.');
  await live.session.submit({ type: 'configure', settings: { model: 'clean' } });
  const after = (await turn('Thank you. And now?')).reduce(addToReport, EMPTY_REPORT);
  await live.session.close();
  const report = events.reduce(addToReport, EMPTY_REPORT);
  const end = events.find((event) => event.type === 'turn.ended');
  return {
    report,
    notices: events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    line: end === undefined ? null : formatTurnEnd(end, report.gap, report.lastTokens),
    after,
  };
}

beforeAll(async () => {
  writeFileSync(join(home.work, 'note.txt'), 'the sea is blue\n');
  const config = configOf();
  engine = new Engine({
    config,
    paths: toPaths(home.env),
    env: home.env,
    cwd: home.work,
    runtimeFolder: () => join(home.root, 'run'),
  });
  const names = Object.keys(QUIRKS);
  const next = names.values();
  const worker = async (): Promise<void> => {
    for (const name of next) played.set(name, await play(name, config));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}, 120_000);

afterAll(async () => {
  await engine.close();
  await server.close();
  home[Symbol.dispose]();
});

describe('a session at a server with a quirk ends well, or says why and what to do, and then goes on elsewhere', () => {
  test.each(Object.entries(QUIRKS).map(([name, { expected }]) => [name, expected] as const))('%s', (name, expected) => {
    const one = played.get(name);
    if (one === undefined) throw new Error('it was not played');
    check(one, expected);
    expect([one.after.end, one.after.text]).toEqual(['completed', 'It says that the sea is blue.']);
    expect(server.counts.get(name) ?? 0).toBeLessThanOrEqual(20);
  });
});

function check({ report, line, notices }: Played, expected: Expected): void {
  const { end, error, text, calls, gap } = report;
  switch (expected.end) {
    case 'loop':
      expect([end, error, line]).toEqual(['completed', undefined, null]);
      expect(calls[0]?.result).toContain('the sea is blue');
      expect(text.trim()).toMatch(/^(It says that t|T)he sea is blue\.$/);
      return;
    case 'talk':
      expect([end, error, text, calls]).toEqual(['completed', undefined, 'I can only talk.', []]);
      expect(notices.join('\n')).toContain('takes no tools');
      return;
    case 'gap':
      expect([end, gap]).toEqual(['completed', expected.gap]);
      expect(line).not.toBeNull();
      return;
    case 'failed':
      expect([end, error?.code]).toEqual(['failed', expected.code]);
      expect(error?.hint ?? '').not.toBe('');
      return;
    default:
      expect([end, line === null]).toEqual([expected.end, false]);
  }
}

test('the line about an answer at the token limit counts the tokens, if the server does', () => {
  expect(played.get('length-counted')?.line).toContain('at the token limit (512 tokens). Ask');
  expect(played.get('length-text')?.line).toContain('at the token limit. Ask');
});

test('there are servers enough, and the clean one refused nothing', () => {
  expect(Object.keys(QUIRKS).length).toBeGreaterThanOrEqual(90);
  expect(server.failures).toEqual([]);
});
