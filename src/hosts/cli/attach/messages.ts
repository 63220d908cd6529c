/** `aish attach` with arguments that it does not take. */
export const ATTACH_USAGE = 'aish attach takes a session ID or the URL of a daemon';
export const NEEDS_TERMINAL = 'aish attach needs a terminal';
export const NEEDS_TERMINAL_HINT = 'a script can use the HTTP API (docs/protocol.md)';

/** The last line of an attached client. */
export const formatLeft = (id: string): string => `You left session ${id}. It keeps running.`;
export const formatEnded = (id: string): string => `Session ${id} ended. To resume it: aish --resume ${id}`;
export const formatOwnerLost = (id: string): string =>
  `The terminal that had session ${id} open is gone. Press r to resume the session here, or any other key to exit.`;
export const formatDaemonLost = (id: string): string => `The daemon that has session ${id} open does not respond.`;

/** The keyboard of a running program. */
export const ASKED_FOR_KEYBOARD = 'you asked for the keyboard';
export const KEYBOARD_REFUSED = 'you did not get the keyboard';
export const NOT_YOUR_KEYBOARD =
  'you do not have the keyboard: Ctrl-] asks for it, Ctrl-C stops the program, Ctrl-D leaves';
export const YOUR_KEYBOARD = 'your keys go to the program: Ctrl-] gives the keyboard back to the other terminal';
export const OWNER_KEYBOARD = 'the owner has the keyboard again';
export const formatOtherKeyboard = (client: string): string => `${client} has the keyboard`;

export const LINE_WAITS = 'The line waits until the session is free.';
export const formatNotInHistory = (error: string): string => `The line is not in the history: ${error}`;
