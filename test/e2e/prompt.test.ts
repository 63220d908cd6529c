import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { broken, calls, held, startModelServer, text } from '../support/model-server.ts';
import { SourceCopy } from '../support/source-copy.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

/** Types what the program must show at the end of the screen before the next key goes out. */
async function typed(terminal: TestTerminal, line: string, shown = line): Promise<void> {
  terminal.type(line);
  await terminal.waitFor((screen) => screen.endsWith(shown), PATIENCE);
}

/** A bash in a terminal that starts aish and keeps the modes before and after. */
function openBash(home: Home, env: Readonly<Record<string, string>>): TestTerminal {
  return openTerminal({
    command: '/bin/bash',
    args: ['--norc', '--noprofile', '--noediting', '-i'],
    cwd: home.work,
    columns: 100,
    rows: 30,
    env: { ...home.env, ...env, PS1: 'outer$ ' },
  });
}

/** Runs aish below bash, leaves it by `leave`, and compares the terminal before and after. */
async function leaves(
  home: Home,
  leave: (terminal: TestTerminal) => Promise<void>,
  { env = {}, command = AISH }: { env?: Readonly<Record<string, string>>; command?: string } = {},
): Promise<string> {
  await using terminal = openBash(home, env);
  await terminal.waitFor('outer$', PATIENCE);
  terminal.type(`stty -a >before; ${command}; echo "left with $?"; stty -a >after; echo com''pared\n`);
  await prompted(terminal);
  await leave(terminal);
  const screen = await terminal.waitFor('compared', PATIENCE);
  expect(readFileSync(join(home.work, 'after'), 'utf8')).toBe(readFileSync(join(home.work, 'before'), 'utf8'));
  const raw = terminal.rawText();
  expect(raw.lastIndexOf('\x1b[?2004l')).toBeGreaterThan(raw.lastIndexOf('\x1b[?2004h'));
  expect(raw.lastIndexOf('\x1b[?25l')).toBeLessThanOrEqual(raw.lastIndexOf('\x1b[?25h'));
  return /left with (\d+)/.exec(screen)?.[1] ?? screen;
}

/** Sends a signal to the aish that runs in the terminal. */
async function signalAish(terminal: TestTerminal, signal: NodeJS.Signals): Promise<void> {
  const shown = /\npid (\d+)\n/.exec(await runLine(terminal, 'echo pid $AISH'))?.[1];
  process.kill(Number(shown), signal);
}

test('[prompt.edit] arrows, Home, End and words move, and Enter takes the whole line', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  await typed(terminal, 'ho one three');
  terminal.press('home');
  terminal.type('ec');
  terminal.press('ctrl-right', 'ctrl-right');
  terminal.type(' two');
  terminal.press('end', 'left', 'left', 'backspace');
  terminal.type('R');
  await terminal.waitFor(/ \$ echo one two thRee$/, PATIENCE);
  terminal.press('enter');
  await terminal.waitFor('\none two thRee\n', PATIENCE);
});

test('[prompt.edit] an open quote goes on in the next line, and up moves within it', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type("echo 'one\ntwo");
  await terminal.waitFor(/echo 'one\n.*two$/, PATIENCE);
  terminal.press('up', 'end');
  terminal.type('!');
  terminal.press('down', 'end');
  terminal.type("'\n");
  await terminal.waitFor('\none!\ntwo\n', PATIENCE);
});

test('[prompt.edit] wide and combined characters are one step each', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  await typed(terminal, 'echo 日本e\u0301👩‍🚀x');
  terminal.press('left', 'left', 'backspace', 'left', 'delete');
  await terminal.waitFor(/echo 日👩/, PATIENCE);
  terminal.press('enter');
  await terminal.waitFor('\n日👩', PATIENCE);
});

test('[prompt.history] lines of an earlier start come back with the up key, and so do those of several lines', async () => {
  using home = new Home();
  {
    await using terminal = home.open();
    await runLine(terminal, 'echo first-$((1+1))');
    await typed(terminal, "echo 'a");
    terminal.press('enter');
    await typed(terminal, "b'", "> b'");
    terminal.press('enter');
    await terminal.waitFor('\na\nb\n', PATIENCE);
    await prompted(terminal);
    terminal.press('ctrl-d');
    expect(await terminal.ended()).toBe(0);
  }
  await using terminal = home.open();
  await prompted(terminal);
  terminal.press('up');
  await terminal.waitFor(/echo 'a\n.*b'$/, PATIENCE);
  terminal.press('up', 'up');
  await terminal.waitFor(/echo first-\$\(\(1\+1\)\)$/, PATIENCE);
  terminal.press('enter');
  await terminal.waitFor('\nfirst-2\n', PATIENCE);
});

