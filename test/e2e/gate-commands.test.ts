import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, lastPrompt, pause } from '../support/conversation.ts';
import { calls, held, type Reply, resultTexts, startModelServer, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const LONG = 120_000;

const run = (...commands: readonly string[]): Reply =>
  calls(...commands.map((command) => ({ name: 'aish__exec', arguments: { command } })));

/** The number of approval prompts for the model's commands. */
function questions(terminal: TestTerminal): number {
  return terminal.history().split('The model wants to run:').length - 1;
}

describe('the floor', () => {
  test(
    '[gate.floor] what destroys beyond the project is refused without a question, and both are told',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [run('rm -rf ~'), text('I see.')] });
      home.useModel(server.url, '[safety]\napprove = ["rm"]');
      await using terminal = home.open();
      await ask(terminal, 'clean up');
      const screen = await answered(terminal, 'I see.');
      expect(screen).toContain('  refused (destroys more than files of the project: ~): rm -rf ~\n');
      expect([questions(terminal), existsSync(home.home)]).toEqual([0, true]);
      expect(resultTexts(server)).toEqual([
        expect.stringMatching(/^\[aish\] not run: a built-in rule denies this command \(destroys /),
      ]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.floor] a rule that denies refuses by its name, behind a wrapper too',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [run('timeout 5 git -C . tag v1'), text('I see.')] });
      home.useModel(server.url, '[safety]\napprove = ["git tag"]\ndeny = ["git tag"]');
      await using terminal = home.open();
      await ask(terminal, 'tag it');
      expect(await answered(terminal, 'I see.')).toContain(
        '  refused (by the rule "git tag"): timeout 5 git -C . tag v1\n',
      );
      expect([questions(terminal), home.git('tag')]).toEqual([0, '']);
    },
    LONG,
  );

  test(
    '[gate.floor] [gate.denied] headless, three refusals end the turn with status 3',
    async () => {
      using home = new Home();
      const bad = run('rm -rf ~', 'rm -rf /', 'echo x > ~/.bashrc', 'touch made');
      await using server = startModelServer({ script: [bad, text('never')] });
      home.useModel(server.url, '[safety]\napprove = ["touch"]');
      const { code, error } = await home.run(['-p', 'go']);
      expect([code, error.split('\n')]).toEqual([
        3,
        [
          'aish: refused (destroys more than files of the project: ~): rm -rf ~',
          'aish: refused (destroys more than files of the project: /): rm -rf /',
          'aish: refused (installs something that runs later: ~/.bashrc): echo x > ~/.bashrc',
          'aish: [aish] stopped: 3 calls in a row were refused',
          '',
        ],
      ]);
      expect([server.requests.length, existsSync(join(home.work, 'made'))]).toEqual([1, false]);
    },
    LONG,
  );
});

