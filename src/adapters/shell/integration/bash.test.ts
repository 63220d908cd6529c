import { expect, test } from 'bun:test';
import { bash } from './bash.ts';

/** Features that came to bash after 4.4, as written in a script. */
const NEWER: Readonly<Record<string, RegExp>> = {
  'letters of another case (5.1)': /\$\{\w+@[UuLKk]\}/,
  'numbers of time and chance (5.0, 5.1)': /\b(?:EPOCHSECONDS|EPOCHREALTIME|SRANDOM|BASH_ARGV0|BASH_MONOSECONDS)\b/,
  'options kept in a function (4.4, but local - only)': /\blocal -(?:\s|$)/m,
  'the number of what was waited for (5.1)': /\bwait -[a-z]*p/,
  'an association list as one word (5.1)': /\bdeclare -A \w+=\((?!\[)/,
  'the output of a function without a child (5.3)': /\$\{[ |]/,
  'a part of a history by a negative number (5.0)': /history -d -(?!1; else)/,
  'the exit status of a test of an option (5.0)': /\[\[ -v \w+\[@\]/,
  'a replacement that names what it replaces (5.2)': /\bpatsub_replacement\b/,
};

test('nothing in what bash reads of us is newer than bash 4.4, but where its version is asked for', () => {
  const { files } = bash.prepare({
    folder: '/run',
    nonce: 'n',
    login: false,
    env: {},
    renderPrompt: true,
    withoutStartup: false,
  });
  const text = `${Object.values(files).join('\n')}\n${bash.injection}${bash.repair}`;
  expect(Object.keys(NEWER).filter((what) => NEWER[what]?.test(text) === true)).toEqual([]);
  // An array of hooks is known from 5.1 on, a history counted from its end from 5.0 on.
  expect(text).toContain('BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501');
  expect(text).toContain('if (( BASH_VERSINFO[0] >= 5 )); then builtin history -d -1; else');
});
