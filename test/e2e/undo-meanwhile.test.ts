import { expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, pause } from '../support/conversation.ts';
import { put, read, write } from '../support/made-steps.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { until } from '../support/until.ts';

const LONG = 120_000;

test(
  '[checkpoint.meanwhile] a command of the model is undone without what the user did in another terminal while it ran',
  async () => {
    using home = new Home();
    put(home, 'o', 'old\n');
    // The model's command waits for the user's, however long that takes.
    const command = 'touch begun; until [ -e go ]; do sleep 0.05; done; rm go; echo model > a';
    const script = [calls({ name: 'aish__exec', arguments: { command } }), text('Done.')];
    await using server = startModelServer({ script });
    home.useModel(server.url, '[checkpoint]\ncommands = "mutating"\n');
    await using model = home.open();
    await ask(model, 'make a');
    await asked(model, 'aish.exec');
    await answer(model, 'y');
    await until({ what: 'the command has begun' }, () => read(home, 'begun') !== null);
    await using user = home.open();
    await prompted(user);
    await runLine(user, 'echo mine > b; echo mine >> o');
    user.type(':checkpoints\n');
    await answered(user, /^c2 .* you +\+1 ~1 .*\nc1 .* command +\? +running /m);
    put(home, 'go', '');
    await answered(model, 'Done.');
    await prompted(model);
    model.type(':undo c1\n');
    const question = await model.waitFor(/\[g\] give up$/, PATIENCE);
    expect(question).toContain('  b: c2, which ran at the same time, changed it as well');
    expect([read(home, 'a'), read(home, 'b')]).toEqual(['model\n', 'mine\n']);
    await pause();
    model.type('K');
    await model.waitFor(/removed {2}a\n[\s\S]*kept {2}b\n {2}kept {2}o/, PATIENCE);
    expect([read(home, 'a'), read(home, 'b'), read(home, 'o')]).toEqual([null, 'mine\n', 'old\nmine\n']);
    user.type(':checkpoints\n');
    await answered(user, /^c2 .* you +\+1 ~1 +before .*\nc1 .* command .* undone /m);
  },
  LONG,
);

/** The nightly run takes a tree in which a snapshot takes its time: `AISH_UNDO_FILES=30000`. */
const FILES = Number(process.env.AISH_UNDO_FILES ?? 300);

test(
  '[checkpoint.meanwhile] what the user saves as soon as the turn has ended is not part of the step',
  async () => {
    using home = new Home();
    for (let file = 0; file < FILES; file += 1) {
      const folder = join(home.work, `d${file % Math.ceil(FILES / 10)}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `f${file}.txt`), `file ${file}\n`);
    }
    home.git('add', '.');
    home.git('commit', '-qm', 'many');
    const script = [1, 2].flatMap((step) => [calls(write('d0/f0.txt', `model ${step}\n`)), text('Done.')]);
    await using server = startModelServer({ script });
    home.useModel(server.url);
    // The second step finds all files known, as a session mostly does.
    expect((await home.run(['--approve', 'all', 'first'])).code).toBe(0);
    const program = home.start(['-p', '--approve', 'all', '--output', 'stream-json', 'second']);
    let seen = '';
    for await (const bytes of program.stdout) {
      seen += Buffer.from(bytes).toString('utf8');
      if (!seen.includes('"turn.ended"') || read(home, 'user.txt') !== null) continue;
      put(home, 'user.txt', 'mine\n');
      appendFileSync(join(home.work, 'd5/f5.txt'), 'mine\n');
    }
    expect([await program.exited, read(home, 'user.txt')]).toEqual([0, 'mine\n']);
    const { code, out } = await home.run(['undo']);
    expect([code, out.split('\n').slice(1, 2)]).toEqual([0, ['  restored  d0/f0.txt']]);
    expect(['d0/f0.txt', 'd5/f5.txt', 'user.txt'].map((name) => read(home, name))).toEqual([
      'model 1\n',
      'file 5\nmine\n',
      'mine\n',
    ]);
  },
  FILES > 300 ? 600_000 : LONG,
);