describe('rules for commands', () => {
  test(
    '[gate.rules] what they cover whole runs without asking with the rule named; what does more is asked',
    async () => {
      using home = new Home();
      const script = [
        run('git log -1 --format=%s | head -1'),
        run('git log | tee made'),
        run('git log > made'),
        text('No.'),
      ];
      await using server = startModelServer({ script });
      home.useModel(server.url, '[safety]\napprove = ["git log", "head"]');
      await using terminal = home.open();
      await ask(terminal, 'look');
      expect(await asked(terminal, 'aish.exec')).toContain('allowed by the rule "git log, head"');
      expect(terminal.screen()).toContain('  $ git log | tee made\n');
      await answer(terminal, 'n');
      await terminal.waitFor('$ git log > made', PATIENCE);
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'n');
      await answered(terminal, 'No.');
      expect(existsSync(join(home.work, 'made'))).toBe(false);
      expect(resultTexts(server)[0]).toMatch(/^exit 0; .*\nfirst$/);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.rules] [gate.exec] headless, a rule lets its command run, and --approve all no other',
    async () => {
      using home = new Home();
      const script = [run('git status --short'), text('Clean.'), run('git status --short', 'touch made'), text('No.')];
      await using server = startModelServer({ script });
      home.useModel(server.url, '[safety]\napprove = ["git status"]');
      expect((await home.run(['-p', 'go'])).code).toBe(0);
      expect((await home.run(['-p', '--approve', 'all', 'go'])).code).toBe(3);
      expect(resultTexts(server)).toEqual([
        expect.stringMatching(/^exit 0; /),
        expect.stringMatching(/^\[aish\] tool call denied: no \[safety\] rule allows this command/),
      ]);
      expect(existsSync(join(home.work, 'made'))).toBe(false);
    },
    LONG,
  );

  test(
    '[gate.rules] a name that the shell gives another meaning is not what the rule meant',
    async () => {
      using home = new Home();
      writeFileSync(join(home.home, '.bashrc'), 'git() { touch made; }\n');
      await using server = startModelServer({ script: [run('git log'), text('No.')] });
      home.useModel(server.url, '[safety]\napprove = ["git log"]');
      expect((await home.run(['-p', 'go'])).code).toBe(3);
      expect(existsSync(join(home.work, 'made'))).toBe(false);
    },
    LONG,
  );

  test(
    '[gate.rules] an alias that only has its program show things otherwise is still what the rule meant',
    async () => {
      using home = new Home();
      writeFileSync(join(home.home, '.bashrc'), "alias ls='ls --color=auto' cat='touch made; cat'\n");
      await using server = startModelServer({ script: [run('ls', 'cat README'), text('One of two.')] });
      home.useModel(server.url, '[safety]\napprove = ["ls", "cat"]');
      expect((await home.run(['-p', 'go'])).code).toBe(3);
      expect(resultTexts(server)).toEqual([
        expect.stringContaining('README'),
        expect.stringMatching(/^\[aish\] tool call denied: nobody is there/),
      ]);
      expect(existsSync(join(home.work, 'made'))).toBe(false);
    },
    LONG,
  );

  test(
    '[gate.always] a makes rules for all of a pipeline, for this session alone, and none for what is graver',
    async () => {
      using home = new Home();
      const script = [
        run('git log -1 | head -1'),
        run('git log -2 | head -2'),
        run('git log; rm README'),
        text('Done.'),
        run('git log -1'),
        text('New.'),
      ];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'look');
      const screen = await asked(terminal, 'aish.exec');
      const words = screen.replace(/\s+/g, ' ');
      expect(words).toContain(
        ' [a] "git log …" runs without asking in this session, with any arguments, as long as it only reads. ',
      );
      expect(words).toContain(' [a] "head …" runs');
      await answer(terminal, 'a');
      await terminal.waitFor('$ git log; rm README', PATIENCE);
      const graver = await asked(terminal, 'aish.exec');
      expect([questions(terminal), /README\.\s/.test(lastPrompt(graver))]).toEqual([2, true]);
      expect(lastPrompt(graver)).not.toContain('[a] always');
      await answer(terminal, 'n');
      await answered(terminal, 'Done.');
      terminal.type(':new\n');
      await answered(terminal, 'Started a new session.');
      await ask(terminal, 'look again');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'n');
      await answered(terminal, 'New.');
      expect(existsSync(join(home.work, 'README'))).toBe(true);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.rules] [gate.always] where nothing can be undone a rule holds, and is offered, for what only reads',
    async () => {
      using home = new Home({ repository: false });
      await using server = startModelServer({ script: [run('ls', 'mkdir made', 'pwd'), text('No.')] });
      home.useModel(server.url, '[safety]\napprove = ["ls", "mkdir"]');
      await using terminal = home.open([], { cwd: home.home });
      await ask(terminal, 'go');
      const mutating = await asked(terminal, 'aish.exec');
      expect(mutating).toContain('allowed by the rule "ls"');
      expect(mutating).toContain('The rule "mkdir" covers only commands that aish can undo.');
      expect(mutating).toContain('  This cannot be undone: ');
      expect(mutating).not.toContain('[a] always');
      await answer(terminal, 'n');
      await terminal.waitFor('  $ pwd\n', PATIENCE);
      expect(await asked(terminal, 'aish.exec')).toContain('  [a] "pwd …" runs without asking');
      await answer(terminal, 'n');
      await answered(terminal, 'No.');
      expect(existsSync(join(home.home, 'made'))).toBe(false);
    },
    LONG,
  );

  test(
    '[gate.why] :approve tells the rules and why a question came, makes a rule and revokes it',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [run('git log | rm README'), text('No.')] });
      home.useModel(server.url, '[safety]\napprove = ["git log"]\nask = ["git push"]');
      await using terminal = home.open();
      await ask(terminal, 'go');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'n');
      await answered(terminal, 'No.');
      terminal.type(':approve why\n');
      const why = await answered(terminal, 'rm README  destructive: deletes README (no rule)');
      expect(why).toContain('    git log  read-only (allowed by "git log")\n');
      terminal.type(':approve make test\n');
      await answered(terminal, 'Rule: "make test …" runs without asking in this session');
      terminal.type(':approve\n');
      const list = await answered(terminal, /^3 +allow +make test … +command +this session$/m);
      expect(list).toMatch(
        /^1 +ask +git push … +command +\S+config\.toml\n2 +allow +git log … +command +\S+config\.toml$/m,
      );
      terminal.type(':approve revoke 3\n');
      await answered(terminal, 'aish asks about "make test" again.');
      terminal.type(':approve sudo\n');
      await answered(terminal, 'cannot make a rule of "sudo"');
      terminal.type(':approve nosuch\n');
      await answered(terminal, 'there is no command nosuch here');
    },
    LONG,
  );
});

