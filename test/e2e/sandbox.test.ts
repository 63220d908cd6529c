import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, type Reply, resultTexts, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';

const LONG = 120_000;

const run = (...commands: readonly string[]): Reply =>
  calls(...commands.map((command) => ({ name: 'aish__exec', arguments: { command } })));

describe.skipIf(!hasProgram('bwrap'))('a command that only looks', () => {
  test(
    '[gate.sandbox] runs without a question, is shown as sandboxed, and its output has a handle',
    async () => {
      using home = new Home({ sandbox: true });
      await using server = startModelServer({ script: [run('git status --short; cat README'), text('I see.')] });
      home.useModel(server.url);
      writeFileSync(join(home.work, 'new'), 'x');
      await using terminal = home.open();
      await ask(terminal, 'what is new?');
      const screen = await answered(terminal, 'I see.');
      expect(screen).toContain('  $ git status --short; cat README  (sandboxed)\n');
      expect(screen).toMatch(/\n {2}exit 0 · 2 lines · %1 · \d.*\n {4}\?\? new\n {4}hello\n/);
      expect(screen).not.toContain('The model wants to');
      expect(resultTexts(server)).toEqual([
        `exit 0; cwd ${home.work}; output %1; ran in a sandbox, without network: cd, variables and functions do not last\n?? new\nhello`,
      ]);
      expect(await runLine(terminal, '%1 | tail -1')).toContain('hello');
    },
    LONG,
  );

  test(
    '[gate.sandbox] headless too, with the path that the shell exports and none of its secrets',
    async () => {
      using home = new Home({ sandbox: true });
      await using server = startModelServer({ script: [run('wc -c README'), text('done')] });
      home.useModel(server.url);
      await Bun.write(join(home.home, 'bin/wc'), '#!/bin/sh\necho "mine $SECRET_WORD"\n');
      chmodSync(join(home.home, 'bin/wc'), 0o755);
      writeFileSync(join(home.home, '.bashrc'), 'export PATH=$HOME/bin:$PATH SECRET_WORD=canary\n');
      const { code, out, error } = await home.run(['-p', 'go']);
      expect([code, out, error]).toEqual([0, 'done\n', '']);
      expect(resultTexts(server)).toEqual([expect.stringMatching(/^exit 0;.*; ran in a sandbox, .*\nmine$/)]);
    },
    LONG,
  );

  test(
    '[gate.sandbox] is asked where it needs the shell, and where a rule says so',
    async () => {
      using home = new Home({ sandbox: true });
      await using server = startModelServer({
        script: [run('echo $draft'), text('one'), run('ls -d .'), text('two')],
      });
      home.useModel(server.url, '[safety]\nask = ["ls"]');
      await using terminal = home.open();
      await runLine(terminal, 'draft=first');
      await ask(terminal, 'what is the draft?');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'y');
      expect(await answered(terminal, /^one$/m)).toContain('\nfirst\n');
      await ask(terminal, 'where?');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'n');
      expect(await answered(terminal, /^two$/m)).not.toContain('(sandboxed)');
    },
    LONG,
  );

  test(
    '[gate.sandbox] asks about the shared shell once where the sandbox blocked the command, whatever a rule approves',
    async () => {
      using home = new Home({ sandbox: true });
      await using server = startModelServer({ script: [run('grep -r canary .'), text('I see.')] });
      home.useModel(server.url, '[safety]\napprove = ["grep"]');
      writeFileSync(join(home.work, '.env'), 'canary=1\n');
      await using terminal = home.open();
      await ask(terminal, 'look for it');
      const question = await asked(terminal, 'aish.exec');
      expect(question).toContain('  $ grep -r canary .  (sandboxed)\n');
      expect(question.replace(/\s+/g, ' ')).toContain('the sandbox blocked the command (the sandbox hides .env)');
      await answer(terminal, 'y');
      const screen = await answered(terminal, 'I see.');
      expect(screen).toContain('canary=1');
      expect(screen.split('The model wants to').length - 1).toBe(1);
      await prompted(terminal);
    },
    LONG,
  );

  test(
    '[gate.sandbox] [secrets.read] of git runs without asking where a secret file is tracked, but for what may print it',
    async () => {
      using home = new Home({ sandbox: true });
      writeFileSync(join(home.work, '.env'), 'MAIL_RELAY=mono-canary-relay-zx81\n');
      home.git('add', '-f', '.env');
      home.git('commit', '-qm', 'second');
      const plain = ['git log --oneline', 'git status --short | head -5', 'git config user.name', 'git diff -- README'];
      await using server = startModelServer({ script: [run(...plain), run('git show'), text('I see.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'what was done?');
      const question = (await asked(terminal, 'aish.exec')).replace(/\s+/g, ' ');
      expect(question).toContain('Git may print .env, which it tracks.');
      expect(question.split('The model wants to').length - 1).toBe(1);
      await answer(terminal, 'y');
      await answered(terminal, 'I see.');
      const [log, status, ...others] = resultTexts(server).map((one) => String(one).split('\n').slice(1).join('\n'));
      expect([log, status]).toEqual([expect.stringMatching(/ second\n.* first$/), '(no output)']);
      expect(others.at(-1)).toContain('+MAIL_RELAY=⟨secret:MAIL_RELAY⟩');
    },
    LONG,
  );

  test(
    '[secrets.read] and reads what only its owner may read in a dot folder is asked',
    async () => {
      using home = new Home({ sandbox: true });
      mkdirSync(join(home.home, '.new'));
      writeFileSync(join(home.home, '.new/state'), 'mono-canary-state-zx81\n', { mode: 0o600 });
      await using server = startModelServer({ script: [run('cat ~/.new/state'), text('I see.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'what is the state?');
      expect((await asked(terminal, 'aish.exec')).replace(/\s+/g, ' ')).toContain(`${home.home}/.new/state`);
      await answer(terminal, 'y');
      await answered(terminal, 'I see.');
      expect(String(resultTexts(server))).toContain('⟨secret:state.value⟩');
    },
    LONG,
  );

  test(
    '[gate.sandbox] is asked as before where the configuration says so',
    async () => {
      using home = new Home({ sandbox: true });
      await using server = startModelServer({ script: [run('ls -d .'), text('I see.')] });
      home.useModel(server.url, '[safety]\nauto_run = "none"');
      await using terminal = home.open();
      await ask(terminal, 'where?');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'n');
      await answered(terminal, 'I see.');
    },
    LONG,
  );

  test(
    '[gate.sandbox] with :sandbox on, what the user allows can change the project and nothing else',
    async () => {
      using home = new Home({ sandbox: true });
      await using server = startModelServer({ script: [run('echo x > made'), text('one')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(':sandbox on\n');
      await answered(terminal, 'Sandbox: on. Commands that you approve can change only the project.');
      await ask(terminal, 'make it');
      expect(await asked(terminal, 'aish.exec')).toContain(
        '[y] runs it in the sandbox: it can change only the project',
      );
      await answer(terminal, 'y');
      expect(await answered(terminal, /^one$/m)).toContain('  $ echo x > made  (sandboxed)\n');
      expect([readFileSync(join(home.work, 'made'), 'utf8'), home.git('status', '--short')]).toEqual([
        'x\n',
        '?? made',
      ]);
    },
    LONG,
  );

  test(
    '[gate.sandbox] with --sandbox, what it holds back is asked about the shell, and then runs there',
    async () => {
      using home = new Home({ sandbox: true });
      await using server = startModelServer({ script: [run('git commit --allow-empty -qm second'), text('done')] });
      home.useModel(server.url);
      await using terminal = home.open(['--sandbox']);
      await ask(terminal, 'commit');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'y');
      await terminal.waitForHistory(/the sandbox\s+blocked\s+the\s+command/, PATIENCE);
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'y');
      await answered(terminal, /^done$/m);
      expect(home.git('log', '-1', '--format=%s')).toBe('second');
    },
    LONG,
  );
});
