import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { openAttachedClient, serverOf } from '../support/attached-terminal.ts';
import { exec, FIX, useProject } from '../support/contract-project.ts';
import { calls, held, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';

const CTRL_S = '\x13';
const CTRL_C = '\x03';
const BEGIN = ":norris 'make the sum right' until 'sh test/sum.sh' only src\n";
const plan = (...items: readonly (readonly [text: string, state: string])[]) =>
  calls({ name: 'aish__plan', arguments: { items: items.map(([what, state]) => ({ text: what, state })) } });

/** A run at the prompt that waits for its first answer. */
async function begin(home: Home, server: ReturnType<typeof startModelServer>) {
  useProject(home);
  home.useModel(server.url);
  const terminal = home.open();
  await prompted(terminal);
  terminal.type(BEGIN);
  await terminal.waitFor(/Type yes:\s*$/, PATIENCE);
  terminal.type('yes\n');
  await server.requested(1);
  return terminal;
}

describe.skipIf(!hasProgram('bwrap'))('an autonomous run at the prompt', () => {
  test('[contract.pause] begins nothing during a pause, keeps what the user changes, and can be stopped', async () => {
    using home = new Home();
    const first = Promise.withResolvers<void>();
    const script = [held(exec('echo x > src/new.txt'), first.promise), exec('true'), FIX, text('Fixed.')];
    await using server = startModelServer({ script });
    await using terminal = await begin(home, server);
    terminal.type(':pause\n');
    await terminal.waitFor(/The run is paused/, PATIENCE);
    await terminal.waitFor(/finishing what runs ·/, PATIENCE);
    first.resolve();
    await terminal.waitFor(/paused ·/, PATIENCE);
    terminal.type(':norris\n');
    await terminal.waitFor(/Goal: make the sum right[\s\S]*used: 1 step/, PATIENCE);
    writeFileSync(join(home.work, 'src/mine.txt'), 'mine\n');
    expect([server.requests.length, home.git('status', '--porcelain')]).toEqual([1, '?? src/mine.txt']);
    terminal.type(':resume-run\n');
    await terminal.waitFor(/The goal is reached[\s\S]*>\s*$/, PATIENCE);
    terminal.type(':norris undo\n');
    await terminal.waitFor(/restored {2}src\/sum\.sh[\s\S]*>\s*$/, PATIENCE);
    expect([home.git('status', '--porcelain'), readFileSync(join(home.work, 'src/mine.txt'), 'utf8')]).toEqual([
      '?? src/mine.txt',
      'mine\n',
    ]);
  });

  test('[contract.pause] ends by Ctrl-C while it is paused', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [held(text('x'), new Promise(() => {}))] });
    await using terminal = await begin(home, server);
    terminal.type(':pause\n');
    await terminal.waitFor(/The run is paused/, PATIENCE);
    terminal.type(CTRL_C);
    await terminal.waitFor(/The run was stopped\.[\s\S]*:norris resume goes on\s[\s\S]*>\s*$/, PATIENCE);
  });

  test('[contract.pause] an attached client pauses the run, and lets it continue', async () => {
    using home = new Home();
    const first = Promise.withResolvers<void>();
    const script = [held(exec('true'), first.promise), FIX, text('Fixed.')];
    await using server = startModelServer({ script });
    await using owner = await begin(home, server);
    await serverOf(home);
    await using client = home.open(['attach']);
    await openAttachedClient(client);
    client.type(':pause\n');
    await owner.waitFor(/The run is paused/, PATIENCE);
    first.resolve();
    await owner.waitFor(/paused ·/, PATIENCE);
    expect(server.requests).toHaveLength(1);
    client.type(':norris plan add say please\n');
    await owner.waitFor(/Plan, changed by you:\s+1\. \[open\] say please/, PATIENCE);
    client.type(':resume-run\n');
    await owner.waitFor(/The goal is reached[\s\S]*>\s*$/, PATIENCE);
    await client.waitFor(/The goal is reached/, PATIENCE);
  });

  test('[contract.steer] a message sent with Ctrl-S steers the run, which goes on under its contract', async () => {
    using home = new Home();
    const first = Promise.withResolvers<void>();
    await using server = startModelServer({ script: [held(text('Hm.'), first.promise), FIX, text('Fixed.')] });
    await using terminal = await begin(home, server);
    terminal.type(`?look at src/sum.sh first${CTRL_S}`);
    const request = await server.requested(2);
    expect(request.body.messages?.at(-1)).toMatchObject({ role: 'user', content: 'look at src/sum.sh first' });
    await terminal.waitFor(/look at src\/sum\.sh first[\s\S]*The goal is reached[\s\S]*>\s*$/, PATIENCE);
    first.resolve();
  });

  test('[contract.propose] a plain sentence becomes a contract in the line, and nothing begins before it is sent', async () => {
    using home = new Home();
    useProject(home);
    writeFileSync(join(home.work, 'Makefile'), 'test:\n\tsh test/sum.sh\n');
    await using server = startModelServer({ script: [] });
    home.useModel(server.url);
    await using terminal = home.open();
    await prompted(terminal);
    terminal.type(':norris make the sum right\n');
    await terminal.waitFor(
      /: :norris 'make the sum right' until 'make test' within 20 steps[\s\S]*net off\s*$/,
      PATIENCE,
    );
    terminal.type('\n');
    await terminal.waitFor(/Until: make test exits with 0[\s\S]*Type yes:\s*$/, PATIENCE);
    terminal.type('no\n');
    await terminal.waitFor(/The run has not begun\.[\s\S]*>\s*$/, PATIENCE);
    expect(server.requests).toEqual([]);
  });

  test('[contract.plan] the plan is shown when it changes, the user edits it, and the model sees that', async () => {
    using home = new Home();
    const second = Promise.withResolvers<void>();
    const script = [
      plan(['read the script', 'doing'], ['fix it\u001b[2J', 'open']),
      held(plan(['read the script', 'done'], ['fix it', 'doing']), second.promise),
      plan(['read the script', 'done'], ['fix it', 'dropped'], ['say please', 'done']),
      FIX,
      text('Fixed.'),
    ];
    await using server = startModelServer({ script });
    await using terminal = await begin(home, server);
    await terminal.waitFor(/Plan:\s+1\. \[doing\] read the script\s+2\. \[open\] fix it\s/, PATIENCE);
    await server.requested(2);
    terminal.type(':norris plan add say please\n');
    await terminal.waitFor(/Plan, changed by you:\s+3\. \[open\] say please/, PATIENCE);
    terminal.type(':norris plan drop 2\n');
    await terminal.waitFor(/Plan, changed by you:\s+2\. \[dropped\] fix it/, PATIENCE);
    second.resolve();
    const third = await server.requested(3);
    const result = third.body.messages?.at(-1);
    expect(result?.content).toContain('not kept, because the user has changed the plan meanwhile');
    expect(result?.content).toContain('1. [doing] read the script\n2. [dropped] fix it\n3. [open] say please');
    await terminal.waitFor(/The goal is reached[\s\S]*>\s*$/, PATIENCE);
    terminal.type(':norris receipt\n');
    await terminal.waitFor(/3\. \[done\] say please/, PATIENCE);
    expect(terminal.history()).not.toContain('aish.plan');
    expect(server.failures).toEqual([]);
  });
});
