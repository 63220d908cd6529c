import { expect, test } from 'bun:test';
import { countBytes, formatByteSize } from './byte-size.ts';

test('sizes are told in the unit that fits', () => {
  expect([0, 999, 1000, 128_906, 100_000_043, 5e9].map(formatByteSize)).toEqual([
    ...['0 B', '999 B', '1.0 kB', '128.9 kB', '100.0 MB', '5.0 GB'],
  ]);
});

test('where every byte counts, one is one', () => {
  expect([0, 1, 1024].map(countBytes)).toEqual(['0 bytes', '1 byte', '1024 bytes']);
});
