import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { formatEmptied, formatHidden } from '../../core/sandbox/messages.ts';
import { planSandbox } from '../../core/sandbox/sandbox-plan.ts';
import { whyBlocked } from '../../core/sandbox/sandboxed-line.ts';
import { keptApart } from './kept-apart.ts';

const root = useFolder('kept-apart');
const [home, project, passing] = [join(root, 'home'), join(root, 'home/project'), join(root, 'passing')];
for (const folder of [join(home, '.ssh'), project, join(passing, 'bin')]) mkdirSync(folder, { recursive: true });
for (const file of [join(project, '.env'), join(project, 'plain'), join(passing, 'bin/tool')]) writeFileSync(file, '');
symlinkSync('.env', join(project, 'notes.txt'));
symlinkSync('../../passing/bin/tool', join(project, 'link.txt'));

const plan = planSandbox('read-only', { cwd: project, project, home, own: [] });
const hides = {
  files: [join(project, '.env')],
  folders: [join(home, '.ssh')],
  layers: [{ path: passing, kind: 'empty' } as const],
};
const kept = keptApart(hides, plan, `/usr/bin:${passing}/bin`);

test.each([
  [`ls: cannot open directory '${home}/.ssh': Permission denied`, formatHidden(`${home}/.ssh`)],
  [`cat: ${home}/.ssh/id_ed25519: Permission denied`, null],
  ['cat: notes.txt: Permission denied', formatHidden('notes.txt')],
  ['cat: plain: Permission denied', null],
  ['bash: line 1: tool: command not found', formatEmptied('tool', passing)],
  [`bash: line 1: ${passing}/bin/tool: No such file or directory`, formatEmptied(`${passing}/bin/tool`, passing)],
  [`cat: ${passing}/other: No such file or directory`, null],
  ['cat: link.txt: No such file or directory', formatEmptied('link.txt', passing)],
  [`fatal: not a git repository: ${passing}/bin`, formatEmptied(`${passing}/bin`, passing)],
])('%s', (output, why) => expect(whyBlocked(output, kept)).toBe(why));
