import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, type Reply, startModelServer, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';

const LONG = 120_000;

const run = (command: string): Reply => calls({ name: 'aish__exec', arguments: { command } });

/** Files that git does not know, one of them far away. */
function fill(home: Home): void {
  mkdirSync(join(home.work, 'out/deep'), { recursive: true });
  for (let number = 0; number < 12; number += 1)
    writeFileSync(join(home.work, `out/deep/${number}.bin`), 'x'.repeat(1000));
  writeFileSync(join(home.work, 'README'), 'changed\n');
  writeFileSync(join(home.home, 'far.txt'), 'far away\n');
}

/** The screen from the last approval prompt on, with the final estimate: on a busy machine less of it comes first. */
async function measured(terminal: TestTerminal, line: RegExp): Promise<readonly string[]> {
  await asked(terminal, 'aish.exec');
  const screen = await terminal.waitFor(
    new RegExp(`${line.source}[\\s\\S]*\\.(?![^\\n])(?![\\s\\S]*Still counting)`),
    PATIENCE,
  );
  const lines = screen.split('\n');
  return lines.slice(lines.findLastIndex((row) => row.startsWith('The model wants to')));
}

describe('what a call would touch', () => {
  test(
    '[gate.impact] stands under its question, counted on the real tree, and its keys work as before',
    async () => {
      using home = new Home();
      fill(home);
      await using server = startModelServer({ script: [run('rm -rf out README ~/far.txt'), text('Left alone.')] });
      home.useModel(server.url);
      await using terminal = home.open([], { columns: 140 });
      await ask(terminal, 'tidy up');
      const rows = await measured(terminal, /14 files.*not tracked/);
      const choices = rows.findIndex((row) => row.includes('[d] deny with a reason'));
      expect(rows.slice(choices + 1)).toContain(
        '  14 files (12.0 kB) and 2 folders: 12 not tracked by git, 1 changed since the last commit; 1 outside the project.',
      );
      await answer(terminal, 'n');
      await answered(terminal, 'Left alone.');
      expect(existsSync(join(home.home, 'far.txt'))).toBe(true);
    },
    LONG,
  );

  test(
    '[gate.impact] says of an ignored file that no undo brings it back, and the undo says why',
    async () => {
      using home = new Home();
      mkdirSync(join(home.work, 'build'));
      writeFileSync(join(home.work, 'build', 'f1'), 'made\n');
      writeFileSync(join(home.work, '.gitignore'), 'build/\n');
      await using server = startModelServer({ script: [run('rm -rf build/f1'), text('Gone.')] });
      home.useModel(server.url);
      await using terminal = home.open([], { columns: 140 });
      await ask(terminal, 'tidy up');
      const rows = await measured(terminal, /f1 \(5 B\).*back/);
      expect(rows).toContain('  build/f1 (5 B), which is ignored by git (no undo brings it back).');
      await answer(terminal, 'y');
      await answered(terminal, 'Gone.');
      terminal.type(':undo\n');
      await answered(
        terminal,
        /there is nothing to undo[\s\S]*files that git ignores and very large ones are in no\s+checkpoint/,
      );
    },
    LONG,
  );

  test(
    '[gate.impact] names machines, and what nobody can tell is not known',
    async () => {
      using home = new Home();
      await using server = startModelServer({
        script: [run('curl https://api.github.com/zen'), text('one'), run('make'), text('two')],
      });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'look');
      expect((await measured(terminal, /Host/)).join('\n')).toContain('\n  Host: api.github.com.');
      await answer(terminal, 'n');
      await answered(terminal, /^one$/m);
      await ask(terminal, 'build');
      expect((await measured(terminal, /nothing more/)).join('\n')).toMatch(
        /Runs make, which may do anything its Makefile says\.\n[\s\S]* {2}The estimate shows nothing more\. \[r\] dry run may show more\./,
      );
      await answer(terminal, 'n');
      await answered(terminal, /^two$/m);
    },
    LONG,
  );

  test(
    '[gate.impact] is counted again for a command that was edited, and told by :approve why',
    async () => {
      using home = new Home();
      fill(home);
      await using server = startModelServer({ script: [run('rm README'), text('done')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'tidy up');
      expect((await measured(terminal, /README \(.*since/)).join('\n')).toContain('changed since the last commit');
      await answer(terminal, 'e');
      await terminal.waitFor(/^ {2}new command: rm README$/m, PATIENCE);
      terminal.type('\x15rm ~/far.txt\n');
      const rows = await measured(terminal, /far\.txt \(9 B\)/);
      expect(rows.join('\n')).toMatch(/Deletes ~\/far\.txt\.[\s\S]* {2}\S+\/far\.txt \(9 B\).*outside the project/);
      await answer(terminal, 'y');
      await answered(terminal, /^done$/m);
      expect(existsSync(join(home.home, 'far.txt'))).toBe(false);
      terminal.type(':approve why\n');
      await answered(terminal, /impact preview:\n +Would delete \S+\/far\.txt/);
      const [id = ''] = readdirSync(join(home.state, 'sessions'));
      const log = readFileSync(join(home.state, 'sessions', id, 'log.jsonl'), 'utf8');
      const whole = log.split('\n').filter((row) => row.includes('"impact.estimated"') && !row.includes('"counting"'));
      expect(whole.length).toBe(2);
    },
    LONG,
  );

  test(
    '[gate.impact] fits a narrow window',
    async () => {
      using home = new Home();
      fill(home);
      await using server = startModelServer({ script: [run('rm -rf out'), text('Left alone.')] });
      home.useModel(server.url);
      await using terminal = home.open([], { columns: 32, rows: 40 });
      await ask(terminal, 'tidy up');
      const screen = await terminal.waitFor(/tracked by\s+git(?![\s\S]*Still counting)/, PATIENCE);
      expect(screen.replace(/\n {2}/g, ' ')).toContain('12 files (12.0 kB) and 2 folders: 12 not tracked by git');
      await answer(terminal, 'n');
      await answered(terminal, 'Left alone.');
    },
    LONG,
  );
});

test.each([
  ['AISH_SCREEN_READER', '1'],
  ['TERM', 'dumb'],
])(
  '[gate.impact] stands under its question where nothing is drawn twice too: %s=%s',
  async (name, value) => {
    using home = new Home();
    fill(home);
    await using server = startModelServer({ script: [run('rm -rf out'), text('Left alone.')] });
    home.useModel(server.url);
    await using terminal = home.open([], { env: { [name]: value } });
    await ask(terminal, 'tidy up');
    await terminal.waitFor(
      /a reason\n[\s\S]* {2}12 files \(12\.0 kB\) and 2 folders: 12 not tracked by git\.\n/,
      PATIENCE,
    );
    await answer(terminal, 'n');
    await answered(terminal, 'Left alone.');
    expect(terminal.history().match(/12 files.*tracked/g)).toHaveLength(1);
  },
  LONG,
);

test(
  '[gate.impact] :impact counts what a line Would touch and runs nothing of it',
  async () => {
    using home = new Home();
    fill(home);
    await using terminal = home.open();
    await prompted(terminal);
    terminal.type(':impact rm -rf out\n');
    await answered(terminal, '  Would delete 12 files (12.0 kB) and 2 folders: 12 not tracked by git.\n');
    terminal.type(':impact ls\n');
    await answered(terminal, '  Changes nothing.\n');
    terminal.type(':impact\n');
    await answered(terminal, 'usage: :impact <command>');
    expect(existsSync(join(home.work, 'out/deep/1.bin'))).toBe(true);
  },
  LONG,
);
