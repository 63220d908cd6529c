import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    invalidEvent: [['<html>']],
    noSessionId: [[]],
    noDirectory: [[]],
    connectionLost: [['/run/aish.sock', null]],
    noDaemon: [['/run/aish.sock', null]],
    refused: [[500, 'oops']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    the connection to /run/aish.sock was lost before the daemon answered
      the request may have taken effect; check before you send it again
    the daemon sent an invalid event: <html>
      make sure that aish and the daemon have the same version
    no daemon is running at /run/aish.sock
      start one with: aish serve
    the daemon did not say in which directory its shell is
      make sure that aish and the daemon have the same version
    the daemon did not name the session that it opened
      make sure that aish and the daemon have the same version
    the daemon answered 500: oops
    "
  `);
});
