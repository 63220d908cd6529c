import { expect, test } from 'bun:test';
import { toRows } from '../../../test/support/rows.ts';
import { formatError } from '../../protocol/error.ts';
import type { HaltedWork } from '../../protocol/op.ts';
import * as messages from './messages.ts';
import * as later from './messages-later.ts';

const work: readonly HaltedWork[] = [
  { what: 'request' },
  { what: 'approval', name: 'aish.exec' },
  { what: 'checkpoint', name: 'aish.exec' },
  { what: 'dry-run', name: 'make' },
  { what: 'call', name: 'box.put' },
  { what: 'restore' },
  { what: 'command', name: messages.nameCommand(null) },
];

const restored = { type: 'restored', direction: 'undo', checkpoint: 'c3', label: 'before $ make', paths: ['a', 'b'] } as const;

test('every refusal says what happened, then what to do', () => {
  const refusals = [
    messages.MODEL_WORKING,
    messages.commandRunning('make'),
    messages.commandRunning(null),
    messages.COMPACTING,
    messages.restoreRunning('undo'),
    messages.restoreOpen('redo'),
    messages.EMPTY_MESSAGE,
    messages.EMPTY_NAME,
    messages.NOTHING_TO_TRUST,
    messages.NO_APPROVAL_OPEN,
    messages.NO_FORM_OPEN,
    messages.formInvalid('age: a value is required'),
    messages.APPROVAL_OUTDATED,
    messages.ruleRefused('aish.exec'),
    messages.NOT_EDITABLE,
    messages.NOTHING_RUNS,
    messages.NO_COMMAND_ASKED,
    messages.DRY_RUN_RUNNING,
    messages.DRY_RUN_OPEN,
    messages.NO_DRY_RUN,
    messages.unknownChange(3),
    messages.tooManySteps(99),
    messages.STEPS_WITH_ID,
    messages.NO_CHOICE_OPEN,
    messages.unknownChoice('mine', 'a.txt'),
    messages.NOTHING_TO_COMPACT,
    messages.COMPACTION_STOPPED,
    messages.CHECKPOINT_STOPPED,
    messages.unknownModel('x', [], { isAddable: true }),
    messages.unknownModel('x', ['a', 'b'], { isAddable: true }),
    messages.unknownModel('auto', ['a'], { isAddable: true }),
    messages.unknownModel('x', ['a', 'b'], { isAddable: false }),
    later.approveRefused('all'),
    later.maxStepsRefused(5),
    later.maxToolDepthRefused(8),
  ];
  expect(toRows(refusals.map(formatError))).toMatchInlineSnapshot(`
    "the model is still working on the previous
      message
      wait for the answer, or interrupt the
      model
    a command is still running:
      make
      wait for the command, or interrupt
      it
    a command is still running: a private
      command
      wait for the command, or interrupt
      it
    aish is still compacting the
      conversation
      wait for the compaction, or interrupt
      it
    the undo is still
      running
      wait until it is
      finished
    the redo needs your choice for files that have changed
      since
      make the choice, or
      cancel
    the message is
      empty
      type a question or a
      request
    the name is
      empty
      name the session with :name
      WORDS
    this session contains no untrusted
      content
      there is nothing to trust; your rules already
      apply
    this tool call needs no approval
      now
      another client may have answered the
      prompt
    this form needs no answer
      now
      another client may have answered it, or its server withdrew
      it
    not answered: age: a value is
      required
    this approval prompt is out of
      date
      review the new prompt, then answer
      it
    aish cannot make a rule from this call of
      aish.exec
      answer y to allow the call
      once
    you can edit only commands, and only into another
      command
      allow or deny this
      call
    nothing is
      running
      there is nothing to
      interrupt
    no command is waiting for approval under this call
      id
      start a dry run while a command is waiting for
      approval
    a dry run is still
      running
      wait until it is finished, or discard
      it
    a dry run is waiting for your
      decision
      apply or discard
      it
    there is no dry run to apply or
      discard
      start one with :dry-run
      COMMAND
    the dry run has changes 1 to
      3
      choose some of these numbers, or none to apply all
      changes
    you can undo at most 99 steps at
      once
      give a smaller
      number
    a number of steps does not go with the id of a
      step
      give either a number or an
      id
    no undo or redo is waiting for a
      choice
      another client may have answered the
      prompt
    "mine" is not a choice for
      a.txt
      use one of the choices in the prompt for this
      path
    there is nothing to compact: the summary already covers the
      conversation
      :context shows what fills the
      context
    stopped; the conversation is
      unchanged
    stopped; :undo can restore only files that you
      name
    there is no model "x"; configured:
      none
      name it as PROVIDER:MODEL, or add a section [models.NAME] with base_url to the
      configuration
    there is no model "x"; configured: a,
      b
      use a configured model or PROVIDER:MODEL, or add a section
      [models.x]
    there is no model "auto"; configured:
      a
      auto chooses between models: add a second one to the
      configuration
    there is no model "x"; configured: a,
      b
      use a configured model, or omit the
      model
    this daemon does not allow approve
      "all"
      start the daemon with: aish serve --approve
      all
    this daemon allows a maxSteps of at most
      5
      use a smaller number, or start the daemon with a larger
      --max-steps
    this daemon allows a maxToolDepth of at most
      8
      use a smaller number, or raise mcp.max_tool_depth in the
      configuration"
  `);
});

