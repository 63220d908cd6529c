import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { pause } from '../support/conversation.ts';
import { openDaemonSeat } from '../support/daemon-seat.ts';
import { calls, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { doorOf, enter, openSeat, seated } from '../support/seat.ts';

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

test('[seats.look] what only looks says at a seat what it says where the session is open, and changes nothing there', async () => {
  using home = new Home();
  await using _ = await makeStep(home);
  await using owner = home.open();
  await using seat = await openSeat(home, owner, ['echo "one$((1 + 1))"']);
  const look = async (line: string, shows: RegExp): Promise<void> => {
    expect(await enter(seat, line, shows)).not.toContain('works only where');
  };
  await look(':checkpoints', /\nc1 .*\+2/);
  await look(':diff', /\+of the model/);
  await look(':output', /\n%1 .* ok .*echo/);
  await look('%1', /: %1\none2\n/);
  await look(':context', /tokens in the next request/);
  await look(':approve', /approve: ask/);
  await look(':model', /\* +\w+/);
  await look(':sessions', /do it/);
  await look(':history', /\n *1 +\d\d:\d\d .*echo "one/);
  await look(':impact rm list', /: :impact rm list\n.*list/);
  await enter(seat, ':why', /the model was asked nothing/);
  await enter(seat, ':diff c99', /c99/);
  expect(owner.history()).not.toMatch(/c99|tokens in the next/);
});

test('[seats.look] what changes something for the owner is refused at a seat, with what to do instead', async () => {
  using home = new Home();
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  await enter(seat, ':approve all', /:approve all works only where the session is open/);
  await enter(seat, ':resume', /aish --resume ID/);
  await enter(seat, ':private ls', /a blank before a command/);
  owner.type(':approve\n');
  await owner.waitForHistory('approve: ask', PATIENCE);
});

test('[seats.look] a look that does not fit the window opens in the pager of the seat, secrets taken out', async () => {
  using home = new Home();
  await using _ = await makeStep(home);
  await using owner = home.open();
  const secret = 'zebra-4711-zebra-4711';
  await prompted(owner);
  owner.type(`export API_TOKEN=${secret}; seq 1 200; echo $API_TOKEN\n`);
  await owner.waitForHistory(new RegExp(`200\n${secret}`), PATIENCE);
  await using seat = await openSeat(home, owner);
  seat.type(':output %1\n');
  await seat.waitFor((screen) => /\n8\n/.test(screen) && /:$|\(END\)|lines/.test(screen), PATIENCE);
  seat.type('G');
  await seat.waitFor('⟨secret:API_TOKEN⟩', PATIENCE);
  seat.type('q');
  await seated(seat);
  await enter(seat, 'echo after', /\nafter\n/);
  expect(seat.history()).not.toContain(secret);
});

test('[seats.look] a session of a daemon is looked at just so', async () => {
  using home = new Home();
  await using _ = await openDaemonSeat(home);
  await using seat = home.open(['attach']);
  await enter(seat, 'echo hello', /\nhello\n/);
  await enter(seat, ':output', /\n%1 .* ok /);
});
