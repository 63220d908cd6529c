import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('what the gate says of a call', () => {
  const { BUILT_IN_RULES, ...others } = messages;
  const texts = Object.values(others).map((text) => (typeof text === 'string' ? text : text('NAME')));
  expect([...Object.values(BUILT_IN_RULES), ...texts.toSorted()].join('\n')).toMatchInlineSnapshot(`
    "built-in rule
    private files
    files that run later
    aish's own files
    NAME means something else to your shell than when you saw the command
    aish cannot tell whether NAME still means the same to your shell
    aish cannot tell whether your shell redefines these words
    an argument names a file that runs later: NAME
    an argument names a private file: NAME
    an argument names aish's own files
    git may print NAME, which is or was in the repository
    git may print credentials, because aish could not search the whole history
    git may print files of a checkpoint
    git may print files of another repository
    git may print objects that no branch contains any more
    names more files than aish looks up before a command runs
    prints credentials: NAME
    reads a file that only you can read: NAME
    reads a file whose name only your shell knows
    the estimate stopped before its end
    the file NAME has changed since you saw the command
    the path leads to aish's own files
    your shell may read this command differently"
  `);
});
