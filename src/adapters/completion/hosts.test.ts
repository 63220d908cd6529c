import { expect, test } from 'bun:test';
import { readHostsFile, readKnownHosts, readSshHosts, readSshIncludes } from './known-names.ts';

test('hosts of an ssh configuration are named, patterns left out', () => {
  const text = 'Host web db.example  # two\n  User me\nHost *.lan !x\nHostName real\nhost="quoted"\n';
  expect(readSshHosts(text)).toEqual(['web', 'db.example', 'quoted']);
});

test('includes of an ssh configuration are named', () => {
  expect(readSshIncludes('Include conf.d/* ~/.ssh/more\nHost a\n')).toEqual(['conf.d/*', '~/.ssh/more']);
});

test('hashed names of known hosts are left out, ports and markers taken off', () => {
  const text =
    '|1|abc=|def= ssh-rsa AAA\nweb,10.0.0.1 ssh-rsa AAA\n[git.example]:2222 ssh-rsa A\n@revoked old.example k v\n# c\n';
  expect(readKnownHosts(text)).toEqual(['web', '10.0.0.1', 'git.example', 'old.example']);
});

test('a hosts file names hosts behind addresses', () => {
  expect(readHostsFile('127.0.0.1 localhost box # me\n::1 ip6-localhost\n\n10.0.0.2\tnas\n')).toEqual([
    'localhost',
    'box',
    'nas',
  ]);
});
