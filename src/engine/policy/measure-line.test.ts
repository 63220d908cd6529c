import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateImpact } from '../../../test/support/estimate-impact.ts';
import { useFolder } from '../../../test/support/test-folder.ts';
import { planCall } from './measure-line.ts';

const root = useFolder('call-steps');
const project = join(root, 'project');
const home = join(root, 'home');
for (const folder of [project, join(home, 'old')]) mkdirSync(folder, { recursive: true });
writeFileSync(join(home, 'old/z'), 'z');

describe('what a call would touch', () => {
  const call = (name: string, given: Record<string, string>) => {
    const context = { cwd: project, home, project };
    const plan = planCall({ name, arguments: given, effect: 'write' }, context);
    return plan === null ? null : estimateImpact(plan, context, new AbortController().signal, { limit: 20_000 });
  };

  test('a file that is written is one file', async () => {
    const report = await call('aish.write_file', { path: '~/old/z', content: 'x' });
    expect(report?.effects.map(({ kind, files, outside, samples }) => [kind, files, outside, samples])).toEqual([
      ['overwrites', 1, 1, [join(home, 'old/z')]],
    ]);
  });

  test('the folders above a new file are made with it', async () => {
    const report = await call('aish.write_file', { path: 'fresh/deep/file.txt', content: 'x' });
    expect(report?.effects.map(({ kind, files, folders }) => [kind, files, folders])).toEqual([['creates', 1, 2]]);
    expect(report?.notes).toEqual([]);
  });

  test('a tool of a server is not known, and its address is', async () => {
    const report = await call('web.fetch', { url: 'https://example.org/x' });
    expect([report?.hosts, report?.unknown]).toEqual([['example.org'], ['web.fetch']]);
  });

  test('a tool of our own whose arguments tell nothing has no answer', () => {
    expect(call('aish.remember', {})).toBeNull();
  });
});
