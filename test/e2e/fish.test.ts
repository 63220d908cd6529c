import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, ask, asked } from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';

setDefaultTimeout(120_000);

const SHELL = Bun.which('fish') ?? '';

describe.skipIf(!hasProgram('fish'))('fish', () => {
  test('a block goes on over several lines, and a line that ends fish ends aish with its status', async () => {
    using home = new Home();
    await using terminal = home.open([], { env: { SHELL } });
    await runLine(terminal, 'set x 5; echo (math $x + 1)-(count a b)');
    await terminal.waitForHistory('6-2', PATIENCE);
    terminal.type('for i in 7 8\n');
    await terminal.waitFor((screen) => /for i in 7 8\n>$/.test(screen), PATIENCE);
    terminal.type('echo round $i\n');
    await terminal.waitFor((screen) => /echo round \$i\n>$/.test(screen), PATIENCE);
    terminal.type('end\n');
    await terminal.waitForHistory('round 7\nround 8', PATIENCE);
    await prompted(terminal);
    terminal.type('true; and exit 6\n');
    expect(await terminal.ended()).toBe(6);
  });

  test('what fish may read otherwise than bash asks even with a rule, and runs in fish', async () => {
    using home = new Home();
    const say = (command: string) => calls({ name: 'aish__exec', arguments: { command } });
    await using server = startModelServer({
      script: [say('echo plain words'), say('echo (count a b c)-$status'), text('Done.')],
    });
    home.useModel(server.url, '[safety]\napprove = ["echo"]');
    await using terminal = home.open([], { env: { SHELL } });
    await ask(terminal, 'count');
    await asked(terminal, 'aish.exec');
    expect(terminal.screen()).toMatch(/Your shell may read this command\s+differently/);
    expect(terminal.screen()).toContain('plain words');
    await answer(terminal, 'y');
    await terminal.waitForHistory(/3-0\n[\s\S]*Done\./, PATIENCE);
    expect(server.requests[0]?.text).toContain("The user's shell is fish.");
  });
});
