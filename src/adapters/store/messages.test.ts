import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

const FULL = new Error('ENOSPC: no space left on device');
const LOG = '/s/0abc/log.jsonl';

test('every message', () => {
  const all = printMessages(messages, {
    noSessionBegins: [['x']],
    severalSessions: [['abc', ['abc2', 'abc1']]],
    noSession: [['abc']],
    openElsewhere: [['abc']],
    unreadableFolder: [['/s', FULL]],
    nothingToFork: [['abc']],
    lockedLog: [[LOG]],
    noLog: [[LOG, FULL]],
    unusableLog: [[LOG, FULL]],
    removedLog: [[LOG]],
    newerLog: [[LOG, 9, 3]],
    failedWrite: [[LOG, FULL]],
    failedMemoryWrite: [['/s/memory.jsonl']],
    formatMovedDamage: [[7, 300, `${LOG}.torn`]],
    formatMovedEnd: [[7, 300, `${LOG}.torn`]],
    formatUnreadable: [[7, 300, LOG]],
    formatUnknownEvents: [['dream.begun, dream.ended']],
    formatGap: [[3000]],
    outputGone: [[7]],
    tooManyRuns: [[['r1', 'r2']]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    cannot write /s/memory.jsonl, so the memory is unchanged
      free disk space or fix the permissions, then try again
    cannot write the session log /s/0abc/log.jsonl: ENOSPC: no space left on device
      free disk space or fix the permissions, then try again; the log is still complete

    [… 3000 bytes left out …]

    the session log is damaged after event 7; aish moved the rest (300 bytes) to /s/0abc/log.jsonl.torn
    the end of the session log is incomplete; aish moved everything after event 7 (300 bytes) to /s/0abc/log.jsonl.torn
    a newer aish wrote events that this aish does not know (dream.begun, dream.ended); this aish skips them, and they stay in the log
    the session log is damaged after event 7; aish cannot show 300 bytes of /s/0abc/log.jsonl
    another aish has this session open (/s/0abc/log.jsonl)
      join it with aish attach, or continue a copy of it with --fork
    the session log /s/0abc/log.jsonl has version 9, but this aish reads only up to version 3
      open it with the newer aish that wrote it, or start a new session
    there is no session log at /s/0abc/log.jsonl
      list the sessions with: aish sessions
    there is no session "abc"
      list the sessions with: aish sessions
    no session ID begins with "x"
      list the sessions with: aish sessions
    session abc has nothing to continue from yet
      wait until its first turn or command has ended
    session abc is open in another aish
      exit that aish first
    aish no longer has the whole output %7, only its beginning and end
      run the command again; a session keeps 1 GB of outputs and deletes the oldest first
    the session log /s/0abc/log.jsonl was just deleted
      list the sessions with: aish sessions
    2 session IDs begin with "abc": abc2, abc1
      type more of the ID
    the changes of 2 runs wait for you: r1, r2
      apply or discard some of them: :norris diff r1, :norris discard r1
    cannot read the sessions in /s
      make sure that you own the folder and can read it
    cannot open the session log /s/0abc/log.jsonl: ENOSPC: no space left on device
      make sure that you own the folder and the file and can write to them
    "
  `);
});
