import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine, tell } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

const NUMBERS = 'seq 1 20000 | sed "s/^7777$/error: 7777/"';

/** Runs a line whose output scrolls it off the screen. */
async function runLong(terminal: TestTerminal, line: string, last: string): Promise<void> {
  await prompted(terminal);
  terminal.type(line);
  await terminal.waitFor((screen) => screen.endsWith(`$ ${line}`), PATIENCE);
  terminal.press('enter');
  await terminal.waitForHistory(`\n${last}\n`, PATIENCE);
  await prompted(terminal);
}

/** Folder of the only session. */
function sessionFolder(home: Home): string {
  const folder = join(home.state, 'sessions');
  return join(folder, readdirSync(folder)[0] ?? '');
}

test('[outputs.kept] a large output is whole on disk with its colours, for its owner alone, and a small one has no file', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'echo small');
  await runLong(terminal, "printf '\\033[31mred\\033[0m\\n'; seq 1 20000", '20000');
  const folder = join(sessionFolder(home), 'outputs');
  expect(readdirSync(folder)).toEqual(['2.out']);
  const kept = readFileSync(join(folder, '2.out'), 'utf8');
  expect([kept.length, kept.slice(0, 14)]).toEqual([128_894 + 14, '\x1b[31mred\x1b[0m\r\n']);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, '2.out')).mode & 0o777]).toEqual([0o700, 0o600]);
  const log = readFileSync(join(sessionFolder(home), 'log.jsonl'), 'utf8');
  expect(log.length).toBeLessThan(24_000);
});

test('[outputs.model] the model is shown head, tail, error lines and the handle, and pages and searches the rest without asking', async () => {
  using home = new Home();
  const search = { name: 'aish__output', arguments: { handle: '%1', search: '*444', lines: 3 } };
  const page = { name: 'aish__output', arguments: { handle: 1, from: 12_345, lines: 2 } };
  await using server = startModelServer({ script: [calls(search), calls(page), text('That is all.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await runLong(terminal, NUMBERS, '20000');
  await ask(terminal, 'what went wrong?');
  await answered(terminal, 'That is all.');
  const question = String(server.requests[0]?.body.messages?.at(-1)?.content);
  expect(question).toContain('output %1]\n$ seq 1 20000');
  expect(question).toMatch(
    /\n2\n[\s\S]* left out; %1 has all; these lines look like errors:\]\n7777: error: 7777\n\[…\]\n/,
  );
  expect(question).toContain('\n20000\n');
  expect(question.length).toBeLessThan(5000);
  expect(server.requests[1]?.body.messages?.at(-1)?.content).toBe(
    `%1 $ ${NUMBERS} · 20000 lines\n3 lines match\n444: 444\n1444: 1444\n2444: 2444\n[more lines: call again with from=2445]`,
  );
  expect(server.requests[2]?.body.messages?.at(-1)?.content).toContain('\n12345: 12345\n12346: 12346\n');
  expect(terminal.history()).toContain('allowed by the rule "output already shown"');
  expect(server.failures).toEqual([]);
});

test('[outputs.model] a command the model ran has a handle too, and its result is bounded', async () => {
  using home = new Home();
  const exec = calls({ name: 'aish__exec', arguments: { command: NUMBERS } });
  await using server = startModelServer({ script: [exec, text('Seen.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'count');
  await asked(terminal, 'aish.exec');
  await answer(terminal, 'y');
  await answered(terminal, 'Seen.');
  const result = String(server.requests[1]?.body.messages?.at(-1)?.content);
  expect(result).toStartWith(`exit 0; cwd ${home.work}; output %1\n1\n2\n`);
  expect(result).toContain('%1 has all; these lines look like errors:]\n7777: error: 7777');
  expect(result.length).toBeLessThan(17_000);
  await tell(terminal, ':output', /%1 +128\.9 kB +ok +\(model\) seq 1 20000/);
});

test('[outputs.request] the first request stays under five kilobytes', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('Hello.')] });
  home.useModel(server.url);
  await home.run(['-p', 'hello']);
  expect(server.requests[0]?.text.length).toBeLessThan(5000);
});

test('[outputs.prompt] %N shows an output, %N | hands its text to a command, :output lists, :diff compares', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'printf "\\033[32mone\\033[0m\\ntwo\\n"');
  await runLine(terminal, 'printf "one\\nthree\\n"');
  await tell(terminal, '%1', /: %1\none\ntwo\n/);
  expect(await runLine(terminal, '%1 | cat -v')).toContain('\none\ntwo\n');
  await tell(terminal, ':diff %1 %2', /--- %1\n\+\+\+ %2\n@@ -1,2 \+1,2 @@\n one\n-two\n\+three\n/);
  await tell(terminal, ':output', /%1 +\d+ B +ok +printf .*\n%2 +12 B +ok +printf .*\n%3 +10 B +ok +%1 \| cat -v\n/);
  await tell(terminal, ':output 9', 'there is no output %9');
});

for (const shell of ['bash', 'zsh'].filter(hasProgram)) {
  test(`[outputs.prompt] a long output opens in the pager of the user's ${shell}`, async () => {
    using home = new Home();
    await using terminal = home.open([], { env: { SHELL: Bun.which(shell) ?? shell } });
    await runLine(terminal, "export PAGER='tail -n 2'");
    await runLong(terminal, NUMBERS, '20000');
    await tell(terminal, '%2', /: %2\n19999\n20000\n/);
    await runLine(terminal, 'unset PAGER');
    if (!hasProgram('less')) return;
    terminal.type(':output 2\n');
    await terminal.waitFor((screen) => terminal.isAlternate() && screen.startsWith('1\n2\n'), PATIENCE);
    terminal.type('q');
    await prompted(terminal);
  });

  test(`[outputs.private] the history of the user's ${shell} has no line of :private`, async () => {
    using home = new Home();
    writeFileSync(join(home.home, `.${shell}rc`), 'HISTFILE=$HOME/.shell_history\nHISTSIZE=500\nSAVEHIST=500\n');
    const terminal = home.open([], { env: { SHELL: Bun.which(shell) ?? shell } });
    await runLine(terminal, 'echo shared');
    await prompted(terminal);
    terminal.type(':private echo "wombat$((40 + 3))"\n');
    await terminal.waitForHistory('\nwombat43\n', PATIENCE);
    await prompted(terminal);
    terminal.press('ctrl-d');
    await terminal.ended();
    await terminal.close();
    expect(readFileSync(join(home.home, '.shell_history'), 'utf8')).toContain('echo shared');
    expect(isOnDisk(home.root, 'wombat')).toBe(false);
  });
}

test('[outputs.prompt] where the shell has a job of that number, %N is the job', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'cat &');
  await prompted(terminal);
  terminal.type('%1');
  await terminal.waitFor(/\$ %1$/, PATIENCE);
  terminal.press('enter');
  await terminal.waitForHistory(/%1\n(?:.*\n)*cat$/, PATIENCE);
  // The shell says so before the job has the terminal, and until then a Ctrl-C would be the shell's.
  terminal.type('again\n');
  await terminal.waitForHistory(/\nagain\nagain\n?$/, PATIENCE);
  terminal.press('ctrl-c');
  await terminal.waitFor(/\[SIGINT\] \S* >$/, PATIENCE);
});

