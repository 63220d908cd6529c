import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HelpTexts } from './option-texts.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'help-texts-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(path = '/usr/bin:/bin'): HelpTexts {
  return new HelpTexts({ cacheFolder: join(home, 'cache'), env: { PATH: path, LC_ALL: 'C', HOME: home } });
}

async function describe(texts: HelpTexts, words: readonly string[], option: string): Promise<string | undefined> {
  return (await texts.list(words)).find(({ value }) => value === option)?.description;
}

test('reads the options of a program from its help, once for each version', async () => {
  const wanted = await describe(open(), ['tar', '-x'], '--verbose');
  expect(wanted).toContain('list files processed');
  const folder = join(home, 'cache', 'help');
  expect(readdirSync(folder)).toEqual(['tar.json']);
  const file = join(folder, 'tar.json');
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...kept, options: [{ value: '--kept', description: 'kept' }] }));
  expect(await describe(open(), ['tar'], '--kept')).toBe('kept');
  writeFileSync(file, JSON.stringify({ ...kept, stamp: 'older', options: [{ value: '--kept', description: 'kept' }] }));
  expect(await describe(open(), ['tar'], '--kept')).toBeUndefined();
  writeFileSync(file, '{"stamp": 1, "options": [7');
  expect(await describe(open(), ['tar'], '--verbose')).toBe(wanted);
});

test('runs no program outside the system, none that nobody has classified, and no file of the project', async () => {
  const bin = join(home, 'bin');
  const ran = join(home, 'ran');
  mkdirSync(bin);
  for (const name of ['tar', 'unheard-of']) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${ran}\necho '  --made  up'\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const texts = open(`${bin}:/usr/bin:/bin`);
  for (const words of [['tar'], ['unheard-of'], ['./bin/tar'], [join(bin, 'tar')], ['../x'], [], ['']])
    expect(await texts.list(words)).toEqual([]);
  expect(existsSync(ran)).toBe(false);
});
