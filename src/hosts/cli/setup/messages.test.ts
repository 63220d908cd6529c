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
    messages.formatStartsIn('/w does not exist', '/home/ann'),
    messages.formatNoSession('/w'),
  ];
  expect(`\n${[...constants, ...formatted].join('\n')}\n`).toMatchInlineSnapshot(`
    "
    until then aish uses its defaults, and only a model on this machine
    leave the option out; a message to the model goes after -p
    -c needs a command
    for example aish -c 'ls -l'
    to list the sessions of all folders: aish sessions
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
    /w does not exist; aish starts in /home/ann
    there is no earlier session in /w
    "
  `);
});