test('[prompt.paste] a paste with line ends is in the editor and runs only with Enter', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  terminal.paste('touch one\ntouch two\n');
  await terminal.waitFor(/touch one\n.*touch two$/, PATIENCE);
  expect(existsSync(join(home.work, 'one'))).toBe(false);
  terminal.press('enter');
  await prompted(terminal);
  expect([existsSync(join(home.work, 'one')), existsSync(join(home.work, 'two'))]).toEqual([true, true]);
});

test('[prompt.paste] a paste that holds the end mark cannot break out of it', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  terminal.paste('echo \x1b[201~safe\rtouch broken');
  await terminal.waitFor('touch broken', PATIENCE);
  terminal.press('ctrl-c');
  await prompted(terminal);
  expect(existsSync(join(home.work, 'broken'))).toBe(false);
});

test('[prompt.route] the mark shows where a line goes, and ! and ? force it', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('You said ls.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await runLine(terminal, 'true');
  await typed(terminal, 'what is this', '? what is this');
  terminal.press('ctrl-u');
  await typed(terminal, 'ls', '$ ls');
  terminal.press('ctrl-u');
  await typed(terminal, ':help', ': :help');
  terminal.press('ctrl-u');
  await typed(terminal, '!nothing_like_it', '$ !nothing_like_it');
  terminal.press('enter');
  await terminal.waitFor(/nothing_like_it: (command )?not found[\s\S]*\n\[127\] \S+ >$/, PATIENCE);
  await typed(terminal, '?ls', '? ?ls');
  terminal.press('enter');
  await answered(terminal, 'You said ls.');
  expect(server.requests.length).toBe(1);
});

test('[prompt.route] while startup files run the mark is open, and their words are waited for', async () => {
  using home = new Home();
  writeFileSync(join(home.home, '.bashrc'), 'read -r _ <gate\ngreet() { echo "greeted $1"; }\n');
  expect(Bun.spawnSync(['mkfifo', join(home.work, 'gate')]).exitCode).toBe(0);
  await using terminal = home.open();
  await prompted(terminal);
  await typed(terminal, 'greet bob', '> greet bob');
  terminal.press('enter');
  writeFileSync(join(home.work, 'gate'), 'go\n');
  await terminal.waitFor('\ngreeted bob\n', PATIENCE);
});

/** A shell whose startup file waits for ever, and says when it does. */
function openSlowly(home: Home): TestTerminal {
  writeFileSync(join(home.home, '.bashrc'), "early='here' \nsh -c 'echo it waits; exec sleep 600'\nearly='and late'\n");
  return home.open();
}

test('[shell.start] Ctrl-C at an empty prompt ends startup files', async () => {
  using home = new Home();
  await using terminal = openSlowly(home);
  await terminal.waitFor('it waits', PATIENCE);
  await prompted(terminal);
  terminal.press('ctrl-c');
  await typed(terminal, 'echo "early $early"', '$ echo "early $early"');
  terminal.press('enter');
  await terminal.waitFor('\nearly here\n', PATIENCE);
});

test('[shell.start] Ctrl-C behind a line that waits for startup files ends them and brings it back', async () => {
  using home = new Home();
  await using terminal = openSlowly(home);
  await terminal.waitFor('it waits', PATIENCE);
  await typed(terminal, 'greet bob', '> greet bob');
  // The line is taken when the cursor is below it.
  const { row } = terminal.cursor();
  terminal.press('enter');
  await terminal.waitFor(() => terminal.cursor().row > row && terminal.cursor().column === 0, PATIENCE);
  terminal.press('ctrl-c');
  // It is known by now that the shell has no such word, and that there is no model to ask.
  await terminal.waitFor(/[?$] greet bob$/, PATIENCE);
  expect(terminal.screen()).not.toContain('^C');
  terminal.press('ctrl-u');
  await runLine(terminal, 'echo "early $early"');
  await terminal.waitFor('\nearly here\n', PATIENCE);
});

/** Whether the line stands behind the mark as the last thing on the screen, however it is folded. */
function endsWithLine(line: string): (screen: string) => boolean {
  return (screen) => screen.replace(/\s/g, '').endsWith(`$${line.replace(/\s/g, '')}`);
}

