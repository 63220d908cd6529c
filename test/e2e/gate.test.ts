import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, filesystemServer, learnTools, pause } from '../support/conversation.ts';
import { calls, held, resultTexts, startModelServer, text, textAndCalls } from '../support/model-server.ts';

const LONG = 120_000;

function ownWrite(path: string, content: string) {
  return calls({ name: 'aish__write_file', arguments: { path, content } });
}

function fsWrite(home: Home, path = 'test.txt') {
  return textAndCalls('I will create it.', {
    name: 'fs__write_file',
    arguments: { path: join(home.work, path), content: 'Hello World' },
  });
}

describe('the question', () => {
  test(
    '[gate.ask] [mcp.stdio] [checkpoint.made] [checkpoint.undo] a call of a server asks, writes after y, and :undo takes it back',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [fsWrite(home), text('It is there.')] });
      home.useModel(server.url, filesystemServer(home.work));
      await using terminal = home.open();
      await terminal.waitFor('server "fs" connected, 14 tools', PATIENCE);
      await ask(terminal, 'Create file test.txt with content: Hello World');
      const screen = await asked(terminal, 'fs.write_file');
      expect(screen).toContain(
        `The model wants to call fs.write_file:\n  path: "${join(home.work, 'test.txt')}"\n  content: "Hello World"\n`,
      );
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(home.git('for-each-ref', 'refs/aish')).toBe('');
      await answer(terminal, 'y');
      await answered(terminal, 'It is there.');
      expect(readFileSync(join(home.work, 'test.txt'), 'utf8')).toBe('Hello World');
      expect(home.git('for-each-ref', 'refs/aish', '--format=%(refname)')).toMatch(/^refs\/aish\/c1\/before$/m);
      terminal.type(':undo\n');
      await answered(terminal, /undo c1: .*\n\s+\S+ +test\.txt/);
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.escape] control, direction and invisible characters are spelt out',
    async () => {
      using home = new Home();
      const hidden = ownWrite('a\u001b[2J.txt', 'x\u202ey\u200bz\u0007\r\n\u2066end\ufeff\u00adq\u{e0041}\n');
      await using server = startModelServer({ script: [hidden, text('No file then.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'create it');
      const screen = await asked(terminal, 'aish.write_file');
      expect(screen).toContain('path: "a<U+001B>[2J.txt"');
      expect(screen).toContain('  | x<U+202E>y<U+200B>z<U+0007><U+000D>\n  | <U+2066>end<U+FEFF><U+00AD>q<U+E0041>\n');
      const question = terminal.rawText().slice(terminal.rawText().lastIndexOf('The model wants to'));
      expect(question).not.toMatch(/[\u202e\u200b\u2066\ufeff\u00ad\u0007]|\u{e0041}|\u001b\[2J/u);
      await answer(terminal, 'n');
      await answered(terminal, 'No file then.');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.ask] a long argument is folded, and v shows all of it',
    async () => {
      using home = new Home();
      const lines = Array.from({ length: 200 }, (_, at) => `line number ${at + 1}`).join('\n');
      await using server = startModelServer({ script: [ownWrite('long.txt', `${lines}\n`), text('Written.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'create it');
      const folded = await asked(terminal, 'aish.write_file');
      expect(folded).toMatch(/… Press v to view all \d+ lines/);
      expect(folded).not.toContain('line number 200');
      await answer(terminal, 'v');
      await terminal.waitForHistory('line number 200', PATIENCE);
      const all = terminal.history();
      for (const at of [1, 77, 133, 199]) expect(all).toContain(`| line number ${at}\n`);
      expect(existsSync(join(home.work, 'long.txt'))).toBe(false);
      await answer(terminal, 'y');
      await answered(terminal, 'Written.');
      expect(readFileSync(join(home.work, 'long.txt'), 'utf8')).toBe(`${lines}\n`);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.ask] a paste and other keys are no answer, and the paste waits in the line',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [ownWrite('test.txt', 'x'), text('No file then.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'create it');
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'v'); // not offered: nothing is folded
      terminal.paste('y');
      terminal.press('enter', 'space', 'up', 'escape');
      terminal.type('x');
      // Nothing tells when the last of them was read, and the answer has to come well behind it.
      await pause(terminal);
      expect(terminal.screen()).toContain('Your paste answers nothing. It waits on the input line.');
      await answer(terminal, 'n');
      await terminal.waitFor(/No file then\.\n\S+ [?$] v?y/, PATIENCE);
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(resultTexts(server)).toEqual(['[aish] tool call declined by user']);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.ask] what is typed while the model works answers no question, and is in the line afterwards',
    async () => {
      using home = new Home();
      const gate = Promise.withResolvers<void>();
      const script = [held(ownWrite('test.txt', 'x'), gate.promise), text('No file then.')];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'create it');
      await server.requested(1);
      terminal.type('yay');
      gate.resolve();
      terminal.type('y');
      await asked(terminal, 'aish.write_file');
      expect(terminal.history()).not.toMatch(/^ {2}(yes|always)/m);
      await answer(terminal, 'n');
      await terminal.waitFor(/No file then\.\n\S+ \? yayy$/, PATIENCE);
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.ask] the rest of "yes" and its Enter are neither a message nor input of the command',
    async () => {
      using home = new Home();
      const command = calls({ name: 'aish__exec', arguments: { command: 'read -r word; echo "got <$word>"' } });
      await using server = startModelServer({ script: [command, text('It was read.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'run it');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'y');
      await terminal.waitFor(/^ {2}yes$/m, PATIENCE);
      terminal.type('es\n');
      await terminal.waitFor('$ read -r word', PATIENCE);
      terminal.type('mine\n');
      await answered(terminal, 'It was read.');
      expect(terminal.history()).toContain('got <mine>');
      expect(server.requests).toHaveLength(2);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.deny] n and d with a reason reach the model as results',
    async () => {
      using home = new Home();
      const script = [ownWrite('one.txt', 'x'), ownWrite('two.txt', 'x'), text('I understand.')];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'create both');
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'n');
      await terminal.waitFor('path: "two.txt"', PATIENCE);
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'd');
      await terminal.waitFor('reason for the model:', PATIENCE);
      terminal.type('use a folder instead\n');
      await answered(terminal, 'I understand.');
      expect(resultTexts(server)).toEqual([
        '[aish] tool call declined by user',
        '[aish] tool call declined by user: use a folder instead',
      ]);
      expect([existsSync(join(home.work, 'one.txt')), existsSync(join(home.work, 'two.txt'))]).toEqual([false, false]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.deny] Ctrl-C at the reason asks again, Ctrl-C at the question gives the turn up',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [ownWrite('test.txt', 'x'), text('Hello.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'create it');
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'd');
      await terminal.waitFor('reason for the model:', PATIENCE);
      terminal.press('ctrl-c');
      await terminal.waitFor(/reason for the model:[\s\S]*wants to call aish\.write_file/, PATIENCE);
      await asked(terminal, 'aish.write_file');
      terminal.press('ctrl-c');
      await answered(terminal, 'interrupted');
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      await ask(terminal, 'hello');
      await answered(terminal, 'Hello.');
      expect(resultTexts(server)).toHaveLength(1);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.ask] [session.kill] killed while the question is open and resumed, nothing was written and the call is closed',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [ownWrite('test.txt', 'x'), text('Hello again.')] });
      home.useModel(server.url);
      const first = home.open();
      await ask(first, 'create it');
      await asked(first, 'aish.write_file');
      process.kill(first.pid, 'SIGKILL');
      await first.ended();
      await first.close();
      await using second = home.open(['--continue']);
      await ask(second, 'are you there?');
      await answered(second, 'Hello again.');
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(resultTexts(server)).toHaveLength(1);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});

describe('rules', () => {
  test(
    '[gate.auto-approve] a rule with the value true spares the question for its tool, and for no other',
    async () => {
      using home = new Home();
      const folder = calls({ name: 'fs__create_directory', arguments: { path: join(home.work, 'sub') } });
      await using server = startModelServer({ script: [fsWrite(home), folder, text('One of two.')] });
      home.useModel(server.url, `${filesystemServer(home.work)}[mcp.auto_approve]\n"fs.write_file" = true\n`);
      await learnTools(home);
      await using terminal = home.open();
      await ask(terminal, 'create both');
      await asked(terminal, 'fs.create_directory');
      expect(terminal.history()).not.toContain('wants to call fs.write_file');
      expect(terminal.history()).toContain('allowed by the rule "fs.write_file"');
      expect(readFileSync(join(home.work, 'test.txt'), 'utf8')).toBe('Hello World');
      await answer(terminal, 'n');
      await answered(terminal, 'One of two.');
      expect(existsSync(join(home.work, 'sub'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.auto-approve] the exact rule goes before the star',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [fsWrite(home), text('No.')] });
      const rules = '[mcp.auto_approve]\n"fs.*" = true\n"fs.write_file" = false\n';
      home.useModel(server.url, `${filesystemServer(home.work)}${rules}`);
      await learnTools(home);
      expect((await home.run(['create it'])).code).toBe(3);
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test.each(['"true"', '1', '"yes"', '[true]'])(
    '[gate.auto-approve] the value %s is an error of the configuration and approves nothing',
    async (value) => {
      using home = new Home();
      await using server = startModelServer({ script: [ownWrite('test.txt', 'x'), text('No.')] });
      home.useModel(server.url, `[mcp.auto_approve]\n"aish.write_file" = ${value}`);
      const { code, error } = await home.run(['create it']);
      expect(code).not.toBe(0);
      expect(error).toMatch(/config\.toml:5:\d+: mcp\.auto_approve\."aish\.write_file" must be true or false/);
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(server.requests).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.exec] aish.exec is asked although "aish.*" is true, and always is not offered',
    async () => {
      using home = new Home();
      const command = calls({ name: 'aish__exec', arguments: { command: 'touch made' } });
      await using server = startModelServer({ script: [command, text('Done.')] });
      home.useModel(server.url, '[mcp.auto_approve]\n"aish.*" = true\n"aish.exec" = true');
      await using terminal = home.open();
      await ask(terminal, 'run it');
      const screen = await asked(terminal, 'aish.exec');
      expect(screen).toContain('  $ touch made\n');
      expect(screen).not.toContain('[a] always');
      await answer(terminal, 'y');
      await answered(terminal, 'Done.');
      expect(existsSync(join(home.work, 'made'))).toBe(true);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.exec] headless, --approve all runs neither aish.exec nor a CMD: line',
    async () => {
      using home = new Home();
      const command = calls({ name: 'aish__exec', arguments: { command: 'touch made' } });
      await using server = startModelServer({ script: [command, text('Then by hand:\n\nCMD: touch made\n')] });
      home.useModel(server.url, '[mcp.auto_approve]\n"aish.*" = true');
      const { code, out } = await home.run(['--approve', 'all', 'run it']);
      expect([code, out]).toEqual([3, 'Then by hand:\n\nCMD: touch made\n']);
      expect(existsSync(join(home.work, 'made'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.exec] :approve all does not let a CMD: line run without asking',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Run this:\n\nCMD: touch made\n')] });
      home.useModel(server.url, '[mcp.auto_approve]\n"aish.*" = true');
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(':approve all\n');
      await answered(terminal, 'Commands run without asking only if a rule allows them.');
      await ask(terminal, 'how?');
      expect(await asked(terminal, 'aish.exec')).toContain('The answer suggests running:\n  $ touch made\n');
      await answer(terminal, 'n');
      await prompted(terminal);
      expect(existsSync(join(home.work, 'made'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.always] a allows the tool for the rest of this session, and in no other',
    async () => {
      using home = new Home();
      const script = [
        ownWrite('1.txt', 'x'),
        ownWrite('2.txt', 'x'),
        text('Both.'),
        ownWrite('3.txt', 'x'),
        text('No.'),
      ];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'create two');
      expect(await asked(terminal, 'aish.write_file')).toContain('[a] always allow aish.write_file (this session)');
      await answer(terminal, 'a');
      await answered(terminal, 'Both.');
      expect(terminal.history().split('wants to call aish.write_file')).toHaveLength(2);
      expect([existsSync(join(home.work, '1.txt')), existsSync(join(home.work, '2.txt'))]).toEqual([true, true]);
      terminal.type(':new\n');
      await answered(terminal, 'Started a new session.');
      await ask(terminal, 'one more');
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'n');
      await answered(terminal, 'No.');
      expect(existsSync(join(home.work, '3.txt'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[cli.denied] [mcp.stdio] headless, a call of a server is denied: exit 3, nothing written',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [fsWrite(home), text('I could not.')] });
      home.useModel(server.url, filesystemServer(home.work));
      await learnTools(home);
      const { code } = await home.run(['create it']);
      expect([code, existsSync(join(home.work, 'test.txt'))]).toEqual([3, false]);
      expect(home.git('for-each-ref', 'refs/aish')).toBe('');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});
