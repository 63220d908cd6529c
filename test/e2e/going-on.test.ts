import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answered, ask } from '../support/conversation.ts';
import { startModelServer, text } from '../support/model-server.ts';

const LONG = 120_000;

function idOf(home: Home): string {
  return readdirSync(join(home.state, 'sessions')).find((name) => /^[a-z0-9]{12}$/.test(name)) ?? '';
}

test(
  '[session.lost] a command of the user that runs when aish is killed is told, listed, and known to the model',
  async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('I see.')] });
    home.useModel(server.url);
    await using terminal = home.open();
    await runLine(terminal, 'echo one');
    terminal.type('echo be""gun; sleep 77');
    terminal.press('enter');
    await terminal.waitFor('begun', PATIENCE);
    process.kill(terminal.pid, 'SIGKILL');
    await terminal.ended();
    const before = (await home.run(['sessions', 'show', idOf(home)])).out;
    expect(before).toContain('$ echo be""gun; sleep 77\n  no end recorded: ');
    await using again = home.open(['--continue']);
    await again.waitFor('`echo be""gun; sleep 77` was running when aish ended, and its outcome is unknown', PATIENCE);
    await prompted(again);
    again.type(':output\n');
    await again.waitFor(/%2 +0 B +cut short +echo be""gun; sleep 77/, PATIENCE);
    await prompted(again);
    await ask(again, 'what happened?');
    await answered(again, 'I see.');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain(
      '[command of the user, cut short when aish ended, its outcome is unknown]\\n$ echo be\\"\\"gun; sleep 77',
    );
    expect((await home.run(['sessions', 'show', idOf(home)])).out).toContain(
      '$ echo be""gun; sleep 77\n  cut short when aish ended',
    );
    expect(server.failures).toEqual([]);
  },
  LONG,
);

test.each(['killed', 'hung up'] as const)(
  '[cli.continue] [session.lost] --continue takes the newest session of the directory, though it was %s in a command and holds no message',
  async (how) => {
    using home = new Home();
    await using server = startModelServer({ script: [text('Hello.')] });
    home.useModel(server.url);
    await home.run(['-p', 'an older question']);
    await using terminal = home.open();
    await runLine(terminal, 'true');
    terminal.type('echo be""gun; sleep 77\n');
    await terminal.waitFor('\nbegun', PATIENCE);
    if (how === 'killed') process.kill(terminal.pid, 'SIGKILL');
    else terminal.hangUp();
    await terminal.ended();
    await using again = home.open(['--continue']);
    await again.waitFor('`echo be""gun; sleep 77` was running when aish ended', PATIENCE);
    expect(again.screen()).not.toContain('an older question');
  },
  LONG,
);

test(
  '[session.going-on] who goes on with a session sees what was said last, and that it was begun elsewhere',
  async () => {
    using home = new Home();
    const answer = text('The tests pass.\n\nAll of them.');
    await using server = startModelServer({ script: [text('Hello.'), answer] });
    home.useModel(server.url);
    await home.run(['say hello']);
    await home.run(['--continue', 'do they pass?']);
    await using here = home.open(['--continue']);
    await here.waitFor(/Resumed session \w+\n> do they pass\?\n {2}The tests pass\. …\n/, PATIENCE);
    await here.close();
    const other = join(home.work, 'other');
    mkdirSync(other);
    await using elsewhere = home.open(['--resume', idOf(home)], { cwd: other });
    await elsewhere.waitFor(
      /this session started in \S+work, but the\s+shell is in\s+\S+work\/other;\s:undo/,
      PATIENCE,
    );
  },
  LONG,
);
