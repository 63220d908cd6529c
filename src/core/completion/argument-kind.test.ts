import { describe, expect, test } from 'bun:test';
import { findArgumentKinds } from './argument-kind.ts';

describe('what an argument names', () => {
  const lines: readonly (readonly [string, string, string[] | null])[] = [
    ['cd', '', ['folder']],
    ['/bin/cat', 'a', ['file']],
    ['ls', '--co', null],
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
    ['git', 'ch', null],
    ['constructor', '', null],
  ];
  for (const [line, typed, wanted] of lines) {
    test(`${line} ${typed}`, () => {
      const found = findArgumentKinds(line.split(' '), typed);
      expect<readonly string[] | null>(found).toEqual(wanted);
    });
  }
});
