import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

const FIXTURES = join(import.meta.dir, '../fixtures/history');

/** Runs a meta-command and settles with the screen when its answer is there. */
async function tell(terminal: TestTerminal, line: string, wanted: RegExp | string): Promise<string> {
  if ((await prompted(terminal)).includes('\n')) {
    const before = terminal.rawText().length;
    terminal.press('ctrl-l');
    // A notice of the start may come behind that.
    await terminal.waitForRaw((raw) => raw.includes('\x1b[2J', before), PATIENCE);
    await prompted(terminal);
  }
  terminal.type(`${line}\n`);
  await terminal.waitFor(wanted, PATIENCE);
  return prompted(terminal);
}

/** The lines that `:history` shows, without what stands before them. */
async function listed(terminal: TestTerminal, words = ''): Promise<readonly string[]> {
  const screen = await tell(terminal, `:history ${words}`, /:history.*\n(?: *\d+ {2}|No such)/);
  const rows = screen.split('\n').filter((row) => /^ *\d+ {2}/.test(row));
  return rows.map((row) => row.split(/ {2,}/).at(-1) ?? '');
}

function seed(home: Home, lines: readonly object[]): void {
  mkdirSync(home.state, { recursive: true });
  const records = lines.map((line) => `${JSON.stringify({ at: 1, route: 'command', ...line })}\n`);
  writeFileSync(join(home.state, 'history.jsonl'), records.join(''));
}

describe('two terminals', () => {
  test('[history.shared] a line is in the history of the other terminal at its next prompt', async () => {
    using home = new Home();
    await using one = home.open();
    await using other = home.open();
    await runLine(other, 'echo begun');
    await runLine(one, 'echo from-the-first');
    await runLine(other, 'true');
    other.type('echo f');
    other.press('up');
    await other.waitFor(/\$ echo from-the-first$/, PATIENCE);
    expect(statSync(join(home.state, 'history.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('[history.shared] the up key and !! mean the last line of this terminal', async () => {
    using home = new Home();
    await using one = home.open();
    await using other = home.open();
    await runLine(one, 'echo mine-$((1+0))');
    await runLine(other, 'echo theirs');
    await runLine(one, 'echo mine-$((1+1))');
    one.press('up');
    await one.waitFor(/\$ echo mine-\$\(\(1\+1\)\)$/, PATIENCE);
    one.press('up', 'up');
    await one.waitFor(/\$ echo theirs$/, PATIENCE);
    one.press('ctrl-c');
    await prompted(one);
    one.press('ctrl-l');
    await one.waitFor((screen) => !screen.includes('\n'), PATIENCE);
    one.type('!!\n');
    await one.waitFor('\nmine-2\n', PATIENCE);
  });

  test('[history.delete] what is deleted in one is gone from the other and from the disk', async () => {
    using home = new Home();
    await using one = home.open();
    await using other = home.open();
    await runLine(one, 'echo open');
    await runLine(one, 'echo wombat-42');
    await runLine(other, 'echo other');
    await tell(one, ':history delete wombat', 'Deleted 1 line.');
    await runLine(other, 'true');
    other.type('echo w');
    other.press('up');
    other.type('x');
    await other.waitFor(/\$ echo wx$/, PATIENCE);
    expect(readFileSync(join(home.state, 'history.jsonl'), 'utf8').includes('wombat')).toBe(false);
    expect((await listed(one, 'echo')).filter((line) => line.startsWith('echo'))).toEqual(['echo open', 'echo other']);
  });
});

test('[history.kept] status, duration, directory and hand of a line are kept', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'mkdir -p sub && cd sub');
  await runLine(terminal, '(exit 3)');
  await runLine(terminal, 'echo fine');
  expect(await listed(terminal, '--failed')).toEqual(['(exit 3)']);
  expect(await listed(terminal, '--here echo')).toEqual(['echo fine']);
  expect(await listed(terminal, '--here mkdir')).toEqual([]);
  const screen = await tell(terminal, ':history exit -n 1', '(exit 3)');
  expect(screen).toMatch(/\n *\d+ {2}\d\d:\d\d {2}exit 3 .*\(exit 3\)\n/);
});

test('[history.kept] a line survives a terminal that is killed while it runs', async () => {
  using home = new Home();
  const terminal = home.open();
  await prompted(terminal);
  terminal.type('echo running; sleep 60\n');
  await terminal.waitFor(/\nrunning$/m, PATIENCE);
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.close();
  await using next = home.open();
  await prompted(next);
  next.press('up');
  await next.waitFor(/\$ echo running; sleep 60$/, PATIENCE);
});

test('[history.numbers] a line is taken by the number that :history shows, into the editor first', async () => {
  using home = new Home();
  seed(home, [{ line: 'echo one' }, { line: 'what is this?', route: 'message' }, { line: 'echo three' }]);
  await using terminal = home.open();
  await tell(terminal, ':history one', /\n *1 .* echo one\n/);
  terminal.type('!1\n');
  await terminal.waitFor(/\$ echo one$/, PATIENCE);
  terminal.press('ctrl-c');
  await tell(terminal, '!99', 'there is no line 99 in the history, so nothing ran');
});

test('[history.secret] what looks secret, begins with a blank or is ignored is not kept', async () => {
  using home = new Home();
  home.configure('[history]\nignore = ["cd *"]\n');
  await using terminal = home.open();
  await runLine(terminal, 'export API_TOKEN=wombat-1');
  await runLine(terminal, 'cd .');
  await runLine(terminal, 'echo kept');
  const kept = readFileSync(join(home.state, 'history.jsonl'), 'utf8');
  expect([kept.includes('wombat'), kept.includes('cd .'), kept.includes('echo kept')]).toEqual([false, false, true]);
});

test('[history.import] what the other shells remember is taken over once, and told', async () => {
  using home = new Home();
  copyFileSync(join(FIXTURES, 'bash_history'), join(home.home, '.bash_history'));
  copyFileSync(join(FIXTURES, 'zsh_history'), join(home.home, '.zsh_history'));
  {
    await using terminal = home.open();
    await terminal.waitForHistory('Imported 7 lines from the history of your other shells.', PATIENCE);
    await prompted(terminal);
    terminal.type('git l');
    terminal.press('up');
    await terminal.waitFor(/\$ git log --oneline$/, PATIENCE);
    terminal.press('ctrl-c');
    expect(isOnDisk(home.state, 'not-to-be-kept')).toBe(false);
    await tell(terminal, ':history clear', 'This deletes all');
    await tell(terminal, ':history clear yes', /Deleted \d+ lines/);
  }
  await using again = home.open();
  await runLine(again, 'echo later');
  expect(again.history()).not.toContain('from the history of your other shells');
  copyFileSync(join(FIXTURES, 'fish_history'), join(home.work, 'of-fish'));
  await tell(again, ':history import of-fish', 'Imported 4 lines.');
  await tell(again, ':history import of-fish', 'All 4 lines are in the history already.');
  await tell(again, ':history import nowhere', 'cannot read a history from');
});

test('[history.model] a command the model ran with consent is in the history, marked', async () => {
  using home = new Home();
  await using server = startModelServer({
    script: [calls({ name: 'aish__exec', arguments: { command: 'echo by-model' } }), text('Done.')],
  });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'run it');
  await asked(terminal, 'aish.exec');
  await answer(terminal, 'y');
  await answered(terminal, 'Done.');
  expect(await listed(terminal, '--ai')).toEqual(['echo by-model']);
  const screen = await tell(terminal, ':history', 'run it');
  expect(screen).toMatch(/ {2}ai {2}echo by-model\n/);
});

