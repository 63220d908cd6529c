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

/** The possible text under an open approval prompt: the files that its call would touch, and never an answer. */
const MEASURED = String.raw`(?:\n {2,4}(?!(?:yes|no|denied|edited)(?:\n|$)|always: |reason for |new command: )[^\n]*)*$`;

const CHOICES_END = /(?:\[d\] deny with\s+a\s+reason|\[v\] view all)$/;
/** The first line of an approval prompt. */
const HEAD = /^(?:The model wants to (?:run|call)|The answer suggests running)\b/;

/** The text from the last approval prompt on. */
export function lastPrompt(text: string): string {
  const lines = text.split('\n');
  return lines.slice(lines.findLastIndex((line) => HEAD.test(line))).join('\n');
}

/** How many approval prompts a text has. */
export function countPrompts(text: string): number {
  return text.split('\n').filter((line) => HEAD.test(line)).length;
}

/** The rows of choices, up to their last one. They begin at the left edge: a call whose text holds the same words is indented. */
const CHOICES = String.raw`(?:^|\n)\[[yn]\] [^\n]*(?:\n(?! )[^\n]*){0,9}?`;

/** The end of a screen with an open question. */
export const QUESTION = new RegExp(String.raw`${CHOICES}(?:\[d\] deny with\s+a\s+reason|\[v\] view all)${MEASURED}`);
/** The end of a screen with an open question whose call is shown in full. */
export const QUESTION_IN_FULL = new RegExp(String.raw`${CHOICES}\[d\] deny with\s+a\s+reason${MEASURED}`);
/** The end of a screen with an open question that leaves a part of its call out. */
export const QUESTION_FOLDED = new RegExp(String.raw`${CHOICES}\[v\] view all${MEASURED}`);

/**
 * Settles with the screen when the question about a call of `name` is the last thing on it. The first row of a long one may have left the
 * screen before anybody looks: what the call would touch comes when it is known.
 */
export function asked(terminal: TestTerminal, name: string): Promise<string> {
  return terminal.waitForHistory((text) => {
    const prompt = lastPrompt(text);
    const head = prompt.slice(0, prompt.indexOf('\n'));
    const isAbout = name === 'aish.exec' ? HEAD_OF_COMMAND.test(head) : head.endsWith(` ${name}:`);
    return isAbout && QUESTION.test(prompt);
  }, PATIENCE);
}

const HEAD_OF_COMMAND = / (?:run|running):$/;
/** The first line of a prompt that an impact estimate follows, soon or late. */
const MEASURED_HEAD = / (?:run|running|call aish\.(?:write_file|edit_file)):$/;

/** Whether what the call of the open question would touch is still to come: told just before a key, it makes the key no answer. */
function isBeingMeasured(text: string): boolean {
  const question = lastPrompt(text).split('\n');
  if (!MEASURED_HEAD.test(question[0] ?? '') || !QUESTION.test(question.join('\n'))) return false;
  const last = question.at(-1) ?? '';
  // A repeated prompt shows the known facts above its choices.
  const isTold =
    !CHOICES_END.test(last) ||
    question.some((line) =>
      /^ {2}(?:Would|Might|Connects|Unknown|Changes|Hosts?:|The estimate|\d[\d,]* (?:file|folder)s?) /.test(line),
    );
  return !isTold || last === '  Still counting …';
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

/** Bun, set for servers of tests. */
export const SERVER_BUN = join(import.meta.dir, '../fixtures/mcp/bun');

/**
 * The official filesystem server for a folder, as a section of the configuration. The Bun of the tests starts it in half the time of Node,
 * and reads nothing of the folder for itself.
 */
export function filesystemServer(folder: string, alias = 'fs'): string {
  return stdioServer(alias, [
    SERVER_BUN,
    '--no-env-file',
    '--config=/dev/null',
    officialServer('mcp-server-filesystem'),
    folder,
  ]);
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
  return [SERVER_BUN, join(import.meta.dir, '../fixtures/mcp', name), ...args];
}

/** Lets aish get to know the tools of the configured servers, so that the next first request need not wait for them. */
export async function learnTools(home: Home): Promise<void> {
  const { code, error } = await home.run(['mcp', 'tools']);
  if (code !== 0) throw new Error(error);
}
