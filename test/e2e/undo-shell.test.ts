import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { answered, pause } from '../support/conversation.ts';
import { makeSteps, put, read, write } from '../support/made-steps.ts';

const LONG = 120_000;

describe('from any shell', () => {
  test(
    '[checkpoint.command] what cannot be meant is an error, a path behind -- is one, and fewer steps than asked for are told',
    async () => {
      using home = new Home();
      await using _ = await makeSteps(home, [[write('a', '1')], [write('--keep', '2')]]);
      expect(await home.run(['undo', '-1'])).toMatchObject({ code: 2, out: '' });
      const behind = await home.run(['undo', '--', '--keep']);
      expect([behind.code, behind.out.split('\n').slice(1)]).toEqual([
        0,
        ['  removed  --keep', '  :redo restores the removed files', ''],
      ]);
      const diff = await home.run(['diff', 'nosuch']);
      expect([diff.code, diff.out, diff.error.split('\n')[0]]).toEqual([
        1,
        '',
        'aish: there is no nosuch, now or at the checkpoint',
      ]);
      const fewer = await home.run(['undo', '9']);
      expect([fewer.code, fewer.error, read(home, 'a')]).toEqual([0, 'aish: there was only 1 change to undo\n', null]);
    },
    LONG,
  );

  test(
    '[checkpoint.command] an undo keeps as many steps as the configuration says',
    async () => {
      using home = new Home();
      await using server = await makeSteps(home, [[write('a', '1')]]);
      home.useModel(server.url, '[checkpoint]\nkeep = 1000');
      const [before, after] = ['before', 'after'].map((side) => home.git('rev-parse', `refs/aish/c1/${side}`).trim());
      const more = Array.from({ length: 300 }, (_, at) => `refs/aish/c${at + 2}`);
      for (const ref of more) home.git('update-ref', `${ref}/before`, before ?? '');
      for (const ref of more) home.git('update-ref', `${ref}/after`, after ?? '');
      const kept = () =>
        home.git('for-each-ref', '--format=%(refname)', 'refs/aish/*/before').trim().split('\n').length;
      expect([(await home.run(['undo'])).code, kept()]).toEqual([0, 302]);
      home.useModel(server.url, '[checkpoint]\nkeep = 10');
      expect([(await home.run(['redo'])).code, kept()]).toEqual([0, 10]);
    },
    LONG,
  );

  test(
    '[checkpoint.choice] several steps that are given up half-way: it says what was undone and what was not, in the shell and in a session',
    async () => {
      using home = new Home();
      await using _ = await makeSteps(home, [[write('a', '1')], [write('b', '2')], [write('c', '3')]]);
      put(home, 'b', 'mine');
      await using terminal = home.open(['undo', '3'], { env: { TERM: 'dumb' } });
      await terminal.waitFor(/1 of 1 {2}b: it changed since(?:.|\n)*Type a letter and press Enter:/, PATIENCE);
      terminal.type('g\n');
      expect([await terminal.ended(), read(home, 'a'), read(home, 'b'), read(home, 'c')]).toEqual([
        1,
        '1',
        'mine',
        null,
      ]);
      expect(terminal.history()).toContain('undid 1 of 3 changes; did not undo c2 and 1 more');
      expect((await home.run(['redo'])).code).toBe(0);
      await using session = home.open([]);
      await prompted(session);
      session.type(':undo 3\n');
      await session.waitFor('[g] give up', PATIENCE);
      await pause();
      session.type('g');
      await session.waitFor('  undid 1 of 3 changes; did not undo c2 and 1 more', PATIENCE);
      expect([read(home, 'b'), read(home, 'c')]).toEqual(['mine', null]);
    },
    LONG,
  );

  test(
    '[checkpoint.command] aish undo asks at a terminal, a line for each file, and a letter that is none changes nothing',
    async () => {
      using home = new Home();
      await using _ = await makeSteps(home, [[write('a', 'model\n'), write('b', 'model\n')]]);
      for (const name of ['a', 'b']) put(home, name, 'mine\n');
      await using terminal = home.open(['undo'], { env: { TERM: 'dumb' } });
      await terminal.waitFor(
        /1 of 2 {2}a: it changed since(?:.|\n)*\[g\] give up\nType a letter and press Enter:/,
        PATIENCE,
      );
      terminal.type('x\n');
      await terminal.waitFor('Type one of the letters in brackets.', PATIENCE);
      terminal.type('t\n');
      await terminal.waitFor(
        /2 of 2 {2}b: it changed since(?:.|\n)*\[g\] give up\nType a letter and press Enter:/,
        PATIENCE,
      );
      terminal.type('k\n');
      expect([await terminal.ended(), read(home, 'a'), read(home, 'b')]).toEqual([0, null, 'mine\n']);
      expect(terminal.history()).toMatch(
        /undo c1: .*\n {2}removed {2}a\n {2}kept {2}b\n {2}:redo restores the removed files$/,
      );
    },
    LONG,
  );

  test(
    '[checkpoint.list] :diff and aish diff take paths and --step, and what is long opens in the pager',
    async () => {
      using home = new Home();
      const long = Array.from({ length: 60 }, (_, at) => `${at}\n`).join('');
      await using _ = await makeSteps(home, [[write('long', long), write('README', 'bye\n')]]);
      put(home, 'README', 'mine\n');
      expect((await home.run(['diff', 'README'])).out).toContain('-hello\n+mine\n');
      expect((await home.run(['diff', '--step', 'c1', 'README'])).out).toContain('-hello\n+bye\n');
      await using terminal = home.open([], { env: { PAGER: 'sed s/^/paged:/' } });
      await prompted(terminal);
      terminal.type('(exit 7)\n');
      await terminal.waitFor(/^\[7\] \S+ >/m, PATIENCE);
      terminal.type(':diff --step c1 README\n');
      await answered(terminal, /^-hello\n\+bye$/m);
      terminal.type(':diff long\n');
      // Reading is no command: the status of the last one stands on.
      await answered(terminal, /^paged:\+59\n\[7\] \S+ >/m);
      expect(readdirSync(join(home.root, 'run', 'aish')).filter((name) => name.startsWith('diff-'))).toEqual([]);
    },
    LONG,
  );
});
