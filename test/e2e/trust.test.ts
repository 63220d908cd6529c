import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import {
  answer,
  answered,
  ask,
  asked,
  filesystemServer,
  fixtureServer,
  learnTools,
  stdioServer,
} from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { survivors } from '../support/processes.ts';
import { written } from '../support/until.ts';

const LONG = 120_000;

const look = calls({ name: 'x__look', arguments: { text: 'overwritten' } });
const RULES = '[mcp.auto_approve]\n"x.*" = true\n"fs.*" = true\n';
const liar = (more = '') => `${stdioServer('x', fixtureServer('liar.ts'))}${more}\n${RULES}`;
const readme = (home: Home) => readFileSync(join(home.work, 'README'), 'utf8');

describe("a server's word that its tool only reads", () => {
  test('[gate.auto-approve] [checkpoint.outside] is not believed where nothing can be undone', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [look, text('done')] });
    home.useModel(server.url, liar());
    await learnTools(home);
    expect((await home.run(['-p', 'go'], { cwd: home.home })).code).toBe(3);
    expect(existsSync(join(home.home, 'README'))).toBe(false);
  });

  test('[gate.auto-approve] is believed where the configuration trusts it', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [look, text('done')] });
    home.useModel(server.url, liar('trust_read_only = true'));
    await learnTools(home);
    expect((await home.run(['-p', 'go'], { cwd: home.home })).code).toBe(0);
    expect(existsSync(join(home.home, 'README'))).toBe(true);
  });

  test('[checkpoint.made] does not spare the checkpoint', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [look, text('done')] });
    home.useModel(server.url, liar());
    await learnTools(home);
    expect((await home.run(['-p', 'go'])).code).toBe(0);
    expect(readme(home)).toBe('overwritten');
    expect((await home.run(['undo'])).code).toBe(0);
    expect(readme(home)).toBe('hello\n');
  });
});

test("[checkpoint.outside] a path outside of the work tree is asked whatever a server's rule says", async () => {
  using home = new Home();
  const path = join(home.root, 'elsewhere.txt');
  const write = calls({ name: 'fs__write_file', arguments: { path, content: 'x' } });
  await using server = startModelServer({ script: [write, text('done')] });
  home.useModel(server.url, `${filesystemServer(home.root)}${RULES}`);
  await learnTools(home);
  expect((await home.run(['-p', 'go'])).code).toBe(3);
  expect(existsSync(path)).toBe(false);
});

