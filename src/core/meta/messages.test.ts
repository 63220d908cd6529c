import { expect, test } from 'bun:test';
import {
  formatBadArgument,
  formatExtraWord,
  formatFewer,
  formatGivenUp,
  formatMissingWord,
  formatNoCommand,
  formatUnknownCommand,
  OPEN_QUOTE,
} from './messages.ts';

test('the texts about meta-commands', () => {
  const faults = [
    formatNoCommand(': ${X:=3}'),
    formatNoCommand(`: ${'x'.repeat(99)}`),
    OPEN_QUOTE,
    formatUnknownCommand(':modle', ':model'),
    formatUnknownCommand(':xyzzy', null),
    formatMissingWord(':mcp', 'a second word', [':mcp list', ':mcp tools']),
    formatExtraWord(':quit', 'now', ':quit'),
    formatBadArgument(':undo', '0', ':undo [n | id] [path…]'),
  ];
  const texts = [
    ...faults.flatMap(({ message, hint }) => [message, `  ${hint}`]),
    formatFewer(1, 'undo'),
    formatFewer(2, 'redo'),
    formatGivenUp(undefined),
    formatGivenUp({ direction: 'undo', done: 1, left: 1, checkpoint: 'c2' }),
    formatGivenUp({ direction: 'redo', done: 2, left: 3, checkpoint: 'c2' }),
  ];
  expect(texts.join('\n')).toMatchInlineSnapshot(`
    "this is no command of aish; to run it in your shell, type !: \${X:=3}
      :help lists the commands
    this is no command of aish; to run it in your shell, type !: …
      :help lists the commands
    a quote is not closed
      close the quote, or put a backslash before it
    there is no command :modle
      did you mean :model?
    there is no command :xyzzy
      :help lists the commands
    :mcp needs a second word
      usage: :mcp list
             :mcp tools
    :quit takes no argument "now"
      usage: :quit
    :undo cannot use the argument "0"
      usage: :undo [n | id] [path…]
    there was only 1 change to undo
    there were only 2 changes to redo
    nothing changed
    undid 1 of 2 changes; did not undo c2
    redid 2 of 5 changes; did not redo c2 and 2 more"
  `);
});
