import { expect, test } from 'bun:test';
import { whyBlocked } from './blocked.ts';

const kept = {
  names: ['.env'],
  isHidden: (path: string) => path === '/home/ann/.ssh' || path === 'notes.txt',
  emptyFolderOf: (path: string) => (path === '/tmp/x/run.sh' || path === 'mytool' ? '/tmp' : null),
};

test.each([
  ['touch: cannot touch x: Read-only file system', 'it wrote where nothing may be written'],
  ['fatal: Could not resolve host: example.com', 'it has no network there'],
  ['cat: .env: Permission denied', '.env is hidden there'],
  ['cat: other: Permission denied', null],
  ["ls: cannot open directory '/home/ann/.ssh': Permission denied", '/home/ann/.ssh is hidden there'],
  ['cat: notes.txt: Permission denied', 'notes.txt is hidden there'],
  ['bash: line 1: /tmp/x/run.sh: No such file or directory', '/tmp/x/run.sh is not there: /tmp is empty there'],
  ['bash: line 1: mytool: command not found', 'mytool is not there: /tmp is empty there'],
  ['bash: line 1: other: command not found', null],
  ['strace: ptrace: Operation not permitted', 'it reached for what is forbidden there'],
  ['bash: fork: Resource temporarily unavailable', 'it came to the limits there'],
  ['no such file', null],
])('"%s"', (output, why) => expect(whyBlocked(output, kept)).toBe(why));
