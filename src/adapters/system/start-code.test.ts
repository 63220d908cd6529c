import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dropStartCode } from './start-code.ts';

/** Resident memory of this process that is mapped from files, in KiB. */
function fileBacked(): number {
  return Number(/RssFile:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
}

test.if(process.platform === 'linux')('code that only the start needed is given back, and what runs goes on', () => {
  const before = fileBacked();
  dropStartCode();
  const after = fileBacked();
  expect([after < before, JSON.parse('{"a":[1,2]}')]).toEqual([true, { a: [1, 2] }]);
});
