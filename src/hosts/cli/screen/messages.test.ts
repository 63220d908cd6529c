import { expect, test } from 'bun:test';
import { printMessages, type Samples } from '../../../../test/support/print-messages.ts';
import type { DelayReason, RequestDelay } from '../../../protocol/model.ts';
import * as messages from './messages.ts';

type EndOfTurn = Parameters<typeof messages.formatTurnEnd>;

const delay: RequestDelay = { reason: 'overloaded', model: 'cloud', waitMs: 8000, attempt: 1, of: 4, said: 'Busy.' };
const DELAYS: readonly DelayReason[] = [
  ...(['loading', 'rate-limited', 'overloaded', 'unavailable', 'timed-out', 'server-error'] as const),
  ...(['connection-lost', 'connection-refused'] as const),
];

/** Sample arguments of the messages that take some. */
const SAMPLES: Samples<typeof messages> = {
  formatTurnEnd: [
    ...(['empty', 'reasoning-only', 'token-limit', 'refused', 'filtered'] as const).map(
      (gap): EndOfTurn => [{ type: 'turn.ended', reason: 'completed' }, gap, 4096],
    ),
    ...(['interrupted', 'depth-limit', 'step-limit', 'denied', 'repeated-failure', 'repeated-call'] as const).map(
      (reason): EndOfTurn => [{ type: 'turn.ended', reason }, null],
    ),
  ],
  formatDelay: [
    ...DELAYS.map((reason): [RequestDelay, number] => [{ ...delay, reason }, 7600]),
    [{ ...delay, of: null, said: '' }, 200],
    [{ ...delay, of: 1 }, 0],
  ],
  formatPrompt: [[null], [45], [100]],
  formatProgress: [[{ name: 'fs.copy', done: 3 }], [{ name: 'fs.copy', done: 1, total: 3, message: 'third file' }]],
  toSentence: [['deletes or overwrites: build'], ['aish asks']],
  formatRuleText: [
    ['npm test', 'mutating'],
    ['git log', 'read-only'],
  ],
  formatMoreReasons: [[1], [2]],
  formatAskingRule: [['git push']],
  formatHeldRule: [['mkdir']],
  formatSandboxRun: [['read-only'], ['mutating']],
  formatUnsandboxedRun: [['bubblewrap is missing']],
  formatHookAdded: [[{ type: 'hook.added', command: '~/context', text: 'abc' }]],
  formatAskedAgain: [['the shell is now in /tmp']],
  formatSecretGrant: [
    [['A'], 'gh', 'gh'],
    [['A', 'B'], 'curl (example.com)', undefined],
  ],
  formatRealPath: [
    ['/srv/a', true],
    ['/w/a', false],
  ],
  formatNewFile: [['/w/a']],
  formatProblem: [['README: "old" was not found']],
  formatNotUndoable: [['checkpoints are off']],
  formatMovedDefinition: [['notes']],
  formatUnreviewed: [['notes']],
  formatFolded: [
    [101, true],
    [101, false],
  ],
  formatApprovalKeys: [
    [true, 'aish.exec'],
    [false, 'fs.write_file'],
  ],
  formatLineCount: [[1], [2]],
  formatSpacesAtEnd: [[1], [2]],
  formatNothingMore: [[undefined], ['[r] dry run']],
  formatConnections: [
    ['example.com', 1, false],
    ['example.com', 1, true],
    ['example.com, example.org', 2, true],
  ],
  formatUnknownEffects: [
    ['make', '[r] dry run'],
    ['make', undefined],
  ],
  formatConflicts: [
    [1, true],
    [2, true],
    [1, false],
    [2, false],
  ],
  formatFree: [[1, 'undo']],
  formatMoreLeft: [[3]],
  formatVersions: [['no file', '2 lines, 8 B', 'undo']],
  formatUndoKeys: [
    ['undo', 3],
    ['redo', 3],
  ],
  formatRestoredAlready: [['undo'], ['redo']],
  formatStillOpen: [
    ['undo', 'c4'],
    ['redo', 'c4'],
  ],
  formatMoreFiles: [
    [1, undefined],
    [2, 'c5'],
  ],
  formatMoreLines: [
    [1, ''],
    [9, messages.THEN_APPLY],
  ],
  formatDryRunHead: [
    [0, 0, undefined],
    [null, 2, 7],
  ],
  formatOutputTitle: [[null], ['5.0 kB']],
  formatInapplicable: [['it has a second name (a hard link)']],
  formatMoreChanges: [[4]],
  formatApplied: [
    [1, 0],
    [2, 1],
  ],
  formatNotApplied: [['a', 'it is busy']],
  formatInstructions: [['fs']],
  formatInstructionsGone: [['fs']],
  formatReviewHead: [
    ['notes (http://x)', 1, true, 1],
    ['notes (http://x)', 3, false, 2],
  ],
  formatUnchangedTools: [['notes.read']],
  formatToolGone: [['notes.read']],
  formatRenamedTool: [['notes.read']],
  formatLookAlike: [['notes.read']],
  formatDeniedTool: [['notes.*']],
  formatAllowedTool: [
    ['notes.*', true],
    ['notes.*', false],
  ],
  formatAnswered: [['pts/3', 'allow']],
  formatAbandoned: [['pts/3']],
  formatDiscarded: [['pts/3']],
  formatTrusted: [['pts/3']],
  formatDryRunStarted: [['pts/3']],
  formatApplying: [
    ['pts/3', undefined],
    ['pts/3', [1, 3]],
  ],
  formatHalted: [['the owner']],
  formatStopRequested: [['pts/3']],
  formatInterrupted: [['pts/3']],
  formatPreparing: [['aish.exec']],
  formatSessionName: [['docs']],
  formatCheckpoint: [['c1']],
  formatNoCheckpoint: [['the disk is full']],
  formatIncomplete: [['c1', 'the disk is full']],
  formatOwnNotUndoable: [['this is your home directory']],
  formatAllowedByRule: [
    ['git log', null],
    ['fs.*', '/srv/a'],
  ],
  formatDenyingRule: [['git push']],
  formatRefusal: [['by the rule "git push"', 'git push']],
};

