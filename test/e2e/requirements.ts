/** A promise of the program; tests cite it by beginning their title with `[id]`. */
export interface Promised {
  readonly id: string;
  readonly text: string;
}

/** What the program promises, by part; `coverage.test.ts` fails on a promise that no test cites. */
export const REQUIREMENTS: Readonly<Record<string, readonly Promised[]>> = {
  'command line': [
    {
      id: 'cli.help',
      text: '`--help` of aish and of each subcommand tells all there is, from the table it is read by',
    },
    {
      id: 'cli.completion',
      text: '`aish completion` makes bash, zsh and fish complete subcommands, options, values and names',
    },
    { id: 'cli.prompt', text: '`aish` opens a prompt in this directory' },
    { id: 'cli.version', text: '`--version` and `--help` answer at once, without a session' },
    { id: 'cli.usage', text: 'an unknown flag or a missing value exits 2 and says what to do' },
    { id: 'cli.print', text: '`aish -p` and `aish "question"` print one answer and exit 0' },
    { id: 'cli.pipe', text: 'piped input is attached to the question' },
    { id: 'cli.json', text: '`--output json` prints one object with text, tool calls, usage and session id' },
    { id: 'cli.stream-json', text: '`--output stream-json` prints the events of the session, one a line' },
    { id: 'cli.denied', text: 'headless, a call that would be asked is denied: exit 3, nothing written' },
    { id: 'cli.approve', text: '`--approve all` lets headless calls run' },
    { id: 'cli.limit', text: 'a limit that is reached exits 4' },
    { id: 'cli.interrupt', text: 'an interrupt ends a one-shot with exit 130' },
    { id: 'cli.continue', text: '`--continue` and `--resume` go on where a session stood' },
    { id: 'cli.command', text: "`aish -c` runs a command in the person's own shell at once, without model or session" },
    { id: 'cli.login', text: 'as a login shell aish sets SHELL to the real shell and refuses to nest' },
  ],
  model: [
    { id: 'model.stream', text: 'an answer appears while it streams' },
    { id: 'model.refused', text: 'a server that is not there is one clear line with what to do' },
    { id: 'model.unauthorized', text: 'a wrong key is one clear line that names the variable to set' },
    { id: 'model.not-found', text: 'an unknown model is one clear line with the models the server has' },
    { id: 'model.rate-limit', text: 'a rate limit is told with the time to wait' },
    { id: 'model.server-error', text: 'a failing server or an answer that is not JSON is one clear line' },
    { id: 'model.cut', text: 'an answer that breaks off runs nothing and is told as cut' },
    { id: 'model.idle', text: 'a server that falls silent is given up after the limit' },
    {
      id: 'model.valid-request',
      text: 'every request is one a strict server takes: alternating roles, paired calls, never broken arguments',
    },
  ],
  session: [
    { id: 'session.kill', text: 'killed at any moment and resumed, the next request is valid' },
    {
      id: 'session.open-call',
      text: 'a call that was running when the process died reads "interrupted; the outcome is unknown" and is not run again',
    },
    { id: 'session.torn-tail', text: 'a log with a torn last line opens' },
    { id: 'session.private', text: 'logs are open to their owner alone and hold no key' },
    { id: 'session.one-owner', text: 'a second process cannot write to a session that is in use' },
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
    { id: 'gate.exec', text: 'aish.exec and `CMD:` are asked whatever the rules say' },
    { id: 'gate.deny', text: "a refusal reaches the model as the call's result, with the person's reason" },
    { id: 'gate.always', text: '`a` allows the tool for the rest of the session' },
  ],
  checkpoint: [
    { id: 'checkpoint.made', text: 'before the first change of a step a checkpoint stands under refs/aish' },
    { id: 'checkpoint.untouched', text: 'branch, HEAD, index and stash stay as they were, and no hook runs' },
    { id: 'checkpoint.contents', text: 'untracked files are kept, ignored and very large ones are not' },
    {
      id: 'checkpoint.commit',
      text: 'mode "commit" leaves a commit `aish auto-commit before <tool>`, and a clean tree goes on',
    },
    {
      id: 'checkpoint.outside',
      text: 'outside a repository the question says "this write cannot be undone" and is always asked',
    },
    { id: 'checkpoint.undo', text: '`:undo` takes the write back' },
    { id: 'checkpoint.conflict', text: 'an undo refuses where the file changed since, and names it' },
    { id: 'checkpoint.list', text: '`:checkpoints` and `:diff` show what can be taken back' },
    { id: 'checkpoint.command', text: '`aish undo` does the same from outside the session' },
  ],
  mcp: [
    { id: 'mcp.stdio', text: 'tools of a configured stdio server are offered and called' },
    { id: 'mcp.http', text: 'tools of a configured HTTP server are offered and called, with its token' },
    { id: 'mcp.post-only', text: 'a server that only answers POST and closes each connection works' },
    { id: 'mcp.failure', text: 'a server that does not start is one status line, and the prompt works' },
    { id: 'mcp.errors', text: 'isError goes to the model; a protocol error is a status line and a tool result' },
    { id: 'mcp.meta', text: '`:mcp connect`, `list`, `tools`, `tool` and `disconnect` work at the prompt' },
    { id: 'mcp.no-orphans', text: 'no server process stays behind when aish ends or is killed' },
  ],
  shell: [
    {
      id: 'shell.state',
      text: 'cwd, exports and functions last from line to line, and an approved aish.exec sees them',
    },
    { id: 'shell.rc', text: "the person's rc file is honoured, aliases included" },
    { id: 'shell.exit', text: 'the exit status of a command is known and shown' },
    { id: 'shell.context', text: 'the output of commands is part of the next request, bounded' },
    { id: 'shell.interrupt', text: 'Ctrl-C stops the command and not aish' },
    { id: 'shell.full-screen', text: 'vim, less and top work, and the terminal is right afterwards' },
    { id: 'shell.secret', text: '`read -s` hides what is typed, and it is recorded nowhere' },
    { id: 'shell.background', text: '`sleep 60 & echo ok` returns at once' },
    {
      id: 'shell.typed-ahead',
      text: 'what is typed while a command runs never executes by itself and is in the editor afterwards',
    },
    { id: 'shell.history', text: "the shell's history holds the person's line and none of ours" },
    { id: 'shell.no-model', text: 'without any model the shell works' },
    {
      id: 'shell.own-prompt',
      text: 'a prompt the person made is shown as the shell renders it, and can be turned off',
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
      id: 'shell.two-drivers',
      text: 'the person can type into a command of the model at any moment, and what is typed in secret reaches nobody',
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
      id: 'fidelity.same',
      text: 'status, directory, output, modes, environment, options and history are those of the shell used directly',
    },
    { id: 'fidelity.program', text: 'the same holds for what is typed at the prompt of the whole program' },
    { id: 'fidelity.forged', text: 'marks that a program forges in its output are output' },
    { id: 'fidelity.typed-ahead', text: 'what is typed while something runs never executes, at whatever moment' },
    { id: 'fidelity.secret', text: 'a typed password is on no screen, on no disk and in no request' },
    {
      id: 'fidelity.programs',
      text: 'full-screen and asking programs work, with Ctrl-Z and fg, and leave the terminal as it was',
    },
    { id: 'fidelity.tmux', text: 'the same programs work in a real tmux' },
    { id: 'fidelity.ssh', text: 'ssh to another host works from the prompt' },
  ],
  attachments: [
    { id: 'attach.file', text: '`@path` in a message sends the file along, and one line says so; headless too' },
    { id: 'attach.image', text: 'a picture goes along where the model takes it, and is only named elsewhere' },
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
  prompt: [
    { id: 'prompt.edit', text: 'arrows, Home, End, words and several lines can be edited, wide characters too' },
    { id: 'prompt.history', text: 'lines of earlier sessions come back with the up key' },
    { id: 'prompt.paste', text: 'a paste never runs by itself' },
    { id: 'prompt.fold', text: 'a long paste is one folded piece that Tab shows and Enter runs whole' },
    {
      id: 'prompt.external',
      text: "Ctrl-X Ctrl-E opens the line in the person's editor, and what comes back does not run by itself",
    },
    { id: 'prompt.vi', text: 'with `keys = "vi"` vi\'s keys edit the line, and mark and cursor show the mode' },
    { id: 'prompt.route', text: 'the mark shows where a line will go; `!` and `?` force it' },
    { id: 'prompt.resize', text: 'a resize leaves line and prompt whole' },
    { id: 'prompt.complete', text: 'Tab completes meta commands, and an unknown one names the nearest' },
    { id: 'prompt.shell-completion', text: "Tab completes what the person's own shell completes, in bash and in zsh" },
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
    { id: 'screen.image', text: 'a picture that a tool returns is kept, shown where the terminal can, and named' },
  ],
  'at work': [
    { id: 'work.echo', text: 'what is typed while the model works is shown, kept, and runs only when it is entered' },
    { id: 'work.queue', text: 'lines entered meanwhile wait, run afterwards in order, and can be taken back' },
    { id: 'work.steer', text: 'one key ends the turn after what runs now and sends the line as the next words' },
    { id: 'work.interrupt', text: 'Ctrl-C stops the turn and runs nothing that waits' },
    { id: 'work.question', text: 'a question is answered by its own keys; what was typed before it is kept' },
    { id: 'work.notify', text: 'who looks elsewhere is told that long work has ended or a question waits' },
  ],
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
      id: 'start.config-error',
      text: 'a wrong key in the configuration is told with its line, column and the nearest key',
    },
  ],
};
