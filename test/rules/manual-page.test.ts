import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { hasProgram } from '../support/programs.ts';

const PAGE = join(import.meta.dir, '..', '..', 'docs', 'aish.1');

test.skipIf(!hasProgram('groff'))(
  'the manual page is set without a warning, quotes and dashes as they are typed',
  () => {
    const set = Bun.spawnSync(['groff', '-man', '-ww', '-Kutf8', '-Tutf8', '-P-cbou', PAGE], {
      env: { PATH: process.env.PATH ?? '', MANWIDTH: '100' },
    });
    expect(set.stderr.toString()).toBe('');
    const text = set.stdout.toString();
    expect(
      ['aish "question"', '--output text|json|stream-json', '~/.config/aish', ':undo [n | id] [path…]'].filter(
        (part) => !text.includes(part),
      ),
    ).toEqual([]);
  },
);
