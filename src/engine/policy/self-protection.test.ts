import { expect, test } from 'bun:test';
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { toPaths } from '../../adapters/config/paths.ts';
import { lookUpOwnPlace } from './self-protection.ts';

test('the process goes by the name of what runs it, too', () => {
  const env = { HOME: '/home/nobody-here' };
  const { names } = lookUpOwnPlace({
    paths: toPaths(env),
    env,
    cwd: '/',
    runtimeFolder: () => '/run/none',
    configFile: null,
  });
  expect(names).toContain(basename(process.execPath));
});

test('the program that a checkout runs is the whole source, what is built of it and what starts it', () => {
  const env = { HOME: '/home/nobody-here' };
  const own = lookUpOwnPlace({
    paths: toPaths(env),
    env,
    cwd: '/',
    runtimeFolder: () => '/run/none',
    configFile: null,
  });
  const main = realpathSync(join(import.meta.dir, '../../hosts/main.ts'));
  const source = dirname(dirname(main));
  const root = dirname(source);
  expect([...own.program].sort()).toEqual([join(root, 'bin'), join(root, 'dist'), source]);
});
