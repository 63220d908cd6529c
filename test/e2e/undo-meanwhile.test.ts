import { expect, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, pause } from '../support/conversation.ts';
import { put, read } from '../support/made-steps.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { until } from '../support/until.ts';

const LONG = 120_000;

test(
  '[checkpoint.meanwhile] a command of the model is undone without what the person did in another terminal while it ran',
  async () => {
    using home = new Home();
    put(home, 'o', 'old\n');
    // The model's command waits for the person's, however long that takes.
    const command = 'touch begun; until [ -e go ]; do sleep 0.05; done; rm go; echo model > a';
    const script = [calls({ name: 'aish__exec', arguments: { command } }), text('Done.')];
    await using server = startModelServer({ script });
    home.useModel(server.url, '[checkpoint]\ncommands = "mutating"\n');
    await using model = home.open();
    await ask(model, 'make a');
    await asked(model, 'aish.exec');
    await answer(model, 'y');
    await until({ what: 'the command has begun' }, () => read(home, 'begun') !== null);
    await using person = home.open();
    await prompted(person);
    await runLine(person, 'echo mine > b; echo mine >> o');
    person.type(':checkpoints\n');
    await answered(person, /^c2 .* you +\+1 ~1 .*\nc1 .* command +\? +at work /m);
    put(home, 'go', '');
    await answered(model, 'Done.');
    await prompted(model);
    model.type(':undo c1\n');
    const question = await model.waitFor(/\[g\]ive up$/, PATIENCE);
    expect(question).toContain('  b: c2, which ran at the same time, changed it as well');
    expect([read(home, 'a'), read(home, 'b')]).toEqual(['model\n', 'mine\n']);
    await pause();
    model.type('K');
    await model.waitFor(/removed {2}a\n[\s\S]*kept {2}b\n {2}kept {2}o/, PATIENCE);
    expect([read(home, 'a'), read(home, 'b'), read(home, 'o')]).toEqual([null, 'mine\n', 'old\nmine\n']);
    person.type(':checkpoints\n');
    await answered(person, /^c2 .* you +\+1 ~1 +before .*\nc1 .* command .* undone /m);
  },
  LONG,
);