describe('at the line', () => {
  const lines = [
    { line: 'make install', cwd: '/elsewhere' },
    { line: 'gti status', exit: 127 },
    { line: 'git checkout main', cwd: '/elsewhere' },
    { line: 'git commit', cwd: '/elsewhere' },
  ];

  test('[history.here] ghost text and the up key prefer lines of this directory', async () => {
    using home = new Home();
    seed(home, [{ line: 'make test', cwd: home.work }, ...lines]);
    await using terminal = home.open();
    await prompted(terminal);
    terminal.type('make');
    await terminal.waitFor(/make test$/, PATIENCE);
    // The first one takes what the ghost text shows already.
    terminal.press('up', 'up');
    await terminal.waitFor(/make install$/, PATIENCE);
    terminal.press('ctrl-c');
    await prompted(terminal);
    terminal.type('gt');
    await terminal.waitFor(/ gt$/, PATIENCE);
  });

  test('[history.search] Ctrl-R lists what matches, moves among it and runs with Enter', async () => {
    using home = new Home();
    seed(home, [{ line: 'echo gone-$((40+2))', cwd: home.work }, ...lines]);
    await using terminal = home.open();
    await prompted(terminal);
    terminal.press('ctrl-r');
    terminal.type('gco');
    await terminal.waitFor(
      /git commit\nsearch: gco {2}2 lines .*\n> +\S+ git commit.*\n {2} +\S+ git checkout main/,
      PATIENCE,
    );
    terminal.press('down');
    await terminal.waitFor(/\$ git checkout main\n/, PATIENCE);
    terminal.press('ctrl-t');
    await terminal.waitFor('not found in this directory', PATIENCE);
    terminal.press('ctrl-u');
    terminal.type('egone');
    await terminal.waitFor(/\$ echo gone.*\nsearch: egone {2}1 line in this directory/, PATIENCE);
    terminal.press('enter');
    await terminal.waitFor('\ngone-42\n', PATIENCE);
    await prompted(terminal);
    terminal.press('ctrl-r');
    terminal.type('commit');
    await terminal.waitFor('search: commit', PATIENCE);
    terminal.press('escape');
    await prompted(terminal);
  });
});
