import { expect, test } from 'bun:test';
import { printMessages, type Samples } from '../../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

const SAMPLES: Samples<typeof messages> = {
  formatNoCost: [[1], [7]],
  formatSeconds: [[1234]],
  formatUsd: [
    [0, 0],
    [0.01234, 0],
    [12.3, 1],
    [0, 2],
  ],
  formatLaterStep: [['c9']],
  formatUndoEach: [[['c3', 'c2']]],
  formatOwnerOnly: [[':approve all']],
  formatClientOnly: [[':keyboard']],
  formatIsChange: [['undo']],
  formatMode: [['ask'], ['read-only'], ['all']],
  formatNoRule: [['9']],
  formatRuleStays: [['rm']],
  formatRuleOrigin: [['~/config.toml']],
  formatRevoked: [
    ['git log', null],
    ['git log', '~/config.toml'],
  ],
  formatRefusedRule: [['a*', 'must be the first words of one command']],
  formatNoProgram: [['nosuch', 'nosuch']],
  formatNewRule: [['"git log …" runs without asking', 'git log']],
  formatSavedAlready: [['git log', '~/config.toml']],
  formatSaveTool: [['~/config.toml']],
  formatSaveCommand: [['~/config.toml']],
  formatNoPrompt: [[1], [3]],
  formatRan: [['git log']],
  formatDenied: [['git push'], [null]],
  formatCannotUndo: [['git ignores this file'], [undefined]],
  formatToolRule: [['fs.read']],
  formatClass: [['destructive']],
  formatProposal: [['"git log …" runs without asking']],
  formatPartRule: [
    ['allow', 'git log'],
    ['ask', 'curl'],
    ['deny', 'git push'],
  ],
  formatBuiltInRules: [[['D1', 'D2', 'D3', 'D4', 'D5']]],
  formatSandboxMissing: [['bubblewrap is not installed']],
  formatUsed: [['900']],
  formatUsedShare: [['900', 11, '8k', 'little', 'server']],
  formatCovered: [[12]],
  formatNotes: [[['AGENTS.md', 'docs/AGENTS.md (the first 8 kB of 9 kB)']]],
  formatCompactsAt: [['6k', '3k']],
  formatWouldCover: [[4, 9]],
  formatCheckpoints: [[1], [2]],
  formatLimits: [[200, '1 GB']],
  formatFreed: [['3 MB']],
  formatFreedInAll: [['3 MB']],
  formatPruned: [
    ['/w', { removed: 1, kept: 2 }, true],
    ['/w', { removed: 2, kept: 1 }, false],
  ],
  formatOverLimit: [['/w', 3, 1]],
  formatUndoUsage: [['undo']],
  formatDashPath: [['undo', '-x']],
  formatLeftAlone: [['redo']],
  formatChoose: [['files whose edits overlap were left alone', 'aish undo c2 --keep or --take']],
  formatNoPath: [['nosuch']],
  formatNoChanges: [['c2'], [undefined]],
  formatRemoved: [[1], [2]],
  formatNoLine: [
    [7, 7],
    [7, 9],
  ],
  formatManyMatches: [[21]],
  formatDeleteAll: [['echo']],
  formatClear: [[1], [2]],
  formatImported: [[4]],
  formatAllKnown: [[1], [4]],
  formatNoServer: [['nobody']],
  formatNoTool: [['fs.x']],
  formatListsTools: [[':mcp tools']],
  formatConnected: [['fs']],
  formatToolCount: [
    [1, undefined],
    [2, 'none'],
    [2, 'done'],
    [2, 'changed'],
  ],
  formatFound: [['Ollama at http://127.0.0.1:11434/v1 (qwen3)']],
  formatInstructionsHead: [['fs']],
  formatHeldBack: [['fs']],
  formatNoProfile: [['local']],
  formatForgotten: [['local']],
  formatForgetHint: [['local']],
  formatProfileNote: [
    ['takes no tools', 'no', '2026-11-28'],
    ['takes no tools', '', '2026-11-28'],
  ],
  formatModel: [['little']],
  formatReviewedAlready: [['fs']],
  formatUnreviewed: [
    ['fs', true],
    ['fs', false],
  ],
  formatNotReviewed: [['fs']],
  formatReviewed: [
    ['fs', 1],
    ['fs', 2],
  ],
  formatOnlyAtTerminal: [['the tools of fs']],
  formatRunAtTerminal: [['aish config trust']],
  formatNoOutput: [[9]],
  formatCutShort: [[9]],
  formatEmpty: [[9]],
  formatSame: [[8, 9]],
  formatTooLarge: [[8, 9]],
  formatRunDiff: [['diff -u a b | less']],
  formatMoreOutput: [['3 MB', 9]],
  formatNoDirectory: [['docs']],
  formatNoVisited: [[7]],
  formatNoAbbr: [['gco']],
  formatKeepAbbr: [['gco', '~/.config/aish/config.toml']],
  formatAbbrRemoved: [
    ['gco', null],
    ['gco', '~/.config/aish/config.toml'],
  ],
  formatNoTopic: [['x']],
  formatThisSession: [['abc']],
  formatTrustedAlready: [['/w/AGENTS.md']],
  formatTrusted: [['/w/AGENTS.md', 'It takes effect now.']],
  formatUntrusted: [
    ['/w/AGENTS.md', true],
    ['/w/AGENTS.md', false],
  ],
  formatChangedSince: [['/w/AGENTS.md']],
  formatCut: [['the first 8 kB of 9 kB']],
  formatNoProjectFile: [['/w']],
};

