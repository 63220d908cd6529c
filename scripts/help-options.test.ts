import { expect, test } from 'bun:test';
import { type Arity, readHelp } from './help-options.ts';

const read = (text: string): Readonly<Record<string, Arity>> =>
  Object.fromEntries(readHelp(text).map(({ name, arity }) => [name, arity]));

test('names of one option share what is written behind the last of them', () => {
  const text = [
    'Usage: sort [OPTION]...',
    '  -k, --key=KEYDEF     sort via a key',
    '  -r, --reverse        the other way',
  ];
  expect(read(text.join('\n'))).toEqual({ k: 'value', key: 'value', r: 'none', reverse: 'none' });
});

test('a value in brackets may be left out, and one behind a blank may not', () => {
  const text = [
    '      --color[=WHEN]  colour',
    '    --abbrev[=<n>]     digits',
    '    -n, --max-count <n>   limit',
    '  -i SUFFIX',
  ];
  expect(read(text.join('\n'))).toEqual({
    color: 'optional',
    abbrev: 'optional',
    n: 'value',
    'max-count': 'value',
    i: 'value',
  });
});

test('a letter is left out where its name has a value that may be missing, or is one of several', () => {
  const text = ['  -f, --follow[=HOW]   follow', '  -C, --check=quiet    no report', '  -c  --format=FORMAT  form'];
  expect(read(text.join('\n'))).toEqual({ follow: 'optional', c: 'value', format: 'value' });
});

test('an option that can be negated is two', () => {
  expect(read('    --[no-]column[=<style>]  in columns')).toEqual({ column: 'optional', 'no-column': 'none' });
});

test('nothing is said of a line that is a sentence', () => {
  expect(read('  -x turns it on\n--help shows this')).toEqual({});
});
