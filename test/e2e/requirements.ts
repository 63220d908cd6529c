import { CONTRACT_PROMISES } from './requirements-contract.ts';
import { EXTEND } from './requirements-extend.ts';

/** A promise of the program; tests cite it by beginning their title with `[id]`. */
export interface Promised {
  readonly id: string;
  readonly text: string;
}

/** The promises of the program, by part; `coverage.test.ts` fails on a promise that no test cites. */
export const REQUIREMENTS: Readonly<Record<string, readonly Promised[]>> = {
  'command line': [
    { id: 'cli.help', text: '`--help` of aish and of each subcommand tells all that the command line takes' },
    { id: 'cli.completion', text: '`aish completion` makes bash, zsh and fish complete all words of aish' },
    { id: 'cli.doctor', text: '`aish doctor` has a line for each part of the machine: ok, or what to do' },
    { id: 'cli.prompt', text: '`aish` opens a prompt in this directory' },
    { id: 'cli.version', text: '`--version` and `--help` answer at once, without a session' },
    { id: 'cli.usage', text: 'an unknown flag or a missing value exits 2 and says what to do' },
    { id: 'cli.print', text: '`aish -p` and `aish "question"` print one answer and exit 0' },
    { id: 'cli.pipe', text: 'piped input is attached to the question' },
    { id: 'cli.json', text: '`--output json` prints one object with text, tool calls, usage and session id' },
    { id: 'cli.stream-json', text: '`--output stream-json` prints the events of the session, one a line' },
    { id: 'cli.denied', text: 'headless, a call that would be asked is denied: exit 3, nothing written' },
    { id: 'cli.approve', text: '`--approve all` lets headless calls run' },
    { id: 'cli.silence', text: 'an empty, cut off or filtered answer is reported in a line; an empty one exits 1' },
    { id: 'cli.limit', text: 'a limit that is reached exits 4' },
    { id: 'cli.interrupt', text: 'an interrupt ends a one-shot with exit 130' },
    { id: 'cli.continue', text: '`--continue` and `--resume` go on where a session stood' },
    { id: 'cli.command', text: "`aish -c` runs a command in the user's own shell at once, without model or session" },
    { id: 'cli.login', text: 'as a login shell aish sets SHELL to the real shell and refuses to nest' },
  ],
  memory: [
    { id: 'memory.recall', text: 'a fact is sent in later sessions, and `:context` and `:why` show it' },
    { id: 'memory.forget', text: 'a forgotten fact is in no later request, and aish names the turns that had it' },
    { id: 'memory.inbox', text: 'a fact that the model proposes counts only after the user has kept it' },
  ],
  explorers: [
    { id: 'explore.rows', text: 'each explorer has a row while it works, and a line with its tokens when it is done' },
    { id: 'explore.interrupt', text: 'Ctrl-C ends the explorers with the turn' },
    { id: 'explore.headless', text: 'a script gets the answer, and export, replay and `:why` show the explorers' },
    { id: 'explore.contract', text: 'in an autonomous run explorers only read, and count in its limits' },
  ],
  'autonomous runs': CONTRACT_PROMISES,
  model: [
    { id: 'model.server', text: 'a server of the configuration starts at its first use and ends with aish' },
    { id: 'model.package', text: '`aish models provider add` installs a pinned package, which runs unchanged only' },
    { id: 'model.stream', text: 'an answer appears while it streams' },
    { id: 'model.refused', text: 'a server that is not there is one clear line with what to do' },
    { id: 'model.unauthorized', text: 'a wrong key is one clear line that names the variable to set' },
    { id: 'model.not-found', text: 'an unknown model is one clear line with the models the server has' },
    { id: 'model.rate-limit', text: 'a rate limit is told with the time to wait' },
    { id: 'model.server-error', text: 'a failing server or an answer that is not JSON is one clear line' },
    { id: 'model.add', text: '`aish models add` adds a model to the configuration file, which keeps the rest' },
    { id: 'model.progress', text: 'the waiting line says how much of the prompt a llama.cpp server has read' },
    { id: 'model.doctor', text: '`aish models doctor NAME` says what to change on the server of a model' },
    { id: 'model.retry', text: 'before its first byte a request is sent again after faults that pass, with a line' },
    {
      id: 'model.learned',
      text: 'a part of a request that a server refuses is left out, remembered, shown and forgotten on request',
    },
    { id: 'model.cut', text: 'an answer that breaks off runs nothing and is told as cut' },
    {
      id: 'model.printed-call',
      text: 'a call that the model prints as text runs after an approval, and the loop goes on to its end',
    },
    { id: 'model.idle', text: 'a server that falls silent is given up after the limit' },
    {
      id: 'model.valid-request',
      text: 'every request is one a strict server takes: alternating roles, paired calls, never broken arguments',
    },
  ],
  session: [
    {
      id: 'session.full-disk',
      text: 'on a full disk a session stops at its last whole fact, says so, and goes on once there is room',
    },
    { id: 'session.kill', text: 'killed at any moment and resumed, the next request is valid' },
    {
      id: 'session.once',
      text: 'killed at any moment and resumed, no side effect is repeated, and the model is told what happened',
    },
    {
      id: 'session.open-call',
      text: 'a call that was running when the process died reads "interrupted; the outcome is unknown" and is not run again',
    },
    {
      id: 'session.lost',
      text: "a command of the user's own that ran when the process died is told, listed, and known to the model",
    },
    { id: 'session.going-on', text: 'who goes on with a session sees what was said last, and where it was begun' },
    { id: 'session.torn-tail', text: 'a log with a torn last line opens' },
    { id: 'session.private', text: 'logs are open to their owner alone and hold no key' },
    { id: 'session.one-owner', text: 'a second process cannot write to a session that is in use' },
  ],
  sessions: [
    { id: 'sessions.list', text: '`aish sessions` lists sessions with names, by directory and time, also as JSON' },
    { id: 'sessions.recall', text: '`:recall` finds a place in old sessions; the model reads it if the user names it' },
    {
      id: 'sessions.search',
      text: 'what was said, typed or printed in any session is found with its words marked, whatever becomes of the index',
    },
    {
      id: 'sessions.export',
      text: 'a session is exported as Markdown or JSON lines, without anything that steers a terminal',
    },
    { id: 'sessions.remove', text: 'sessions are removed with all they keep, after a yes, and never one that is open' },
    { id: 'sessions.name', text: 'a session is called by its first words, by the fast model, or as the user wishes' },
    { id: 'sessions.choose', text: '`:resume` lets a user choose the session to go on with' },
    { id: 'sessions.replay', text: 'a replay looks as the session looked, asks no model and does nothing' },
    { id: 'sessions.why', text: '`:why` shows the bytes that were sent, what decided each call, and what it returned' },
  ],
  context: [
    {
      id: 'context.compacts',
      text: 'a conversation that fills the window is summarised and goes on, and no request is too long',
    },
    { id: 'context.window', text: 'how much a model can hold is said, asked of its server, or learned from a refusal' },
    { id: 'context.small', text: 'a window of 8,192 tokens holds prompt, tools and a turn with a huge output' },
    { id: 'context.interrupt', text: 'a compaction that is interrupted, or killed, leaves the conversation as it was' },
    { id: 'context.shown', text: '`:context` shows what fills the context, and `:compact` makes it shorter' },
    {
      id: 'context.prefix',
      text: 'each request begins with the bytes of the one before, so that a server need not read them again',
    },
    {
      id: 'context.notes',
      text: 'AGENTS.md goes along once its exact content is trusted, and a change is asked about with its diff',
    },
  ],
  tools: [
    { id: 'tools.read', text: 'the model reads a file through aish.read_file' },
    { id: 'tools.write', text: 'an approved aish.write_file writes the file' },
    { id: 'tools.edit', text: 'aish.edit_file shows its diff before it is approved' },
    { id: 'tools.depth', text: 'the loop of calls ends at the depth limit and says so' },
    { id: 'tools.command-line', text: 'a `CMD:` line of a final answer is proposed, and runs after a yes' },
  ],
  gate: [
    { id: 'gate.ask', text: 'a call is asked by default, with its full name and every argument' },
    { id: 'gate.escape', text: 'control and invisible characters in arguments are shown escaped' },
    {
      id: 'gate.auto-approve',
      text: '`auto_approve` with the value true spares the question for that tool, and for no other',
    },
    { id: 'gate.exec', text: 'aish.exec and `CMD:` lines are asked whatever the modes and the rules for tools say' },
    { id: 'gate.floor', text: 'what no rule may approve is refused without a question, and the model is told why' },
    {
      id: 'gate.rules',
      text: 'a command that rules cover whole runs without asking, up to the class of the bare rule',
    },
    {
      id: 'gate.impact',
      text: 'under an approval prompt aish shows what the call would change, counted on the real files, the machines it reaches, and the parts whose effect is unknown',
    },
    {
      id: 'gate.sandbox',
      text: 'a command that only looks runs without asking in a sandbox; where that is in its way, the shared shell is a question',
    },
    {
      id: 'dry-run.call',
      text: 'r at the question about a command tries it on a view of the project and shows exit status, output and changes; the project stays as it is',
    },
    {
      id: 'dry-run.apply',
      text: 'what was tried in a dry run is applied whole, in part or not at all; what changed meanwhile is left, :undo takes it back, and the model is told',
    },
    {
      id: 'dry-run.discard',
      text: 'dropping a dry run, Ctrl-C in it, or a kill leaves the project as it was, and nothing behind',
    },
    { id: 'dry-run.own', text: ':dry-run tries a command of the user in the same way' },
    { id: 'dry-run.ops', text: 'a client of the daemon dry-runs, applies and drops by JSON' },
    {
      id: 'gate.taint',
      text: 'once the model has read untrusted content, what reaches out is asked whatever allows it, and the question names the source',
    },
    {
      id: 'gate.edit',
      text: 'e changes the command, which is classified and asked about again, and the model is told',
    },
    { id: 'gate.bound', text: 'a yes is for these bytes in this place: what is elsewhere by then is asked again' },
    { id: 'gate.theft', text: 'keys typed ahead, pastes, resizes and job control approve nothing' },
    { id: 'gate.denied', text: 'three refusals in a row end the turn' },
    {
      id: 'gate.why',
      text: '`:approve` lists the rules with their origin, explains a question, makes and revokes rules',
    },
    { id: 'gate.trust', text: "a project's file only tightens until its exact content is trusted" },
    { id: 'gate.deny', text: "a refusal reaches the model as the call's result, with the user's reason" },
    { id: 'gate.always', text: '`a` allows the tool, or commands like this one, for the rest of the session' },
  ],
  secrets: [
    { id: 'secrets.model', text: 'no byte of a known secret, in whatever form it is printed, reaches a model' },
    { id: 'secrets.disk', text: 'and none stands in a log, an output, the history or a cache' },
    { id: 'secrets.mcp', text: 'no server gets a secret that is not its own by the configuration' },
    {
      id: 'secrets.screen',
      text: "the user's own screen shows what is there, and lines come back as they were typed",
    },
    { id: 'secrets.client', text: 'another attached client follows a session without its secrets' },
    { id: 'secrets.crash', text: 'what aish says when something fails holds no secret' },
    {
      id: 'secrets.project',
      text: "no file of a project or of a folder above it sets anything in aish's runtime or runs in it, however aish is started",
    },
    { id: 'secrets.killed', text: 'what a killed aish leaves behind is removed by the next one' },
    { id: 'secrets.old', text: 'a log from before a secret was known is covered on its way out' },
    { id: 'secrets.read', text: 'to read what holds credentials is asked, by a tool as by a command, and told why' },
    { id: 'secrets.rule', text: 'what needs a secret gets it by a rule, and works' },
    {
      id: 'secrets.ask',
      text: 'without a rule the question says who would be handed what, and a no passes on nothing',
    },
    {
      id: 'secrets.without',
      text: 'a command of the model runs without the secrets of the shell, and the user has them again',
    },
    { id: 'secrets.edit', text: 'a file is edited without its secrets being shown, and keeps them byte by byte' },
    {
      id: 'secrets.typed',
      text: 'a placeholder in a line of the user stands for its value, and in the history for itself',
    },
  ],
  checkpoint: [
    { id: 'checkpoint.made', text: 'before the first change of a step a checkpoint stands under refs/aish' },
    { id: 'checkpoint.untouched', text: 'branch, HEAD, index and stash stay as they were, and no hook runs' },
    { id: 'checkpoint.contents', text: 'untracked files are kept, ignored and very large ones are not' },
    {
      id: 'checkpoint.commit',
      text: 'mode "commit" leaves a commit `aish auto-commit before <tool>` of what the step touches, and a clean tree goes on',
    },
    {
      id: 'checkpoint.outside',
      text: 'where no checkpoint is kept, as in the home directory, the prompt says "This cannot be undone" and is always asked',
    },
    {
      id: 'checkpoint.apart',
      text: 'in a folder without a repository steps are kept apart from it, and undone as anywhere',
    },
    {
      id: 'checkpoint.disk',
      text: '`aish checkpoints list`, `usage` and `prune` tell what is kept everywhere, what it takes, and let it go',
    },
    { id: 'checkpoint.undo', text: '`:undo` takes the write back' },
    { id: 'checkpoint.conflict', text: 'an undo refuses where the file changed since, and names it' },
    {
      id: 'checkpoint.choice',
      text: 'of a file that changed since both versions are shown, nothing is touched before the answer, and keep, take and merge do as they say',
    },
    {
      id: 'checkpoint.steps',
      text: 'steps go back and forth by their number, by their id and by path, each on its own',
    },
    { id: 'checkpoint.told', text: 'the model is told at its next request what the user undid' },
    {
      id: 'checkpoint.cause',
      text: 'what changed the tree in a step is put down to its command, `CMD:` line, tool or server, and what came later is not',
    },
    { id: 'checkpoint.user', text: "on request the user's own commands that may change something can be undone too" },
    {
      id: 'checkpoint.meanwhile',
      text: 'an undo asks about what a step of another terminal changed at the same time, and the list tells what it took of both',
    },
    { id: 'checkpoint.busy', text: 'an undo while the model works is refused in words' },
    { id: 'checkpoint.cut', text: 'an undo that was killed among its files is told, and done again it is whole' },
    { id: 'checkpoint.json', text: 'a daemon takes undo, redo and the choice for what changed since as JSON' },
    { id: 'checkpoint.list', text: '`:checkpoints` and `:diff` show what can be taken back' },
    { id: 'checkpoint.helpers', text: 'git as aish runs it starts no program that a repository names' },
    {
      id: 'checkpoint.command',
      text: '`aish undo`, `redo`, `diff` and `checkpoints` do the same from outside the session',
    },
  ],
  mcp: [
    { id: 'mcp.stdio', text: 'tools of a configured stdio server are offered and called' },
    { id: 'mcp.one-shot', text: 'a one-shot waits for the tools of a server that it never saw before' },
    { id: 'mcp.http', text: 'tools of a configured HTTP server are offered and called, with its token' },
    { id: 'mcp.post-only', text: 'a server that only answers POST and closes each connection works' },
    { id: 'mcp.failure', text: 'a server that does not start is one status line, and the prompt works' },
    { id: 'mcp.errors', text: 'isError goes to the model; a protocol error is a status line and a tool result' },
    { id: 'mcp.meta', text: '`:mcp connect`, `list`, `tools`, `tool` and `disconnect` work at the prompt' },
    { id: 'mcp.instructions', text: 'instructions of a server reach the model as data, and a change of them is held' },
    { id: 'mcp.form', text: 'a server that asks for input gets what the user typed, and a refusal if nobody is there' },
    {
      id: 'mcp.pin.review',
      text: '`:mcp review` and `aish mcp review` show all that a server says of its tools, and pin it at the word yes',
    },
    {
      id: 'mcp.pin.taint',
      text: 'descriptions that a user reviewed are no untrusted content; what the tools answer is',
    },
    {
      id: 'mcp.pin.held',
      text: 'a tool that changed or came since is not offered, told in one line, and shown word by word',
    },
    { id: 'mcp.pin.rules', text: 'a rule of the configuration does not hold for a tool that has changed' },
    { id: 'mcp.serve', text: '`aish mcp serve` offers the tools of aish, behind its approval, and leaves no process' },
    { id: 'mcp.no-orphans', text: 'no server process stays behind when aish ends or is killed' },
  ],
  shell: [
    {
      id: 'shell.state',
      text: 'cwd, exports and functions last from line to line, and an approved aish.exec sees them',
    },
    { id: 'shell.rc', text: "the user's rc file is honoured, aliases included" },
    { id: 'shell.exit', text: 'the exit status of a command is known and shown' },
    { id: 'shell.context', text: 'the output of commands is part of the next request, bounded' },
    {
      id: 'shell.start',
      text: 'Ctrl-C ends startup files that take too long, and the line that waits for them comes back',
    },
    { id: 'shell.interrupt', text: 'Ctrl-C stops the command and not aish' },
    { id: 'shell.full-screen', text: 'vim, less and top work, and the terminal is right afterwards' },
    { id: 'shell.secret', text: '`read -s` hides what is typed, and it is recorded nowhere' },
    { id: 'shell.background', text: '`sleep 60 & echo ok` returns at once' },
    {
      id: 'shell.typed-ahead',
      text: 'lines typed while a command runs are routed behind it: commands beyond doubt run, and the rest is in the editor',
    },
    { id: 'shell.history', text: "the shell's history holds the user's line and none of ours" },
    { id: 'shell.no-model', text: 'without any model the shell works' },
    {
      id: 'shell.own-prompt',
      text: 'a prompt the user made is shown as the shell renders it, and can be turned off',
    },
    {
      id: 'shell.history-forms',
      text: '`!!`, `!$` and `^a^b` are replaced, shown and recorded; one that is not there runs nothing',
    },
    {
      id: 'shell.jobs',
      text: 'jobs are counted in the prompt, their end and their output are told by name, and leaving with some is said once',
    },
    {
      id: 'shell.restart',
      text: 'a shell that was killed is started again with directory and exported variables, and that is said',
    },
    {
      id: 'shell.unheard',
      text: 'a shell of which nothing is heard any more is reported once, gets the keys, and ends as a shell does',
    },
    {
      id: 'shell.two-drivers',
      text: 'the user can type into a command of the model at any moment, and what is typed in secret reaches nobody',
    },
    { id: 'shell.stubborn', text: 'a command that outlives Ctrl-C can be ended from the prompt' },
    {
      id: 'shell.unknown',
      text: 'a command that was not found can be put to the model with one key, and is never sent by itself',
    },
  ],
  outputs: [
    { id: 'outputs.kept', text: 'a large output is whole on disk with its colours, a small one in the log' },
    {
      id: 'outputs.model',
      text: 'the model is shown head, tail, error lines and a handle, and reads and searches the rest without running it again',
    },
    { id: 'outputs.request', text: 'the first request stays under five kilobytes' },
    { id: 'outputs.prompt', text: '`%N` shows an output, `%N | …` pipes it, `:output` lists, `:diff %N %N` compares' },
    {
      id: 'outputs.private',
      text: 'a blank before a command, or `:private`, keeps it from the model, the history and the disk',
    },
    { id: 'outputs.resume', text: 'outputs survive a resume and go with their session' },
  ],
  fidelity: [
    {
      id: 'fidelity.frameworks',
      text: 'prompt frameworks, plugins and version managers load in silence, and the prompt is the one of the bare shell',
    },
    {
      id: 'fidelity.same',
      text: 'status, directory, output, modes, environment, options and history are those of the shell used directly',
    },
    { id: 'fidelity.program', text: 'the same holds for what is typed at the prompt of the whole program' },
    { id: 'fidelity.forged', text: 'marks that a program forges in its output are output' },
    {
      id: 'fidelity.typed-ahead',
      text: 'what is typed while something runs reaches no shell before it was routed, at whatever moment',
    },
    { id: 'fidelity.secret', text: 'a typed password is on no screen, on no disk and in no request' },
    {
      id: 'fidelity.programs',
      text: 'full-screen and asking programs work, with Ctrl-Z and fg, and leave the terminal as it was',
    },
    { id: 'fidelity.tmux', text: 'the same programs work in a real tmux' },
    { id: 'fidelity.screen', text: 'a command, vim and less work inside GNU screen' },
    { id: 'fidelity.login', text: 'as a login shell it serves ssh, scp and rsync, and reads the profile files' },
    { id: 'fidelity.ssh', text: 'ssh to another host works from the prompt' },
  ],
  models: [
    {
      id: 'model.wires',
      text: 'Messages, Responses and Gemini run the whole loop: stream, calls, thoughts, images, cache counters',
    },
    { id: 'model.named', text: '`PROVIDER:MODEL` names a model without a configuration' },
    { id: 'model.once', text: '`@NAME` in front of a message asks that model once' },
    {
      id: 'model.auto',
      text: '`:model auto` chooses a model by the difficulty of a message, and `:why` shows the score',
    },
    { id: 'model.fallback', text: 'if a model does not answer, its fallback does, and one line says so' },
    {
      id: 'model.leave',
      text: 'no conversation moves from a local to a cloud model without permission, and aish names what would leave',
    },
    { id: 'model.takeover', text: 'a model of another provider takes a conversation over, and takes it back' },
  ],
  attachments: [
    { id: 'attach.file', text: '`@path` in a message sends the file along, and one line says so; headless too' },
    { id: 'attach.image', text: 'a snapshot goes along where the model takes it, and is only named elsewhere' },
    {
      id: 'attach.refused',
      text: 'a missing, binary or secret file is told before anything is sent, and the line comes back',
    },
  ],
  colours: [
    { id: 'colours.line', text: 'what is typed is coloured by the grammar of the shell and by what the shell knows' },
    { id: 'colours.code', text: 'the code of an answer is coloured' },
  ],
  history: [
    {
      id: 'history.shared',
      text: 'lines are shared live between terminals, and the last line is that of this terminal',
    },
    { id: 'history.kept', text: 'status, duration, directory and hand of a line are kept, and no crash loses it' },
    { id: 'history.delete', text: '`:history delete` removes a line from the disk and from every terminal' },
    { id: 'history.numbers', text: '`!12` means the line that `:history` shows as 12' },
    { id: 'history.secret', text: 'what looks secret, begins with a blank or is to be ignored is not kept' },
    { id: 'history.import', text: 'the histories of bash, zsh and fish are taken over once, and again when asked' },
    { id: 'history.model', text: 'what the model ran with consent is in the history and marked' },
    { id: 'history.here', text: 'lines of this directory are offered first, and lines that only failed never' },
    { id: 'history.search', text: 'Ctrl-R finds by letters in order, lists, and runs or takes a line' },
  ],
  directories: [
    { id: 'directories.keys', text: 'Alt-Left and Alt-Right go through the directories of the session' },
    { id: 'directories.list', text: '`cdh` lists the directories of the session and goes to one' },
    { id: 'directories.jump', text: '`z` goes to the most used directory that matches, and Tab completes it' },
    { id: 'directories.own-jump', text: 'a shell that has its own `z` runs that' },
    {
      id: 'directories.meant',
      text: 'after a typing error in the name of a directory, Tab goes to the one that was meant',
    },
  ],
  prompt: [
    { id: 'prompt.edit', text: 'arrows, Home, End, words and several lines can be edited, wide characters too' },
    { id: 'prompt.history', text: 'lines of earlier sessions come back with the up key' },
    { id: 'prompt.paste', text: 'a paste never runs by itself' },
    { id: 'prompt.fold', text: 'a long paste is one folded piece that Tab shows and Enter runs whole' },
    {
      id: 'prompt.external',
      text: "Ctrl-X Ctrl-E opens the line in the user's editor, and what comes back does not run by itself",
    },
    {
      id: 'prompt.startup-keys',
      text: 'keys of inputrc, bind and bindkey work, and `:help keys` names those that do not',
    },
    { id: 'prompt.startup-vi', text: "inputrc and bindkey choose vi's keys" },
    { id: 'prompt.abbreviations', text: '`:abbr` makes abbreviations that Space and Enter expand in sight' },
    { id: 'prompt.manual', text: 'Alt-H opens the manual page of the command at the cursor and keeps the line' },
    { id: 'prompt.vi', text: 'with `keys = "vi"` vi\'s keys edit the line, and mark and cursor show the mode' },
    { id: 'prompt.route', text: 'the mark shows where a line will go; `!` and `?` force it' },
    {
      id: 'prompt.choice',
      text: 'a line that was forced goes there without its mark from then on, until it is deleted',
    },
    {
      id: 'prompt.doubt',
      text: 'a doubtful line that would change something runs only after Enter, and is sent only after Tab',
    },
    { id: 'prompt.resize', text: 'a resize leaves line and prompt whole' },
    { id: 'prompt.complete', text: 'Tab completes meta commands, and an unknown one names the nearest' },
    { id: 'prompt.shell-completion', text: "Tab completes what the user's own shell completes, in bash and in zsh" },
    {
      id: 'prompt.safe-completion',
      text: 'a completed name is quoted so that the shell reads it back, whatever is in it',
    },
    { id: 'prompt.completion-helper', text: 'completion leaves no process and no trace in the history' },
    { id: 'prompt.sanitize', text: 'nothing a model or tool says steers the terminal' },
    { id: 'prompt.modes', text: 'the terminal is restored on every way out' },
    { id: 'prompt.marks', text: 'terminals are told where prompt, line, output and end are, in this order' },
    { id: 'prompt.secret', text: 'the notice that a program reads in secret is there while it does' },
    { id: 'prompt.dumb', text: 'on a terminal that cannot move its cursor nothing tries to' },
  ],
  screen: [
    {
      id: 'screen.stream',
      text: 'an answer is laid out as it comes, over resizes too, and the typed line stands under it',
    },
    { id: 'screen.asks', text: 'the terminal is asked what it can do, and its answers reach nobody else' },
    { id: 'screen.theme', text: 'colours follow the background of the terminal, and `:theme` changes them at once' },
    { id: 'screen.plain', text: 'NO_COLOR takes all colours away, TERM=dumb all sequences' },
    { id: 'screen.reader', text: 'for a screen reader nothing is drawn twice and signs are words' },
    { id: 'screen.narrow', text: 'twenty columns are enough for everything' },
    { id: 'screen.image', text: 'a snapshot that a tool returns is kept, shown where the terminal can, and named' },
  ],
  'at work': [
    { id: 'work.echo', text: 'what is typed while the model works is shown, kept, and runs only when it is entered' },
    { id: 'work.queue', text: 'lines entered meanwhile wait, run afterwards in order, and can be taken back' },
    { id: 'work.steer', text: 'one key stops the answer, or waits for the call that runs, and sends the line next' },
    {
      id: 'work.stalled',
      text: 'a stream that has stalled in the middle is reported with the time, until its next byte',
    },
    {
      id: 'work.interrupt',
      text: 'Ctrl-C stops the turn, runs nothing that waits, and brings each queued line back by itself',
    },
    { id: 'work.question', text: 'a question is answered by its own keys; what was typed before it is kept' },
    { id: 'work.notify', text: 'who looks elsewhere is told that long work has ended or a question waits' },
  ],
  halt: [
    { id: 'halt.key', text: 'one key and one command stop all that the model does, whatever it is at' },
    { id: 'halt.queue', text: 'lines that waited come back into the editor and do not run' },
    { id: 'halt.question', text: 'a question ends unanswered, and nothing of it runs' },
    {
      id: 'halt.processes',
      text: 'every process of a command is gone, those that hid from it too, and nothing runs after',
    },
    { id: 'halt.shell', text: 'the shared shell survives with what it knew, and the terminal is as it was' },
    { id: 'halt.own', text: 'a command of the user and their jobs are theirs to stop' },
    { id: 'halt.mcp', text: 'a call of a server is called off; a server that does not answer any more is ended' },
    { id: 'halt.lost', text: 'a terminal that is lost is a halt, recorded, and nothing survives it' },
    { id: 'halt.headless', text: 'a signal ends a one-shot with all it has started, and the status says which' },
    { id: 'halt.daemon', text: '`aish halt` and POST /halt stop every session of a daemon' },
    { id: 'halt.asks-again', text: 'after a halt nothing runs without asking until the user says otherwise' },
  ],
  'several terminals': [
    {
      id: 'attach.one-history',
      text: 'lines, answers and interrupts of all attached clients make one history, the same for all',
    },
    { id: 'attach.attach', text: '`aish attach` shows what happened and happens, and takes lines and answers' },
    {
      id: 'attach.choose',
      text: 'of several open sessions that of this directory is joined, or one that the user chooses by name; never its own',
    },
    {
      id: 'attach.line',
      text: 'a line at an attached client has colours, history, completion and privacy of the prompt',
    },
    { id: 'attach.halt', text: 'the record and the screens name the attached client that halted' },
    {
      id: 'attach.undo',
      text: 'the record and the screens name the attached client of an undo, and of the answer to its question',
    },
    {
      id: 'attach.look',
      text: 'what only looks works at an attached client, secrets taken out; what changes something for the owner does not',
    },
    { id: 'attach.keyboard', text: 'an attached client gets the keyboard only while the owner lends it' },
    {
      id: 'attach.gone',
      text: 'an attached client is told when the owner ends the session or is gone, and may go on with it',
    },
    { id: 'attach.locked', text: 'a session that is open elsewhere is joined or forked, as the user says' },
  ],
  self: [
    { id: 'self.commands', text: 'a command that touches aish itself is refused, whatever the rules say' },
    { id: 'self.tools', text: 'so is a tool, our own or of a server, whatever name leads there' },
    { id: 'self.read', text: 'what belongs to aish is read only when the user is asked' },
    { id: 'self.user', text: 'what the user types is classified by nobody' },
  ],
  extend: EXTEND,
  daemon: [
    { id: 'daemon.socket', text: '`aish serve` answers GET /health on a unix socket of its owner' },
    { id: 'daemon.token', text: 'over TCP every route wants the token' },
    { id: 'daemon.origin', text: 'a foreign Host or Origin is refused' },
    { id: 'daemon.session', text: 'a session is opened, driven by ops and followed by events over HTTP' },
    { id: 'daemon.resume', text: 'a follower that reconnects with the last event id misses nothing' },
    { id: 'daemon.silence', text: 'a silent stream is kept alive' },
    { id: 'daemon.chat', text: 'POST /chat answers once, its tools behind the headless gate' },
  ],
  start: [
    {
      id: 'start.first-run',
      text: 'without configuration the prompt comes at once, and one line says what was found or how to set up a model',
    },
    { id: 'start.demo', text: '`aish demo` plays the loop to its end and says that the model is scripted' },
    {
      id: 'start.demo-norris',
      text: '`aish demo --norris` plays an autonomous run: check, work, check, receipt, undo',
    },
    {
      id: 'start.config-error',
      text: 'a wrong key in the configuration is told with its line, column and the nearest key',
    },
  ],
  release: [
    { id: 'release.same', text: 'the same sources give the same bytes, and the version names commit and runtime' },
    { id: 'release.npm', text: 'the packed npm files install without scripts and network' },
    { id: 'release.deb', text: 'the Debian package installs with manual page and completions' },
  ],
};
