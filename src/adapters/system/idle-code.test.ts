import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { IdleCode } from './idle-code.ts';

/** Resident memory of this process that is mapped from files, in KiB. */
function fileBacked(): number {
  return Number(/RssFile:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
}

test.if(process.platform === 'linux')('after use, code is given back when nothing more comes', async () => {
  const before = fileBacked();
  new IdleCode(50).used();
  let now = before;
  while (now > before * 0.9) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    now = fileBacked();
  }
  expect(now).toBeLessThan(before);
});

test.if(process.platform === 'linux')('what was given back is there again when it is used', () => {
  new IdleCode().drop();
  expect(JSON.parse('{"a":[1,2]}')).toEqual({ a: [1, 2] });
});
