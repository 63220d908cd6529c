import type { Job } from '../../../adapters/shell/background.ts';
import type { PutBack } from '../../../core/prompt/understand.ts';

/* All texts of the prompt: status lines, warnings and notifications. */

// Lines

export const PRIVATE_ON =
  'Private mode is on: commands stay out of the log, the history and the model. To turn it off: :private';
export const PRIVATE_OFF = 'Private mode is off: commands are shared with the model again.';
export const PRIVATE_AT_CLIENT = 'Private command: only the terminal that owns the session shows its output.';
/** The reasons why a line comes back to the prompt. */
export const REASONS_PUT_BACK: Readonly<Partial<Record<PutBack, string>>> = {
  doubtful: 'This may be a command or a message. Enter runs it, Tab asks the model.',
  'private message':
    'Not sent: private mode is on, and this looks like a message. Start it with ? to send it, or with ! to run it.',
  'still starting':
    'The shell is still starting, so aish cannot tell if this is a command. Start it with ? to send it to the model, or with ! to run it.',
};
export const formatReturned = (lines: number): string =>
  `${lines} queued lines came back and did not run. Press Up for the next one.`;
export const formatRefused = (command: string): string =>
  `:${command} cannot wait while the model works, because it would reach a different change. Press Ctrl-C to stop the model first.`;
export const PASTE_KEPT = 'Your paste answers nothing. It waits on the input line.';
export const formatUnsent = (line: string): string => `did not run: ${line}`;
export const formatMeant = (line: string, isReady: boolean): string =>
  `Did you mean ${line}? Press Tab to ${isReady ? 'run it' : 'put it into the prompt'}.`;
export const ASK_MODEL = 'Press Tab to ask the model about this command.';
export const NO_SESSION = 'the session is not open';
export const NO_SESSION_HINT = 'start aish again';

// Sessions

export const NEW_SESSION = 'Started a new session.';
export const formatResumed = (id: string, name: string | null): string =>
  `Resumed session ${id}${name === null ? '' : ` (${name})`}`;

// Jobs and programs

export function formatRunningJobs(jobs: readonly Pick<Job, 'line' | 'state'>[], doGoOn: boolean): string {
  const shown = jobs.slice(0, 5).map(({ line, state }) => (state === 'stopped' ? `${line} (stopped)` : line));
  const rest = jobs.length > shown.length ? ', …' : '';
  const [are, then] = jobs.length === 1 ? ['There is 1 job', 'it ends'] : [`There are ${jobs.length} jobs`, 'they end'];
  const goOn = jobs.length === 1 ? 'it goes on' : 'they go on';
  return `${are}: ${shown.join(', ')}${rest}. Exit again to leave; ${doGoOn ? goOn : then}.`;
}

export const formatUnstopped = (name: string, group: number): string =>
  `[${name} (${group}) still runs: for 10 s, Alt-T sends SIGTERM, Alt-K SIGKILL]`;
export const formatKeysTo = (name: string): string => `[your keys go to ${name}; Ctrl-C stops it]`;

// Notifications

export const PRIVATE_COMMAND = 'The command';
export const formatFinished = (what: string): string => `${what} has finished`;
export const RESPONSE_COMPLETE = 'Response complete';
export const formatCallWaits = (name: string): string => `${name} needs your approval`;
export const formatFormWaits = (server: string): string => `the MCP server ${server} asks for input`;
export const UNDO_WAITS = 'An undo needs your answer';

// The keyboard of a running program

export const formatKeyboardAsked = (client: string): string =>
  `${client} asks for the keyboard: Ctrl-] lends it, Ctrl-C refuses`;
export const KEYBOARD_KEPT = 'You keep the keyboard.';
export const formatKeyboardUnanswered = (client: string): string =>
  `${client} did not get the keyboard: nobody answered.`;
export const formatKeyboardLent = (client: string): string => `${client} has the keyboard: Ctrl-] takes it back`;
export const KEYBOARD_BACK = 'You have the keyboard again.';

// The history and the editor

export const formatFirstImport = (lines: number): string =>
  `Imported ${lines === 1 ? '1 line' : `${lines} lines`} from the history of your other shells. To delete them: :history clear`;
export const formatUnreadableHistory = (error: string): string => `cannot read the history: ${error}`;
export const formatEditorFailed = (program: string, status: number | null): string =>
  `${program} ${status === null ? 'was ended by a signal' : `ended with status ${status}`}; the line is unchanged`;
export const formatNoManual = (name: string | null): string =>
  name === null ? 'The cursor is at no command.' : `There is no manual page for ${name}.`;
export const EDITOR_HINT = 'VISUAL or EDITOR names the editor';
export const NO_EDITOR = 'there is no editor: neither VISUAL nor EDITOR is set, and vi is not installed';
export const NO_EDITOR_HINT = 'export EDITOR=…';

/** The sandbox is on and cannot be used. */
export const formatSandboxMissing = (why: string): string =>
  `Sandbox: on, but ${why}. Commands that you approve run in your shell.`;
