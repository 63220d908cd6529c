import { expect, test } from 'bun:test';
import { printMessages, type Samples } from '../../../test/support/print-messages.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { Contract, FenceCode } from '../../protocol/contract.ts';
import * as messages from './messages.ts';

const contract: Contract = {
  goal: 'fix it',
  until: ['make', 'make lint'],
  only: ['src', 'docs'],
  limits: { steps: 1, minutes: 15, tokens: 1000 },
};
const record: CommandRecord = {
  line: 'make',
  driver: 'model',
  exit: 2,
  cwd: '/w',
  output: 'no rule\n',
  bytes: 8,
  durationMs: 5,
};
const codes: readonly FenceCode[] = [
  ...(['outside', 'pinned', 'repository', 'network', 'privileged'] as const),
  ...(['not-undoable', 'unreadable', 'server'] as const),
];

const SAMPLES: Samples<typeof messages> = {
  formatTwice: [['until']],
  formatUnknownWord: [['soon']],
  formatCheckNotQuoted: [['npm']],
  formatOutsideProject: [['../x']],
  formatUnknownLimit: [['3 moons']],
  formatFence: codes.map((code) => [{ code, path: 'a', call: 'x' }]),
  formatContractEnd: [
    ...(['achieved', 'already-achieved', 'pinned-changed', 'fence', 'step-limit'] as const),
    ...(['time-limit', 'token-limit', 'cost-limit', 'no-progress', 'repeated-failure', 'stopped', 'failed'] as const),
  ].map((reason) => [reason]),
  formatReadFenced: [[{ code: 'outside', path: '/etc/x', call: 'x' }], [{ code: 'server', call: 'x' }]],
  formatWithin: [[[]], [['a', 'b']], [Array.from({ length: 14 }, (_, at) => `f${at}`)]],
  formatDiscarded: [[['build/x']]],
  beginOfWork: [
    [contract, [record]],
    [{ ...contract, only: ['.'] }, []],
  ],
  goOnWithWork: [[[record]]],
  resumeWork: [
    [contract, [record], null],
    [contract, [], { code: 'outside', path: 'a', call: 'rm a' }],
  ],
  formatResumed: [[1]],
  formatPlanHead: [['user'], ['model']],
  formatMissing: [[['make']]],
  formatOpenItems: [[['read it', 'fix it']]],
  formatNext: [
    [true, true],
    [false, false],
  ],
  formatNextInScript: [
    ['0abc', true, 2],
    ['0abc', false, 0],
  ],
  formatGoal: [['fix it']],
  formatUntil: [['make']],
  formatOnly: [[['.']], [['src', 'docs']]],
  formatLimits: [[contract.limits], [{ ...contract.limits, steps: 2, usd: 0.5 }]],
  formatPinned: [[1], [2]],
  formatCheck: [
    ['make', 0, 3],
    ['make', 2, undefined],
    ['make', null, undefined],
  ],
  formatPinnedChanged: [[['Makefile']]],
  formatUsed: [[{ steps: 1, tokens: 20 }], [{ steps: 1, tokens: 20, seconds: 3 }], [{ steps: 2, tokens: 20, seconds: 3 }]],
  formatAgain: [["'fix it' until 'make'"]],
  formatCalls: [[2]],
  formatChanges: [[2]],
  formatAllowedBy: [['the contract']],
  formatUndoneBy: [['c1']],
  formatCostLimit: [[0.5]],
  formatProgress: [[{ steps: 1, tokens: 20, seconds: 3.2 }, contract.limits]],
};

