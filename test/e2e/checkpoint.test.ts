import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, filesystemServer, learnTools, pause } from '../support/conversation.ts';
import { read } from '../support/made-steps.ts';
import { calls, type Reply, type ScriptedCall, startModelServer, text } from '../support/model-server.ts';

const LONG = 120_000;

function write(path: string, content: string): ScriptedCall {
  return { name: 'aish__write_file', arguments: { path, content } };
}

function put(home: Home, name: string, content: string | Uint8Array): void {
  writeFileSync(join(home.work, name), content);
}

/** Everything of a repository that a checkpoint must leave alone. */
function snapshot(home: Home): unknown {
  const index = join(home.work, '.git/index');
  return {
    head: readFileSync(join(home.work, '.git/HEAD'), 'utf8'),
    refs: home.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags', 'refs/stash'),
    reflog: home.git('reflog', 'show', '--all', '--format=%H %gd %gs'),
    stash: home.git('stash', 'list'),
    index: [readFileSync(index).toString('base64'), statSync(index).mtimeMs, statSync(index).ino],
    config: readFileSync(join(home.work, '.git/config'), 'utf8'),
    status: home
      .git('--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--untracked-files=all')
      .replace(/.*new\.txt\n?/, ''),
  };
}

/** A repository in the middle of somebody's work: staged, unstaged, untracked, stashed, and hooks that leave a trace. */
function makeBusy(home: Home): void {
  put(home, 'stashed', 'for later\n');
  home.git('add', 'stashed');
  home.git('stash', '-q');
  put(home, 'staged', 'in the index\n');
  home.git('add', 'staged');
  put(home, 'staged', 'and changed since\n');
  put(home, 'README', 'changed\n');
  put(home, 'untracked', 'nobody knows me\n');
  const hooks = join(home.work, '.git/hooks');
  mkdirSync(hooks, { recursive: true });
  for (const name of ['pre-commit', 'commit-msg', 'post-commit', 'post-index-change', 'reference-transaction']) {
    writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${join(home.root, 'hook-ran')}\n`);
    chmodSync(join(hooks, name), 0o755);
  }
  home.git('config', 'core.fsmonitor', join(hooks, 'pre-commit'));
}

describe('a checkpoint', () => {
  test(
    '[checkpoint.made] stands under refs/aish with its snapshot of before and after, also of a call of a server',
    async () => {
      using home = new Home();
      const call = {
        name: 'fs__edit_file',
        arguments: { path: join(home.work, 'README'), edits: [{ oldText: 'hello', newText: 'bye' }] },
      };
      await using server = startModelServer({ script: [calls(call), text('Done.')] });
      home.useModel(server.url, filesystemServer(home.work));
      await learnTools(home);
      expect((await home.run(['--approve', 'all', 'edit it'])).code).toBe(0);
      expect(home.git('show', 'refs/aish/c1/before:README')).toBe('hello');
      expect(home.git('show', 'refs/aish/c1/after:README')).toBe('bye');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[checkpoint.made] two steps make two, a step that only reads makes none, and a command is in it beside a written file',
    async () => {
      using home = new Home();
      const script = [
        calls(write('a', '1')),
        calls({ name: 'aish__read_file', arguments: { path: 'a' } }),
        calls(write('b', '2'), { name: 'aish__exec', arguments: { command: 'touch c' } }),
        text('Done.'),
      ];
      await using server = startModelServer({ script });
      home.useModel(server.url, '[safety]\napprove = ["touch"]\n');
      await home.run(['--approve', 'all', 'do it']);
      const refs = home.git('for-each-ref', 'refs/aish/*/before', '--format=%(refname)').split('\n');
      expect(refs).toEqual(['refs/aish/c1/before', 'refs/aish/c2/before']);
      const { out } = await home.run(['checkpoints']);
      expect(out).toMatch(/^c2 .* tool +\+2 .*before aish\.write_file.*\nc1 .* tool +\+1 .*before aish\.write_file\n$/);
    },
    LONG,
  );

  test(
    '[checkpoint.untouched] HEAD, branch, every byte of the index, stash, reflog and settings stay, and no hook runs',
    async () => {
      using home = new Home();
      makeBusy(home);
      home.git('config', '--unset', 'core.fsmonitor');
      const before = snapshot(home);
      home.git('config', 'core.fsmonitor', join(home.work, '.git/hooks/pre-commit'));
      rmSync(join(home.root, 'hook-ran'), { force: true });
      await using server = startModelServer({ script: [calls(write('new.txt', 'x')), text('Done.')] });
      home.useModel(server.url);
      expect((await home.run(['--approve', 'all', 'write'])).code).toBe(0);
      expect((await home.run(['checkpoints'])).code).toBe(0);
      expect((await home.run(['diff'])).code).toBe(0);
      expect((await home.run(['undo'])).code).toBe(0);
      expect(existsSync(join(home.root, 'hook-ran'))).toBe(false);
      home.git('config', '--unset', 'core.fsmonitor');
      expect(snapshot(home)).toEqual(before);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[checkpoint.contents] untracked files are kept, ignored ones and those over 10 MB are not',
    async () => {
      using home = new Home();
      put(home, '.gitignore', 'secret\n');
      put(home, 'secret', 'hidden\n');
      put(home, 'untracked', 'mine\n');
      put(home, 'large', Buffer.alloc(10 * 1024 * 1024 + 1, 'x'));
      put(home, 'fits', Buffer.alloc(9 * 1024 * 1024, 'x'));
      await using server = startModelServer({ script: [calls(write('new.txt', 'x')), text('Done.')] });
      home.useModel(server.url);
      await home.run(['--approve', 'all', 'write']);
      const kept = home.git('ls-tree', '--name-only', 'refs/aish/c1/before').split('\n');
      expect(kept).toEqual(['.gitignore', 'README', 'fits', 'untracked']);
    },
    LONG,
  );

  test(
    '[checkpoint.contents] an untracked file that was overwritten comes back',
    async () => {
      using home = new Home();
      put(home, 'untracked', 'mine\n');
      await using server = startModelServer({ script: [calls(write('untracked', 'yours\n')), text('Done.')] });
      home.useModel(server.url);
      await home.run(['--approve', 'all', 'write']);
      expect(read(home, 'untracked')).toBe('yours\n');
      expect((await home.run(['undo'])).out).toMatch(/^undo c1: .*\n.*untracked\n$/);
      expect(read(home, 'untracked')).toBe('mine\n');
    },
    LONG,
  );
});

describe('mode "commit"', () => {
  const commitMode = '[checkpoint]\nmode = "commit"\n';

  test(
    '[checkpoint.commit] commits what the step is about to touch under the name of the tool, nothing else, and a clean tree goes on',
    async () => {
      using home = new Home();
      put(home, 'one.txt', 'changed by hand\n');
      put(home, 'other', 'not its affair\n');
      const script = [fsWrite(home, 'one.txt'), text('One.'), fsWrite(home, 'two.txt'), text('Two.')];
      await using server = startModelServer({ script });
      home.useModel(
        server.url,
        `${commitMode}${filesystemServer(home.work)}[mcp.auto_approve]\n"fs.write_file" = true\n`,
      );
      await learnTools(home);
      expect((await home.run(['write one'])).code).toBe(0);
      expect(home.git('log', '-1', '--format=%s')).toBe('aish auto-commit before write_file');
      expect(home.git('show', 'HEAD:one.txt')).toBe('changed by hand');
      expect(home.git('status', '--porcelain')).toBe('M one.txt\n?? other');
      home.git('add', '-A');
      home.git('commit', '-qm', 'by hand');
      expect((await home.run(['write two'])).code).toBe(0);
      expect([home.git('log', '-1', '--format=%s'), read(home, 'two.txt')]).toEqual(['by hand', 'Hello World']);
      expect(home.git('for-each-ref', 'refs/aish/*/before', '--format=%(refname)').split('\n')).toHaveLength(2);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[checkpoint.commit] [checkpoint.undo] undo takes the write back and leaves the commit',
    async () => {
      using home = new Home();
      put(home, 'README', 'changed by hand\n');
      await using server = startModelServer({ script: [calls(write('README', 'by the model\n')), text('Done.')] });
      home.useModel(server.url, commitMode);
      await home.run(['--approve', 'all', 'write']);
      expect((await home.run(['undo'])).code).toBe(0);
      expect(read(home, 'README')).toBe('changed by hand\n');
      expect(home.git('log', '-1', '--format=%s')).toBe('aish auto-commit before write_file');
      expect(home.git('status', '--porcelain')).toBe('');
    },
    LONG,
  );
});

describe('where no checkpoint can be made', () => {
  const once = (): Reply[] => [calls(write('test.txt', 'x')), text('Fine.')];

  test(
    '[checkpoint.outside] in the home directory it says so, is asked although approved, and always is not offered',
    async () => {
      using home = new Home({ repository: false });
      await using server = startModelServer({ script: once() });
      home.useModel(server.url, '[mcp.auto_approve]\n"aish.*" = true');
      await using terminal = home.open([], { cwd: home.home });
      await ask(terminal, 'write');
      const screen = await asked(terminal, 'aish.write_file');
      expect(screen).toMatch(/ {2}This cannot be undone: .*aish makes no checkpoints of your home/);
      expect(screen).not.toContain('[a] always');
      await answer(terminal, 'y');
      await answered(terminal, 'Fine.');
      expect(readFileSync(join(home.home, 'test.txt'), 'utf8')).toBe('x');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[checkpoint.outside] headless, not even --approve all lets such a write run',
    async () => {
      using home = new Home({ repository: false });
      await using server = startModelServer({ script: once() });
      home.useModel(server.url);
      expect((await home.run(['--approve', 'all', 'write'], { cwd: home.home })).code).toBe(3);
      expect(existsSync(join(home.home, 'test.txt'))).toBe(false);
    },
    LONG,
  );

  test(
    '[checkpoint.apart] without a repository a write is undone all the same, and the folder holds nothing of it',
    async () => {
      using home = new Home({ repository: false });
      await using server = startModelServer({ script: once() });
      put(home, 'mine.txt', 'mine');
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'write');
      expect(await asked(terminal, 'aish.write_file')).not.toContain('cannot be undone');
      await answer(terminal, 'y');
      await answered(terminal, 'Fine.');
      await prompted(terminal);
      terminal.type(':undo\n');
      await terminal.waitFor('removed  test.txt', PATIENCE);
      expect(readdirSync(home.work)).toEqual(['mine.txt']);
    },
    LONG,
  );

  test(
    '[checkpoint.disk] what steps take is told of all places, and goes from one where that is said',
    async () => {
      using home = new Home();
      const apart = join(home.root, 'apart');
      mkdirSync(apart);
      const script = [1, 2, 3, 4, 5].flatMap((at) => [calls(write('test.txt', `x${at}`)), text('Fine.')]);
      await using server = startModelServer({ script });
      home.useModel(server.url);
      for (const cwd of [home.work, home.work, apart, apart]) await home.run(['--approve', 'all', 'write'], { cwd });
      const json = async (...args: readonly string[]) =>
        JSON.parse((await home.run(['checkpoints', ...args, '--output', 'json'])).out);
      const { stores } = await json('usage');
      expect(stores.map(({ bytes, ...rest }: { bytes: number }) => ({ ...rest, isSome: bytes > 0 }))).toEqual([
        { root: apart, apart: true, isGone: false, steps: 2, isSome: true },
        { root: home.work, apart: false, isGone: false, steps: 2, isSome: true },
      ]);
      const list = await json('list', '--all');
      expect(
        list.places.map(({ root, steps }: { root: string; steps: { id: string }[] }) => [root, steps.length]),
      ).toEqual([
        [home.work, 2],
        [apart, 2],
      ]);
      expect((await home.run(['checkpoints', 'prune', '--keep', '1', '--dry-run'])).out).toContain(
        'would delete 1 checkpoint and keep 1',
      );
      expect((await home.run(['checkpoints'])).out.split('\n').filter((row) => /^c\d/.test(row))).toHaveLength(2);
      expect((await home.run(['checkpoints', 'prune', '--keep', '1'])).out).toContain('deleted 1 checkpoint, kept 1');
      expect((await home.run(['checkpoints'])).out.split('\n').filter((row) => /^c\d/.test(row))).toHaveLength(1);
      expect((await home.run(['undo'])).code).toBe(0);
      expect(read(home, 'test.txt')).toBe('x1');
      const pruned = await json('prune', '--all', '--keep', '1');
      expect(pruned.stores.map(({ root, removed }: { root: string; removed: string[] }) => [root, removed])).toEqual([
        [home.work, []],
        [apart, ['c1']],
      ]);
      expect((await home.run(['checkpoints', 'prune', '--keep', 'all'])).code).toBe(2);
      const linked = join(home.root, 'linked');
      home.git('worktree', 'add', '-q', linked);
      await home.run(['--approve', 'all', 'write'], { cwd: linked });
      const { places } = await json('list', '--all');
      expect(places.map(({ root }: { root: string }) => root)).toEqual([linked, home.work, apart]);
      // The newest step of the work tree, its undo, and the redo below: they go and stay together.
      expect((await home.run(['redo'])).code).toBe(0);
      const kept = await home.run(['checkpoints', 'prune', '--keep', '1']);
      expect(kept.out).toBe(
        `Nothing to delete.\n${home.work}: kept 3 instead of 1, because aish never deletes the newest checkpoint, nor its undos and redos\n`,
      );
    },
    LONG,
  );

  test(
    '[checkpoint.outside] an ignored file and one outside the work tree are asked too',
    async () => {
      using home = new Home();
      put(home, '.gitignore', 'secret\n');
      const script = [calls(write('secret', 'x')), calls(write(join(home.root, 'elsewhere'), 'x')), text('No.')];
      await using server = startModelServer({ script });
      home.useModel(server.url, '[mcp.auto_approve]\n"aish.*" = true');
      await using terminal = home.open();
      await ask(terminal, 'write');
      expect(await asked(terminal, 'aish.write_file')).toMatch(/cannot be undone: git ignores this file/);
      await answer(terminal, 'n');
      await terminal.waitFor(/cannot be undone: \S+\s+is outside the\s+work tree/, PATIENCE);
      await answer(terminal, 'n');
      await answered(terminal, 'No.');
      expect([read(home, 'secret'), existsSync(join(home.root, 'elsewhere'))]).toEqual([null, false]);
    },
    LONG,
  );

  test(
    '[checkpoint.outside] with mode "off" every write is asked and nothing is kept',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: once() });
      home.useModel(server.url, '[checkpoint]\nmode = "off"\n[mcp.auto_approve]\n"aish.*" = true');
      await using terminal = home.open();
      await ask(terminal, 'write');
      expect(await asked(terminal, 'aish.write_file')).toContain('This cannot be undone: checkpoints are off');
      await answer(terminal, 'y');
      await answered(terminal, 'Fine.');
      expect([read(home, 'test.txt'), home.git('for-each-ref', 'refs/aish')]).toEqual(['x', '']);
    },
    LONG,
  );
});

describe('undo', () => {
  test(
    '[checkpoint.undo] [checkpoint.list] at the prompt: :checkpoints, :diff, :undo, the undo of the undo, and nothing left',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [calls(write('README', 'bye\n')), text('Done.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'write');
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'y');
      await answered(terminal, 'Done.');
      terminal.type(':checkpoints\n');
      await answered(terminal, /^c1 {2}\d+ s ago {2}tool {2}~1 +before aish\.write_file$/m);
      terminal.type(':checkpoints usage\n');
      await answered(
        terminal,
        /1 checkpoint +\S+ +\(in the git repository\)\nLimits for each folder: 200 checkpoints, /,
      );
      terminal.type(':diff\n');
      await answered(terminal, /^@@ -1 \+1 @@\n-hello\n\+bye$/m);
      terminal.type(':undo\n');
      await answered(terminal, /^undo c1: .*\n {2}restored {2}README$/m);
      expect(read(home, 'README')).toBe('hello\n');
      terminal.type(':undo c2\n');
      await answered(terminal, /^redo c1: .*\n {2}restored {2}README$/m);
      expect(read(home, 'README')).toBe('bye\n');
      terminal.type(':undo c9\n');
      await answered(terminal, /there is no checkpoint "c9" in this work tree\n {2}the newest are c3, c2, c1/);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[checkpoint.undo] with nothing to take back it says so',
    async () => {
      using home = new Home();
      await using server = startModelServer();
      home.useModel(server.url);
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(':undo\n');
      await answered(terminal, 'there is nothing to undo in this work tree');
      terminal.type(':checkpoints\n');
      await answered(terminal, 'No checkpoints here yet.');
      terminal.type(':diff\n');
      await answered(terminal, 'there is no checkpoint in this work tree yet');
    },
    LONG,
  );

  test(
    '[checkpoint.conflict] a file that changed since is named and kept where that is chosen, the others go back',
    async () => {
      using home = new Home();
      const both = calls(write('README', 'by the model\n'), write('other', 'by the model\n'));
      await using server = startModelServer({ script: [both, text('Done.')] });
      home.useModel(server.url);
      await home.run(['--approve', 'all', 'write']);
      put(home, 'README', 'by hand since\n');
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(':undo\n');
      await terminal.waitFor(/README: it changed since[\s\S]*\[g\] give up$/, PATIENCE);
      expect([read(home, 'README'), read(home, 'other')]).toEqual(['by hand since\n', 'by the model\n']);
      await pause(terminal);
      terminal.type('k');
      await answered(terminal, /^undo c1: .*\n.* other\n {2}kept {2}README$/m);
      expect([read(home, 'README'), read(home, 'other')]).toEqual(['by hand since\n', null]);
    },
    LONG,
  );

  test(
    '[checkpoint.command] aish undo takes back from outside, one path where one is named',
    async () => {
      using home = new Home();
      const both = calls(write('README', 'by the model\n'), write('other', 'by the model\n'));
      await using server = startModelServer({ script: [both, text('Done.')] });
      home.useModel(server.url);
      await home.run(['--approve', 'all', 'write']);
      const diff = await home.run(['diff']);
      expect(diff.out).toContain('-hello\n+by the model\n');
      expect((await home.run(['undo', 'c1', 'other'])).out).toMatch(
        /^undo c1: .*\n {2}removed {2}other\n {2}:redo restores the removed files\n$/,
      );
      expect([read(home, 'README'), read(home, 'other')]).toEqual(['by the model\n', null]);
      expect((await home.run(['undo'])).out).toMatch(/^undo c1: .*\n.* README\n$/);
      expect(read(home, 'README')).toBe('hello\n');
      const more = await home.run(['undo']);
      expect([more.code, more.out, more.error.split('\n')[0]]).toEqual([
        1,
        '',
        'aish: there is nothing to undo in this work tree',
      ]);
    },
    LONG,
  );

  test(
    '[checkpoint.command] on another branch aish undo says that there is nothing to do, and the step is not used up',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [calls(write('README', 'by the model\n')), text('Done.')] });
      home.useModel(server.url);
      await home.run(['--approve', 'all', 'write']);
      home.git('commit', '-qam', 'second');
      home.git('checkout', '-q', 'HEAD~1');
      const { code, out } = await home.run(['undo']);
      expect([code, out.split('\n').slice(1)]).toEqual([
        1,
        [
          '  Nothing to do: the files are already as they were before this step.',
          '  On another branch, :undo c1 can still undo it. The next :undo goes to the step before it.',
          '',
        ],
      ]);
      expect((await home.run(['checkpoints'])).out).toMatch(/^c1 .*tool +~1 +before/);
      home.git('checkout', '-q', '-');
      expect([(await home.run(['undo'])).code, read(home, 'README')]).toEqual([0, 'hello\n']);
    },
    LONG,
  );

  test(
    '[checkpoint.command] from outside, a file that changed since is named, and the exit status tells',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [calls(write('README', 'by the model\n')), text('Done.')] });
      home.useModel(server.url);
      await home.run(['--approve', 'all', 'write']);
      put(home, 'README', 'by hand since\n');
      const { code, out } = await home.run(['undo']);
      expect([code, out.split('\n').slice(1)]).toEqual([1, ['  left as it is  README: it changed since', '']]);
      const outside = await home.run(['undo'], { cwd: home.root });
      expect([outside.code, outside.out]).toEqual([1, '']);
      expect(outside.error).toContain('git');
    },
    LONG,
  );
});

function fsWrite(home: Home, name: string): Reply {
  return calls({ name: 'fs__write_file', arguments: { path: join(home.work, name), content: 'Hello World' } });
}
