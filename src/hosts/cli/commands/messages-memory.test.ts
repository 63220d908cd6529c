import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages-memory.ts';

test('the texts about the memory', () => {
  const all = printMessages(messages, {
    formatScope: [
      ['project', '/p'],
      ['everywhere', ''],
    ],
    formatKept: [['3', 'project /p']],
    formatKnown: [['3']],
    formatContradiction: [['3', 'The port is 3000.']],
    formatEdited: [['4', '3']],
    formatTooLong: [[500, 400]],
    formatNoFact: [['9']],
    formatUseCount: [
      [1, '2026-11-01'],
      [2, '2026-11-01'],
    ],
    formatExpires: [['2026-12-01']],
    formatMayReplace: [['3']],
    formatForgotten: [['3', 'The port is 3000.']],
    formatInfluenced: [['0abc', 'turn 2']],
    formatTurns: [
      [2, 2],
      [2, 5],
    ],
    formatTurnsOn: [[2]],
    formatMoreSessions: [[1], [2]],
    formatProposedIn: [['0abc', 2]],
    formatReadBefore: [[['https://example.org']]],
    formatUnused: [['2026-01-01']],
    formatAccepted: [[['3', '4']]],
    formatSentFact: [['3', 'The port is 3000.']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    aish keeps none of them.
    not used for 180 days, so aish does not send it (:memory inbox)
    the model proposed it after it read untrusted content
    The text had a secret, so aish keeps it with a placeholder.
    The inbox is empty.
    Keep them? Type yes, no, or the numbers to keep: 
    Nothing changed: the facts stay in the inbox.
    to list the facts: :memory
      No request had it.
    aish keeps no facts. To add one: :remember the tests need Docker
    No fact has any of these words.
    choose one of --everywhere, --host, --project and --directory
    split it into several facts
    stays, marked as older
      The line stays in .aish/memory.jsonl; aish ignores it for you.
    aish keeps: 3, 4
    It may contradict fact 3: The port is 3000.
    The model gets both, marked as older and newer, until you forget fact 3.
    Fact 4 replaces fact 3.
    until 2026-12-01
    Fact 3 is in no later request: The port is 3000.
      It was in session 0abc, turn 2
    aish keeps this as fact 3 (project /p).
    aish keeps this already, as fact 3.
    may contradict fact 3
      and in 1 earlier session
      and in 2 earlier sessions
    there is no fact 9
    proposed in session 0abc, turn 2
    ! The model had read untrusted content before: https://example.org
    project /p
    everywhere
    Fact 3: The port is 3000.
    a fact has at most 400 characters, and this one has 500
    turn 2
    turns 2 to 5
    from turn 2 on; its log is gone
    not used since 2026-01-01
    used in 1 session, last on 2026-11-01
    used in 2 sessions, last on 2026-11-01
    "
  `);
});
