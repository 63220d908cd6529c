import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';
import { policyOf } from './effect-policy.ts';
import { findPathArguments, refuseWrite } from './path-arguments.ts';

test('what stands under a name of paths is one, at any depth', () => {
  const values = {
    path: 'a.txt',
    sourcePath: 'b.txt',
    edits: [{ 'new-file': 'c.txt', text: 'd.txt' }],
    files: ['e.txt', { name: 'f.txt' }],
    limit: 3,
    note: 'g.txt',
  };
  expect(findPathArguments(values)).toEqual(['a.txt', 'b.txt', 'c.txt', 'e.txt', 'f.txt']);
});

test('what looks like a path that leads elsewhere is one under any name', () => {
  const values = {
    a: '/etc/passwd',
    b: '~/x',
    c: '../x',
    d: 'sub/../../x',
    h: '//etc/hosts',
    e: 'file:///tmp/a%20b',
    f: ['/one', { g: '/two' }],
  };
  expect(findPathArguments(values)).toEqual(['/etc/passwd', '~/x', '../x', 'sub/../../x', '//etc/hosts', '/tmp/a b', '/one', '/two']);
});

test('texts, addresses and comments are none', () => {
  const values = {
    content: '/* a comment */',
    text: '// another',
    head: '/** of a function */',
    url: 'https://example.org/a',
    source: 'https://example.org/b',
    body: '/usr/bin/env is a program\nand this is the second line',
    note: 'a...b, ~5 and 1/2',
  };
  expect(findPathArguments(values)).toEqual([]);
});

test('arguments too deep or too many to look through are told', () => {
  const deep = { a: [[[[[[[['/etc']]]]]]]] };
  const many = { paths: Array.from({ length: 201 }, (_, at) => `${at}`) };
  expect([findPathArguments(deep), findPathArguments(many)]).toEqual([null, null]);
});

const context = { project: '/home/u/p', home: '/home/u', cwd: '/home/u/p' };

test.each([
  '/home/u/p/.git/hooks/pre-commit',
  '/home/u/p/.git/config',
  '/home/u/p/.husky/pre-push',
  '/home/u/.bashrc',
  '/home/u/.config/systemd/user/x.service',
  '/etc/cron.d/x',
  '/etc/hosts',
  '/home/u/p/src/a.ts',
  '/home/u/p/.github/workflows/ci.yml',
  '/home/u/notes',
  '/tmp/x',
])('a tool that writes %s is held to the built-in rules that a command is held to', (path) => {
  const found = refuseWrite({ named: path, real: path, use: 'replace' }, context);
  expect(found === null ? [] : [policyOf(found).hardDeny]).toEqual([...classifyLine(`echo x > ${path}`, context).hardDenials]);
});

test('a name that leads to what acts later is refused by where it leads, and a project by its name', () => {
  const named = '/home/u/p/notes';
  const refused = (real: string) => refuseWrite({ named, real, use: 'edit' }, context);
  expect([refused('/home/u/p/.git/hooks/post-merge'), refused('/srv/p/notes')]).toMatchObject([{ kind: 'plants', path: named }, null]);
});
