import { describe, expect, test } from 'bun:test';
import { findExpected } from './argument-kind.ts';

describe('what an argument names', () => {
  const lines: readonly (readonly [string, string, string[] | null])[] = [
    ['cd', '', ['folder']],
    ['/bin/cat', 'a', ['file']],
    ['ls', '--co', []],
    ['kill', '', ['process']],
    ['kill', '-T', ['signal']],
    ['kill -9', '%', ['job']],
    ['kill -s', 'T', ['signal']],
    ['ssh', 'we', ['host']],
    ['ssh -p 22', 'we', ['host']],
    ['ssh -p', '', null],
    ['ssh web', '', ['nothing']],
    ['scp a', 'we', ['remote-path', 'file']],
    ['sudo -u', 'ro', ['user']],
    ['export', 'HO', ['variable']],
    ['git', 'ch', ['target']],
    ['git -C there checkout', 'm', ['ref']],
    ['git checkout -- x', 'y', ['file']],
    ['git push origin', '', ['branch']],
    ['npm run', '', ['target']],
    ['unset -f', 'g', ['function']],
    ['chown', 'r', ['user']],
    ['timeout -s', 'T', null],
    ['constructor', '', null],
  ];
  for (const [line, typed, wanted] of lines) {
    test(`${line} ${typed}`, () => {
      const found = findExpected(line.split(' '), typed);
      expect<readonly string[] | null>(found?.kinds ?? null).toEqual(wanted);
    });
  }

  test('subcommands say what they do, and options whether a value follows', () => {
    const git = findExpected(['git'], 'sw')?.words.find(({ value }) => value === 'switch');
    expect(git).toEqual({ value: 'switch', description: 'go to a branch' });
    const diff = findExpected(['grep'], '--ex')?.words.filter(({ value }) => value.startsWith('--exclude-dir'));
    expect(diff).toEqual([{ value: '--exclude-dir=', suffix: '' }]);
    expect(findExpected(['kubectl', 'config'], '')?.words.map(({ value }) => value)).toContain('use-context');
    // If a program is known by its kind alone, its words are unknown.
    expect(findExpected(['prisma'], '')?.words).toEqual([]);
  });
});
