import { readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';
import { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import { IdleCode } from '../../../adapters/system/idle-code.ts';
import { systemCalls } from '../../../adapters/system/system-calls.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Options } from '../args.ts';
import { chooseAppearance } from '../choose-appearance.ts';
import { mayAsk, TerminalQuestions } from '../screen/capabilities.ts';
import { openTty, type Tty } from '../screen/tty.ts';
import type { Setup } from '../setup.ts';
import { type AttachedEnd, AttachedPrompt } from './attached-prompt.ts';
import { type ChooseOpen, findOpenSession, type OpenSession } from './find-owner.ts';

/** Where a seat is taken. */
export interface AttachPlace {
  readonly setup: Setup;
  readonly options: Pick<Options, 'color'>;
}

const HANG_UP = 129;
/** By then what a seat works with is loaded. */
const START_IS_OVER_MS = 1000;

/** `aish attach [ID | URL [ID]]`: joins an open session. The answer is the exit status. */
export async function runAttach(args: readonly string[], place: AttachPlace): Promise<number> {
  const [wanted, more, ...rest] = args;
  if (rest.length > 0 || (more !== undefined && !wanted?.includes('://')))
    throw new AishError('usage', 'aish attach takes the id of a session, or the URL of a daemon', {
      hint: 'see aish attach --help',
    });
  const found = await findOpenSession(wanted, more, { setup: place.setup, choose: chooserAt(place) });
  return found === null ? 1 : attachTo(found, place);
}

/** Lets the person choose; null where nothing can be drawn to choose from. */
function chooserAt({ setup, options }: AttachPlace): ChooseOpen | null {
  const { theme, isPlain } = chooseAppearance(setup, options);
  if (isPlain || !isatty(0) || !isatty(1)) return null;
  return async (sessions) => (await import('./choose-open.ts')).chooseOpen(sessions, { cwd: setup.cwd, theme });
}

/** Joins a session that was found open. */
export async function attachTo(session: OpenSession, { setup, options }: AttachPlace): Promise<number> {
  const code = new IdleCode();
  let take = (bytes: Uint8Array): void => prompt.takeInput(bytes);
  const tty = openTty({
    input: (bytes) => {
      code.used();
      const typed = questions.take(bytes);
      if (typed.length > 0) take(typed);
    },
    resized: () => prompt.resized(),
    ended: () => prompt.leave(),
  });
  if (tty === null)
    throw new AishError('usage', 'a session is joined at a terminal, and there is none', {
      hint: 'without one, the HTTP API of docs/protocol.md does',
    });
  const client = HttpSessionClient.attach(session.address, session.id, seatName());
  const appearance = chooseAppearance(setup, options);
  const questions = new TerminalQuestions({
    write: (text) => tty.write(text),
    deliver: (bytes) => take(bytes),
    answered: (capabilities) => {
      appearance.answered(capabilities);
      prompt.redraw();
    },
  });
  const prompt: AttachedPrompt = new AttachedPrompt({ client, tty, setup, appearance });
  if (mayAsk(setup.env)) setImmediate(() => questions.ask());
  setTimeout(() => code.drop(), START_IS_OVER_MS).unref();
  try {
    const end = await prompt.run();
    await prompt.close(lastWords(end, session));
    if (end !== 'lost' || !session.isAtTerminal) return end === 'lost' ? 1 : 0;
    const key = await nextKey((taker) => {
      take = taker;
    });
    if (key === 'r') resumeHere(session.id, tty);
    return key === '' ? HANG_UP : 1;
  } finally {
    await questions.settled();
    tty.close();
  }
}

function lastWords(end: AttachedEnd, { id, isAtTerminal }: OpenSession): string {
  switch (end) {
    case 'left':
      return `you left session ${id}; it goes on`;
    case 'ended':
      return `session ${id} was ended where it was open; aish --resume ${id} goes on with it`;
    case 'lost':
      return isAtTerminal
        ? `whoever had session ${id} open is gone without a word: r goes on with it here, any other key leaves`
        : `the daemon that had session ${id} open does not answer any more`;
  }
}

function nextKey(give: (taker: (bytes: Uint8Array) => void) => void): Promise<string> {
  return new Promise((resolve) => give((bytes) => resolve(Buffer.from(bytes).toString('latin1'))));
}

/** This very process becomes the one that has the session open. */
function resumeHere(id: string, tty: Tty): void {
  tty.close();
  const isCompiled = Bun.main.startsWith('/$bunfs/');
  const program = isCompiled ? [] : [...process.execArgv, Bun.main];
  const env = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  systemCalls()?.execute(process.execPath, [process.execPath, ...program, '--resume', id], Object.fromEntries(env));
}

/** What this seat is called: its terminal, as people know it. */
function seatName(): string {
  try {
    const path = readlinkSync('/proc/self/fd/0');
    if (path.startsWith('/dev/')) return path.slice('/dev/'.length);
  } catch {
    // Another system: any name does that tells terminals apart.
  }
  return `terminal ${process.pid}`;
}
