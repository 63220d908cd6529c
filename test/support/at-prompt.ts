import { filesBelow } from './files-below.ts';
import { PATIENCE_MS, type TestTerminal } from './terminal.ts';

/** The patience of every wait, for those that are no wait of a terminal. */
export const PATIENCE = { timeoutMs: PATIENCE_MS } as const;

/** An empty prompt of aish as the last thing on the screen, status of the last command included. */
const EMPTY_PROMPT =
  /(?:^|\n)(?:\[(?:\d+|[A-Z]\w+|\?)\] )?(?:\d+ jobs? )?(?:\S+@\S+ )?[~/]\S*(?: \S+(?: [!*+?]+)?)? >$/;

/** Settles when aish waits for a line, nothing typed yet. */
export function prompted(terminal: TestTerminal): Promise<string> {
  return terminal.waitFor(EMPTY_PROMPT, PATIENCE);
}

/** Types a line, and settles with the screen when it has run and the next prompt stands. A line may be run once per screen. */
export async function runLine(terminal: TestTerminal, line: string): Promise<string> {
  await prompted(terminal);
  terminal.type(line);
  // Until the startup files have run the mark is open.
  await terminal.waitFor((screen) => screen.endsWith(`$ ${line}`), PATIENCE);
  terminal.press('enter');
  return terminal.waitFor((screen) => screen.includes(`$ ${line}`) && EMPTY_PROMPT.test(screen), PATIENCE);
}

/** Whether any file below a folder holds a text. */
export function isOnDisk(folder: string, text: string): boolean {
  return filesBelow(folder).some(({ bytes }) => bytes?.includes(text) === true);
}

/** Types a line for aish itself, and settles with the screen when this shows and the prompt is back. */
export async function tell(terminal: TestTerminal, line: string, shows: string | RegExp): Promise<string> {
  await prompted(terminal);
  terminal.type(line);
  await terminal.waitFor((screen) => screen.endsWith(`: ${line}`), PATIENCE);
  terminal.press('enter');
  await terminal.waitForHistory(shows, PATIENCE);
  return prompted(terminal);
}
