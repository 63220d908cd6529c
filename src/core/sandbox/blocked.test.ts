import { expect, test } from 'bun:test';
import { whyBlocked } from './blocked.ts';

test.each([
  ['touch: cannot touch x: Read-only file system', 'it wrote where nothing may be written'],
  ['fatal: Could not resolve host: example.com', 'it has no network there'],
  ['cat: .env: Permission denied', '.env is hidden there'],
  ['cat: other: Permission denied', null],
  ['strace: ptrace: Operation not permitted', 'it reached for what is forbidden there'],
  ['bash: fork: Resource temporarily unavailable', 'it came to the limits there'],
  ['no such file', null],
])('"%s"', (output, why) => expect(whyBlocked(output, ['.env'])).toBe(why));
