import { expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { addModel, sectionOf } from './edit-config.ts';

const FOLDER = useFolder('edit-models');

test('a model is added behind the rest of the file, which keeps each byte', async () => {
  const path = join(FOLDER, 'kept.toml');
  const before = '# mine\r\nmodel = "a"\n\n[models.a] # first\nbase_url="http://127.0.0.1:1/v1"\n\n\n# the end  ';
  writeFileSync(path, before);
  await addModel(path, 'b', { base_url: 'https://api.example/v1', model: 'm', key_env: 'KEY' });
  expect(readFileSync(path, 'utf8')).toBe(
    `${before}\n\n[models.b]\nbase_url = "https://api.example/v1"\nmodel = "m"\nkey_env = "KEY"\n`,
  );
});

test('a name that is taken and an address that is none change nothing', async () => {
  const path = join(FOLDER, 'same.toml');
  const before = '[models.a]\nbase_url = "http://127.0.0.1:1/v1"\n';
  writeFileSync(path, before);
  await expect(addModel(path, 'a', { base_url: 'http://127.0.0.1:2' })).rejects.toMatchObject({
    code: 'config.exists',
  });
  await expect(addModel(path, 'b', { base_url: 'nonsense' })).rejects.toMatchObject({ code: 'config.invalid' });
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('the first model makes the file and its folder', async () => {
  const path = join(FOLDER, 'new', 'aish', 'config.toml');
  await addModel(path, 'a', { base_url: 'http://127.0.0.1:8091' });
  expect([existsSync(path), readFileSync(path, 'utf8')]).toEqual([
    true,
    '[models.a]\nbase_url = "http://127.0.0.1:8091"\n',
  ]);
});

test('a model file is served at a port that no other model has, if there is a program for it', () => {
  const program = join(FOLDER, 'llama-server');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  writeFileSync(join(FOLDER, 'm.gguf'), 'GGUF and more');
  writeFileSync(join(FOLDER, 'page.gguf'), '<html>');
  const local = { gguf: 'm.gguf', cwd: FOLDER, env: { PATH: FOLDER } };
  const others = { a: { base_url: 'http://127.0.0.1:8091/v1' }, b: { base_url: 'localhost:8092' } };
  expect(sectionOf(local, others)).toEqual({
    base_url: 'http://127.0.0.1:8093',
    command: 'llama-server',
    args: ['-m', join(FOLDER, 'm.gguf'), '--port', '8093', '--jinja'],
  });
  expect(sectionOf({ ...local, port: 9000, context: 8192 }, others).args?.slice(2)).toEqual([
    '--port',
    '9000',
    '--jinja',
    '-c',
    '8192',
  ]);
  const failing = [{ gguf: 'none.gguf' }, { gguf: 'page.gguf' }, { env: { PATH: '/nowhere' } }];
  const codes = failing.map((change) => {
    try {
      return sectionOf({ ...local, ...change }, {});
    } catch (thrown) {
      return thrown;
    }
  });
  expect(codes).toMatchObject([
    { code: 'config.gguf' },
    { code: 'config.gguf' },
    { code: 'config.llama-server', hint: expect.stringContaining('brew install llama.cpp') },
  ]);
});
