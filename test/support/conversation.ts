import { join, resolve } from 'node:path';
import type { Home } from './aish.ts';
import { PATIENCE, prompted } from './at-prompt.ts';
import type { TestTerminal } from './terminal.ts';

/** A key this soon after typing still belongs to the line: a question must not take the next letter for its answer. */
const TYPING_PAUSE_MS = 450;

/** Sends a message to the model from an empty prompt. */
export async function ask(terminal: TestTerminal, message: string): Promise<void> {
  await prompted(terminal);
  terminal.type(`?${message}\n`);
}

/** What may stand under an open question: what its call would touch, and never an answer. */
const MEASURED = String.raw`(?:\n {2,4}(?!(?:yes|no|denied|changed)(?:\n|$)|always: |reason for |command: )[^\n]*)*$`;

const CHOICES_END = /(?:\[d\]eny with\s+reason|\[v\]iew all)$/;
/** The end of a screen with an open question. */
export const QUESTION = new RegExp(String.raw`(?:\[d\]eny with\s+reason|\[v\]iew all)${MEASURED}`);
/** The end of a screen with an open question whose call is shown in full. */
export const QUESTION_IN_FULL = new RegExp(String.raw`\[d\]eny with\s+reason${MEASURED}`);
/** The end of a screen with an open question that leaves a part of its call out. */
export const QUESTION_FOLDED = new RegExp(String.raw`\[v\]iew all${MEASURED}`);

/**
 * Settles with the screen when the question about a call of `name` is the last thing on it. The first row of a long one may have left the
 * screen
 * before anybody looks: what the call would touch comes when it is known.
 */
export function asked(terminal: TestTerminal, name: string): Promise<string> {
  return terminal.waitForHistory((text) => {
    const lines = text.split('\n');
    const head = lines.findLastIndex((line) => / (asks for|proposes) /.test(line));
    return lines[head]?.endsWith(` ${name}`) === true && QUESTION.test(lines.slice(head).join('\n'));
  }, PATIENCE);
}

/** The head of a question about a call whose effect is told below it, soon or late. */
const MEASURED_HEAD = / (?:asks for|proposes) aish\.(?:exec|write_file|edit_file)$/;

/** Whether what the call of the open question would touch is still to come: told just before a key, it makes the key no answer. */
function isBeingMeasured(text: string): boolean {
  const lines = text.split('\n');
  const question = lines.slice(lines.findLastIndex((line) => / (?:asks for|proposes) /.test(line)));
  if (!MEASURED_HEAD.test(question[0] ?? '') || !QUESTION.test(question.join('\n'))) return false;
  const last = question.at(-1) ?? '';
  // One that is asked once more shows above its choices what is known already.
  const isTold = !CHOICES_END.test(last) || question.some((line) => /^ {2}(?:would|might|reaches|effect) /.test(line));
  return !isTold || last === '  still counting; the rest follows';
}

/** Settles when a user may have read what is on the screen, what came last too, and no key belongs to the one before it. */
export async function pause(terminal?: TestTerminal): Promise<void> {
  if (terminal !== undefined && isBeingMeasured(terminal.history()))
    await terminal.waitForHistory((text) => !isBeingMeasured(text), PATIENCE);
  let seen: string | undefined;
  do {
    seen = terminal?.screen();
    await Bun.sleep(TYPING_PAUSE_MS);
  } while (seen !== terminal?.screen());
}

/** Answers the open question with one key, as somebody who has read it does. */
export async function answer(terminal: TestTerminal, key: 'y' | 'n' | 'a' | 'e' | 'd' | 'v'): Promise<void> {
  await pause(terminal);
  terminal.type(key);
}

/** Settles when a text stands on the screen and aish waits for a line again. */
export async function answered(terminal: TestTerminal, text: string | RegExp): Promise<string> {
  await terminal.waitForHistory(text, PATIENCE);
  return prompted(terminal);
}

/** The official filesystem server for a folder, as a section of the configuration. */
export function filesystemServer(folder: string, alias = 'fs'): string {
  return stdioServer(alias, [officialServer('mcp-server-filesystem'), folder]);
}

/** A server that is started here, as a section of the configuration. */
export function stdioServer(alias: string, [command, ...args]: readonly string[]): string {
  return `[mcp.servers.${alias}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
}

/** Path of a program among the development dependencies. */
export function officialServer(name: string): string {
  return resolve(import.meta.dir, '../../node_modules/.bin', name);
}

/** Command line of one of the server fixtures. */
export function fixtureServer(name: string, ...args: readonly string[]): string[] {
  return [process.execPath, join(import.meta.dir, '../fixtures/mcp', name), ...args];
}

/** Lets aish get to know the tools of the configured servers, so that the next first request need not wait for them. */
export async function learnTools(home: Home): Promise<void> {
  const { code, error } = await home.run(['mcp', 'tools']);
  if (code !== 0) throw new Error(error);
}
