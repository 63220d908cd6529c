import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SANDBOX_USERS, SANDBOX_WORKS, SandboxedUser } from '../../../test/support/in-sandbox.ts';

const SECRETS = [
  ...['other/.env', 'other/server.key', 'other/deep/.bash_history', 'other/notes.txt', '.bash_history', '.netrc'],
  ...['Documents/keys/wallet.dat', '.myapp-token', '.config/myapp/auth.json', '.config/myapp/session'],
  ...['.local/share/app/token.json', '.ssh/id_ed25519', '.aws/credentials', '.config/git/credentials'],
  ...['.cargo/credentials.toml', '.cargo/bin/.env', 'project/.env', 'project/deep/prod.tfvars', 'private/session'],
];
const READERS = [
  'grep -rn "" ~',
  'grep -Rn "" .',
  'grep -rn "" ~/other ../other',
  'find ~/other -type f | xargs cat',
  // The programs of the system and packages are most of what there is, and no home is among them.
  'find / -path /usr -prune -o -name node_modules -prune -o -name "*.env" -o -name auth.json -o -name "*.key" 2>/dev/null | xargs cat',
  'cat ../*/.env ../.[a-z]* ~/*/*',
  'cat link folder/.env chain .env deep/*',
  'while read -r f; do cat "$f"; done < list',
  'tar cf - ~ -C / home 2>/dev/null',
  'ls -R ~ | sed "s|^|$HOME/other/|" | xargs -d "\\n" head -c 200',
  'wc --files0-from=$HOME/.myapp-token; du --files0-from=$HOME/.config/myapp/session; date -f ~/other/notes.txt; sort ~/other/notes.txt',
  'cat /proc/self/root$HOME/other/.env /proc/self/cwd/../other/.env',
  `python3 -c 'import os
for top in ("/home", os.path.expanduser("~")):
  for folder, _, names in os.walk(top, followlinks=True):
    for name in names:
      try: print(open(folder + "/" + name, errors="replace").read(9999))
      except OSError: pass'`,
];
const PLACES = ['temporary', 'homes'] as const;
const CASES = SANDBOX_USERS.flatMap((user) => PLACES.map((where) => [user, where] as const));

