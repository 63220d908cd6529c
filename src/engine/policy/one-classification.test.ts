import { expect, mock, setDefaultTimeout, spyOn, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as unbash from 'unbash';
import { Home } from '../../../test/support/aish.ts';
import { SANDBOX_WORKS } from '../../../test/support/in-sandbox.ts';
import { calls, startModelServer, text } from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { EstimateThread } from '../../adapters/impact/estimate-thread.ts';
import { isQuickLine } from '../../core/policy/classify-line.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';

// A thread and a shell take their time to begin where many others run.
setDefaultTimeout(120_000);

/** Every text that this thread parses. */
const parsed: string[] = [];
const { parse } = unbash;
mock.module('unbash', () => ({
  ...unbash,
  parse: (line: string) => {
    parsed.push(line);
    return parse(line);
  },
}));

const openEngine = useEngines();

/** The worker classifies each line once, except for short, plain lines. */
function byThread(commands: readonly string[]) {
  return {
    classified: commands.filter((line) => !isQuickLine(line)),
    parsed: commands.filter(isQuickLine),
  };
}

/** Has the model run commands, each approved; what was classified, and what this thread parsed itself. */
async function run(commands: readonly string[]) {
  const home = new Home();
  writeFileSync(join(home.work, 'a.txt'), 'a\n');
  const exec = commands.map((command) => calls({ name: 'aish__exec', arguments: { command } }));
  const model = startModelServer({ script: [...exec, text('Done.')] });
  const whole: Config = { ...DEFAULT_CONFIG, models: { local: { base_url: model.url } } };
  const engine = openEngine({ home, config: whole, servers: [model] });
  const classify = spyOn(EstimateThread.prototype, 'classify');
  parsed.length = 0;
  const { session } = await engine.open({ cwd: home.work, settings: { ...toSettings(whole), approve: 'ask' } });
  let asked = 0;
  const events = session.events(session.seq);
  await session.submit({ type: 'send', text: 'go' });
  for await (const { event } of events) {
    if (event.type === 'turn.ended') break;
    if (event.type !== 'approval.requested') continue;
    asked += 1;
    const decision = { type: 'allow' } as const;
    await session.submit({ type: 'decide', callId: event.callId, decision, by: 'user' });
  }
  const classified = classify.mock.calls.map(([line]) => line);
  classify.mockRestore();
  return { asked, classified, parsed: parsed.filter((line) => commands.includes(line)) };
}

test('a command that needs an approval, and one after text from the network was read, is each classified once', async () => {
  const commands = ['touch b.txt && cat a.txt', 'curl -s http://127.0.0.1:9/x; cat a.txt', 'sed -i "s/a/$x/" a.txt'];
  expect(await run(commands)).toEqual({ asked: 3, ...byThread(commands) });
});

test.skipIf(!SANDBOX_WORKS)('a command that runs without asking is classified once', async () => {
  const commands = ['cat a.txt | head -n 1', 'cat a.txt | grep "[a]"'];
  expect(await run(commands)).toEqual({ asked: 0, ...byThread(commands) });
});
