import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../../test/support/aish.ts';
import { useEngines } from '../../../../test/support/test-engine.ts';
import { toPaths } from '../../../adapters/config/paths.ts';
import { toSettings } from '../../../core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { answerShow } from './show.ts';

const SECRET = 'sk-planted-4711-abcdefgh';
const openEngine = useEngines();

async function openPlace() {
  const home = new Home();
  const env = { ...home.env, PLANTED_TOKEN: SECRET };
  const paths = toPaths(env);
  const config = DEFAULT_CONFIG;
  const engine = openEngine({ home, config, env });
  const settings = toSettings(config);
  const live = await engine.open({ cwd: home.work, settings });
  const loaded = { config, origins: new Map(), warnings: [], file: null };
  const setup = { env, cwd: home.work, paths, loaded, settings };
  const look = (line: string, columns = 80) => answerShow({ line, columns }, live, { engine, setup });
  return { home, live, look };
}

test('a line that would change something is refused where the session is, whatever the attached client thinks of it', async () => {
  const { live, look } = await openPlace();
  const { settings } = live.session.state;
  for (const line of [
    ':approve all',
    ':sandbox on',
    ':undo',
    ':history clear yes',
    ':checkpoints prune',
    ':quit',
    ':mcp disconnect x',
  ]) {
    expect(await look(line).catch(({ code }) => code)).toBe('meta.elsewhere');
  }
  expect(await look('echo hello').catch(({ code }) => code)).toBe('meta.unknown');
  expect(live.session.state.settings).toEqual(settings);
});

test('what a look shows is without secrets, of names that it was asked about, too', async () => {
  const { home, look } = await openPlace();
  writeFileSync(join(home.work, SECRET), '');
  expect(await look(`:impact rm ${SECRET}`)).not.toContain(SECRET);
  expect(await look(`:sessions ${SECRET}`)).toBe('Nothing found.');
});

test('a secret that was written since the last command is taken out of a look', async () => {
  const { home, look } = await openPlace();
  await look(':sandbox');
  writeFileSync(join(home.work, '.env'), 'DB_PASSWORD=hunter8-Zq9kLm\n');
  expect(await look(':impact rm hunter8-Zq9kLm')).not.toContain('hunter8-Zq9kLm');
});

test('what a look shows is folded at words for the window of the attached client', async () => {
  const { look } = await openPlace();
  const rows = (await look(':sandbox', 30)).split('\n');
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.every((row) => row.length <= 30)).toBe(true);
});