describe.skipIf(!SANDBOX_WORKS).each(CASES)('to %s, in a home among the %s folders', (user, where) => {
  let own: SandboxedUser;
  let beside = '';
  beforeAll(() => {
    own = new SandboxedUser(user, where);
    beside = join(own.home, '../beside/.env');
    mkdirSync(dirname(beside));
    writeFileSync(beside, 'KANARIE\n');
    writeFileSync(join(dirname(beside), 'notes'), 'KANARIE\n');
  });
  afterAll(() => own.close());
  const canaries = Object.fromEntries(SECRETS.map((name) => [name, 'KANARIE\n']));

  test.each([false, true])('no reader brings anything of the home but the project (writes it: %p)', async (writes) => {
    const list = `${SECRETS.map((name) => own.at(name)).join('\n')}\n${beside}\n`;
    const links = {
      'project/link': '../other/.env',
      'project/folder': own.at('other'),
      'project/chain': 'link',
      'project/up': '..',
      'project/beside': beside,
    };
    const { output } = await own.run(`${READERS.join('\n')}\ncat beside up/other/.env\necho 'the end'`, {
      writes,
      files: { ...canaries, 'project/list': list },
      links,
    });
    expect(output.split('\n').filter((line) => line.includes('KANARIE'))).toEqual([]);
    expect(output).toContain('the end');
  });

  test('programs, settings of git, skills and the project are there', async () => {
    const files = {
      '.local/bin/tool': '#!/bin/sh\necho tool runs\n',
      '.gitconfig': '[user]\n  name = Ann\n',
      'project/a b/ü\n.txt': 'content\n',
      'private/skills/forms/ink.md': 'blue\n',
    };
    const skill = 'cat ~/private/skills/forms/ink.md; : 2>/dev/null >> ~/private/skills/forms/ink.md || echo closed';
    const { output } = await own.run(`tool; git config user.name; cat a*/*; pwd; ls -d ~; ${skill}`, {
      files,
      before: 'chmod +x .local/bin/tool',
    });
    expect(output).toBe(`tool runs\nAnn\ncontent\n${own.at('project')}\n${own.home}\nblue\nclosed\n`);
  });

  test('a project is there by the links that lead to it, wherever they lie', async () => {
    const { output } = await own.run(`cat a ${own.at('way/a')} ~/project/a; pwd -P`, {
      project: 'way',
      files: { 'code/real/a': 'content\n', 'project/a': 'KANARIE\n' },
      links: { way: 'second', second: 'code/real' },
    });
    expect(output).toBe(
      `content\ncontent\ncat: ${own.at('project/a')}: No such file or directory\n${own.at('code/real')}\n`,
    );
  });

  test('a project in a folder with blanks, other letters and the end of a line is there', async () => {
    const name = 'my code/größe\n 1';
    const { output } = await own.run('cat a; echo x > b; cat b', {
      writes: true,
      project: name,
      files: { [`${name}/a`]: 'content\n' },
    });
    expect([output, own.read(`${name}/b`)]).toEqual(['content\nx\n', 'x\n']);
  });

  const GIT =
    'export GIT_CONFIG_GLOBAL=/dev/null; g() { git -c user.name=a -c user.email=a@b -c protocol.file.allow=always "$@"; };';

  test('a linked work tree has its repository, which cannot be written to', async () => {
    const { output } = await own.run(
      'git log --format=%s; git status -sb; (echo x > ~/main/.git/HEAD) 2>/dev/null || echo no; ls ~/main',
      {
        writes: true,
        project: 'tree',
        before: `${GIT} rm -rf main tree; g init -q -b one main && g -C main commit -q --allow-empty -m first && echo KANARIE > main/x && g -C main worktree add -q ../tree`,
      },
    );
    expect(output).toBe('first\n## tree\nno\n');
  });

  test('a submodule has its repository, and sees nothing else of the one around it', async () => {
    const { output } = await own.run('git log --format=%s; ls -A ../; cat ../x', {
      project: 'around/sub',
      before: `${GIT} rm -rf one around; g init -q one && g -C one commit -q --allow-empty -m first && g init -q around && cd around && echo KANARIE > x && g submodule add -q ../one sub`,
    });
    expect(output).toBe('first\n.git\nsub\ncat: ../x: No such file or directory\n');
  });

  test('no repository is shown because a file of the project says so', async () => {
    const { output } = await own.run('git log --format=%s 2>&1', {
      files: { 'project/.git': 'gitdir: ../victim/.git\n' },
      before: `${GIT} rm -rf victim; g init -q victim && g -C victim commit -q --allow-empty -m KANARIE`,
    });
    expect(output).toStartWith('fatal: not a git repository');
  });

  test('where the home is the project, what it holds by name or for its owner alone is hidden', async () => {
    own.empty();
    const open = ['other/notes.txt', '.config/myapp/session'];
    const { output } = await own.run('grep -r KANARIE . 2>/dev/null | cut -d: -f1 | sort', {
      project: '',
      files: { ...canaries, '.config/myapp/closed': 'KANARIE' },
      before: 'chmod 600 .config/myapp/closed',
    });
    expect(output.trim().split('\n')).toEqual(
      [...open]
        .sort()
        .map((name) => `./${name}`)
        .sort(),
    );
  });

  test('a project around the home shows the rest, and nothing of the home', async () => {
    const { output } = await own.run('grep -r KANARIE . 2>/dev/null; ls', {
      project: '..',
      cwd: '..',
      files: canaries,
    });
    expect(output).toBe('./beside/notes:KANARIE\nbeside\nhome\n');
  });

  test.each([
    ['was replaced by another of its name', 'cp project/.env project/new && mv project/new project/.env'],
    ['was made meanwhile', 'echo KANARIE > project/new.key'],
    ['was made meanwhile in a new folder', 'mkdir project/sub && echo KANARIE > project/sub/.env'],
    ['became a link to another', 'echo KANARIE > project/plain && ln -sf plain project/.env'],
  ])('a secret that %s since an earlier command is hidden', async (_, meanwhile) => {
    const text = 'cat .env new.key sub/.env plain 2>/dev/null; echo end';
    expect(await own.run(text, { earlier: text, meanwhile, files: { 'project/.env': 'KANARIE\n' } })).toMatchObject({
      output: 'end\n',
    });
  });
});
