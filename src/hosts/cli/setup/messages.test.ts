import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('every message', () => {
  const formatted = [
    messages.formatStartsIn('/w does not exist', '/home/ann'),
    messages.DEFAULTS_HINT,
    messages.formatNoSession('/w'),
    messages.NO_SESSION_HINT,
  ];
  expect(`\n${formatted.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    /w does not exist; aish starts in /home/ann
    until then aish uses its defaults, and only a model on this machine
    there is no earlier session in /w
    to list the sessions of all folders: aish sessions
    "
  `);
});