test('[prompt.resize] line and prompt stay whole, narrower and wider', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'true');
  const line = `echo ${'word '.repeat(20)}end`;
  terminal.type(line);
  await terminal.waitFor('end', PATIENCE);
  terminal.resize(40, 20);
  await terminal.waitFor(endsWithLine(line), PATIENCE);
  terminal.resize(120, 30);
  await terminal.waitFor(endsWithLine(line), PATIENCE);
  expect(terminal.screen().match(/echo word/g)?.length).toBe(1);
  terminal.press('enter');
  await terminal.waitFor(/\n(word ){20}end\n/, PATIENCE);
});

test('[prompt.resize] where the terminal folds every line but that of the cursor, what was printed stays and no old row does', async () => {
  using home = new Home();
  await using terminal = home.open([], { env: { TERM_PROGRAM: 'vscode' } });
  await runLine(terminal, 'echo printed above');
  const line = `echo ❤\ufe0f ${'word '.repeat(60)}end`;
  terminal.paste(line);
  await terminal.waitFor(endsWithLine(line), PATIENCE);
  terminal.press('home');
  for (const columns of [31, 120, 47, 80]) {
    await terminal.resizeAndSettle(columns, 24);
    await terminal.waitFor(endsWithLine(line), PATIENCE);
    const shown = terminal.history();
    expect([shown.match(/^printed above$/gm)?.length, shown.match(/end$/gm)?.length]).toEqual([1, 1]);
  }
  terminal.press('enter');
  const printed = `work$echo❤\ufe0f${'word'.repeat(60)}end❤\ufe0f${'word'.repeat(60)}end`;
  await terminal.waitForHistory((text) => text.replace(/\s/g, '').includes(printed), PATIENCE);
});

test('[prompt.resize] twenty columns are enough', async () => {
  using home = new Home();
  await using server = startModelServer({
    script: [text('A **long** answer that needs more than one row of this window.')],
  });
  home.useModel(server.url);
  await using terminal = home.open([], { columns: 20, rows: 20 });
  await terminal.waitFor(/>\s*$/, PATIENCE);
  terminal.type('echo abcdefghijklmnopqrstuvwxyz\n');
  await terminal.waitFor('\nabcdefghijklmnopqrst\nuvwxyz\n', PATIENCE);
  terminal.type('?tell me\n');
  await terminal.waitFor(/this\s+window\.[\s\S]*>\s*$/, PATIENCE);
});

test('[prompt.complete] Tab completes meta commands and paths, and an unknown one names the nearest', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'true');
  terminal.type(':mc');
  await terminal.waitFor(': :mc', PATIENCE);
  terminal.press('tab');
  await terminal.waitFor(/: :mcp$/, PATIENCE);
  terminal.press('ctrl-u');
  terminal.type(':modle\n');
  await terminal.waitFor(/:model\b/, PATIENCE);
  await prompted(terminal);
  terminal.type('cat REA');
  await terminal.waitFor('$ cat REA', PATIENCE);
  terminal.press('tab');
  await terminal.waitFor(/cat README?$/, PATIENCE);
});

const STEERING = '\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b]52;c;aGk=\x07\u009b5mC1\x1b[?1049h \x1bPq\x1b\\';

test('[prompt.sanitize] nothing in an answer, a tool result or a file steers the terminal', async () => {
  using home = new Home();
  for (const name of ['evil', STEERING]) writeFileSync(join(home.work, `${name}.txt`), STEERING);
  await using server = startModelServer({
    script: [
      calls({ name: 'aish__read_file', arguments: { path: `evil.txt` } }),
      calls({ name: 'aish__read_file', arguments: { path: `${STEERING}.txt` } }),
      text(`Answer ${STEERING} ends. \`${STEERING}\` ends too.`),
    ],
  });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'read it');
  await asked(terminal, 'aish.read_file');
  await answer(terminal, 'y');
  await terminal.waitFor(/owned[\s\S]*\[d\] deny/, PATIENCE);
  await answer(terminal, 'y');
  await answered(terminal, 'ends too.');
  const raw = terminal.rawText();
  for (const bad of ['\x1b]0;owned', '\x1b]52', '\x1b[2J', '\u009b', '\x1b[?1049h', '\x1bP'])
    expect(raw.includes(bad)).toBe(false);
});

test('[prompt.modes] Ctrl-D, :quit and exit give the terminal back', async () => {
  using home = new Home();
  expect(await leaves(home, async (terminal) => terminal.press('ctrl-d'))).toBe('0');
  expect(await leaves(home, async (terminal) => terminal.type(':quit\n'))).toBe('0');
  expect(await leaves(home, async (terminal) => terminal.type('exit 3\n'))).toBe('3');
});

