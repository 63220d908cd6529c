import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fingerprints } from './fingerprints.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'aish-fingerprints-'));
  folders.push(folder);
  return folder;
}

const SECRETS = [
  { name: 'DB_PASSWORD', value: 'blue sky over 9 rivers', from: '.env' },
  { name: 'API_TOKEN', value: 'k7Qz-Wm4/pX9+vB2', from: '.env' },
  { name: 'KEY', value: '-----BEGIN X-----\nMIIEowIBAAKCAQEA0Z3VS5\nygWyF8PbnGy0AHB7\n-----END X-----', from: 'key' },
];

test('a value that a project had is known in a later program, wherever it stands in a text', () => {
  const folder = openFolder();
  new Fingerprints(folder, '/a').add(SECRETS);
  const later = new Fingerprints(folder, '/a');
  const texts = [
    '-DB_PASSWORD=blue sky over 9 rivers\n',
    'token: "k7Qz-Wm4/pX9+vB2",',
    'https://me:k7Qz-Wm4/pX9+vB2@host/x and k7Qz-Wm4/pX9+vB2.',
    '-MIIEowIBAAKCAQEA0Z3VS5\n+other line of a key\n',
    'nothing of it: k7Qz-Wm4/pX9+vB3 blue sky\n',
  ];
  expect(texts.map((text) => [...new Set(later.find(text).map(({ name }) => name))])).toEqual([
    ['DB_PASSWORD'],
    ['API_TOKEN'],
    ['API_TOKEN'],
    ['KEY'],
    [],
  ]);
  expect(new Fingerprints(folder, '/b').find(texts.join('\n'))).toEqual([]);
});

test('several programs of one project keep what each of them adds', () => {
  const folder = openFolder();
  const [first, second] = [new Fingerprints(folder, '/a'), new Fingerprints(folder, '/a')];
  for (const one of [first, second]) expect(one.find('nothing')).toEqual([]);
  const [password, token, key] = SECRETS;
  if (password === undefined || token === undefined || key === undefined) throw new Error('too few');
  first.add([password]);
  second.add([token]);
  first.add([key]);
  const found = new Fingerprints(folder, '/a').find(SECRETS.map(({ value }) => `x=${value}\n`).join(''));
  expect([...new Set(found.map(({ name }) => name))].toSorted()).toEqual(['API_TOKEN', 'DB_PASSWORD', 'KEY']);
});

test('what is kept tells no value, and is for its owner alone', () => {
  const folder = openFolder();
  new Fingerprints(folder, '/a').add(SECRETS);
  const [name = ''] = readdirSync(folder);
  const kept = readFileSync(join(folder, name), 'utf8');
  expect(SECRETS.flatMap(({ value }) => value.split('\n')).filter((line) => kept.includes(line))).toEqual([]);
  expect([readdirSync(folder).length, statSync(join(folder, name)).mode & 0o777]).toEqual([1, 0o600]);
});
