import { readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';
import { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import { ownProgram } from '../../../adapters/system/own-program.ts';
import { systemCalls } from '../../../adapters/system/system-calls.ts';
import { AishError } from '../../../protocol/error.ts';
import { openPrompt } from '../prompt/open-prompt.ts';
import type { Tty } from '../screen/tty.ts';
import { type ChooseOpen, findOpenSession, type OpenSession } from '../sessions/find-owner.ts';
import type { Options } from '../setup/args.ts';
import { chooseAppearance } from '../setup/choose-appearance.ts';
import type { Setup } from '../setup/setup.ts';
import { type JoinedEnd, JoinedSession } from './joined-session.ts';

/** Where a session is joined. */
export interface AttachPlace {
  readonly setup: Setup;
  readonly options: Pick<Options, 'color'>;
}

const HANG_UP = 129;
/** By then what an attached client works with is loaded. */
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

/** Lets the user choose; null where nothing can be drawn to choose from. */
function chooserAt({ setup, options }: AttachPlace): ChooseOpen | null {
  const { theme, isPlain } = chooseAppearance(setup, options);
  if (isPlain || !isatty(0) || !isatty(1)) return null;
  return async (sessions) => (await import('./choose-open.ts')).chooseOpen(sessions, { cwd: setup.cwd, theme });
}

/** Joins a session that was found open. */
export async function attachTo(session: OpenSession, { setup, options }: AttachPlace): Promise<number> {
  const client = HttpSessionClient.attach(session.address, session.id, clientName());
  const hungUp = Promise.withResolvers<null>();
  const joined = Promise.withResolvers<JoinedSession>();
  const opened = openPrompt({
    setup,
    options,
    role: 'client',
    createSession: (host) => {
      const made = new JoinedSession({ ...host, client });
      joined.resolve(made);
      return made;
    },
    startIsOverMs: START_IS_OVER_MS,
    onEnded: () => {
      prompt.leave();
      hungUp.resolve(null);
    },
  });
  if (opened === null)
    throw new AishError('usage', 'a session is joined at a terminal, and there is none', {
      hint: 'without one, the HTTP API of docs/protocol.md does',
    });
  const { prompt, tty } = opened;
  try {
    await prompt.run();
    const { end } = await joined.promise;
    // A key that comes as soon as the words are there is for them.
    const pressed = nextKey(opened.giveKeysTo);
    if (end !== 'left') prompt.showUnsent();
    prompt.notice(lastWords(end, session));
    await tty.drained();
    if (end !== 'lost' || !session.isAtTerminal) return end === 'lost' ? 1 : 0;
    const key = await Promise.race([pressed, hungUp.promise]);
    if (key === 'r') resumeHere(session.id, tty);
    return key === null ? HANG_UP : 1;
  } finally {
    await opened.close();
  }
}

function lastWords(end: JoinedEnd, { id, isAtTerminal }: OpenSession): string {
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

/** The next key press; a report of the terminal comes as no bytes, and is none. */
export function nextKey(give: (taker: (bytes: Uint8Array) => void) => void): Promise<string> {
  return new Promise((resolve) =>
    give((bytes) => {
      if (bytes.length > 0) resolve(Buffer.from(bytes).toString('latin1'));
    }),
  );
}

/** This very process becomes the one that has the session open. */
function resumeHere(id: string, tty: Tty): void {
  tty.close();
  const env = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const [program] = ownProgram();
  systemCalls()?.execute(program, [program, '--resume', id], Object.fromEntries(env));
}

/** What this client is called: its terminal, as users know it. */
function clientName(): string {
  try {
    const path = readlinkSync('/proc/self/fd/0');
    if (path.startsWith('/dev/')) return path.slice('/dev/'.length);
  } catch {
    // Another system: any name does that tells terminals apart.
  }
  return `terminal ${process.pid}`;
}
