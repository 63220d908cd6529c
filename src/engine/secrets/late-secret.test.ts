import { expect, spyOn, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { SANDBOX_WORKS } from '../../../test/support/in-sandbox.ts';
import { calls, startModelServer, text } from '../../../test/support/model-server.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import { Engine } from '../session/engine.ts';
import { SandboxRunner } from '../shell/sandbox-runner.ts';

const SECRET = 'gR7kPq2ZtLw9XbNcVd4H';

test.skipIf(!SANDBOX_WORKS)('a secret that is there by the end of a command in the sandbox is redacted', async () => {
  using home = new Home();
  const exec = calls({ name: 'aish__exec', arguments: { command: 'cat a.txt' } });
  await using model = startModelServer({ script: [exec, text('Done.')] });
  writeFileSync(join(home.work, 'a.txt'), `deploys with ${SECRET}\n`);
  const config: Config = { ...DEFAULT_CONFIG, models: { local: { base_url: model.url } } };
  const runtimeFolder = () => join(home.root, 'run');
  const engine = new Engine({ config, paths: toPaths(home.env), env: home.env, cwd: home.work, runtimeFolder });
  const { run } = SandboxRunner.prototype;
  const running = spyOn(SandboxRunner.prototype, 'run').mockImplementation(async function (
    this: SandboxRunner,
    ...asked
  ) {
    const ran = await run.apply(this, asked);
    writeFileSync(join(home.work, '.env'), `TOKEN=${SECRET}\n`);
    return ran;
  });
  try {
    const { session } = await engine.open({ cwd: home.work, settings: toSettings(config) });
    const events = session.events(session.seq);
    await session.submit({ type: 'send', text: 'go' });
    for await (const { event } of events) if (event.type === 'turn.ended') break;
    expect(running).toHaveBeenCalledTimes(1);
    expect(JSON.stringify([model.requests[1]?.body, session.recorded])).not.toContain(SECRET);
    expect(JSON.stringify(model.requests[1]?.body)).toContain('deploys with ⟨secret:');
  } finally {
    running.mockRestore();
    await engine.close();
  }
});
