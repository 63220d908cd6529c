import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages-runs.ts';

test('the texts of runs in working copies', () => {
  const all = printMessages(messages, {
    formatBegun: [['r1']],
    formatEnded: [['r1', 'The goal is reached: all checks pass.', '2 files changed.']],
    formatLost: [
      ['r1', 1, ''],
      ['r1', 1, 'no model'],
    ],
    formatNotCopied: [['target (5.2 GB)']],
    formatChanged: [[1], [2]],
    formatOffer: [['r1']],
    formatPlace: [['/s/.aish-runs/r1/site']],
    formatOfferAtPrompt: [['r1']],
    formatApplied: [
      ['r1', 1],
      ['r1', 2],
    ],
    formatUndoneBy: [['c3']],
    formatConflict: [['src/a.ts', 'you changed it since the run began']],
    formatKept: [['r1', '/s/.aish-runs/r1/site']],
    formatDiscarded: [['r1']],
    formatStopped: [['r1']],
    formatNotRunning: [['r1']],
    noRun: [[undefined], ['r1']],
    stillAtWork: [['r1']],
    notReady: [['r1']],
    formatHead: [['r1', 'works', 'fix it']],
    formatIndented: [['passes: make']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    The run was cut short.
    there was nothing to apply
    It changed no file.
    works | ended | was cut short
    run r1: applied 1 file
    run r1: applied 2 files
    run r1 begins in the background; :norris shows its state
    1 file changed.
    2 files changed.
      not applied: src/a.ts: you changed it since the run began
    run r1: its working copy is removed
    run r1: The goal is reached: all checks pass. 2 files changed.
    r1  works  fix it
        passes: make
    The working copy stays in /s/.aish-runs/r1/site; :norris discard r1 removes it
    run r1 could not work (status 1)
    run r1 could not work (status 1): no model
    ignored files without a copy: target (5.2 GB)
    run r1 has ended already
    :norris diff r1, :norris apply r1 or :norris discard r1
    at a prompt of aish: :norris diff r1, :norris apply r1 or :norris discard r1
    The changes are in /s/.aish-runs/r1/site
    run r1 is stopped
    :undo c3 takes them back
    there is no run in the background
      begin one like this: :norris 'make the tests pass' until 'npm test' in background
    there is no run r1
      begin one like this: :norris 'make the tests pass' until 'npm test' in background
    the working copy of run r1 is not complete
      remove it: :norris discard r1
    run r1 is still running
      stop it first: :norris stop r1
    "
  `);
});
