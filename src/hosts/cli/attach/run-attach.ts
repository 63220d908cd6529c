import { readlinkSync, readSync } from 'node:fs';
import { definedOf } from '../../../adapters/config/paths.ts';
import { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import { ownProgram } from '../../../adapters/system/own-program.ts';
import { isTerminal, systemCalls } from '../../../adapters/system/system-calls.ts';
import { misuse } from '../../../core/command-line/subcommand-args.ts';
import { createPromptState } from '../../../core/prompt/prompt-step.ts';
import { update } from '../../../core/prompt/prompt-update.ts';
import { isDumbTerminal } from '../../../core/terminal/capabilities.ts';
import type { Theme } from '../../../core/terminal/theme.ts';
import { AishError } from '../../../protocol/error.ts';
import type { ApprovalKeyTaker } from '../approvals/key-prompt.ts';
import type { JoinChoice } from '../approvals/question.ts';
import { openPrompt } from '../prompt/open-prompt.ts';
import { isWouldBlock, openTty, type Tty } from '../screen/tty.ts';
import {
  type ChooseOpen,
  findOpenById,
  findOpenSession,
  forkNamed,
  type OpenSession,
} from '../sessions/open-sessions.ts';
import { chooseAppearance, type StartContext } from '../setup/output-terminal.ts';
import { type JoinedEnd, JoinedSession } from './joined-session.ts';
import * as messages from './messages.ts';

const HANG_UP = 129;
/** By then the modules of an attached client are loaded. */
const START_IS_OVER_MS = 1000;

/** `aish attach [ID | URL [ID]]`: joins an open session. Returns the exit status. */
export async function runAttach(args: readonly string[], context: StartContext): Promise<number> {
  const [wanted, more, ...rest] = args;
  if (rest.length > 0 || (more !== undefined && !wanted?.includes('://')))
    throw misuse('attach', messages.ATTACH_USAGE);
  const found = await findOpenSession(wanted, more, { setup: context.setup, choose: chooserAt(context) });
  return found === null ? 1 : attachTo(found, context);
}

/** A picker of sessions; null if the terminal cannot draw it. */
function chooserAt(context: StartContext): ChooseOpen | null {
  const { theme, isPlain } = chooseAppearance(context);
  if (isPlain || !isTerminal(0) || !isTerminal(1)) return null;
  return async (sessions) => chooseOpen(sessions, { cwd: context.setup.cwd, theme });
}

/** Joins a session that was found open. */
async function attachTo(session: OpenSession, context: StartContext): Promise<number> {
  const client = HttpSessionClient.attach(session.address, session.id, clientName());
  const hungUp = Promise.withResolvers<null>();
  const joined = Promise.withResolvers<JoinedSession>();
  const opened = openPrompt({
    ...context,
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
  if (opened === null) throw new AishError('usage', messages.NEEDS_TERMINAL, { hint: messages.NEEDS_TERMINAL_HINT });
  const { prompt, tty } = opened;
  try {
    await prompt.run();
    const { end } = await joined.promise;
    // Listens before the last line appears, so that the next key answers it.
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
      return messages.formatLeft(id);
    case 'ended':
      return messages.formatEnded(id);
    case 'lost':
      return isAtTerminal ? messages.formatOwnerLost(id) : messages.formatDaemonLost(id);
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

/** Replaces this process by one that resumes the session. */
function resumeHere(id: string, tty: Tty): void {
  tty.close();
  const [program] = ownProgram();
  systemCalls()?.execute(program, [program, '--resume', id], definedOf(process.env));
}

/** The name of this client: its terminal. */
function clientName(): string {
  try {
    const path = readlinkSync('/proc/self/fd/0');
    if (path.startsWith('/dev/')) return path.slice('/dev/'.length);
  } catch {
    // Without /proc, any unique name will do.
  }
  return `terminal ${process.pid}`;
}

type StartWith =
  | { readonly type: 'open'; readonly id: string }
  /** The user joined and left the session, or chose neither. */
  | { readonly type: 'left'; readonly status: number };

/** Asks, before the first prompt, what to do with a session that is open elsewhere. `--fork` answers in advance. */
export async function chooseAtStart(
  id: string,
  context: StartContext & { readonly options: { readonly fork?: true } },
): Promise<StartWith> {
  if (context.options.fork === true) return { type: 'open', id: await forkNamed(id, context) };
  switch (await askToJoin(id, context)) {
    case 'join':
      return { type: 'left', status: await attachTo(await findOpenById(id, context.setup), context) };
    case 'fork':
      return { type: 'open', id: await forkNamed(id, context) };
    case 'neither':
    case null:
      return { type: 'left', status: 1 };
  }
}

async function askToJoin(id: string, context: StartContext): Promise<JoinChoice | null> {
  const { JoinQuestion } = await import('../approvals/question.ts');
  const { theme } = chooseAppearance(context);
  return askBeforePrompt((tty) => {
    const write = (text: string): void => tty.write(text);
    const print = (text: string): void => tty.write(text.replaceAll('\n', '\r\n'));
    const isDumb = isDumbTerminal(context.setup.env);
    return new JoinQuestion(id, { print, write, size: () => tty.size(), theme, isDumb });
  });
}

/** A prompt that takes one key and cancels if the terminal is gone. */
interface LoneQuestion<Answer> extends ApprovalKeyTaker {
  chosen(): Promise<Answer>;
  giveUp(): void;
}

/** Milliseconds between two reads of the terminal. */
const LOOK_MS = 15;

/**
 * Asks at the terminal before the first prompt; null without a terminal. It polls for keys, because a stream would still be reading after
 * the answer and take the first key of the prompt.
 */
async function askBeforePrompt<Answer>(ask: (tty: Tty) => LoneQuestion<Answer>): Promise<Answer | null> {
  let isOver = false;
  const tty = openTty({ input: () => {}, resized: () => {}, ended: () => question.giveUp() });
  if (tty === null) return null;
  tty.setRaw();
  const question = ask(tty);
  const feed = guardKeys(question);
  void question.chosen().finally(() => {
    isOver = true;
  });
  try {
    while (!isOver) {
      const bytes = readTyped(tty.fd);
      if (bytes === null) question.giveUp();
      else if (bytes.length > 0) feed(bytes);
      await Bun.sleep(LOOK_MS);
    }
    return await question.chosen();
  } finally {
    await tty.drained();
    tty.close();
  }
}

/** Gives the question the keys that may answer it: those of a user who has seen it and is not typing. */
function guardKeys(question: ApprovalKeyTaker): (bytes: Uint8Array) => void {
  const glance = { running: 'nothing', waitsForSnapshot: false, line: 'unread', text: '' } as const;
  let { state } = update(createPromptState(), { type: 'approval-shown', at: performance.now() });
  return (bytes) => {
    const { wantsText } = question;
    const next = update(state, { type: 'keys', bytes, at: performance.now(), glance: { ...glance, wantsText } });
    state = next.state;
    for (const effect of next.effects) if (effect.type === 'to-approval') question.feed(effect.bytes);
  };
}

/** The bytes typed since the last read; null if the terminal is gone. */
function readTyped(fd: number): Uint8Array | null {
  const buffer = Buffer.alloc(256);
  try {
    const size = readSync(fd, buffer);
    return size === 0 ? null : buffer.subarray(0, size);
  } catch (error) {
    return isWouldBlock(error) ? new Uint8Array(0) : null;
  }
}

const JOIN = { asks: 'join', does: 'joins it' } as const;

/** Has the user choose one of several open sessions, before there is a prompt; null for none. */
async function chooseOpen(
  sessions: readonly OpenSession[],
  { cwd, theme }: { readonly cwd: string; readonly theme: Theme },
): Promise<OpenSession | null> {
  const { SessionPicker } = await import('../sessions/session-picker.ts');
  const listed = sessions.map(({ id, told }) => ({ id, ...told, changedAt: told.openedAt ?? 0 }));
  const chosen = await askBeforePrompt((tty) => {
    return new SessionPicker({
      sessions: listed,
      words: JOIN,
      cwd,
      theme,
      now: Date.now(),
      redact: (text) => text,
      write: (text) => tty.write(text),
      size: () => tty.size(),
    });
  });
  return sessions.find(({ id }) => id === chosen) ?? null;
}
