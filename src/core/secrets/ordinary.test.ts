import { expect, test } from 'bun:test';
import { isOrdinary } from './ordinary.ts';

test('words, short numbers, paths, addresses and what stands for a secret to come are none', () => {
  const values = [
    ...[
      'true',
      'production',
      'localhost',
      'Development',
      'postgres',
      'my-dev-db',
      'docker',
      'v1.2.3',
      '1234567',
      '127.0.0.1:5432',
      '2026-11-21',
    ],
    ...['/home/somebody/.config/key', '~/keys/id_rsa', './secrets.json', 'C:\\keys\\one', 'https://example.com/a/b'],
    ...[
      '$OTHER_VARIABLE',
      '${{ secrets.TOKEN }}',
      '<your-token>',
      'xxxxxxxxxxxx',
      '********',
      'your-token-here',
      'op://vault/item/field',
    ],
  ];
  expect(values.filter((value) => !isOrdinary(value))).toEqual([]);
});

test('what somebody chose or drew is one', () => {
  const values = [
    'hunter2!x',
    'hunt3r',
    '12345678',
    'Tr0ub4dor&3',
    'correct-horse-battery-staple',
    'correcthorsebattery',
    '/aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hI7',
    'deadbeef1234',
  ];
  expect(values.filter((value) => isOrdinary(value))).toEqual([]);
});

test('a name of the user is ordinary where it is told', () => {
  expect(isOrdinary('some1body', new Set(['some1body']))).toBe(true);
});

test('a few everyday words with blanks are none, a pass phrase is one', () => {
  expect(['exit 0; cwd', ' the quick', 'the quick, 2'].filter((value) => !isOrdinary(value))).toEqual([]);
  const phrases = ['four words of mine', 'purple monkey dishwasher', 'my dog 77', 'ab Zx9 kq'];
  expect(phrases.filter((value) => isOrdinary(value))).toEqual([]);
});