test('the texts of contracts', () => {
  expect(printMessages(messages, SAMPLES)).toMatchInlineSnapshot(`
    "
    COMMAND
    The run continues.
    write it like this: "make the tests pass" until 'npm test' within 20 steps, 15 min, 200k tokens only src
    the contract
    The run has not ended, or was cut short when aish ended.
    failed
    the goal needs quotes
    Place: a copy of the project, in the background; you apply or discard its changes afterwards
    "in" can only be "in background"
    a contract has no network, so only "net off" is possible
    not run
    the contract has no check
    the contract has no goal
    Network: off
    "only" needs a path
    a quote is open
    The run is paused: nothing begins, and no time counts. :resume-run lets it continue.
    Plan
    [aish] not kept: items needs up to 40 objects with text and state (open, doing, done or dropped)
    [aish] plan kept
    [aish] not kept, because the user has changed the plan meanwhile. Read it, then send it again.
    This is a contract for your sentence. Change it as you like, then press Enter.
    Write the command that proves the goal in place of COMMAND, then press Enter.
    Receipt of an autonomous run
    The run is going on.
    the server of this model counts no tokens, so aish cannot hold the limit of costs
    the price of this model is unknown, so aish cannot hold the limit of costs
    set price_input and price_output in [models.NAME], or use a limit of tokens
    fix it

    [aish] You work alone, and nobody answers questions.
    The goal is reached when these commands exit with 0: make; make lint
    You may change only src, docs, but no test and no setting of the checks.
    Commands run on a copy of the project without network, and aish applies their changes.
    A call that breaks these terms ends the work. Keep your plan with aish.plan. The checks fail now:

    $ make
    exit 2
    no rule
    fix it

    [aish] You work alone, and nobody answers questions.
    The goal is reached when these commands exit with 0: make; make lint
    You may change only files of this project, but no test and no setting of the checks.
    Commands run on a copy of the project without network, and aish applies their changes.
    A call that breaks these terms ends the work. Keep your plan with aish.plan. The checks fail now:


    again: :norris 'fix it' until 'make'
    allowed by the contract
    Calls of the model: 2
    Changed files: 2
    passes: make  %3
    fails (exit 2): make
    fails (status unknown): make
    the check "npm" needs quotes
    The goal is reached: all checks pass.
    All checks pass already, so the model had nothing to do.
    The run failed: a file that the checks depend on has changed.
    The run stopped at a fence of the contract.
    The run stopped at its limit of steps.
    The run stopped at its limit of time.
    The run stopped at its limit of tokens.
    The run stopped at its limit of costs.
    The run stopped: the project and the checks were the same three times in a row.
    The run stopped: the model repeated a call that did not help.
    The run was stopped.
    The run failed.
    the contract allows costs of 0.50 usd
    [aish] not kept, because no undo could restore it: build/x
    The model wanted to change a, which is outside the contract: x
    The model wanted to change a, which the checks depend on: x
    The model wanted to change git's own data: x
    The model wanted to open a network connection: x
    The model wanted to get more rights: x
    The model wanted to change a, which aish could not undo: x
    The model wanted to run a command that aish cannot read: x
    The model wanted to call a tool of a server, whose effects the contract cannot limit: x
    Goal: fix it
    Limits: 1 step, 15 min, 1000 tokens
    Limits: 2 steps, 15 min, 1000 tokens, 0.50 usd
    still fails: make
    :norris receipt shows each call and change, :norris undo undoes them, :norris resume goes on
    :norris receipt shows each call and change
    aish undo 2 undoes the run, aish run --resume 0abc goes on, aish --resume 0abc opens its session
    aish --resume 0abc opens its session
    Changes: only files of this project, but no test and no setting of the checks
    Changes: only src, docs, but no test and no setting of the checks
    open in the plan: read it; fix it
    "../x" is outside the project
    1 file is pinned: the checks depend on it.
    2 files are pinned: the checks depend on them.
    Changed since the start: Makefile.
    Plan, changed by you:
    Plan:
    step 1 of 1, 20 of 1000 tokens, 3 s of 15 min
    [aish] not run: the contract does not let you read /etc/x
    [aish] not run: the contract allows only tools of servers that read and that a rule approves
    Run 1 goes on.
    "until" stands twice
    :undo c1 undoes it
    "3 moons" is no limit
    "soon" is no part of a contract
    Until: make exits with 0
    used: 1 step, 20 tokens
    used: 1 step, 20 tokens, 3 s
    used: 2 steps, 20 tokens, 3 s
    [aish] it changed no file of the project
    [aish] changed: a, b
    [aish] changed: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11 and 2 more
    [aish] The checks still fail. Go on.

    $ make
    exit 2
    no rule
    fix it

    [aish] You work alone, and nobody answers questions.
    The goal is reached when these commands exit with 0: make; make lint
    You may change only src, docs, but no test and no setting of the checks.
    Commands run on a copy of the project without network, and aish applies their changes.
    A call that breaks these terms ends the work. Keep your plan with aish.plan. The checks fail now:

    $ make
    exit 2
    no rule

    [aish] You have worked on this before, and the run was stopped. Look at the files before you repeat a call.
    fix it

    [aish] You work alone, and nobody answers questions.
    The goal is reached when these commands exit with 0: make; make lint
    You may change only src, docs, but no test and no setting of the checks.
    Commands run on a copy of the project without network, and aish applies their changes.
    A call that breaks these terms ends the work. Keep your plan with aish.plan. The checks fail now:



    [aish] You have worked on this before, and the run was stopped. Look at the files before you repeat a call.
    [aish] Do not try this again: rm a
    "
  `);
});
