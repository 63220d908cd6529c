import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, filesystemServer, learnTools } from '../support/conversation.ts';
import { calls, type Reply, resultTexts, startModelServer, text } from '../support/model-server.ts';

const LONG = 120_000;

const readReadme = calls({ name: 'aish__read_file', arguments: { path: 'README' } });

/** An answer that ends as if the token limit had cut it. */
function cutAtLimit(reply: Reply): Reply {
  const decoder = new TextDecoder();
  const chunks = reply.chunks.map((chunk) =>
    new TextEncoder().encode(decoder.decode(chunk).replace('"finish_reason":"tool_calls"', '"finish_reason":"length"')),
  );
  return { ...reply, chunks };
}

describe('the built-in tools', () => {
  test(
    '[tools.read] a read is asked too, unless only reading is approved',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [readReadme, text('No?'), readReadme, text('It says hello.')] });
      home.useModel(server.url);
      expect((await home.run(['what does it say?'])).code).toBe(3);
      const { code, out } = await home.run(['--approve', 'read-only', 'what does it say?']);
      expect([code, out]).toEqual([0, 'It says hello.\n']);
      expect(resultTexts(server)).toEqual([expect.stringContaining('hello')]);
      expect(home.git('for-each-ref', 'refs/aish')).toBe('');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[tools.write] at the prompt, a write that was approved shows what came of it',
    async () => {
      using home = new Home();
      const write = calls({ name: 'aish__write_file', arguments: { path: 'notes/new.txt', content: 'one\ntwo\n' } });
      await using server = startModelServer({ script: [write, text('It is written.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'write it');
      const question = await asked(terminal, 'aish.write_file');
      expect(question).toContain(`  | two\n  creates ${join(home.work, 'notes/new.txt')}\n`);
      await answer(terminal, 'y');
      const screen = await answered(terminal, 'It is written.');
      expect(screen).toMatch(
        / {2}yes\n {2}checkpoint c1\n {2}ok · 1 line · [\d.]+ s\n {4}created .*new\.txt: 8 bytes\n/,
      );
      expect(readFileSync(join(home.work, 'notes/new.txt'), 'utf8')).toBe('one\ntwo\n');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[tools.edit] an edit shows its diff before it is approved',
    async () => {
      using home = new Home();
      writeFileSync(join(home.work, 'list'), 'apple\npear\nplum\n');
      const edit = calls({ name: 'aish__edit_file', arguments: { path: 'list', old: 'pear', new: 'quince' } });
      await using server = startModelServer({ script: [edit, text('Edited.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'edit it');
      const question = await asked(terminal, 'aish.edit_file');
      expect(question).toContain(
        '  change:\n  --- a/list\n  +++ b/list\n  @@ -1,3 +1,3 @@\n   apple\n  -pear\n  +quince\n   plum\n',
      );
      expect(readFileSync(join(home.work, 'list'), 'utf8')).toBe('apple\npear\nplum\n');
      await answer(terminal, 'y');
      await answered(terminal, 'Edited.');
      expect(readFileSync(join(home.work, 'list'), 'utf8')).toBe('apple\nquince\nplum\n');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[tools.edit] an edit that does not fit is told to the model without a question; of one elsewhere the question says so',
    async () => {
      using home = new Home();
      const edit = (path: string) => ({ name: 'aish__edit_file', arguments: { path, old: 'absent', new: 'x' } });
      const script = [calls(edit('README')), calls(edit('../home/none')), text('I see.')];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'edit it');
      expect(await asked(terminal, 'aish.edit_file')).toContain('This would fail:');
      expect(resultTexts(server)).toEqual([expect.stringMatching(/README: "old" was not found$/)]);
      await answer(terminal, 'y');
      await answered(terminal, 'I see.');
      expect(readFileSync(join(home.work, 'README'), 'utf8')).toBe('hello\n');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[tools.command-line] a CMD: line is proposed, runs in the shared shell after y, and the model knows it later',
    async () => {
      using home = new Home();
      await using server = startModelServer({
        script: [text('Like this:\n\nCMD: cd / && pwd\n'), text('You are there.')],
      });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'how do I get to the root?');
      const question = await asked(terminal, 'aish.exec');
      expect(question).toContain('The answer suggests running:\n  $ cd / && pwd\n');
      await answer(terminal, 'y');
      await terminal.waitFor(/exit 0 · %1 · [\d.]+ s\n\/ >$/, PATIENCE);
      await ask(terminal, 'where am I?');
      await answered(terminal, 'You are there.');
      expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('cd / && pwd');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[tools.command-line] with confirm_cmd = false such a line is text and nothing runs',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Like this:\n\nCMD: touch made\n')] });
      home.useModel(server.url, '[shell]\nconfirm_cmd = false');
      await using terminal = home.open();
      await ask(terminal, 'how?');
      const screen = await answered(terminal, 'CMD: touch made');
      expect(screen).not.toContain('suggests running');
      expect(existsSync(join(home.work, 'made'))).toBe(false);
    },
    LONG,
  );
});

describe('where the shell is', () => {
  test(
    '[tools.write] [checkpoint.outside] a relative path is meant from there, and out of the repository the question says so',
    async () => {
      using home = new Home();
      const write = calls({ name: 'aish__write_file', arguments: { path: 'test.txt', content: 'x' } });
      await using server = startModelServer({ script: [write, text('One.'), write, text('Two.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await runLine(terminal, 'mkdir sub; cd sub');
      await ask(terminal, 'write');
      expect(await asked(terminal, 'aish.write_file')).toContain(`creates ${join(home.work, 'sub/test.txt')}`);
      await answer(terminal, 'y');
      await answered(terminal, 'One.');
      expect(existsSync(join(home.work, 'sub/test.txt'))).toBe(true);
      await runLine(terminal, 'cd ~');
      await ask(terminal, 'write');
      expect(await asked(terminal, 'aish.write_file')).toContain('This cannot be undone');
      await answer(terminal, 'n');
      await answered(terminal, 'Two.');
      expect(existsSync(join(home.home, 'test.txt'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});

describe('calls that must not run', () => {
  test(
    '[tools.depth] at the prompt the loop ends at the limit and says so, and the next message is valid',
    async () => {
      using home = new Home();
      const script = [readReadme, readReadme, readReadme, text('Hello.')];
      await using server = startModelServer({ script });
      home.useModel(server.url, '[mcp]\nmax_tool_depth = 2\n[mcp.auto_approve]\n"aish.read_file" = true');
      await using terminal = home.open();
      await ask(terminal, 'read on');
      await answered(terminal, /^\[aish\] stopped: this message has used all its rounds of tool calls;/m);
      expect(terminal.history().split('ok · 1 line')).toHaveLength(3);
      await ask(terminal, 'hello');
      await answered(terminal, 'Hello.');
      expect(server.requests).toHaveLength(4);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[tools.write] an unknown tool, broken arguments and missing ones are named on the screen, told to the model, and run nothing',
    async () => {
      using home = new Home();
      const script = [
        calls({ name: 'nobody__knows', arguments: {} }),
        calls({ name: 'aish__write_file', arguments: '{"path":"test.txt","content":"Hel' }),
        calls({ name: 'aish__write_file', arguments: { path: 'test.txt' } }),
        text('I give up.'),
      ];
      await using server = startModelServer({ script });
      home.useModel(server.url, '[mcp.auto_approve]\n"aish.*" = true');
      await using terminal = home.open([], { columns: 160 });
      await ask(terminal, 'try');
      const screen = await answered(terminal, 'I give up.');
      expect(screen).toContain('  nobody__knows: [aish] not run: there is no tool of this name');
      expect(screen).toContain('  aish.write_file: [aish] not run: the arguments are not a valid JSON object');
      expect(screen).toContain('  aish.write_file: [aish] not run: the argument "content" is missing');
      expect(resultTexts(server)).toEqual([
        expect.stringContaining('there is no tool of this name'),
        expect.stringContaining('not a valid JSON object'),
        expect.stringContaining('the argument "content" is missing'),
      ]);
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(home.git('for-each-ref', 'refs/aish')).toBe('');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[tools.write] [model.cut] a call that the token limit cut never runs, though its arguments read well',
    async () => {
      using home = new Home();
      const write = calls({ name: 'aish__write_file', arguments: { path: 'test.txt', content: 'x' } });
      await using server = startModelServer({ script: [cutAtLimit(write), text('Too long.')] });
      home.useModel(server.url);
      await home.run(['--approve', 'all', 'write']);
      expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
      expect(resultTexts(server)).toEqual([expect.stringContaining('cut off at the token limit')]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});

describe('several calls in one answer', () => {
  const two = (): Reply =>
    calls(
      { name: 'aish__write_file', arguments: { path: 'a.txt', content: 'first' } },
      { name: 'aish__edit_file', arguments: { path: 'a.txt', old: 'first', new: 'second' } },
      { name: 'aish__read_file', arguments: { path: 'a.txt' } },
    );

  test(
    '[tools.write] [checkpoint.made] they run one after the other, with one checkpoint for all',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [two(), text('Done.')] });
      home.useModel(server.url);
      expect((await home.run(['--approve', 'all', 'do it'])).code).toBe(0);
      expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('second');
      expect(home.git('for-each-ref', 'refs/aish', '--format=%(refname)').split('\n')).toEqual([
        'refs/aish/c1/after',
        'refs/aish/c1/before',
      ]);
      expect(resultTexts(server)).toEqual([
        expect.stringContaining('created'),
        expect.stringContaining('edited'),
        expect.stringContaining('second'),
      ]);
      expect((await home.run(['undo'])).code).toBe(0);
      expect(existsSync(join(home.work, 'a.txt'))).toBe(false);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[gate.ask] [tools.read] each is asked by itself: one refused, the others go on',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [two(), text('One of them.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'do it');
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'y');
      await asked(terminal, 'aish.edit_file');
      await answer(terminal, 'n');
      await asked(terminal, 'aish.read_file');
      await answer(terminal, 'y');
      await answered(terminal, 'One of them.');
      expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('first');
      expect(resultTexts(server)).toEqual([
        expect.stringContaining('created'),
        '[aish] tool call declined by user',
        expect.stringContaining('first'),
      ]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[tools.write] [mcp.stdio] calls of two servers in one answer share the checkpoint',
    async () => {
      using home = new Home();
      const both = calls(
        { name: 'fs__write_file', arguments: { path: join(home.work, 'a.txt'), content: 'a' } },
        { name: 'aish__write_file', arguments: { path: 'b.txt', content: 'b' } },
      );
      await using server = startModelServer({ script: [both, text('Done.')] });
      home.useModel(server.url, filesystemServer(home.work));
      await learnTools(home);
      expect((await home.run(['--approve', 'all', 'do it'])).code).toBe(0);
      expect(home.git('for-each-ref', 'refs/aish/*/before', '--format=%(refname)')).toBe('refs/aish/c1/before');
      const { out } = await home.run(['undo']);
      expect(out).toMatch(/^undo c1: .*\n.*a\.txt\n.*b\.txt\n.*:redo restores.*\n$/);
      expect([existsSync(join(home.work, 'a.txt')), existsSync(join(home.work, 'b.txt'))]).toEqual([false, false]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});
