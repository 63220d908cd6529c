import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { IdleCode } from './idle-code.ts';

/** Resident memory of this process that is mapped from files, in KiB. */
function fileBacked(): number {
  return Number(/RssFile:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
}

test.if(process.platform === 'linux')('code that is not at work is given back, and what runs goes on', () => {
  const before = fileBacked();
  new IdleCode().drop();
  const after = fileBacked();
  expect([after < before, JSON.parse('{"a":[1,2]}')]).toEqual([true, { a: [1, 2] }]);
});

test.if(process.platform === 'linux')('after a key it is given back when nothing more comes', async () => {
  const code = new IdleCode();
  code.used();
  const before = fileBacked();
  while (fileBacked() >= before * 0.9) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(fileBacked()).toBeLessThan(before);
});