test('[prompt.modes] SIGTERM and SIGHUP give the terminal back', async () => {
  using home = new Home();
  expect(await leaves(home, (terminal) => signalAish(terminal, 'SIGTERM'))).toBe('143');
  expect(await leaves(home, (terminal) => signalAish(terminal, 'SIGHUP'))).toBe('129');
});

test('[prompt.modes] SIGINT, SIGQUIT and SIGTSTP from elsewhere end no shell', async () => {
  using home = new Home();
  await using terminal = home.open();
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTSTP'] as const) {
    await signalAish(terminal, signal);
    expect(await runLine(terminal, `echo after-${signal}-$((1+1))`)).toContain(`\nafter-${signal}-2\n`);
  }
});

test('[prompt.modes] a signal while a full-screen program runs gives the terminal back', async () => {
  using home = new Home();
  const code = await leaves(home, async (terminal) => {
    await runLine(terminal, 'echo $AISH >pid');
    terminal.type('vim -Nu NONE -i NONE\n');
    await terminal.waitFor(/^~ *$/m, PATIENCE);
    process.kill(Number(readFileSync(join(home.work, 'pid'), 'utf8')), 'SIGTERM');
  });
  expect(code).toBe('143');
});

test('[prompt.modes] an internal error gives the terminal back', async () => {
  using home = new Home();
  // A compiled program takes no code from outside, so nothing can be made to go wrong in it.
  using source = new SourceCopy();
  const fault = join(home.root, 'fault.ts');
  const env = { BUN_OPTIONS: `--preload=${fault}` };
  for (const wrong of ["throw new Error('provoked')", "void Promise.reject(new Error('provoked'))"]) {
    writeFileSync(fault, `process.on('SIGURG', () => { ${wrong}; });\n`);
    expect(await leaves(home, (terminal) => signalAish(terminal, 'SIGURG'), { env, command: source.aish })).toBe('1');
  }
});

test('[prompt.modes] a model that hangs is left with Ctrl-C, and the prompt comes back', async () => {
  using home = new Home();
  await using server = startModelServer({
    script: [held(text('never'), new Promise(() => {})), broken(text('begun well'), 2, 'hang'), text('There.')],
  });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'one');
  await server.requested(1);
  terminal.press('ctrl-c');
  await answered(terminal, 'interrupted');
  await ask(terminal, 'two');
  await terminal.waitFor('begun', PATIENCE);
  terminal.press('ctrl-c');
  await terminal.waitFor(/interrupted[\s\S]*interrupted/, PATIENCE);
  await ask(terminal, 'three');
  await answered(terminal, 'There.');
  expect(server.failures).toEqual([]);
});

test('[model.stream] an answer appears while it streams', async () => {
  using home = new Home();
  const gate = Promise.withResolvers<void>();
  await using server = startModelServer({ script: [held(text('alpha beta gamma delta.'), gate.promise, 3)] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'spell it');
  const before = await terminal.waitFor('alpha', PATIENCE);
  expect(before).not.toContain('delta');
  gate.resolve();
  await answered(terminal, 'alpha beta gamma delta.');
});

test('[cli.continue] :resume goes on with what was said last in this directory', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('Noted.'), text('It was blue.')] });
  home.useModel(server.url);
  await home.run(['-p', 'my colour is blue']);
  await using terminal = home.open();
  await runLine(terminal, 'true');
  terminal.type(':resume\n');
  await terminal.waitFor(/> .*my colour is blue/, PATIENCE);
  terminal.press('enter');
  await answered(terminal, 'Resumed session');
  await ask(terminal, 'which colour?');
  await answered(terminal, 'It was blue.');
  expect(server.requests.at(-1)?.body.messages.map(({ content }) => content)).toContain(
    home.first('my colour is blue'),
  );
});

test('[shell.exit] how long a command took is told in the prompt behind it, and not again', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type('sleep 3.1\n');
  await terminal.waitFor(/\n\d+\.\d s \S+ >$/, PATIENCE);
  terminal.type(':model\n');
  const screen = await terminal.waitFor(/: :model\n[\s\S]*\n[~/]\S+ >$/, PATIENCE);
  expect(screen.match(/\d+\.\d s /g)).toHaveLength(1);
});

test('[prompt.route] a line that is entered at once keeps the mark of where it went, also where a file was made just then', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('That was a message.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await runLine(terminal, 'true');
  await prompted(terminal);
  writeFileSync(join(home.work, 'plan'), 'a file made just now');
  terminal.type('sort plan\n');
  await terminal.waitForHistory(/a file made just now|That was a message/, PATIENCE);
  await prompted(terminal);
  expect(terminal.history()).toContain('$ sort plan\n');
  expect(terminal.history()).toContain('a file made just now');
});
