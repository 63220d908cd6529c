import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { type Answer, calls, startModelServer, text } from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Decision } from '../../protocol/op.ts';
import type { LiveSession } from './engine.ts';

// Each starts programs or threads, which take their time where many others run.
setDefaultTimeout(120_000);

const openEngine = useEngines();

const run = (command: string): Answer => calls({ name: 'aish__exec', arguments: { command } });

/** A session in a repository with a folder `out` that git does not know. */
async function openPlace(...script: readonly Answer[]): Promise<{ readonly home: Home; readonly live: LiveSession }> {
  const home = new Home();
  mkdirSync(join(home.work, 'out'));
  writeFileSync(join(home.work, 'out/a'), 'a');
  const model = startModelServer({ script });
  const config: Config = { ...DEFAULT_CONFIG, models: { local: { base_url: model.url } } };
  const engine = openEngine({ home, config, servers: [model] });
  return { home, live: await engine.open({ cwd: home.work, settings: toSettings(config) }) };
}

/** Sends a message and answers each question once `at` has come; what happened up to the end of the turn. */
async function converse(
  { session }: LiveSession,
  at: 'approval.requested' | 'impact.estimated',
  decisions: readonly Decision[],
): Promise<readonly SessionEvent[]> {
  const seen: SessionEvent[] = [];
  const left = [...decisions];
  const events = session.events(session.seq);
  await session.submit({ type: 'send', text: 'go' });
  for await (const { event } of events) {
    seen.push(event);
    if (event.type === 'turn.ended') break;
    const isLast = event.type !== 'impact.estimated' || event.report.counting !== true;
    const decision = event.type === at && isLast ? left.shift() : undefined;
    if ((event.type === 'approval.requested' || event.type === 'impact.estimated') && decision !== undefined)
      await session.submit({ type: 'decide', callId: event.callId, decision, by: 'user' });
  }
  return seen;
}

const measuredIn = (seen: readonly SessionEvent[]) =>
  seen.flatMap((event) =>
    event.type === 'impact.estimated' && event.report.counting !== true ? [[event.prompt, event.report] as const] : [],
  );

test('a command is counted where it would run, and counted again when the user makes another of it', async () => {
  const { live } = await openPlace(run('rm -rf out'), text('left'));
  const seen = await converse(live, 'impact.estimated', [
    { type: 'edit', command: 'curl https://example.org/' },
    { type: 'deny' },
  ]);
  expect(measuredIn(seen)).toMatchObject([
    [1, { effects: [{ kind: 'deletes', files: 1, folders: 1, bytes: 1, untracked: 1, outside: 0 }], unknown: [] }],
    [2, { effects: [], hosts: ['example.org'] }],
  ]);
});

test('a proposal of an answer and a tool for files are counted like a command', async () => {
  const write = calls({ name: 'aish__write_file', arguments: { path: 'README', content: 'new' } });
  const { live } = await openPlace(write, text('CMD: rm README'), text('left'));
  const seen = await converse(live, 'impact.estimated', [{ type: 'deny' }, { type: 'deny' }]);
  expect(measuredIn(seen).map(([, { effects }]) => effects.map(({ kind, files }) => [kind, files]))).toEqual([
    [['overwrites', 1]],
    [['deletes', 1]],
  ]);
});

test('a question that is answered at once is not counted', async () => {
  const { live } = await openPlace(run('rm -rf out'), text('left'));
  const seen = await converse(live, 'approval.requested', [{ type: 'deny' }]);
  expect(seen.at(-1)).toMatchObject({ type: 'turn.ended', reason: 'completed' });
  expect(measuredIn(seen)).toEqual([]);
});

test('what was counted is in the log, so that it is known what a yes was said to', async () => {
  const { live } = await openPlace(run('rm -rf out'), text('left'));
  await converse(live, 'impact.estimated', [{ type: 'deny' }]);
  expect(live.session.recorded.map(({ event }) => event.type)).toContain('impact.estimated');
});