test('every report says what aish did', () => {
  const reports = [
    messages.UNKNOWN_OUTCOME,
    messages.NOT_BEGUN,
    messages.formatDenial('user', undefined),
    messages.formatDenial('user', 'use pnpm'),
    messages.formatDenial('headless', undefined),
    messages.formatDenial('headless', later.DENIALS.halted),
    messages.DEPTH_LIMIT_REACHED,
    messages.formatRefusalLimit(3),
    messages.formatFailureLimit(3),
    later.formatHalt({ type: 'session.halted', by: 'user', running: [] }),
    later.formatHalt({ type: 'session.halted', by: 'terminal', running: work }),
    later.formatHalt({ type: 'session.halted', by: 'signal', running: [], client: 'pts/3\u001b[2J' }),
    later.formatHaltReport({ type: 'halt.completed', report: { ended: 0, left: [] } }),
    later.formatHaltReport({
      type: 'halt.completed',
      report: { ended: 2, left: [{ pid: 12, name: 'sudo' }], servers: ['notes'], shellEnded: true },
    }),
    messages.formatRestored(restored),
    messages.formatRestored({ ...restored, direction: 'redo', label: '', paths: ['a'] }),
    messages.formatRestored({ ...restored, isCutShort: true }),
    ...Object.values(messages.COMPACTION_REASONS).map((reason) => `compacting the conversation: ${reason}`),
    messages.formatCompacted('9,000', '2,000', { model: 'm', keepsTexts: true }),
    messages.formatCompacted('9,000', '2,000', { keepsTexts: true }),
    messages.formatCompacted('9,000', '2,000', { keepsTexts: false }),
    later.DENIALS.cannotUndo(undefined),
    later.DENIALS.cannotUndo('git ignores this file'),
    later.DENIALS.noSecretRule([{ name: 'A_KEY', to: 'box.put' }]),
    later.DENIALS.definitionChanged,
    later.DENIALS.readsOutside('/etc/motd'),
    later.DENIALS.ruleAsks('make'),
    later.DENIALS.noCommandRule,
    later.DENIED_AFTER_HALT,
    later.formatNotApproved('read-only'),
    messages.formatUntrusted(messages.SOURCE_NAMES.command('curl x.example'), 'uses the network', undefined),
    messages.formatUntrusted(messages.SOURCE_NAMES.descriptions('notes'), 'uses the network', 'curl'),
  ];
  expect(toRows(reports)).toMatchInlineSnapshot(`
    "interrupted; the outcome is
      unknown
    interrupted before it
      began
    [aish] tool call declined by
      user
    [aish] tool call declined by user: use
      pnpm
    [aish] tool call denied: nobody is there to approve
      it
    [aish] tool call denied: the session was halted, so every call needs approval, and nobody is there to approve
      it
    [aish] stopped: this message has used all its rounds of tool calls; say "go on", or raise
      mcp.max_tool_depth
    [aish] stopped: 3 calls in a row were
      refused
    [aish] stopped: the same call failed 3 times in a row; say what to do
      differently
    [aish] halted; the model was not running anything; aish now asks before every action that no rule allows
      (:approve ask restores the
      default)
    [aish] halted because the terminal closed; stopped the model's answer, the prompt for aish.exec, the
      checkpoint before aish.exec, the dry run of make, box.put; the undo stops after its current file; your command
      continues: a private command; aish now asks before every action that no rule allows (:approve ask restores the
      default)
    [aish] halted by a signal at pts/3; the model was not running anything; aish now asks before every action that
      no rule allows (:approve ask restores the
      default)
    null
    [aish] ended 2 processes; ended notes, which did not respond; ended the shell, which did not respond; could
      not end sudo (12): end it as the user who started
      it
    [the user undid c3 (before $ make): a, b are back to before that
      step]
    [the user redid c3: a is back to after that
      step]
    [the user's undo of c3 (before $ make) was interrupted: read the files before you rely on
      them]
    compacting the conversation: the context is nearly
      full
    compacting the conversation: it is too long for the
      model
    compacting the conversation: you requested
      it
    compacted from about 9,000 to 2,000 tokens (summarised by m); the session log still has
      everything
    compacted from about 9,000 to 2,000 tokens (the model still gets the messages, but not the outputs); the
      session log still has
      everything
    compacted from about 9,000 to 2,000 tokens (aish shortened long texts); the session log still has
      everything
    this call cannot be undone: no checkpoint covers the
      change
    this call cannot be undone: git ignores this
      file
    no rule grants A_KEY to
      box.put
    the tool's definition has changed since a rule approved
      it
    this call reads outside the project:
      /etc/motd
    the rule "make" requires
      approval
    no [safety] rule allows this command, and --approve does not apply to
      commands
    the session was halted, so every call needs approval; pass --approve with ask, read-only or all to
      continue
    no rule allows this call, and nobody is there to approve it; --approve read-only allows
      it
    the model has read untrusted content from the command \`curl x.example\`, and this uses the
      network
    the model has read untrusted content from the tool descriptions of server notes (to trust them: :mcp review
      notes, or aish mcp approve notes), and this uses the network; aish asks although the rule "curl" allows
      it"
  `);
});
