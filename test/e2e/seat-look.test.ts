import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { pause } from '../support/conversation.ts';
import { calls, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { doorOf, openSeat, seated } from '../support/seat.ts';

setDefaultTimeout(120_000);

/** The model has made `list` and `other`, and is there for more. */
async function makeStep(home: Home): Promise<ModelServer> {
  const write = (path: string) => ({ name: 'aish__write_file', arguments: { path, content: 'of the model\n' } });
  const model = startModelServer({ script: [calls(write('list'), write('other')), text('Done.'), text('Fine.')] });
  home.useModel(model.url);
  expect((await home.run(['--approve', 'all', 'do it'])).code).toBe(0);
  return model;
}

test('[seats.undo] an undo at a seat is told at the owner’s with where it was entered, and who answered its question at both', async () => {
  using home = new Home();
  await using _ = await makeStep(home);
  writeFileSync(join(home.work, 'list'), 'of the person\n');
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  seat.type(':undo c1\n');
  const question = /pts\/\d+ : :undo c1\n+undo c1: [\s\S]*\[g\]ive up$/;
  await owner.waitFor(question, PATIENCE);
  await seat.waitFor(/\[g\]ive up$/, PATIENCE);
  await pause(owner);
  owner.type('k');
  await seat.waitForHistory('answered at owner: keep', PATIENCE);
  await seat.waitForHistory(/removed +other/, PATIENCE);
  await Promise.all([prompted(owner), seated(seat)]);
  expect(readFileSync(join(home.work, 'list'), 'utf8')).toBe('of the person\n');
  expect(existsSync(join(home.work, 'other'))).toBe(false);
  const log = readFileSync(join(home.state, 'sessions', await doorOf(home), 'log.jsonl'), 'utf8');
  expect(log).toMatch(/"type":"restore.started".*"seat":"pts\/\d+"/);
});
