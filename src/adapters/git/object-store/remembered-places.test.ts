import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { RememberedPlaces } from './repository.ts';

const base = useGitHome('remembered', null);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' });

/** Files count as old at once. */
const later = () => Date.now() + 60_000;

/** How often git would be asked about a folder, each time after one of the changes. */
async function countAsked(changes: readonly (() => void)[], folder = cwd): Promise<readonly boolean[]> {
  const places = new RememberedPlaces<number>(later);
  let count = 0;
  const ask = async () => {
    count += 1;
    return { value: count, keep: true };
  };
  await places.get(folder, ask);
  const asked: boolean[] = [];
  for (const change of changes) {
    const before = count;
    change();
    await places.get(folder, ask);
    asked.push(count > before);
  }
  return asked;
}

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)(
  'an answer holds through commits and new files, and until the configuration changes',
  async () => {
    const asked = await countAsked([
      () => {},
      () => writeFileSync(join(cwd, 'a'), '1'),
      () => git('add', '.'),
      () => git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x'),
      () => git('config', 'core.excludesFile', '/nowhere'),
      () => {},
      () => git('checkout', '-qb', 'other'),
    ]);
    expect(asked).toEqual([false, false, false, false, true, false, true]);
  },
);

test.skipIf(!isLinux)('another repository on the way, and another one in its place, are asked about', async () => {
  const folder = join(cwd, 'a/b');
  mkdirSync(folder, { recursive: true });
  const asked = await countAsked(
    [
      () => {},
      () => execFileSync('git', ['init', '-q'], { cwd: join(cwd, 'a') }),
      () => rmSync(join(cwd, 'a/.git'), { recursive: true }),
      () => {
        renameSync(join(cwd, '.git'), join(cwd, 'old'));
        git('init', '-q');
      },
    ],
    folder,
  );
  expect(asked).toEqual([false, true, true, true]);
});

test.skipIf(!isLinux)('the settings of the user count, also where a link leads to them', async () => {
  const settings = join(base, 'home/.gitconfig');
  const real = join(base, 'home/settings');
  writeFileSync(real, '[core]\n\teditor = a\n');
  const asked = await countAsked([
    () => symlinkSync(real, settings),
    () => {},
    () => writeFileSync(real, '[core]\n\teditor = bb\n'),
    () => rmSync(settings),
  ]);
  expect(asked).toEqual([true, false, true, true]);
});

test.skipIf(!isLinux)(
  'nothing is remembered with an included file, outside of a repository, or just after a change',
  async () => {
    git('config', 'include.path', '/nowhere');
    expect(await countAsked([() => {}])).toEqual([true]);
    expect(await countAsked([() => {}], base)).toEqual([true]);
    git('config', '--unset', 'include.path');
    expect(await countAsked([() => {}])).toEqual([false]);
    const config = join(cwd, '.git/config');
    const places = new RememberedPlaces<string>(() => statSync(config).ctimeMs);
    const answers = ['first', 'second'];
    const ask = async () => ({ value: answers.shift() ?? 'none', keep: true });
    expect([await places.get(cwd, ask), await places.get(cwd, ask)]).toEqual(['first', 'second']);
  },
);
