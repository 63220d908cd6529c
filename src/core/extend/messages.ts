/** Texts about custom commands, skills and hooks. */

/** The description of a command whose file has none. */
export const SENDS_FILE = 'send the text of its file to the model';
