import { expect, test } from 'bun:test';
import { nextKey } from './run-attach.ts';

test('a report of the terminal, which leaves no bytes, is no key press', async () => {
  const pressed = nextKey((take) => {
    take(new Uint8Array());
    take(Buffer.from('r'));
  });
  expect(await pressed).toBe('r');
});
