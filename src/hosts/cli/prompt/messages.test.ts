import { expect, test } from 'bun:test';
import { printMessages, type Samples } from '../../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

const SAMPLES: Samples<typeof messages> = {
  formatReturned: [[2]],
  formatRefused: [['undo']],
  formatUnsent: [['ls']],
  formatResumed: [
    ['abc', null],
    ['abc', 'a name'],
  ],
  formatRunningJobs: [
    [[{ line: 'sleep 9', state: 'running' }], true],
    [
      [
        { line: 'sleep 9', state: 'running' },
        { line: 'make', state: 'running' },
      ],
      true,
    ],
    [
      [
        { line: 'sleep 9', state: 'running' },
        { line: 'vim', state: 'stopped' },
      ],
      false,
    ],
  ],
  formatNoManual: [['frobnicate'], [null]],
  formatMeant: [
    ['git log -1', true],
    ['rm -r build', false],
  ],
  formatUnstopped: [['sh', 12]],
  formatKeysTo: [['vim']],
  formatFinished: [['make']],
  formatCallWaits: [['fs.write']],
  formatFormWaits: [['notes']],
  formatKeyboardAsked: [['pts/3']],
  formatKeyboardUnanswered: [['pts/3']],
  formatKeyboardLent: [['pts/3']],
  formatFirstImport: [[1], [7]],
  formatUnreadableHistory: [['permission denied']],
  formatEditorFailed: [
    ['vi', 1],
    ['vi', null],
  ],
  formatSandboxMissing: [['bubblewrap is not installed']],
};

test('the texts of the prompt', () => {
  expect(printMessages(messages, SAMPLES)).toMatchInlineSnapshot(`
    "
    Press Tab to ask the model about this command.
    VISUAL or EDITOR names the editor
    You have the keyboard again.
    You keep the keyboard.
    Started a new session.
    there is no editor: neither VISUAL nor EDITOR is set, and vi is not installed
    export EDITOR=…
    the session is not open
    start aish again
    Your paste answers nothing. It waits on the input line.
    Private command: only the terminal that owns the session shows its output.
    The command
    Private mode is off: commands are shared with the model again.
    Private mode is on: commands stay out of the log, the history and the model. To turn it off: :private
    This may be a command or a message. Enter runs it, Tab asks the model. | Not sent: private mode is on, and this looks like a message. Start it with ? to send it, or with ! to run it. | The shell is still starting, so aish cannot tell if this is a command. Start it with ? to send it to the model, or with ! to run it.
    Response complete
    An undo needs your answer
    fs.write needs your approval
    vi ended with status 1; the line is unchanged
    vi was ended by a signal; the line is unchanged
    make has finished
    Imported 1 line from the history of your other shells. To delete them: :history clear
    Imported 7 lines from the history of your other shells. To delete them: :history clear
    the MCP server notes asks for input
    pts/3 asks for the keyboard: Ctrl-] lends it, Ctrl-C refuses
    pts/3 has the keyboard: Ctrl-] takes it back
    pts/3 did not get the keyboard: nobody answered.
    [your keys go to vim; Ctrl-C stops it]
    Did you mean git log -1? Press Tab to run it.
    Did you mean rm -r build? Press Tab to put it into the prompt.
    There is no manual page for frobnicate.
    The cursor is at no command.
    :undo cannot wait while the model works, because it would reach a different change. Press Ctrl-C to stop the model first.
    Resumed session abc
    Resumed session abc (a name)
    2 queued lines came back and did not run. Press Up for the next one.
    There is 1 job: sleep 9. Exit again to leave; it goes on.
    There are 2 jobs: sleep 9, make. Exit again to leave; they go on.
    There are 2 jobs: sleep 9, vim (stopped). Exit again to leave; they end.
    Sandbox: on, but bubblewrap is not installed. Commands that you approve run in your shell.
    cannot read the history: permission denied
    did not run: ls
    [sh (12) still runs: for 10 s, Alt-T sends SIGTERM, Alt-K SIGKILL]
    "
  `);
});
