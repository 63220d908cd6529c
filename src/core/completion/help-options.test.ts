import { expect, test } from 'bun:test';
import { parseHelpOptions } from './help-options.ts';

const table: readonly (readonly [title: string, help: string, wanted: readonly (readonly [string, string])[]])[] = [
  [
    'columns of GNU programs',
    `Usage: ls [OPTION]...
  -a, --all                  do not ignore names
                               that begin with .
      --block-size=SIZE      with -l, scale sizes
`,
    [
      ['-a', 'do not ignore names that begin with .'],
      ['--all', 'do not ignore names that begin with .'],
      ['--block-size=', 'with -l, scale sizes'],
    ],
  ],
  [
    'types of values as docker writes them',
    'Options:\n      --cpus decimal        Number of CPUs\n  -d, --detach              Run in the background\n\nCommands:\n  run   Run\n',
    [
      ['--cpus', 'Number of CPUs'],
      ['-d', 'Run in the background'],
      ['--detach', 'Run in the background'],
    ],
  ],
  [
    'descriptions on a row of their own',
    '  -e, --regexp <PATTERN>\n          A pattern to search for.\n\n          More of it.\n  -q\n',
    [
      ['-e', 'A pattern to search for.'],
      ['--regexp', 'A pattern to search for.'],
      ['-q', ''],
    ],
  ],
  [
    'options that can be turned off, and a value that may be left away',
    '    --[no-]status         include status\n    --gpg-sign[=<key>]    sign\n',
    [
      ['--status', 'include status'],
      ['--no-status', 'include status'],
      ['--gpg-sign', 'sign'],
    ],
  ],
  [
    'colons between columns, and letters that a manual page prints twice',
    '-b     : issue warnings\n       -\x08-x\x08x\n           print more\n',
    [
      ['-b', 'issue warnings'],
      ['-x', 'print more'],
    ],
  ],
  ['no prose', 'Use a dash - or - two. It runs a -- b.\n---\n* -x\n', []],
];

for (const [title, help, wanted] of table) {
  test(`reads ${title}`, () =>
    expect(parseHelpOptions(help).map(({ value, description = '' }) => [value, description] as const)).toEqual([...wanted]));
}