describe('a yes', () => {
  test(
    '[gate.edit] is asked for anew after e, for what stands there then, and the model is told',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [run('touch one'), text('Done.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'make it');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'e');
      await terminal.waitFor(/^ {2}new command: touch one$/m, PATIENCE);
      terminal.press('ctrl-w');
      terminal.type('two\n');
      await terminal.waitFor('  $ touch two\n', PATIENCE);
      await asked(terminal, 'aish.exec');
      expect([existsSync(join(home.work, 'one')), existsSync(join(home.work, 'two'))]).toEqual([false, false]);
      await answer(terminal, 'y');
      await answered(terminal, 'Done.');
      expect([existsSync(join(home.work, 'one')), existsSync(join(home.work, 'two'))]).toEqual([false, true]);
      expect(resultTexts(server)).toEqual([
        expect.stringMatching(/^exit 0; .*\n\[aish\] the user changed the command to: touch two\n/),
      ]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.edit] [gate.floor] is not asked for a command that was changed into one that is refused',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('CMD: touch one'), text('Fine.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'make it');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'e');
      await terminal.waitFor(/^ {2}new command: touch one$/m, PATIENCE);
      terminal.press('ctrl-u');
      terminal.type('rm -rf ~\n');
      await answered(terminal, '  refused (destroys more than files of the project');
      expect([existsSync(home.home), existsSync(join(home.work, 'one'))]).toEqual([true, false]);
    },
    LONG,
  );

  test(
    '[gate.edit] with a key in it is asked about as one that hands the key over, and the key is in no log',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [run('touch one'), text('No.')], key: 'sk-test-0123456789' });
      home.useModel(server.url, 'key_env = "MODEL_KEY"');
      await using terminal = home.open([], { env: { MODEL_KEY: 'sk-test-0123456789' } });
      await ask(terminal, 'make it');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'e');
      await terminal.waitFor(/command: touch one$/, PATIENCE);
      terminal.type(' sk-test-0123456789\n');
      await terminal.waitFor('  Gives the secret MODEL_KEY to touch.\n', PATIENCE);
      expect(await asked(terminal, 'aish.exec')).toContain('  $ touch one ⟨secret:MODEL_KEY⟩\n');
      await answer(terminal, 'n');
      await answered(terminal, 'No.');
      expect(isOnDisk(join(home.state, 'sessions'), 'sk-test-0123456789')).toBe(false);
    },
    LONG,
  );

  test(
    '[gate.edit] is not given by what leaves the command as it was, nor by Ctrl-C there',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [run('touch one'), text('No.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'make it');
      await asked(terminal, 'aish.exec');
      for (const key of ['enter', 'ctrl-c'] as const) {
        await answer(terminal, 'e');
        await terminal.waitFor(/command: touch one$/, PATIENCE);
        terminal.press(key);
        await asked(terminal, 'aish.exec');
      }
      expect([questions(terminal), existsSync(join(home.work, 'one'))]).toEqual([3, false]);
      await answer(terminal, 'n');
      await answered(terminal, 'No.');
    },
    LONG,
  );

  test(
    '[gate.bound] is for a directory: when the shell is elsewhere by then, it is asked again',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [run('touch made'), text('Done.')] });
      home.useModel(server.url);
      const elsewhere = join(home.root, 'elsewhere');
      mkdirSync(elsewhere);
      await using terminal = home.open();
      await runLine(terminal, "trap 'cd ../elsewhere; echo > ../moved' USR1; echo $$ > ../pid");
      await ask(terminal, 'make it');
      await asked(terminal, 'aish.exec');
      process.kill(Number(readFileSync(join(home.root, 'pid'), 'utf8')), 'SIGUSR1');
      await until({ what: 'the move of the shell', limitMs: PATIENCE.timeoutMs }, () =>
        existsSync(join(home.root, 'moved')),
      );
      await answer(terminal, 'y');
      await terminal.waitFor('aish asks again: the shell is now in', PATIENCE);
      const screen = await asked(terminal, 'aish.exec');
      expect(lastPrompt(screen)).toContain(`  in ${elsewhere}\n`);
      expect([existsSync(join(home.work, 'made')), existsSync(join(elsewhere, 'made'))]).toEqual([false, false]);
      await answer(terminal, 'n');
      await answered(terminal, 'Done.');
      expect([existsSync(join(home.work, 'made')), existsSync(join(elsewhere, 'made'))]).toEqual([false, false]);
    },
    LONG,
  );

  test.each(['sh make.sh', './make.sh', '. ./make.sh', 'sh < make.sh', 'cat make.sh | sh', 'make -f make.sh'])(
    '[gate.bound] is for a script: when it holds something else by then, it is asked again: %s',
    async (line) => {
      using home = new Home();
      await using server = startModelServer({ script: [run(line), text('Done.')] });
      home.useModel(server.url);
      const script = join(home.work, 'make.sh');
      const isTask = line.startsWith('make ');
      writeFileSync(script, isTask ? 'all:\n\ttouch made\n' : '#!/bin/sh\ntouch made\n', { mode: 0o755 });
      await using terminal = home.open();
      await ask(terminal, 'make it');
      await asked(terminal, 'aish.exec');
      writeFileSync(script, isTask ? 'all:\n\ttouch other\n' : '#!/bin/sh\ntouch other\n');
      await answer(terminal, 'y');
      await terminal.waitFor('aish asks again: the file', PATIENCE);
      await asked(terminal, 'aish.exec');
      expect([existsSync(join(home.work, 'made')), existsSync(join(home.work, 'other'))]).toEqual([false, false]);
      await answer(terminal, 'y');
      await answered(terminal, 'Done.');
      expect([existsSync(join(home.work, 'made')), existsSync(join(home.work, 'other'))]).toEqual([false, true]);
    },
    LONG,
  );

  test(
    '[gate.bound] is for a file: when a link leads elsewhere by then, it is asked again',
    async () => {
      using home = new Home();
      const write = calls({ name: 'aish__write_file', arguments: { path: 'sub/a.txt', content: 'x' } });
      await using server = startModelServer({ script: [write, text('No.')] });
      home.useModel(server.url);
      const outside = join(home.root, 'outside');
      for (const folder of [outside, join(home.work, 'sub')]) mkdirSync(folder);
      await using terminal = home.open();
      await ask(terminal, 'write it');
      await asked(terminal, 'aish.write_file');
      renameSync(join(home.work, 'sub'), join(home.work, 'before'));
      symlinkSync(outside, join(home.work, 'sub'));
      await answer(terminal, 'y');
      await terminal.waitFor('aish asks again: the path now leads to', PATIENCE);
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'n');
      await answered(terminal, 'No.');
      expect([existsSync(join(outside, 'a.txt')), existsSync(join(home.work, 'before/a.txt'))]).toEqual([false, false]);
    },
    LONG,
  );

  test(
    '[gate.theft] is given by no paste with a y and an Enter in it, no resize, no Ctrl-Z, no fg and no Enter',
    async () => {
      using home = new Home();
      const gate = Promise.withResolvers<void>();
      await using server = startModelServer({ script: [held(run('touch made'), gate.promise), text('No.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'make it');
      await server.requested(1);
      gate.resolve();
      terminal.type('y');
      await asked(terminal, 'aish.exec');
      const attempts: readonly (() => void)[] = [
        () => terminal.paste('y'),
        () => terminal.paste('y\n'),
        () => terminal.paste('a\x1b[201~y\n'),
        () => terminal.paste('\x1b[201~y'),
        () => terminal.type('y\n'), // as a terminal pastes that marks nothing
        () => terminal.resize(70, 20),
        () => terminal.press('enter'),
        () => terminal.press('ctrl-z'),
        () => terminal.press('ctrl-d'),
        () => terminal.resize(100, 30),
      ];
      for (const attempt of attempts) {
        await pause(terminal);
        attempt();
      }
      await pause(terminal);
      expect(terminal.history()).not.toMatch(/^ {2}(yes|always)/m);
      await answer(terminal, 'n');
      // Text pasted or typed too early for an answer is in the line, and on a busy machine a y that came too soon after the key before it.
      await terminal.waitFor(/No\.\n\S+ \? y[ay]*(?:\n> y*)*$/, PATIENCE);
      expect(terminal.history()).not.toMatch(/^ {2}(yes|always)/m);
      expect(existsSync(join(home.work, 'made'))).toBe(false);
    },
    LONG,
  );

  test(
    '[gate.denied] is not asked for any more after three times no: the turn ends and says so',
    async () => {
      using home = new Home();
      const script = [run('touch one'), run('touch two', 'touch three', 'touch four'), text('never')];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'make them');
      for (const name of ['one', 'two', 'three']) {
        await terminal.waitFor(`  $ touch ${name}\n`, PATIENCE);
        await asked(terminal, 'aish.exec');
        await answer(terminal, 'n');
      }
      await answered(terminal, '[aish] stopped: 3 calls in a row were refused');
      expect([questions(terminal), server.requests.length]).toEqual([3, 2]);
      await prompted(terminal);
    },
    LONG,
  );
});
