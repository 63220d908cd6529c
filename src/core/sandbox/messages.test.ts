import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('what is said of a command and the sandbox', () => {
  const texts = Object.values(messages).map((text) => (typeof text === 'string' ? text : text('NAME', '/tmp')));
  expect(texts.toSorted()).toMatchInlineSnapshot(`
    [
      "NAME runs until somebody stops it",
      "the command changes only the shell itself",
      "the command reached a limit of the sandbox",
      "the command reads NAME, which the sandbox does not show",
      "the command reads folders that are different in the sandbox",
      "the command reads or changes the shell itself",
      "the command reads outside the project, where folders are different in the sandbox",
      "the command reports on this machine, and the sandbox would show a different one",
      "the command searches the whole system, and the sandbox shows only a part of it",
      "the command tried something that the sandbox forbids",
      "the command uses the shell variable NAME",
      "the command wrote to a read-only place",
      "the sandbox does not show NAME: /tmp is empty there",
      "the sandbox has no network",
      "the sandbox hides NAME",
    ]
  `);
});
