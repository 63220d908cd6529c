import { expect, test } from 'bun:test';
import { readAssignments, readEnvFile, readJson, readKeyed, readNetrc, readUrlPasswords } from './assignments.ts';

const pairs = (found: readonly { name: string; value: string }[]): string[][] => found.map(({ name, value }) => [name, value]);

test('a line gives values to names as a shell reads it', () => {
  const line = `export API_KEY='a b'"c \\"d"\\ e; FOO=bar\\;x make $(X=1 y) && set -gx TOKEN "val ue"`;
  expect(pairs(readAssignments(line))).toEqual([
    ['API_KEY', 'a bc "d e'],
    ['FOO', 'bar;x'],
    ['X', '1'],
    ['TOKEN', 'val ue'],
  ]);
});

test('an environment file has quotes, values of several lines, comments and exports', () => {
  const text = '# c\nA=1\nexport B="x\\ny\nz" # c\nC=\'q w\'\nD = un quoted # c\nE=a#b\nF=\nG: yaml\n';
  expect(pairs(readEnvFile(text))).toEqual([
    ['A', '1'],
    ['B', 'x\ny\nz'],
    ['C', 'q w'],
    ['D', 'un quoted'],
    ['E', 'a#b'],
    ['G', 'yaml'],
  ]);
});

test('INI, TOML and YAML have one pair on a line, and a block has several', () => {
  const text =
    '[default]\nsecret_key = abc # c\n//registry.example/:_authToken=npm_x\ntoken: "a\\"b"\nkey: |\n  l1\n  l2\nnext: x\n  - name: foo\n';
  expect(pairs(readKeyed(text))).toEqual([
    ['secret_key', 'abc'],
    ['//registry.example/:_authToken', 'npm_x'],
    ['token', 'a"b'],
    ['key', 'l1\nl2'],
    ['next', 'x'],
    ['name', 'foo'],
  ]);
});

test('JSON has pairs at any depth, and what is cut off is read line by line', () => {
  expect(pairs(readJson('{"a":{"token":"x"},"list":["y",1,null]}'))).toEqual([
    ['token', 'x'],
    ['list', 'y'],
  ]);
  expect(pairs(readJson('{\n  "token": "x",\n  "b'))).toEqual([['token', 'x']]);
});

test('a netrc file has passwords by machine', () => {
  expect(pairs(readNetrc('machine a login b password "c d"\n# x\nmachine e\n login f\n password g'))).toEqual([
    ['a', 'c d'],
    ['e', 'g'],
  ]);
});

test('an address has its password as it stands and decoded', () => {
  expect(pairs(readUrlPasswords('url = https://u:p%40ss@host.example/a redis://:secret1@h/0'))).toEqual([
    ['host.example', 'p%40ss'],
    ['host.example', 'p@ss'],
    ['h', 'secret1'],
  ]);
});
