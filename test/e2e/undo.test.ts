import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, filesystemServer, learnTools, pause } from '../support/conversation.ts';
import { openDaemonClient } from '../support/daemon-client.ts';
import { makeSteps, put, read, write } from '../support/made-steps.ts';
import { calls, held, type ModelServer, type Reply, startModelServer, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const LONG = 120_000;
const SEVERAL = 'one\ntwo\nthree\nfour\nfive\n';

async function open(home: Home, options: { readonly cwd?: string; readonly env?: Record<string, string> } = {}) {
  const terminal = home.open([], options);
  await prompted(terminal);
  return terminal;
}

/** Settles when the last path with a prompt is this one. */
function askedAbout(terminal: TestTerminal, path: string): Promise<string> {
  return terminal.waitFor((screen) => {
    const place = screen.lastIndexOf(` of `);
    return screen.slice(place).includes(`  ${path}: it changed since`) && /\[g\] give up$/.test(screen);
  }, PATIENCE);
}

async function press(terminal: TestTerminal, key: string): Promise<void> {
  await pause();
  terminal.type(key);
}

describe('an undo of a file that changed since', () => {
  /** The model changes the last line of one file and makes another; the user then changes one line. */
  async function makeConflict(line: 'first' | 'last'): Promise<{ home: Home; server: ModelServer }> {
    const home = new Home();
    put(home, 'list', SEVERAL);
    const server = await makeSteps(home, [[write('list', SEVERAL.replace('five', 'FIVE')), write('other', 'new\n')]]);
    const now = SEVERAL.replace('five', 'FIVE');
    put(home, 'list', line === 'first' ? now.replace('one', 'mine') : now.replace('FIVE', 'MINE'));
    return { home, server };
  }

  test(
    '[checkpoint.choice] shows both versions and touches nothing before the answer; keep leaves it, and the rest goes back',
    async () => {
      const { home, server } = await makeConflict('last');
      using _ = home;
      await using __ = server;
      await using terminal = await open(home);
      terminal.type(':undo\n');
      const screen = await askedAbout(terminal, 'list');
      expect(screen).toContain('undo c1: before aish.write_file');
      expect(screen).toContain('aish also undoes the changes to 1 file that nobody has edited since.');
      expect(screen).toContain('now: 5 lines, 24 B; after the undo: 5 lines, 24 B');
      expect(screen).toContain('  -MINE\n  +five\n');
      expect(screen).toContain('[k] keep the current version  [t] take the old version  [g] give up');
      expect([read(home, 'list')?.includes('MINE'), read(home, 'other')]).toEqual([true, 'new\n']);
      await press(terminal, 'k');
      await answered(terminal, /^undo c1: .*\n {2}removed {2}other\n {2}kept {2}list$/m);
      expect([read(home, 'list')?.includes('MINE'), read(home, 'other')]).toEqual([true, null]);
      terminal.type(':checkpoints\n');
      expect(await answered(terminal, /^c1 .* undone /m)).toMatch(/^c2 .* undo of c1 +-1$/m);
    },
    LONG,
  );

  test(
    '[checkpoint.choice] take puts the old one back, and :redo returns what the user had written',
    async () => {
      const { home, server } = await makeConflict('last');
      using _ = home;
      await using __ = server;
      const mine = read(home, 'list');
      await using terminal = await open(home);
      terminal.type(':undo\n');
      await askedAbout(terminal, 'list');
      await press(terminal, 't');
      await answered(terminal, /^undo c1: .*\n {2}restored {2}list\n {2}removed {2}other$/m);
      expect(read(home, 'list')).toBe(SEVERAL);
      terminal.type(':redo\n');
      await answered(terminal, /^redo c1: .*\n {2}restored {2}list\n {2}restored {2}other$/m);
      expect([read(home, 'list'), read(home, 'other')]).toEqual([mine, 'new\n']);
    },
    LONG,
  );

  test(
    '[checkpoint.choice] merge takes the step out of what the user made of it',
    async () => {
      const { home, server } = await makeConflict('first');
      using _ = home;
      await using __ = server;
      await using terminal = await open(home);
      terminal.type(':undo\n');
      expect(await askedAbout(terminal, 'list')).toContain('[m] merge both  [v] view all');
      await press(terminal, 'v');
      await terminal.waitFor(/ merged:$/m, PATIENCE);
      await press(terminal, 'm');
      await answered(terminal, /^undo c1: .*\n {2}restored {2}list/m);
      expect(read(home, 'list')).toBe(SEVERAL.replace('one', 'mine'));
    },
    LONG,
  );

  test(
    '[checkpoint.choice] given up, by the key or by Ctrl-C, nothing is touched',
    async () => {
      const { home, server } = await makeConflict('last');
      using _ = home;
      await using __ = server;
      const mine = read(home, 'list');
      await using terminal = await open(home);
      for (const key of ['g', '\x03']) {
        terminal.type(':undo\n');
        await askedAbout(terminal, 'list');
        await press(terminal, key);
        await prompted(terminal);
        expect(terminal.screen()).toContain('  cancelled\n  nothing changed\n');
        terminal.type(' clear\n');
        await terminal.waitFor((screen) => !screen.includes('cancelled'), PATIENCE);
        await prompted(terminal);
      }
      expect([read(home, 'list'), read(home, 'other')]).toEqual([mine, 'new\n']);
    },
    LONG,
  );

  test(
    '[checkpoint.choice] a plain list on a terminal that understands nothing, each path with an answer of its own',
    async () => {
      using home = new Home();
      await using _ = await makeSteps(home, [[write('a', 'model\n'), write('b', 'model\n'), write('c', 'model\n')]]);
      for (const name of ['a', 'b', 'c']) put(home, name, 'mine\n');
      await using terminal = home.open([], { env: { TERM: 'dumb' } });
      await prompted(terminal);
      terminal.type(':undo\n');
      await askedAbout(terminal, 'a');
      await press(terminal, 'k');
      expect(await askedAbout(terminal, 'b')).toContain('[K] keep all 2');
      await press(terminal, 'T');
      await answered(terminal, /^undo c1: .*\n {2}removed {2}b\n {2}removed {2}c\n {2}kept {2}a$/m);
      expect([read(home, 'a'), read(home, 'b'), read(home, 'c')]).toEqual(['mine\n', null, null]);
    },
    LONG,
  );

  test(
    '[checkpoint.choice] what changes while it is asked about is left alone, and told',
    async () => {
      const { home, server } = await makeConflict('last');
      using _ = home;
      await using __ = server;
      await using terminal = await open(home);
      terminal.type(':undo\n');
      await askedAbout(terminal, 'list');
      put(home, 'list', 'saved by an editor meanwhile\n');
      await press(terminal, 't');
      await answered(terminal, /^undo c1: .*\n {2}removed {2}other\n {2}left as it is {2}list: it changed since$/m);
      expect(read(home, 'list')).toBe('saved by an editor meanwhile\n');
    },
    LONG,
  );
});

describe('several steps', () => {
  const steps = [[write('a', '1')], [write('a', '2')], [write('b', '3')]];

  test(
    '[checkpoint.steps] go back and forth by their number, each on its own, and by a path the newest that changed it',
    async () => {
      using home = new Home();
      await using _ = await makeSteps(home, steps);
      await using terminal = await open(home);
      terminal.type(':undo 2\n');
      await answered(
        terminal,
        /^undo c3: .*\n {2}removed {2}b\n {2}:redo restores the removed files\nundo c2: .*\n {2}restored {2}a$/m,
      );
      expect([read(home, 'a'), read(home, 'b')]).toEqual(['1', null]);
      terminal.type(':redo 2\n');
      await answered(terminal, /^redo c2: .*\n {2}restored {2}a\nredo c3: .*\n {2}restored {2}b$/m);
      expect([read(home, 'a'), read(home, 'b')]).toEqual(['2', '3']);
      terminal.type(':undo a\n');
      await answered(terminal, /redo c3: .*\n.*\n(?:.*\n)*undo c2: .*\n {2}restored {2}a$/m);
      expect([read(home, 'a'), read(home, 'b')]).toEqual(['1', '3']);
      terminal.type(':undo 0\n');
      await answered(terminal, ':undo cannot use the argument "0"');
    },
    LONG,
  );

  test(
    '[checkpoint.steps] in a folder below, paths are those of that folder',
    async () => {
      using home = new Home();
      mkdirSync(join(home.work, 'sub'));
      await using _ = await makeSteps(home, [[write('sub/x', '1'), write('x', '1')]]);
      await using terminal = await open(home, { cwd: join(home.work, 'sub') });
      terminal.type(':undo x\n');
      await answered(terminal, /^undo c1: .*\n {2}removed {2}sub\/x$/m);
      expect([read(home, 'sub/x'), read(home, 'x')]).toEqual([null, '1']);
    },
    LONG,
  );

  test(
    '[checkpoint.command] aish undo 2, aish redo and a choice for what changed since do the same from any shell',
    async () => {
      using home = new Home();
      await using _ = await makeSteps(home, steps);
      expect((await home.run(['undo', '2'])).out).toMatch(
        /^undo c3: .*\n {2}removed {2}b\n {2}:redo restores the removed files\nundo c2: .*\n {2}restored {2}a\n$/,
      );
      expect((await home.run(['redo'])).out).toMatch(/^redo c2: before .* \(\d+ s ago\)\n {2}restored {2}a\n$/);
      put(home, 'a', 'by hand');
      const left = await home.run(['undo', 'c2']);
      expect([left.code, left.out.split('\n').slice(1)]).toEqual([1, ['  left as it is  a: it changed since', '']]);
      expect(left.error).toContain('to choose: aish undo c2 --keep or --take');
      const taken = await home.run(['undo', 'c2', '--take']);
      expect([taken.code, taken.out.split('\n').slice(1)]).toEqual([0, ['  restored  a', '']]);
      expect(read(home, 'a')).toBe('1');
      expect(await home.run(['undo', '--keep', '--take'])).toMatchObject({ code: 2 });
    },
    LONG,
  );
});

describe('the model', () => {
  test(
    '[checkpoint.told] is told at the next request what the user undid',
    async () => {
      using home = new Home();
      const script = [calls(write('README', 'bye\n')), text('Done.'), text('I see.')];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'write');
      await asked(terminal, 'aish.write_file');
      await answer(terminal, 'y');
      await answered(terminal, 'Done.');
      terminal.type(':undo\n');
      await answered(terminal, /restored {2}README/);
      await ask(terminal, 'and now');
      await answered(terminal, 'I see.');
      expect(server.requests.at(-1)?.body.messages.at(-1)?.content).toBe(
        '[the user undid c1 (before aish.write_file): README is back to before that step]\n\nand now',
      );
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});

describe('a step', () => {
  test(
    '[checkpoint.cause] is put down to the command, the CMD: line or the server that made it, with what it changed',
    async () => {
      using home = new Home();
      put(home, 'old', 'x\n');
      const script = [
        calls({ name: 'aish__exec', arguments: { command: 'echo 1 > one; rm old' } }),
        text('Next.\n\nCMD: echo 2 > two'),
        calls({ name: 'fs__write_file', arguments: { path: join(home.work, 'README'), content: 'three' } }),
        text('Done.'),
      ];
      await using server = startModelServer({ script });
      home.useModel(server.url, filesystemServer(home.work));
      await learnTools(home);
      await using terminal = home.open();
      await ask(terminal, 'go');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'y');
      await terminal.waitFor(/The answer suggests running:\n/, PATIENCE);
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'y');
      await prompted(terminal);
      await ask(terminal, 'and by the server');
      await asked(terminal, 'fs.write_file');
      await answer(terminal, 'y');
      await answered(terminal, 'Done.');
      terminal.type(':checkpoints\n');
      const screen = await answered(terminal, /^c1 .*before \$ echo 1 > one; rm old$/m);
      expect(screen).toMatch(
        /^c3 .* server +~1 +before fs\.write_file\nc2 .* CMD: line +\+1 +before \$ echo 2 > two\n/m,
      );
      expect(screen).toMatch(/^c1 .* command +\+1 -1 +before/m);
      terminal.type(':undo 3\n');
      await answered(terminal, /^undo c1: .*\n {2}restored {2}old\n {2}removed {2}one$/m);
      expect([read(home, 'old'), read(home, 'one'), read(home, 'two'), read(home, 'README')]).toEqual([
        'x\n',
        null,
        null,
        'hello\n',
      ]);
    },
    LONG,
  );

  test(
    '[checkpoint.cause] is not put down what a background job of it writes later, and an undo leaves that',
    async () => {
      using home = new Home();
      const command = 'mkfifo go; (read -r _ < go; echo late > late) & echo now > now';
      await using server = startModelServer({
        script: [calls({ name: 'aish__exec', arguments: { command } }), text('Done.')],
      });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'go');
      await asked(terminal, 'aish.exec');
      await answer(terminal, 'y');
      await answered(terminal, 'Done.');
      terminal.type(':checkpoints\n');
      await answered(terminal, /^c1 .* command +\+1 +before/m);
      await runLine(terminal, 'echo > go; wait');
      expect(read(home, 'late')).toBe('late\n');
      terminal.type(':undo\n');
      await answered(terminal, /^undo c1: .*\n {2}removed {2}now$/m);
      expect([read(home, 'now'), read(home, 'late')]).toEqual([null, 'late\n']);
    },
    LONG,
  );

  test(
    '[checkpoint.cause] goes on after a question, and what the user changes while they are asked is none of it',
    async () => {
      using home = new Home();
      const two = (): Reply => calls(write('a', 'model\n'), write('b', 'model\n'));
      await using server = startModelServer({ script: [two(), text('One.'), two(), text('Two.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      for (const said of ['One.', 'Two.']) {
        await ask(terminal, `go ${said}`);
        for (const path of ['a', 'b']) {
          await terminal.waitFor((screen) => {
            const from = screen.lastIndexOf(`?go ${said}`);
            return from >= 0 && screen.lastIndexOf(`path: "${path}"`) > from;
          }, PATIENCE);
          if (said === 'Two.' && path === 'b') {
            // A snapshot of the step's changes so far is taken at its prompt.
            await until(
              { what: 'the snapshot of the step' },
              () => home.git('for-each-ref', 'refs/aish/c2/after') !== '',
            );
            put(home, 'mine', 'saved in an editor\n');
          }
          await answer(terminal, 'y');
        }
        await answered(terminal, `\n${said}\n`);
        if (said === 'One.') {
          terminal.type(':checkpoints\n');
          await answered(terminal, /work : :checkpoints\nc1 .* tool +\+2 +before aish\.write_file and 1 more call\n/);
          put(home, 'a', 'other\n');
          put(home, 'b', 'other\n');
        }
      }
      terminal.type(':undo 2\n');
      await answered(terminal, /^undo c3: .*\n {2}restored {2}b\nundo c2: .*\n {2}restored {2}a$/m);
      expect([read(home, 'a'), read(home, 'b'), read(home, 'mine')]).toEqual([
        'other\n',
        'other\n',
        'saved in an editor\n',
      ]);
    },
    LONG,
  );

  test(
    "[checkpoint.user] of the user's own is one where that is wanted, for commands that may change something alone",
    async () => {
      using home = new Home();
      await using server = startModelServer();
      home.useModel(server.url, '[checkpoint]\ncommands = "mutating"\n');
      await using terminal = home.open();
      await runLine(terminal, 'echo mine > own; cat README');
      await runLine(terminal, 'cat own README');
      await runLine(terminal, 'rm own');
      terminal.type(':checkpoints\n');
      const screen = await answered(terminal, /^c1 .* you +\+1 +before \$ echo mine > own; cat README$/m);
      expect(screen).toMatch(/^c2 .* you +-1 +before \$ rm own\nc1 /m);
      terminal.type(':undo\n');
      await answered(terminal, /^undo c2: .*\n {2}restored {2}own$/m);
      expect(read(home, 'own')).toBe('mine\n');
      // It runs while its checkpoint waits for its end, and is interrupted like any other.
      terminal.type('cat > begun\n');
      await until({ what: 'the start of the command' }, () => read(home, 'begun') !== null);
      terminal.press('ctrl-c');
      await terminal.waitFor(/\[SIGINT\] [^\n]*>$/, PATIENCE);
      terminal.type(':undo\n');
      await terminal.waitForHistory(/undo c4: .*\n {2}removed {2}begun/, PATIENCE);
      expect(read(home, 'begun')).toBeNull();
    },
    LONG,
  );

  test(
    "[checkpoint.user] is none of the user's own by default",
    async () => {
      using home = new Home();
      await using server = startModelServer();
      home.useModel(server.url);
      await using terminal = home.open();
      await runLine(terminal, 'echo mine > own');
      terminal.type(':checkpoints\n');
      await answered(terminal, 'No checkpoints here yet.');
    },
    LONG,
  );
});

describe('an undo in the way of something', () => {
  test(
    '[checkpoint.busy] is refused in words while the model works, and its line stays',
    async () => {
      using home = new Home();
      const rest = Promise.withResolvers<void>();
      await using server = startModelServer({ script: [held(text('One. Two.'), rest.promise, 1)] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'talk');
      await terminal.waitFor(/ \+$/, PATIENCE);
      terminal.type(':undo\n');
      const screen = await terminal.waitFor(/Ctrl-C to\s+stop the model first/, PATIENCE);
      expect(screen.replace(/\s+/g, ' ')).toContain(':undo cannot wait while the model works');
      await terminal.waitFor(/: :undo$/, PATIENCE);
      rest.resolve();
      await terminal.waitFor(/One\. Two\.\n(?:.|\n)*:undo$/, PATIENCE);
    },
    LONG,
  );

  test(
    '[checkpoint.cut] killed among its files is told when the session goes on, and done again it is whole',
    async () => {
      using home = new Home();
      const bin = join(home.root, 'bin');
      const [wish, sign] = [join(home.root, 'hang'), join(home.root, 'hangs')];
      mkdirSync(bin);
      const hang = `for word do [ "$word" = --batch ] && [ -e ${wish} ] && { : > ${sign}; exec sleep 600; }; done`;
      writeFileSync(join(bin, 'git'), `#!/bin/sh\n${hang}\nexec ${Bun.which('git') ?? 'git'} "$@"\n`);
      chmodSync(join(bin, 'git'), 0o755);
      await using _ = await makeSteps(home, [[write('README', 'model\n'), write('new', 'model\n')]]);
      const env = { PATH: `${bin}:${process.env.PATH}` };
      await using killed = await open(home, { env });
      await ask(killed, 'hello');
      await answered(killed, 'Fine.');
      // Only packed objects are read by git.
      home.git('repack', '-adq');
      writeFileSync(wish, '');
      killed.type(':undo\n');
      await until({ what: 'the git that hangs' }, () => existsSync(sign));
      process.kill(killed.pid, 'SIGKILL');
      await killed.ended();
      expect([read(home, 'new'), read(home, 'README')]).toEqual([null, 'model\n']);
      await using terminal = home.open(['--continue']);
      await answered(terminal, /an undo was cut short when aish ended; :undo continues it/);
      terminal.type(':undo\n');
      await answered(terminal, /^undo c1: .*\n {2}restored {2}README$/m);
      expect([read(home, 'new'), read(home, 'README')]).toEqual([null, 'hello\n']);
      terminal.type(':redo\n');
      await answered(terminal, /^redo c1: .*\n {2}restored {2}README\n {2}restored {2}new$/m);
      expect([read(home, 'new'), read(home, 'README')]).toEqual(['model\n', 'model\n']);
    },
    LONG,
  );
});

describe('a daemon', () => {
  test(
    '[checkpoint.json] takes undo, redo and the choice for what changed since as JSON, and tells them as facts',
    async () => {
      using home = new Home();
      await using _ = await makeSteps(home, [[write('README', 'model\n'), write('new', 'model\n')]]);
      put(home, 'README', 'mine\n');
      await using attached = await openDaemonClient(home);
      await attached.submit({ type: 'restore', checkpoint: null });
      await attached.came('restore.conflicted');
      const [asked] = factsOf(attached.seen(), 'restore.conflicted');
      expect(asked).toMatchObject({
        prompt: {
          checkpoint: 'c1',
          direction: 'undo',
          free: 1,
          conflicts: [{ key: 'README', choices: ['mine', 'theirs'], diff: expect.stringContaining('-mine\n+hello\n') }],
        },
      });
      expect([read(home, 'README'), read(home, 'new')]).toEqual(['mine\n', 'model\n']);
      await attached.submit({ type: 'resolve', choices: { README: 'theirs' } });
      await attached.came('restore.completed');
      expect([read(home, 'README'), read(home, 'new')]).toEqual(['hello\n', null]);
      await attached.submit({ type: 'restore', checkpoint: 'c1', direction: 'redo' });
      await attached.came('restore.completed', 2);
      expect(factsOf(attached.seen(), 'restore.completed')[1]).toMatchObject({
        checkpoint: 'c1',
        direction: 'redo',
        report: { restored: ['README', 'new'], refused: [] },
      });
      expect([read(home, 'README'), read(home, 'new')]).toEqual(['mine\n', 'model\n']);
    },
    LONG,
  );
});

/** The events of a type among the bytes of an event stream. */
function factsOf(seen: string, type: string): readonly unknown[] {
  return [...seen.matchAll(/^data: (.*)$/gm)]
    .map(([, data = '']) => JSON.parse(data).event)
    .filter((event) => event?.type === type);
}
