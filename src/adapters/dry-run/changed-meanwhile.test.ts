import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CAN_REHEARSE, REHEARSERS, SEEDLING, useDryRuns } from '../../../test/support/dry-run-homes.ts';

const LONG = 120_000;

describe.skipIf(!CAN_REHEARSE).each(REHEARSERS)('a dry run of %s on %s', (user, way) => {
  const { home, dryRun } = useDryRuns(user, way);

  test(
    'leaves what was changed in the project meanwhile, and says so',
    async () => {
      const path = home(SEEDLING);
      const { conflicts } = await dryRun(path, 'echo x >> one; echo y >> two; echo z > born; rm -r folder', {
        meanwhile: 'echo mine >> one; echo mine > born; echo mine > folder/mine',
      });
      expect(Object.fromEntries(conflicts)).toEqual({
        born: 'changed since the dry run started',
        one: 'changed since the dry run started',
        folder: expect.stringContaining('ENOTEMPTY'),
      });
      const read = (name: string): string => readFileSync(join(path, 'project', name), 'utf8');
      expect([read('one'), read('two'), read('born'), read('folder/mine')]).toEqual([
        '1\nmine\n',
        '2\ny\n',
        'mine\n',
        'mine\n',
      ]);
    },
    LONG,
  );

  test(
    'makes no other name of a file that was changed meanwhile',
    async () => {
      const path = home(SEEDLING);
      const { conflicts } = await dryRun(path, 'ln one other; ln one again; ln two kept', {
        meanwhile: 'echo mine >> one',
      });
      const why = 'the file to link to changed since the dry run started';
      expect(Object.fromEntries(conflicts)).toEqual({ other: why, again: why });
      const left = ['other', 'again', 'kept'].map((name) => existsSync(join(path, 'project', name)));
      expect(left).toEqual([false, false, true]);
    },
    LONG,
  );

  test(
    'deletes nothing that was changed meanwhile, though its folder was closed since, too',
    async () => {
      const path = home(`${SEEDLING}\nmkdir calm; echo old > calm/old; echo other > calm/other`);
      const { conflicts } = await dryRun(path, 'rm -r calm', {
        meanwhile: 'echo mine >> calm/old; chmod 700 calm',
      });
      expect(Object.fromEntries(conflicts)).toEqual({
        calm: 'changed since the dry run started',
        'calm/old': 'changed since the dry run started',
      });
      expect(readFileSync(join(path, 'project', 'calm', 'old'), 'utf8')).toBe('old\nmine\n');
    },
    LONG,
  );

  test(
    'follows no link that was put in the place of a folder meanwhile',
    async () => {
      const path = home(`${SEEDLING}\nmkdir -p ../elsewhere calm/deep; echo old > calm/deep/old`);
      const { conflicts } = await dryRun(
        path,
        'echo z > calm/born; mkdir calm/made; echo y > calm/made/in; rm -r calm/deep',
        {
          meanwhile: 'mv calm/deep ../elsewhere; mv calm ../calm; ln -s ../elsewhere calm',
        },
      );
      expect(Object.fromEntries(conflicts)).toEqual({
        'calm/deep': 'a parent folder was replaced',
        'calm/deep/old': 'a parent folder was replaced',
        'calm/born': 'a parent folder was replaced',
        'calm/made': 'a parent folder was replaced',
        'calm/made/in': 'a parent folder was replaced',
      });
      expect(readdirSync(join(path, 'elsewhere', 'deep'))).toEqual(['old']);
    },
    LONG,
  );

  test(
    'goes into no other folder that took the place of the project meanwhile',
    async () => {
      const path = home(`${SEEDLING}\nmkdir -p ../victim`);
      const { problem } = await dryRun(path, 'mkdir -p sub/deep; echo x > sub/deep/new', {
        meanwhile: 'cd ..; mv project project.old; ln -s victim project',
      });
      expect(problem).toContain('was replaced since the dry run started');
      expect(readdirSync(join(path, 'victim'))).toEqual([]);
    },
    LONG,
  );
});