describe('a read that leads out of the work tree', () => {
  const read = calls({ name: 'aish__read_file', arguments: { path: 'notes.txt' } });
  const link = (home: Home) => {
    writeFileSync(join(home.home, 'id'), 'the key');
    symlinkSync(join(home.home, 'id'), join(home.work, 'notes.txt'));
  };

  test('[cli.approve] is not covered by --approve read-only, and is by a rule for it', async () => {
    using home = new Home();
    link(home);
    await using server = startModelServer({ script: [read, text('done'), read, text('done')] });
    home.useModel(server.url);
    expect((await home.run(['-p', '--approve', 'read-only', 'go'])).code).toBe(3);
    expect(JSON.stringify(server.requests)).not.toContain('the key');
    home.useModel(server.url, '[mcp.auto_approve]\n"aish.read_file" = true\n');
    expect((await home.run(['-p', 'go'])).code).toBe(0);
    expect(JSON.stringify(server.requests)).toContain('the key');
  });

  test(
    '[gate.ask] is asked with the name of the real file',
    async () => {
      using home = new Home();
      link(home);
      await using server = startModelServer({ script: [read, text('Not then.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'read it');
      const screen = await asked(terminal, 'aish.read_file');
      expect(screen.replaceAll(/\n *(?:: )?/g, '')).toContain(
        `real path: ${join(home.home, 'id')} (outside the project)`,
      );
      await answer(terminal, 'n');
      await answered(terminal, 'Not then.');
    },
    LONG,
  );
});

test(
  '[checkpoint.undo] a checkpoint that Ctrl-C stopped leaves nothing that stands in the way of :undo',
  async () => {
    using home = new Home();
    const bin = join(home.root, 'bin');
    const [wish, sign] = [join(home.root, 'hang'), join(home.root, 'hangs')];
    mkdirSync(bin);
    const real = Bun.which('git') ?? 'git';
    const hang = `for word do [ "$word" = update-index ] && [ -e ${wish} ] && { echo $$ > ${sign}.part; mv ${sign}.part ${sign}; exec sleep 600; }; done`;
    // Only git can tell what this pattern covers, so a snapshot starts it.
    writeFileSync(join(home.work, '.git/info/exclude'), '[[:digit:]]\n');
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${hang}\nexec ${real} "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const write = (path: string) => calls({ name: 'aish__write_file', arguments: { path, content: 'x\n' } });
    await using server = startModelServer({
      script: [write('a.txt'), text('done one'), write('b.txt'), text('never')],
    });
    home.useModel(server.url);
    await using terminal = home.open([], { env: { PATH: `${bin}:${process.env.PATH}` } });
    await ask(terminal, 'one');
    await asked(terminal, 'aish.write_file');
    await answer(terminal, 'y');
    await answered(terminal, 'done one');
    // Shown once the first step is kept whole, so that what hangs below is the second one's checkpoint.
    terminal.type(':checkpoints\n');
    await answered(terminal, /^c1 .* \+1 /m);
    writeFileSync(join(home.work, 'new.txt'), 'by hand');
    writeFileSync(wish, '');
    await ask(terminal, 'two');
    await asked(terminal, 'aish.write_file');
    await answer(terminal, 'y');
    const pid = await written(sign, /^\d+\n$/);
    terminal.press('ctrl-c');
    await terminal.waitFor('interrupted', PATIENCE);
    await prompted(terminal);
    rmSync(wish);
    expect([await survivors([Number(pid)]), home.git('for-each-ref', '--format=%(refname)', 'refs/aish')]).toEqual([
      [],
      'refs/aish/c1/after\nrefs/aish/c1/before',
    ]);
    terminal.type(':undo\n');
    await answered(terminal, /undo c1: .*\n\s+\S+ +a\.txt/);
    expect([existsSync(join(home.work, 'a.txt')), existsSync(join(home.work, 'b.txt'))]).toEqual([false, false]);
  },
  LONG,
);

describe("a project's file", () => {
  const look = calls({ name: 'aish__exec', arguments: { command: 'git log -1 --format=%s' } });
  const file = (home: Home, toml: string) => {
    mkdirSync(join(home.work, '.aish'), { recursive: true });
    writeFileSync(join(home.work, '.aish', 'config.toml'), toml);
  };
  const RULES_OF_PROJECT = '[safety]\napprove = ["git log"]\ndeny = ["git push"]\n';

  test('[gate.trust] adds rules that tighten, and none that approves', async () => {
    using home = new Home();
    file(home, RULES_OF_PROJECT);
    const push = calls({ name: 'aish__exec', arguments: { command: 'git push' } });
    await using server = startModelServer({ script: [look, push, text('No.')] });
    home.useModel(server.url, '[safety]\napprove = ["git push"]');
    const { code, error } = await home.run(['-p', 'go']);
    expect([code, error.split('\n')]).toEqual([
      3,
      [
        `aish: ${home.work}/.aish/config.toml: aish ignores safety.approve, because an untrusted project file can only make settings stricter; to trust it, run: aish config trust`,
        'aish: denied: git log -1 --format=%s: no [safety] rule allows this command, and --approve does not apply to commands',
        'aish: refused (by the rule "git push"): git push',
        expect.stringMatching(/^ {2}to decide yourself, resume the session: aish --resume \w+$/),
        '',
      ],
    ]);
  });

  test(
    '[gate.trust] says all it does once a user has read it and typed yes, until one byte changes',
    async () => {
      using home = new Home();
      file(home, `${RULES_OF_PROJECT}# \u202e\n`);
      await using server = startModelServer({ script: [look, text('Looked.'), look, text('No.')] });
      home.useModel(server.url);
      await using first = home.open(['config', 'trust']);
      const shown = await first.waitFor('Type yes:', PATIENCE);
      expect(shown).toContain('  | approve = ["git log"]\n  | deny = ["git push"]\n  | # <U+202E>');
      first.type('yes\n');
      expect(await first.ended()).toBe(0);
      expect((await home.run(['-p', 'go'])).code).toBe(0);

      file(home, `${RULES_OF_PROJECT}# \u202e\n# more\n`);
      const changed = await home.run(['-p', 'go']);
      expect([changed.code, changed.error]).toEqual([3, expect.stringContaining('has changed since you trusted it')]);
      await using second = home.open(['config', 'trust']);
      const diff = await second.waitFor('Type yes:', PATIENCE);
      expect(diff).toMatch(/\| {2}# <U\+202E>\n {2}\| \+# more\n/);
      second.type('y\n');
      expect([await second.ended(), second.history()]).toEqual([0, expect.stringContaining('Nothing changed')]);
      expect((await home.run(['config', 'show'])).out).toContain('safety.approve = []');
    },
    LONG,
  );

  test('[gate.trust] is shown in a narrow window with no word of it or of ours cut', async () => {
    using home = new Home();
    mkdirSync(join(home.work, '.aish'));
    const comment = '# what is said here at some length is not to be cut within a word in any window';
    writeFileSync(join(home.work, '.aish', 'config.toml'), `${comment}\n`);
    await using terminal = home.open(['config', 'trust'], { columns: 40 });
    await terminal.waitFor(/Type yes:$/, PATIENCE);
    terminal.type('no\n');
    expect(await terminal.ended()).toBe(0);
    const shown = terminal.history();
    expect(shown).toContain(
      '  | # what is said here at some length\n  ¦  is not to be cut within a word in\n  ¦  any window\n',
    );
    expect(shown).toContain('\nShould this file have the same\neffect as your own configuration?\nType yes: no\n');
    expect(shown).toContain('\nNothing changed: the file can only make\nthings stricter.');
  });

  test('[gate.trust] is trusted by nobody where no user is, and no more after untrust', async () => {
    using home = new Home();
    file(home, RULES_OF_PROJECT);
    const nobody = await home.run(['config', 'trust'], { input: 'yes\n' });
    expect([nobody.code, nobody.error]).toEqual([1, expect.stringContaining('only a user at a terminal can trust')]);
    await using terminal = home.open(['config', 'trust']);
    await terminal.waitFor('Type yes:', PATIENCE);
    terminal.type('yes\n');
    await terminal.ended();
    expect((await home.run(['config', 'show'])).out).toContain('safety.approve = ["git log"]');
    expect((await home.run(['config', 'untrust'])).out).toContain('You no longer trust ');
    expect((await home.run(['config', 'show'])).out).toContain('safety.approve = []');
  });
});
