import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { calls, type ModelServer, startModelServer, text } from '../support/model-server.ts';

function results(server: ModelServer): unknown[] {
  const messages = server.requests.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

const edit = (path: string, old: string) => calls({ name: 'aish__edit_file', arguments: { path, old, new: 'C' } });
const write = (path: string) => calls({ name: 'aish__write_file', arguments: { path, content: 'x\n' } });

describe('headless', () => {
  test('[cli.denied] a call that would fail is no denial: the model is told why, and can mend it', async () => {
    using home = new Home();
    writeFileSync(join(home.work, 'cc'), 'c 1\nc 2\n');
    const script = [edit('cc', 'c'), edit('none', 'c'), edit('cc', 'c 2'), text('Done.')];
    await using server = startModelServer({ script });
    home.useModel(server.url);
    expect(await home.run(['-p', 'go', '--approve', 'all'])).toEqual({ code: 0, out: 'Done.\n', error: '' });
    expect(results(server)).toEqual([
      expect.stringContaining('"old" occurs 2 times (lines 1, 2)'),
      expect.stringContaining('none does not exist'),
      expect.stringContaining('edited'),
    ]);
    expect(readFileSync(join(home.work, 'cc'), 'utf8')).toBe('c 1\nC\n');
    expect(server.failures).toEqual([]);
  });

  test('[cli.denied] no such call tells what is in a secret file or elsewhere, while reading that is not approved', async () => {
    using home = new Home();
    writeFileSync(join(home.work, '.env'), 'A=1\nA=2\n');
    writeFileSync(join(home.home, 'diary'), 'dear\ndear\n');
    const script = [
      edit('.env', 'A='),
      edit('.env.local', 'A='),
      edit('../home/diary', 'dear'),
      edit('../home/none', 'x'),
      text('No.'),
    ];
    await using server = startModelServer({ script });
    home.useModel(server.url);
    const denied = '[aish] tool call denied: nobody is there to approve it';
    expect((await home.run(['-p', 'go'])).code).toBe(3);
    expect(results(server)).toEqual(Array(4).fill(denied));
    await using other = startModelServer({ script: [edit('none', 'x'), text('No.')] });
    home.useModel(other.url);
    expect((await home.run(['-p', 'go'], { cwd: home.home })).code).toBe(3);
    expect(results(other)).toEqual([denied]);
    expect([server.failures, other.failures]).toEqual([[], []]);
  });

  test('[cli.approve] what cannot be undone is left out: the line says why, where it is asked, and so reads the model', async () => {
    using home = new Home();
    writeFileSync(join(home.work, '.gitignore'), 'out\n');
    await using server = startModelServer({ script: [write('out'), write('../home/far'), text('No.')] });
    home.useModel(server.url);
    const { code, error } = await home.run(['-p', 'go', '--approve', 'all']);
    expect(code).toBe(3);
    expect(error.split('\n')).toEqual([
      'aish: denied: aish.write_file: it cannot be undone: git ignores this file, so no checkpoint holds it',
      `aish: denied: aish.write_file: it cannot be undone: ${home.home}/far is outside the work tree ${home.work}`,
      expect.stringMatching(/^ {2}at the prompt you are asked about it: aish --resume [a-z0-9]{12}$/),
      '',
    ]);
    expect(results(server)).toEqual([
      '[aish] tool call denied: it cannot be undone: git ignores this file, so no checkpoint holds it, and nobody is there to approve it',
      expect.stringMatching(/^\[aish\] tool call denied: it cannot be undone: .* is outside the work tree /),
    ]);
    expect(server.failures).toEqual([]);
  });
});
