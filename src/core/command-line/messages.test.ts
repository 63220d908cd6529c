import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('every message', () => {
  const constants = Object.values(messages).filter((message) => typeof message === 'string');
  const formatted = [
    messages.formatNeedsValue('--model'),
    messages.formatTakes('--output', 'text, json', 'xml'),
    messages.formatTakes('--max-steps', messages.WHOLE_NUMBER, undefined),
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
    leave the option out; a message to the model goes after -p
    -c needs a command
    for example aish -c 'ls -l'
    see aish --help
    see aish --help; a message that begins with a dash goes after --
    a whole number from 1
    --model needs a value
    --output takes text, json, not xml
    --max-steps takes a whole number from 1, not nothing
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