test('every message', () => {
  expect(printMessages(messages, SAMPLES)).toMatchInlineSnapshot(`
    "
    aish asks you before each call.
    Changes nothing.
    change:
    running the checks
    keep | take | merge
    Only reads and prints. | May change files. | Opens a connection. | Needs more rights than you have. | May delete or overwrite files. | aish can't tell what this would run.
    dry run, without input
    [a] apply all | [c] choose some | [d] discard | [y] run it for real | [n] no | [v] view all
    The dry run stopped; the project is unchanged.
    finishing what runs
    The model wants to run:
    The answer suggests calling
    The answer suggests running:
    The model wants to call
    left as it is
    lines end with CRLF
    merged:
    a newline at the end
    Nothing to apply.
    nothing
    This cannot be undone.
    This cannot be undone here.
    The server now says that this tool only reads.
    (no arguments)
    No checkpoints here yet.
    no newline at the end
    paused
    (a private command)
    :redo restores the removed files
    making a checkpoint
    The server no longer says that this tool only reads.
    The server says that this tool only reads.
    [aish] stopped: this message has used all its model requests; say "go on", or raise --max-steps
    Still counting …
    each tab shows as 4 spaces
     After that, [a] applies all changes.
    thinking
     (new) |  (changed)
    aish believes that it only reads, because trust_read_only is set for this server.
    [a] use this result
    pts/3 gave up the undo
    allowed by the rule "git log"
    allowed by the rule "fs.*": /srv/a
    The rule "notes.*" allows calls without asking.
    After your review, the rule "notes.*" allows calls without asking.
    pts/3 answered: allow
    Applied 1 change.
    Applied 2 changes; 1 not applied.
    pts/3 applied all changes
    pts/3 applied some changes: 1, 3
    [y] run once | [n] no | [a] always allow | [e] edit | [r] dry run | [d] deny with a reason | [v] view all
    [y] allow once | [n] no | [a] always allow fs.write_file (this session) | [e] edit | [r] dry run | [d] deny with a reason | [v] view all
    aish asks again: the shell is now in /tmp.
    The rule "git push" requires your approval.
    checkpoint c1
    1 file has changed since. aish changes nothing before you choose.
    2 files have changed since. aish changes nothing before you choose.
    1 file needs your choice. aish changes nothing before you choose.
    2 files need your choice. aish changes nothing before you choose.
    Connects to example.com.
    Host: example.com.
    Hosts: example.com, example.org.
    cloud is loading its model (1 of 4)
    cloud is rate-limiting requests (1 of 4): Busy; aish tries again in 8 s
    cloud is overloaded (1 of 4): Busy; aish tries again in 8 s
    cloud is not available at the moment (1 of 4): Busy; aish tries again in 8 s
    cloud gave up waiting for the request (1 of 4): Busy; aish tries again in 8 s
    cloud reports an error (1 of 4): Busy; aish tries again in 8 s
    cloud closed the connection without a response (1 of 4): Busy; aish tries again in 8 s
    cloud does not accept connections yet (1 of 4): Busy; aish tries again in 8 s
    cloud is overloaded; aish tries again in 1 s
    cloud is overloaded: Busy; aish tries again
    The rule "notes.*" denies each call.
    by the rule "git push"
    pts/3 discarded the dry run
    dry run: exit 0 · no changes · the project is unchanged
    dry run: no exit status · 2 changes · %7 · the project is unchanged
    pts/3 started a dry run
    … Press v to view all 101 lines. Then y can run the command.
    … Press v to view all 101 lines.
    After your choice, aish also undoes the changes to 1 file that nobody has edited since.
    the owner halted the session
    The rule "mkdir" covers only commands that aish can undo.
    the hook \`~/context\` adds 3 characters to the message
    cannot be applied: it has a second name (a hard link)
    checkpoint c1 is incomplete: the disk is full
    instructions of fs
    fs: the server no longer has instructions
    pts/3 interrupted the model
    1 line
    2 lines
    The name looks like the name of another tool: notes.read.
    and 4 more; [a] applies them, too
    … and 1 more file
    … and 2 more files; :diff --step c5 shows all
    left as they are: 3 more
    … Press v to view 1 more line.
    … Press v to view 9 more lines. After that, [a] applies all changes.
    And 1 more.
    And 2 more.
    This tool has changed since a rule for it began to apply. ":mcp review notes" shows the change.
    creates /w/a
    no checkpoint: the disk is full
    not applied: a: it is busy
    This cannot be undone: checkpoints are off.
    The estimate shows nothing more.
    The estimate shows nothing more. [r] dry run may show more.
    output:
    output (5.0 kB):
    aish cannot undo your commands here: this is your home directory
    preparing aish.exec
    This would fail: README: "old" was not found.
    fs.copy: 3
    fs.copy: 33 % · third file
    queued
    reading the prompt 45 %
    thinking
    real path: /srv/a (outside the project)
    real path: /w/a
    refused (by the rule "git push"): git push
    You reviewed this tool when its name was notes.read.
    Nothing to do: the files are already as they were before this step.
    Nothing to do: the files are already as they were after this step.
    notes (http://x): 1 tool, not reviewed yet
    notes (http://x): 3 tools, 2 new or changed since your review
    "npm test …" runs without asking in this session, with any arguments, as long as it deletes nothing and opens no connection
    "git log …" runs without asking in this session, with any arguments, as long as it only reads
    [y] runs it in the sandbox: it cannot change files or use the network.
    [y] runs it in the sandbox: it can change only the project and cannot use the network.
    gives the secret A to gh (rule "gh")
    gives the secrets A, B to curl (example.com)
    session name: docs
    1 space at the end
    2 spaces at the end
    On another branch, :undo c4 can still undo it. The next :undo goes to the step before it.
    On another branch, :redo c4 can still redo it. The next :redo goes to the step after it.
    pts/3 stops the model after this step
    notes.read: the server no longer has this tool
    pts/3 trusts everything that the model has read
    The model sent an empty answer. Ask again, or choose another model with :model.
    The model sent its reasoning and no answer. Ask again, or ask for a short answer.
    The answer was cut off at the token limit (4096 tokens). Ask the model to continue, or raise the limit of the server.
    The model refused to answer. Ask in other words, or choose another model with :model.
    The provider's content filter stopped the answer. Ask in other words, or choose another model with :model.
    interrupted
    [aish] stopped: this message has used all its rounds of tool calls; say "go on", or raise mcp.max_tool_depth
    [aish] stopped: this message has used all its model requests; say "go on", or raise --max-steps
    [aish] stopped: 3 calls in a row were refused
    [aish] stopped: the same call failed 3 times in a row; say what to do differently
    [aish] stopped: the model made the same call 4 times and got the same result; say what to do differently
    unchanged since your review: notes.read
    [k] keep the current version | [t] take the old version | [m] merge both | [v] view all | [K] keep all 3 | [T] take all 3 | [g] give up
    [k] keep the current version | [t] take the version after the redo | [m] merge both | [v] view all | [K] keep all 3 | [T] take all 3 | [g] give up
    Unknown effects: make. [r] dry run may show them.
    Unknown effects: make.
    You have not reviewed the tools of this server. ":mcp review notes" shows them.
    [y] runs it outside the sandbox: bubblewrap is missing.
    now: no file; after the undo: 2 lines, 8 B
    Deletes or overwrites: build.
    aish asks.
    "
  `);
});
