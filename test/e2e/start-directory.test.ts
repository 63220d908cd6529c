import { expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { AISH, Home, LAUNCHER } from '../support/aish.ts';

setDefaultTimeout(60_000);

/** What a line of `/bin/sh`, begun in the work folder, prints. `$AISH` is the program. */
function printed(home: Home, line: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const done = Bun.spawnSync(['/bin/sh', '-c', line], {
    cwd: home.work,
    env: { ...home.env, AISH, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  return done.stdout.toString().trim().split('\n');
}

test('a start keeps the directory it was started in, and the link that led to it', () => {
  using home = new Home();
  mkdirSync(join(home.work, 'a b/real'), { recursive: true });
  symlinkSync('a b/real', join(home.work, 'link'));
  const tell = `"$AISH" -c 'echo "$PWD $(pwd -P)"'`;
  const [link, real] = [join(home.work, 'link'), join(home.work, 'a b/real')];
  expect(printed(home, `cd link; ${tell}`)).toEqual([`${link} ${real}`]);
  expect(printed(home, `cd 'a b/real'; unset PWD; ${tell}`)).toEqual([`${real} ${real}`]);
  expect(printed(home, `cd 'a b/real'; PWD=/usr; export PWD; ${tell}`)).toEqual([`${real} ${real}`]);
  expect(printed(home, `cd link; OLDPWD=/usr; export OLDPWD; "$AISH" -c 'echo "$OLDPWD"'`)).toEqual(['/usr']);
});

test('a start by a relative path finds its program and its directory', () => {
  using home = new Home();
  const path = relative(home.work, AISH);
  expect(printed(home, `'./${path}' -c 'pwd -P'`)).toEqual([home.work]);
  expect(printed(home, `PATH='${relative(home.work, join(AISH, '..'))}:'"$PATH" aish -c 'pwd -P'`)).toEqual([
    home.work,
  ]);
});

test('a start in a directory that is gone, or that nobody may enter, does what needs none', () => {
  using home = new Home();
  mkdirSync(join(home.work, 'gone'));
  // Bun ends an executable that it built with an error there, before the first line of aish.
  const gone = { AISH: LAUNCHER };
  expect(printed(home, `cd gone; rmdir ../gone; "$AISH" -c 'echo it runs'; "$AISH" --version`, gone)).toEqual([
    'it runs',
    expect.stringMatching(/^aish \d/),
  ]);
  mkdirSync(join(home.work, 'closed'));
  const leave = `cd closed; chmod 0 .; "$AISH" -c 'echo it runs'`;
  expect(printed(home, leave)).toEqual(['it runs']);
  chmodSync(join(home.work, 'closed'), 0o700);
});
