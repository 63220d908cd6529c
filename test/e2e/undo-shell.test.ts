import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { answered } from '../support/conversation.ts';
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
        ['  removed  --keep', '  :redo brings back what was removed', ''],
      ]);
      const diff = await home.run(['diff', 'nosuch']);
      expect([diff.code, diff.out, diff.error.split('\n')[0]]).toEqual([
        1,
        '',
        'aish: there is no nosuch, and there was none before the step',
      ]);
      const fewer = await home.run(['undo', '9']);
      expect([fewer.code, fewer.error, read(home, 'a')]).toEqual([0, 'aish: only 1 step was there to undo\n', null]);
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
      await terminal.waitFor(/1 of 2 {2}a: it changed since(?:.|\n)*\[g\]ive up\na letter and Enter >/, PATIENCE);
      terminal.type('x\n');
      await terminal.waitFor('that is none of the letters in brackets', PATIENCE);
      terminal.type('t\n');
      await terminal.waitFor(/2 of 2 {2}b: it changed since(?:.|\n)*\[g\]ive up\na letter and Enter >/, PATIENCE);
      terminal.type('k\n');
      expect([await terminal.exited, read(home, 'a'), read(home, 'b')]).toEqual([0, null, 'mine\n']);
      expect(terminal.history()).toMatch(
        /undo c1: .*\n {2}removed {2}a\n {2}kept {2}b\n {2}:redo brings back what was removed$/,
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
