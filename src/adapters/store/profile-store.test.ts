import { expect, test } from 'bun:test';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { ProfileStore } from './profile-store.ts';

const URL = 'http://127.0.0.1:8080/v1';
const root = useFolder('profiles');
let folders = 0;
const newFolder = (): string => join(root, String(folders++));

const NO_OPTIONS = {
  lesson: { type: 'omit', field: 'stream_options' },
  text: 'refuses stream_options',
  said: 'unknown field',
} as const;
const NO_TOOLS = { lesson: { type: 'no-tools' }, text: 'takes no tools', said: 'no' } as const;

const DAY = 24 * 60 * 60 * 1000;

test('a profile is kept with the date and the reason of each part, for all processes', () => {
  const folder = newFolder();
  const now = { at: 1000 };
  const one = new ProfileStore(folder, () => now.at);
  const other = new ProfileStore(folder, () => now.at);
  one.keep(URL, 'm', [NO_OPTIONS]);
  now.at = 2000;
  other.keep(URL, 'm', [NO_TOOLS]);
  expect(one.find(URL, 'm')).toEqual({
    profile: { omit: ['stream_options'], tools: 'none' },
    notes: [
      { at: 1000, text: 'refuses stream_options', said: 'unknown field' },
      { at: 2000, text: 'takes no tools', said: 'no' },
    ],
    at: 2000,
  });
  expect([one.find(URL, 'other'), one.find('http://127.0.0.1:8081/v1', 'm')]).toEqual([null, null]);
  expect(statSync(join(folder, 'model-profiles.json')).mode & 0o777).toBe(0o600);
});

test('processes that learn at the same time lose no lesson of each other', async () => {
  const folder = newFolder();
  const script = `
    const { ProfileStore } = await import(${JSON.stringify(join(import.meta.dir, 'profile-store.ts'))});
    const [, , own] = process.argv;
    for (let at = 0; at < 20; at += 1) {
      const lesson = { type: 'omit', field: own + at };
      new ProfileStore(${JSON.stringify(folder)}).keep(${JSON.stringify(URL)}, 'm', [{ lesson, text: '', said: '' }]);
    }`;
  const path = join(root, 'learn.ts');
  writeFileSync(path, script);
  const runs = ['a', 'b', 'c'].map((own) => Bun.spawn([process.execPath, path, own]).exited);
  expect(await Promise.all(runs)).toEqual([0, 0, 0]);
  const { profile, notes } = new ProfileStore(folder).find(URL, 'm') ?? {};
  expect([profile?.omit?.length, notes?.length]).toEqual([60, 60]);
});

test('a profile can be forgotten, and an old one is forgotten by itself', () => {
  const folder = newFolder();
  const now = { at: 0 };
  const store = new ProfileStore(folder, () => now.at);
  store.keep(URL, 'a', [NO_TOOLS]);
  store.keep(URL, 'b', [NO_TOOLS]);
  expect([store.forget(URL, 'a'), store.forget(URL, 'a'), store.find(URL, 'a')]).toEqual([true, false, null]);
  now.at = 61 * DAY;
  expect(store.find(URL, 'b')).toBeNull();
});

test('a damaged file is as good as none', () => {
  const folder = newFolder();
  mkdirSync(folder);
  const store = new ProfileStore(folder, () => 0);
  for (const text of ['', '{', '[]', `{"${URL} m": {"profile": {"stream": true}, "notes": [], "at": 0}}`]) {
    writeFileSync(join(folder, 'model-profiles.json'), text);
    expect(store.find(URL, 'm')).toBeNull();
  }
});
