import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('every message', () => {
  const constants = Object.values(messages).filter((message) => typeof message === 'string');
  const formatted = [
    messages.formatNeedsValue('--model'),
    messages.formatTakes('--output', 'text, json', 'xml'),
    messages.formatBelongsTo('--keep', 'checkpoints prune'),
    messages.formatTakesNone('--continue'),
    messages.formatSeeHelp('undo'),
    messages.formatUnknownOption('--nope'),
    messages.formatUnknownSubcommand('sesions'),
    messages.formatMeantSubcommand('sesions', 'sessions'),
    messages.formatNotForShell('--model'),
    messages.formatForms('config', 'show | path'),
    messages.formatNoArgument('checkpoints', 'here'),
  ];
  expect(`\n${[...constants, ...formatted].join('\n')}\n`).toMatchInlineSnapshot(`
    "
    an age such as 12h, 7d or 2w
    leave the option out; a message to the model goes after -p
    -c needs a command
    for example aish -c 'ls -l'
    a port from 0 to 65535
    a number over 0, such as 4 or 0.5
    see aish --help
    see aish --help; a message that begins with a dash goes after --
    a whole number from 1
    --model needs a value
    --output takes text, json, not xml
    --keep belongs to aish checkpoints prune
    --continue takes no value
    see aish undo --help
    unknown option --nope
    there is no subcommand sesions
    did you mean aish sessions? To send the word as a message: aish -p sesions
    --model does not work with a script or a command of a shell
    aish config takes show | path
    aish checkpoints takes no argument "here"
    "
  `);
});
