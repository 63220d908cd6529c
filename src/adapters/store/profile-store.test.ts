import { expect, test } from 'bun:test';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { ProfileStore } from './profile-store.ts';

const URL = 'http://127.0.0.1:8080/v1';
const root = useFolder('profiles');
let folders = 0;
const newFolder = (): string => join(root, String(folders++));

const DAY = 24 * 60 * 60 * 1000;

test('a profile is kept with the date and the reason of each part, for all processes', () => {
  const folder = newFolder();
  const now = { at: 1000 };
  const one = new ProfileStore(folder, () => now.at);
  const other = new ProfileStore(folder, () => now.at);
  one.keep(URL, 'm', { omit: ['stream_options'] }, [{ text: 'refuses stream_options', said: 'unknown field' }]);
  now.at = 2000;
  other.keep(URL, 'm', { omit: ['stream_options'], tools: 'none' }, [{ text: 'takes no tools', said: 'no' }]);
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

test('a profile can be forgotten, and an old one is forgotten by itself', () => {
  const folder = newFolder();
  const now = { at: 0 };
  const store = new ProfileStore(folder, () => now.at);
  store.keep(URL, 'a', { stream: false }, []);
  store.keep(URL, 'b', { stream: false }, []);
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
