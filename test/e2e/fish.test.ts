import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, ask, asked } from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import { written } from '../support/until.ts';

setDefaultTimeout(120_000);

/** Gives the user a `config.fish`. */
function configure(home: Home, text: string): void {
  const folder = join(home.root, 'config/fish');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.fish'), `set fish_greeting\n${text}\n`);
}

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

  test('a line that fish cannot read stays in the prompt, and the status is the one before', async () => {
    using home = new Home();
    await using terminal = home.open([], { env: { SHELL } });
    await runLine(terminal, 'false');
    for (const [typed, error] of [
      ['ls | | wc', 'Expected a command, but found a pipe'],
      ['cat <<EOF', 'but found a redirection'],
    ]) {
      terminal.type(`${typed}\n`);
      await terminal.waitFor((screen) => screen.includes(error ?? '') && screen.endsWith(`$ ${typed}`), PATIENCE);
      terminal.press('ctrl-c');
      await terminal.waitFor(`${typed}^C`, PATIENCE);
    }
    terminal.type('echo is-$status\n');
    await terminal.waitForHistory('is-1', PATIENCE);
  });

  test('handlers hear of a line that was given up, and it has a ^C behind it', async () => {
    using home = new Home();
    configure(home, 'function on_cancel --on-event fish_cancel; set -ga cancels x; end');
    await using terminal = home.open([], { env: { SHELL } });
    await runLine(terminal, 'echo on');
    terminal.type('for i in 1\n');
    await terminal.waitFor(/for i in 1\n>$/, PATIENCE);
    terminal.press('ctrl-c');
    await prompted(terminal);
    terminal.type('echo abc');
    await terminal.waitFor(/echo abc$/, PATIENCE);
    terminal.press('ctrl-c');
    await terminal.waitFor('echo abc^C', PATIENCE);
    await prompted(terminal);
    terminal.type('echo canceled (count $cancels)\n');
    await terminal.waitForHistory('canceled 2', PATIENCE);
  });

  test('the right prompt is shown, abbreviations expand in sight, and keys and the title are those of fish', async () => {
    using home = new Home();
    configure(
      home,
      `function fish_prompt; echo 'mine> '; end
function fish_right_prompt; echo R=$status; end
function fish_title; echo title: $argv; end
abbr -a ec 'echo expanded'
bind \\cx\\ca beginning-of-line`,
    );
    await using terminal = home.open([], { env: { SHELL } });
    terminal.type('echo on\n');
    await terminal.waitFor(/\non\nmine> > +R=0$/, PATIENCE);
    terminal.type('ec ');
    await terminal.waitFor('$ echo expanded', PATIENCE);
    terminal.type('x\x18\x01sh -c "exit 4"; ');
    await terminal.waitFor('$ sh -c "exit 4"; echo expanded x', PATIENCE);
    terminal.press('enter');
    await terminal.waitForHistory('\nexpanded x\n', PATIENCE);
    terminal.type('sh -c "exit 4"\n');
    await terminal.waitFor(/R=4$/, PATIENCE);
    // The title of a prompt may come behind the prompt itself.
    await terminal.waitForRaw((raw) => raw.lastIndexOf('\x1b]0;title:\x07') > raw.lastIndexOf('title: sh'), PATIENCE);
    const titles = [...terminal.rawText().matchAll(/\x1b\]0;([^\x07]*)/g)].map(([, title]) => title);
    expect(titles.slice(-2)).toEqual(['title: sh -c "exit 4"', 'title:']);
  });

  test('handlers of the exit run when the terminal closes', async () => {
    using home = new Home();
    configure(home, 'function on_exit --on-event fish_exit; echo bye >> ~/log; end');
    await using terminal = home.open([], { env: { SHELL } });
    await runLine(terminal, 'echo on');
    terminal.hangUp();
    await written(join(home.home, 'log'), /^bye\n$/);
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
