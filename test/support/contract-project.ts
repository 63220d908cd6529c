import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './aish.ts';
import { calls, type Reply } from './model-server.ts';

/** A scripted call of a command. */
export const exec = (command: string): Reply => calls({ name: 'aish__exec', arguments: { command } });

/** A scripted call that writes a file. */
export const write = (path: string, content: string): Reply =>
  calls({ name: 'aish__write_file', arguments: { path, content } });

/** The call that makes the check of `useProject` pass. */
export const FIX = write('src/sum.sh', 'echo $(($1 + $2))\n');

/** A repository with a check that fails: its test runs a script that subtracts instead of adding. */
export function useProject(home: Home): void {
  mkdirSync(join(home.work, 'src'));
  mkdirSync(join(home.work, 'test'));
  writeFileSync(join(home.work, 'src/sum.sh'), 'echo $(($1 - $2))\n');
  writeFileSync(
    join(home.work, 'test/sum.sh'),
    '[ "$(sh src/sum.sh 2 3)" = 5 ] || { echo "2 + 3 is not 5"; exit 1; }\n',
  );
  writeFileSync(join(home.work, '.gitignore'), 'build/\n');
  writeFileSync(join(home.work, 'keep.txt'), 'keep\n');
  home.git('add', '.');
  home.git('commit', '-qm', 'begin');
}