test('[outputs.private] a blank or :private keeps a command from the model, the history and the disk', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('Seen nothing.')] });
  home.useModel(server.url);
  writeFileSync(join(home.home, '.bashrc'), 'HISTFILE=$HOME/.shell_history\nHISTCONTROL=ignorespace\n');
  const terminal = home.open();
  await runLine(terminal, ' echo "quokka$((40 + 2))"');
  await prompted(terminal);
  terminal.type(':private echo "wombat$((40 + 3))"\n');
  await terminal.waitForHistory('\nwombat43\n', PATIENCE);
  await prompted(terminal);
  terminal.type(':private\n');
  await terminal.waitFor(/\nprivate \S+ >$/, PATIENCE);
  terminal.type('for i in $(seq 20000); do echo "numbat$((40 + 4))"; done\n');
  await terminal.waitForHistory(/numbat44\nprivate \S+ >$/, PATIENCE);
  terminal.type('what did I just do\n');
  await terminal.waitForHistory('Not sent: private mode is on', PATIENCE);
  expect(server.requests.length).toBe(0);
  terminal.press('ctrl-c');
  await terminal.waitFor(/private \S+ >$/, PATIENCE);
  terminal.type(':private\n');
  await terminal.waitForHistory('shared with the model again', PATIENCE);
  await ask(terminal, 'what have I run?');
  await answered(terminal, 'Seen nothing.');
  await tell(terminal, ':output', 'No outputs yet.');
  terminal.press('ctrl-d');
  await terminal.ended();
  await terminal.close();
  expect(server.requests[0]?.text).not.toMatch(/quokka|wombat|numbat/);
  for (const word of ['quokka', 'wombat', 'numbat']) expect([word, isOnDisk(home.root, word)]).toEqual([word, false]);
});

test('[outputs.resume] after a resume the outputs are there, and removing the session removes them', async () => {
  using home = new Home();
  const first = home.open();
  await runLong(first, NUMBERS, '20000');
  first.press('ctrl-d');
  await first.ended();
  await first.close();
  const second = home.open(['--continue']);
  expect(await runLine(second, '%1 | grep -c 9$')).toContain('\n2000\n');
  await tell(second, ':output', /%1 +128\.9 kB +ok +seq .*\n%2 +/);
  second.press('ctrl-d');
  await second.ended();
  await second.close();
  const folder = sessionFolder(home);
  expect((await home.run(['sessions', 'remove', '--yes', folder.slice(-12)])).code).toBe(0);
  expect(existsSync(folder)).toBe(false);
});
