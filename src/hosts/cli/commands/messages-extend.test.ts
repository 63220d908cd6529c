import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages-extend.ts';

test('the texts about what extends a session', () => {
  const all = printMessages(messages, {
    formatSends: [
      ['~/.config/aish/commands/review.md', 820, null],
      ['~/.claude/commands/x.md', 1, 'opus'],
    ],
    formatSkill: [['pdf', 'Fill in forms.', '~/.config/aish/skills/pdf/SKILL.md']],
    formatNotOffered: [['.aish/skills/x/SKILL.md']],
    formatUntrustedCommand: [['review', '/p/.aish/commands/review.md']],
    formatRefreshed: [['fs']],
    formatLoggedIn: [['fs']],
    formatLoggedOut: [['fs']],
    formatNotLoggedIn: [['fs']],
    formatNoOpenLogin: [['fs']],
    formatLoginPage: [['fs', 'https://auth.example/authorize?state=1']],
    formatLoginStart: [['fs', 'https://auth.example/authorize?state=1']],
    formatApproved: [['fs.read']],
    formatApproveWith: [['fs', 'abc123']],
    formatAdded: [
      [['fs', 'web'], '/c/config.toml'],
      [[], '/c/config.toml'],
    ],
    formatRemovedServer: [['fs', '/c/config.toml']],
    formatNoForeignFile: [['a.json']],
    formatNoTools: [['fs', 'connection refused']],
    formatFollowPrompt: [['notes.review']],
    formatNoPrompt: [['notes', 'review']],
    formatListsPrompts: [['notes']],
    formatMissingArgument: [['notes.review', 'topic']],
    formatPromptUsage: [['notes', 'review', ['topic', 'style']]],
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
    formatKeptCopy: [['r1', '/s/.aish-runs/r1/site']],
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
    the arguments of aish mcp call are one JSON object, such as '{"text": "x"}'
    The run was cut short.
    aish keeps none of them.
    not used for 180 days, so aish does not send it (:memory inbox)
    name the configuration file of another program, such as ~/.claude.json
    the model proposed it after it read untrusted content
    The text had a secret, so aish keeps it with a placeholder.
    (hidden)
    The inbox is empty.
    Keep them? Type yes, no, or the numbers to keep: 
    Nothing changed: the facts stay in the inbox.
    to list the facts: :memory
      No request had it.
    there was nothing to apply
    the server did not answer in time
    It changed no file.
    aish keeps no facts. To add one: :remember the tests need Docker
    The server has logged nothing in this session.
    No fact has any of these words.
    The server has no prompts.
    The server has no resources.
    There are no skills here. A skill is a folder with a SKILL.md in ~/.config/aish/skills or in .aish/skills.
    choose one of --everywhere, --host, --project and --directory
    a prompt of an MCP server
    split it into several facts
    works | ended | was cut short
    stays, marked as older
      The line stays in .aish/memory.jsonl; aish ignores it for you.
    to review it, run: aish config trust
    Should this file have the same effect as your own configuration? Type yes:  | Nothing changed: the file can only make things stricter. | A running aish reads it at its next start. | Should aish send this to the model with every request in this project? Type yes:  | Nothing changed: aish does not send the notes. | Running sessions send it from their next message on. | Should aish send these facts to the model in this project? Type yes:  | Nothing changed: aish does not use the facts. | New sessions use its facts. | Should aish send these texts to the model when you type their commands? Type yes:  | Nothing changed: the commands of the project do not work. | You can type its command. | Should hooks run these files with your rights, outside the sandbox, if a configuration names them? Type yes:  | Nothing changed: a hook that names one of these files denies everything. | Hooks may run it. | Should the model read these files as your instructions when it needs them? Type yes:  | Nothing changed: aish does not offer the skill. | The model may read it.
    aish keeps: 3, 4
    aish added fs, web to /c/config.toml.
    aish added no server to /c/config.toml.
    run r1: applied 1 file
    run r1: applied 2 files
    To trust the definition as it is now: aish mcp approve fs --pin abc123
    aish now trusts the definition of fs.read.
    run r1 begins in the background; :norris shows its state
    1 file changed.
    2 files changed.
      not applied: src/a.ts: you changed it since the run began
    It may contradict fact 3: The port is 3000.
    The model gets both, marked as older and newer, until you forget fact 3.
    run r1: its working copy is removed
    Fact 4 replaces fact 3.
    run r1: The goal is reached: all checks pass. 2 files changed.
    until 2026-12-01
    Follow the prompt notes.review, which is attached.
    Fact 3 is in no later request: The port is 3000.
    r1  works  fix it
        passes: make
      It was in session 0abc, turn 2
    aish keeps this as fact 3 (project /p).
    The working copy stays in /s/.aish-runs/r1/site; :norris discard r1 removes it
    aish keeps this already, as fact 3.
    :mcp prompts notes lists the prompts
    You are logged in to fs.
    aish forgot the login to fs.
    Open this page to log in to fs:
    https://auth.example/authorize?state=1
    If your browser runs on another machine, type :mcp login fs and the address of its last page.
    Open this page to log in to fs:
    https://auth.example/authorize?state=1
    If your browser runs on another machine, paste the address of its last page here.
    run r1 could not work (status 1)
    run r1 could not work (status 1): no model
    may contradict fact 3
    notes.review needs the argument topic
      and in 1 earlier session
      and in 2 earlier sessions
    there is no fact 9
    there is no file a.json
    no login to fs is open; type :mcp login fs
    notes has no prompt "review"
    fs has no tools: connection refused
    ignored files without a copy: target (5.2 GB)
    There is no login to fs.
    .aish/skills/x/SKILL.md (not offered: you do not trust its present content)
    run r1 has ended already
    :norris diff r1, :norris apply r1 or :norris discard r1
    at a prompt of aish: :norris diff r1, :norris apply r1 or :norris discard r1
    The changes are in /s/.aish-runs/r1/site
    type :notes.review topic=… style=…
    proposed in session 0abc, turn 2
    ! The model had read untrusted content before: https://example.org
    aish read the lists of fs again.
    aish removed fs from /c/config.toml.
    project /p
    everywhere
    aish sends ~/.config/aish/commands/review.md (820 characters)
    aish sends ~/.claude/commands/x.md (1 character); no model "opus" is configured, so the current model answers
    Fact 3: The port is 3000.
    pdf: Fill in forms.
      ~/.config/aish/skills/pdf/SKILL.md
    run r1 is stopped
    a fact has at most 400 characters, and this one has 500
    turn 2
    turns 2 to 5
    from turn 2 on; its log is gone
    :undo c3 takes them back
    :review does not work yet, because you do not trust /p/.aish/commands/review.md with its present content
    not used since 2026-01-01
    used in 1 session, last on 2026-11-01
    used in 2 sessions, last on 2026-11-01
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
