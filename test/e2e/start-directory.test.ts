import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Home, LAUNCHER } from '../support/aish.ts';
import { SourceCopy } from '../support/source-copy.ts';

setDefaultTimeout(60_000);

const source = new SourceCopy();
afterAll(() => source[Symbol.dispose]());

/** The output of a line of `/bin/sh`, begun in the work folder. `$AISH` is the program. */
function printed(program: string, home: Home, line: string): readonly string[] {
  const done = Bun.spawnSync(['/bin/sh', '-c', line], {
    cwd: home.work,
    env: { ...home.env, AISH: program },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  return done.stdout.toString().trim().split('\n');
}

describe.each([
  ['the launcher', LAUNCHER],
  ['the source', source.aish],
])('%s', (_, program) => {
  test('a start keeps the directory it was started in, and the link that led to it', () => {
    using home = new Home();
    mkdirSync(join(home.work, 'a b/real'), { recursive: true });
    symlinkSync('a b/real', join(home.work, 'link'));
    const tell = `"$AISH" -c 'echo "$PWD $(pwd -P)"'`;
    const [link, real] = [join(home.work, 'link'), join(home.work, 'a b/real')];
    expect(printed(program, home, `cd link; ${tell}`)).toEqual([`${link} ${real}`]);
    expect(printed(program, home, `cd 'a b/real'; unset PWD; ${tell}`)).toEqual([`${real} ${real}`]);
    expect(printed(program, home, `cd 'a b/real'; PWD=/usr; export PWD; ${tell}`)).toEqual([`${real} ${real}`]);
    expect(printed(program, home, `cd link; OLDPWD=/usr; export OLDPWD; "$AISH" -c 'echo "$OLDPWD"'`)).toEqual([
      '/usr',
    ]);
  });

  test('a start by a relative path finds its program and its directory', () => {
    using home = new Home();
    const path = relative(home.work, program);
    expect(printed(program, home, `'./${path}' -c 'pwd -P'`)).toEqual([home.work]);
    expect(
      printed(program, home, `PATH='${relative(home.work, join(program, '..'))}:'"$PATH" aish -c 'pwd -P'`),
    ).toEqual([home.work]);
  });

  test('a start in a directory that is gone, or that nobody may enter, does what needs none', () => {
    using home = new Home();
    mkdirSync(join(home.work, 'gone'));
    expect(printed(program, home, `cd gone; rmdir ../gone; "$AISH" -c 'echo it runs'; "$AISH" --version`)).toEqual([
      'it runs',
      expect.stringMatching(/^aish \d/),
    ]);
    mkdirSync(join(home.work, 'closed'));
    const leave = `cd closed; chmod 0 .; "$AISH" -c 'echo it runs'`;
    expect(printed(program, home, leave)).toEqual(['it runs']);
    chmodSync(join(home.work, 'closed'), 0o700);
  });
});
