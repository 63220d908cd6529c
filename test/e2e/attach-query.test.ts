import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { enter, openAttached, openAttachedClient, serverOf } from '../support/attached-terminal.ts';
import { pause } from '../support/conversation.ts';
import { openDaemonClient } from '../support/daemon-client.ts';
import { calls, type ModelServer, startModelServer, text } from '../support/model-server.ts';

setDefaultTimeout(120_000);

/** The model has made `list` and `other`, and is there for more. */
async function makeStep(home: Home): Promise<ModelServer> {
  const write = (path: string) => ({ name: 'aish__write_file', arguments: { path, content: 'of the model\n' } });
  const model = startModelServer({ script: [calls(write('list'), write('other')), text('Done.'), text('Fine.')] });
  home.useModel(model.url);
  expect((await home.run(['--approve', 'all', 'do it'])).code).toBe(0);
  return model;
}

test('[attach.undo] an undo at an attached client is told at the owner’s with where it was entered, and who answered its question at both', async () => {
  using home = new Home();
  await using _ = await makeStep(home);
  writeFileSync(join(home.work, 'list'), 'of the user\n');
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  attached.type(':undo c1\n');
  const question = /pts\/\d+ : :undo c1\n+undo c1: [\s\S]*\[g\] give up$/;
  await owner.waitFor(question, PATIENCE);
  await attached.waitFor(/\[g\] give up$/, PATIENCE);
  await pause(owner);
  owner.type('k');
  await attached.waitForHistory('the owner answered: keep', PATIENCE);
  await attached.waitForHistory(/removed +other/, PATIENCE);
  await Promise.all([prompted(owner), openAttachedClient(attached)]);
  expect(readFileSync(join(home.work, 'list'), 'utf8')).toBe('of the user\n');
  expect(existsSync(join(home.work, 'other'))).toBe(false);
  const log = readFileSync(join(home.state, 'sessions', await serverOf(home), 'log.jsonl'), 'utf8');
  expect(log).toMatch(/"type":"restore.started".*"client":"pts\/\d+"/);
});

test('[attach.look] what only looks says at an attached client what it says where the session is open, and changes nothing there', async () => {
  using home = new Home();
  await using _ = await makeStep(home);
  await using owner = home.open();
  await using attached = await openAttached(home, owner, ['echo "one$((1 + 1))"']);
  const look = async (line: string, shows: RegExp): Promise<void> => {
    expect(await enter(attached, line, shows)).not.toContain('works only in the terminal');
  };
  await look(':checkpoints', /\nc1 .*\+2/);
  await look(':diff', /\+of the model/);
  await look(':output', /\n%1 .* ok .*echo/);
  await look('%1', /: %1\none2\n/);
  await look(':context', /Next request(?: to \S+)?: about/);
  await look(':approve', /Mode: ask/);
  await look(':model', /\* +\w+/);
  await look(':sessions', /do it/);
  await look(':history', /\n *1 +\d\d:\d\d .*echo "one/);
  await look(':impact rm list', /: :impact rm list\n.*list/);
  await enter(attached, ':why', /this session has no message to the model yet/);
  await enter(attached, ':diff c99', /c99/);
  expect(owner.history()).not.toMatch(/c99|Next request/);
});

test('[attach.look] what changes something for the owner is refused at an attached client, with what to do instead', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  await enter(attached, ':approve all', /:approve all works only in the terminal that owns the session/);
  await enter(attached, ':resume', /aish --resume ID/);
  await enter(attached, ':private ls', /a space before a command/);
  owner.type(':approve\n');
  await owner.waitForHistory('Mode: ask', PATIENCE);
});

test('[attach.look] a look that does not fit the window opens in the pager of the attached client, secrets taken out', async () => {
  using home = new Home();
  await using _ = await makeStep(home);
  await using owner = home.open();
  const secret = 'zebra-4711-zebra-4711';
  await prompted(owner);
  owner.type(`export API_TOKEN=${secret}; seq 1 200; echo $API_TOKEN\n`);
  await owner.waitForHistory(new RegExp(`200\n${secret}`), PATIENCE);
  await using attached = await openAttached(home, owner);
  attached.type(':output %1\n');
  await attached.waitFor((screen) => /\n8\n/.test(screen) && /:$|\(END\)|lines/.test(screen), PATIENCE);
  attached.type('G');
  await attached.waitFor('⟨secret:API_TOKEN⟩', PATIENCE);
  attached.type('q');
  await openAttachedClient(attached);
  await enter(attached, 'echo after', /\nafter\n/);
  expect(attached.history()).not.toContain(secret);
});

test('[attach.look] a session of a daemon is looked at just so', async () => {
  using home = new Home();
  await using _ = await openDaemonClient(home);
  await using attached = home.open(['attach']);
  await enter(attached, 'echo hello', /\nhello\n/);
  await enter(attached, ':output', /\n%1 .* ok /);
});
