import { expect, test } from 'bun:test';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { listCommandFiles } from './extension-files.ts';

test('a folder of the user that leads into the project holds files of the project', () => {
  const home = realpathSync(useFolder('extension-files'));
  const project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(join(project, '.claude/commands'), { recursive: true });
  writeFileSync(join(project, '.claude/commands/go.md'), 'Go.\n');
  symlinkSync('project', join(home, 'link'));
  const context = { cwd: project, home, config: join(home, '.config/aish') };
  const originOf = (folder: string) => listCommandFiles({ ...context, folders: [folder] }).map(({ origin }) => origin);
  expect([originOf('~/link/.claude'), originOf('~/none/../project/.claude')]).toEqual([['project'], ['project']]);
});
