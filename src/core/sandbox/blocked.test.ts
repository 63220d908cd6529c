import { expect, test } from 'bun:test';
import { whyBlocked } from './blocked.ts';

test.each([
  [1, 'touch: cannot touch x: Read-only file system', 'it wrote where only its temporary files may be written'],
  [128, 'fatal: Could not resolve host: example.com', 'it has no network there'],
  [2, 'cat: .env: Permission denied', '.env is hidden there'],
  [2, 'cat: other: Permission denied', null],
  [1, 'strace: ptrace: Operation not permitted', 'it reached for what is forbidden there'],
  [1, 'bash: fork: Resource temporarily unavailable', 'it came to the limits there'],
  [1, 'no such file', null],
  [0, 'grep: .env: Permission denied', null],
])('status %d with "%s"', (exit, output, why) => expect(whyBlocked(exit, output, ['.env'])).toBe(why));
