import { expect, test } from 'bun:test';
import { formatPictureLimits, parsePictureLimits } from './picture-limits.ts';

test('noted limits are read back, and what is none is not', () => {
  const limits = { files: 50_000, bytes: 1 };
  expect([parsePictureLimits(formatPictureLimits(limits)), parsePictureLimits('many 1\n')]).toEqual([limits, null]);
});