test('the texts of the commands', () => {
  expect(printMessages(messages, SAMPLES)).toMatchInlineSnapshot(`
    "
    To add one: :abbr gco 'git checkout'
    All servers are reviewed.
    on the same server
    reserved for the answer
    :approve takes ask, read-only, all, why, revoke, save, or the first words of a command
    aish asked you
    external store, from before this was a git repository
    changed
    to choose another session, type :resume alone
    Commands run without asking only if a rule allows them.
    Commands run without asking if a rule allows them, or in the sandbox if they're read-only.
    aish compacts when the model refuses a request as too long, or when you type :compact.
    The run has not begun.
    Begin this run? Type yes: 
    all
     | requests | input | cached | output | tokens/s | first token | cost
    last turn
    Costs follow your configuration, else the list prices of October 2026; a local model costs nothing.
    this session
    today
    Some requests have no known price (?). Set price_input and price_output in the [models] section of their model.
    cut short
    Number of the directory (Enter: stay here): 
    folder not found
    The same lines go there without their mark. To forget one: :history delete NUMBER
    Switch with :model NAME, or start with aish --model NAME. PROVIDER:MODEL works for other models, too.
    free
    Since the halt, aish asks before read-only commands, too. To run them in the sandbox again: :approve ask
    you have the keyboard already; if you lent it, press Ctrl-] to take it back
    name bash, zsh, fish or the path of a history file
    leave this session with :quit, then start aish | leave this session with :quit, then run aish --resume ID | run aish demo in any shell | put a space before a command to keep that command private
    in the git repository
    Type a letter and press Enter: 
    :abbr lists the abbreviations
    :help lists the commands
    :history lists the lines with their numbers
    :output lists the outputs
    :approve lists the rules
    :mcp list shows the servers
    Nothing to delete.
    found no lines to import
    The last autonomous run left no change to undo.
    This session was in no other directory yet.
    files whose edits overlap were left alone
    There are no abbreviations.
    No checkpoints yet.
    No checkpoints here.
    You have not started a line with ! or ? yet, so the lines themselves decide where they go.
    this session has no autonomous run
    go there once with cd; :z then finds it
    No such lines in the history.
    no line of the history contains that text
    :history lists the lines; you can also give a number, or a range such as 12-15
    No models are configured. Add [models.NAME] with base_url, or start a model server that aish can find.
    No outputs yet.
    name a file, a folder, or the id of a checkpoint such as c12; :checkpoints lists the ids
    The model has made no plan.
    go to the folder of the project, or create the file
    ask the model to do something that needs a command
    no rule
    No MCP servers. Add [mcp.servers.ALIAS] to the configuration, or type :mcp connect URL.
    No MCP servers.
    This checkpoint has no changes there.
    No untrusted content in this session.
    No tools known yet.
    your shell
    This folder also has checkpoints from before it was a git repository: aish checkpoints --apart
    impact preview:
    The model read descriptions of this server before your review. They are still untrusted content; to trust them: :trust
    write it like this: :norris resume within 40 steps, 30 min
    Go on with this run? Type yes: 
    Have you read this, and may aish send it to the model without asking? Type yes: 
    Name one of these servers after :mcp review:
    no end
    Sandbox: off. Commands that you approve run in your shell.
    Sandbox: on. Commands that you approve can change only the project.
    Secrets that commands get without asking:
    (chosen by the server)
    In a git repository, the next prune after a minute frees the space, or the next git gc.
    a project file that may contain untrusted content
    aish now asks before a command uses the network, leaves the project or gets a secret, even if a rule allows it.
    If you have checked this content, :trust makes your rules apply again.
    The model has read untrusted content:
    an MCP server | the network | a file outside the project | piped or attached input, or a fact from memory | a command with unknown sources
    this session
    tools not known yet
    runs commands | only reads | claims to only read | may change things
    the tool has changed since your rule was made; :mcp review shows the changes
    You trust the content that the model has read so far. Your rules apply again until it reads more untrusted content.
    type it in the owner's terminal; :help lists the commands that work here
    :cdh lists the directories
    (the whole line)
    :approve why explains the last approval prompt.
    The size of the context window is unknown. To set it, add context to [models.NAME].
    the rules for the command that it runs apply
    Type one of the letters in brackets. Nothing has changed yet.
    aish does not expand gco any more.
    aish does not expand gco any more. It is still in ~/.config/aish/config.toml, and returns with the next session.
    The line is in the history already.
    All 4 lines are in the history already.
    denied by a built-in rule: no damage outside the project; no hidden code, and none from the network; nothing that runs later, and no change to aish itself; no secrets or output to other machines; no text that misleads or cannot be read
    undo cannot reverse it: git ignores this file
    undo cannot reverse it: unknown reason
    /w/AGENTS.md: changed since you trusted it
    1 checkpoint
    2 checkpoints
    files whose edits overlap were left alone; to choose: aish undo c2 --keep or --take
    destructive, because of its most dangerous part:
    This deletes the only line for all terminals. To confirm: :history clear yes
    This deletes all 2 lines for all terminals. To confirm: :history clear yes
    :keyboard works only in an attached terminal
    At 6k tokens aish summarises the oldest part, down to about 3k.
    The model can now use the tools fs.*. To list them: :mcp tools
    A summary replaces the first 12 messages, calls and commands. The log keeps them.
    This is the first 8 kB of 9 kB. aish never sends the rest, so it shows no more.
    %9 is lost: aish ended while the command ran.
    put a path that begins with a dash after --: aish undo -- -x
    nothing was deleted; to delete them: :history delete --all echo
    denied by the rule "git push"
    denied by a built-in rule
    %9 is empty.
    To learn again: aish models forget local
    aish has forgotten what it learned about local, and will learn again.
    found: Ollama at http://127.0.0.1:11434/v1 (qwen3)
    3 MB less
    3 MB less in total
    held back until you review it: :mcp review fs
    Imported 4 lines.
    Instructions of fs for the model:
    :undo changes something, so it cannot be shown here
    Space or Enter expands gco in this session. To keep it, write in ~/.config/aish/config.toml:
    a later step (c9) is in the way
    redo left edited and pre-existing files alone, because it cannot ask here
    Limits for each folder: 200 checkpoints, 1 GB
    :mcp tools lists the tools
    21 lines contain that text
    Mode: ask. Tools run without asking only if a rule allows them.
    Mode: read-only. aish's own tools that only read run without asking.
    Mode: all. Tools run without asking if aish can undo their changes.
    Model: little
    … 3 MB more. To see it: :output %9 in the owner's terminal, or take the keyboard and type %9 | less
    Rule: "git log …" runs without asking
    To remove it: :approve revoke git log
    there is no abbreviation gco
    Nothing has changed since c2.
    Nothing has changed since the last checkpoint.
    No model answered today.
    No model answered in the last 7 days.
    no directory of the history matches "docs"
    the history has no line 7
    the history has no lines 7 to 9
    there is no output %9
    there is no nosuch, now or at the checkpoint
    aish has learned nothing about local: its server refused no request.
    cannot make a rule of "nosuch": there is no command nosuch here
    nothing to trust: there is no .aish/config.toml, .aish/memory.jsonl or AGENTS.md in /w or its parents
    the model has called no tool yet
    the model has made fewer than 3 tool calls
    there is no rule "9"
    there is no server "nobody"
    there is no tool "fs.x"
    there is no command :x
    there is no directory 7
    Nothing changed: fs is not reviewed.
    Notes: AGENTS.md, docs/AGENTS.md (the first 8 kB of 9 kB)
    only a user at a terminal can trust the tools of fs
    /w: kept 3 instead of 1, because aish never deletes the newest checkpoint, nor its undos and redos
    :approve all works only in the terminal that owns the session
    allowed by "git log"
    aish asks by "curl"
    denied by "git push"
      2026-11-28 takes no tools
        the server said: no
      2026-11-28 takes no tools
    a rule that allows it: "git log …" runs without asking
    /w: would delete 1 checkpoint and keep 2
    /w: deleted 2 checkpoints, kept 1
    ran without asking, by the rule "git log"
    cannot make a rule of "a*": it must be the first words of one command
    Deleted 1 line.
    Deleted 2 lines.
    You reviewed 1 tool of fs. aish holds back new and changed tools until you review them.
    You reviewed 2 tools of fs. aish holds back new and changed tools until you review them.
    You have reviewed fs already. To withdraw the review: :mcp unreview fs
    aish asks about "git log" again.
    aish asks about "git log" again. The rule is still in ~/config.toml, and returns with the next session.
    the rule comes from ~/config.toml; change it there
    cannot revoke "rm", because it makes aish stricter
    run aish config trust in a terminal
    run: diff -u a b | less
    %8 and %9 are the same.
    Sandbox: on, but bubblewrap is not installed. Commands that you approve run in your shell.
    To keep this rule, write in ~/config.toml:
    To keep this rule, add to [mcp.auto_approve] in ~/config.toml:
    "git log" is already in ~/config.toml
    1.23 s
    you are in the session abc already
    %8 and %9 are too large to compare here
    1 tool
    2 tools, not reviewed
    2 tools, reviewed
    2 tools, changed since your review
    to allow it: "fs.read" = true in [mcp.auto_approve]
    You trust /w/AGENTS.md, with exactly this content. It takes effect now.
    You trust /w/AGENTS.md already, with its present content.
    undo the steps of the run one by one: :undo c3, :undo c2
    aish undo takes [N | ID] [PATH…] and one of --keep, --take, --merge
    You withdrew the review of fs.
    fs was not reviewed.
    You no longer trust /w/AGENTS.md.
    /w/AGENTS.md was not trusted.
    $0.0000
    $0.0123
    $12.30?
    ?
    Next request: about 900 tokens
    Next request to little: about 900 of 8k tokens, 11 % (limit reported by the server)
    :compact would summarise the oldest 4 of 9 messages, calls and commands now.
    "
  `);
});
