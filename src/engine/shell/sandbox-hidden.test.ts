import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planSandbox } from '../../core/sandbox/sandbox-plan.ts';
import { whyBlocked } from '../../core/sandbox/sandboxed-line.ts';
import { keptApart } from './sandbox-runner.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'kept-apart-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
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
  [`ls: cannot open directory '${home}/.ssh': Permission denied`, `${home}/.ssh is hidden there`],
  [`cat: ${home}/.ssh/id_ed25519: Permission denied`, null],
  ['cat: notes.txt: Permission denied', 'notes.txt is hidden there'],
  ['cat: plain: Permission denied', null],
  ['bash: line 1: tool: command not found', `tool is not there: ${passing} is empty there`],
  [
    `bash: line 1: ${passing}/bin/tool: No such file or directory`,
    `${passing}/bin/tool is not there: ${passing} is empty there`,
  ],
  [`cat: ${passing}/other: No such file or directory`, null],
  ['cat: link.txt: No such file or directory', `link.txt is not there: ${passing} is empty there`],
  [`fatal: not a git repository: ${passing}/bin`, `${passing}/bin is not there: ${passing} is empty there`],
])('%s', (output, why) => expect(whyBlocked(output, kept)).toBe(why));
