import { expect, test } from 'bun:test';
import { toRows } from '../../../test/support/rows.ts';
import * as messages from './messages.ts';

test('what is said of secrets that a call gets', () => {
  const all = [
    messages.formatUnknownSecrets(['TOKEN', 'KEY']),
    messages.formatObstacle('⟨secret:TOKEN⟩', 'nowhere'),
    messages.formatObstacle('⟨secret:TOKEN⟩', 'quoted here-document'),
    messages.formatObstacle('⟨secret:TOKEN⟩', 'code'),
    messages.CHANGES_MEANING,
    messages.THE_SHELL,
    messages.formatFile('/w/.env'),
    messages.formatWithheld(['TOKEN', 'KEY'], 'TOKEN'),
  ];
  expect(toRows(all)).toMatchInlineSnapshot(`
    "there is no secret ⟨secret:TOKEN⟩, ⟨secret:KEY⟩; copy the placeholder exactly, or use the variable that holds
      the
      value
    aish cannot insert ⟨secret:TOKEN⟩ here; put it in quotes, outside of backquotes and $((
      ))
    aish cannot insert ⟨secret:TOKEN⟩ into a here-document whose delimiter is
      quoted
    aish cannot insert ⟨secret:TOKEN⟩ into code for another program, because its value could run as code; pass it
      in a
      variable
    aish cannot insert the secret here: its value would change what the command
      does
    the
      shell
    the file
      /w/.env

    [aish] the command ran without TOKEN, KEY, because no rule grants a secret to it. If it needs one, name it,
      and the user can approve that: TOKEN=$TOKEN
      …"
  `);
});
