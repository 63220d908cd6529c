import { statSync } from 'node:fs';
import { isInside } from '../../../adapters/system/processes.ts';
import { isTerminal } from '../../../adapters/system/system-calls.ts';
import type { Invocation, Options } from '../../../core/command-line/invocation.ts';
import { attempt } from '../../../core/text/attempt.ts';
import type { Engine } from '../../../engine/session/engine.ts';
import type { OpenSessionServer } from '../../../engine/session/session-server.ts';
import { AishError } from '../../../protocol/error.ts';
import type { HaltedBy } from '../../../protocol/op.ts';
import { OwnSession } from '../prompt/local-session.ts';
import { openPrompt } from '../prompt/open-prompt.ts';
import { chosenSession, engineOptions, prepareForUser, type Setup } from '../setup/setup.ts';
import { endOnFault, statusOf } from './end-on-fault.ts';
import { NESTED, NESTED_HINT, NO_TERMINAL, NO_TERMINAL_HINT } from './messages.ts';

/** Exit statuses of the signals that end a terminal program. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

/** Time after which everything behind the first prompt is loaded. */
const START_IS_OVER_MS = 250;

/** `aish` without a message: the interactive shell. Without a terminal it does what other shells do then. Returns the exit status. */
export async function runShell(
  invocation: Extract<Invocation, { type: 'shell' }>,
  openServer: OpenSessionServer | null = null,
): Promise<number> {
  const { options, login } = invocation;
  if (!isTerminal(0) || !isTerminal(1)) return runWithoutTerminal(options, login);
  refuseNesting();
  const { setup, problem } = await prepareForUser(options);
  const named = await chosenSession(options, setup);
  const start = named === undefined ? null : await chooseHow(named, { setup, options });
  if (start?.type === 'left') return start.status;
  const resume = start?.id;
  const end = (status: number, by: HaltedBy): void => void prompt.close(status, by).finally(() => process.exit(status));
  const engine = lazyEngine(setup, (line) => prompt.notice(line));
  const opened = openPrompt({
    setup,
    options,
    role: 'owner',
    createSession: (host) => new OwnSession({ ...host, engine, login, openServer }),
    startIsOverMs: START_IS_OVER_MS,
    onEnded: (signal) => end(SIGNALS[signal], signal === 'SIGHUP' ? 'terminal' : 'signal'),
  });
  if (opened === null) throw new AishError('usage', NO_TERMINAL, { hint: NO_TERMINAL_HINT });
  const { prompt, tty } = opened;
  // Bun alone would not end with a terminal open; the terminal is released before anything is printed.
  endOnFault(() => tty.close());
  endOnSignals((status) => end(status, 'signal'));
  try {
    return await prompt.run({ ...(resume === undefined ? {} : { resume }), ...(problem === null ? {} : { problem }) });
  } finally {
    await prompt.close();
    await opened.close();
  }
}

/** Asks how to continue a session that is open elsewhere: join it or fork it. */
async function chooseHow(id: string, place: { readonly setup: Setup; readonly options: Options }) {
  const { isOpenSomewhere } = await import('../../../adapters/store/sessions.ts');
  if (place.options.fork !== true && !isOpenSomewhere(place.setup.paths.state, id))
    return { type: 'open', id } as const;
  return (await import('../attach/run-attach.ts')).chooseAtStart(id, place);
}

/** On the standard input of a login shell is a script for the shell; otherwise piped text is the message. */
async function runWithoutTerminal(options: Options, login: boolean): Promise<number> {
  if (!login) return (await import('./print.ts')).runPrint({ type: 'print', prompt: '', options });
  return (await import('./exec.ts')).runInOwnShell({ type: 'exec', args: [], login });
}

/** Behind `su` the aish of the other user is no part of this one. */
function refuseNesting(): void {
  const { AISH } = process.env;
  if (!isInside(AISH) || attempt(() => statSync(`/proc/${AISH}`).uid !== process.getuid?.(), false)) return;
  throw new AishError('usage', NESTED, { hint: NESTED_HINT });
}

/** The engine, loaded when it is first asked for: the prompt does not wait for it. */
function lazyEngine(setup: Setup, onServerLine: (line: string) => void): () => Promise<Engine> {
  let engine: Promise<Engine> | null = null;
  const load = async (): Promise<Engine> => {
    const { Engine } = await import('../../../engine/session/engine.ts');
    return new Engine({
      ...engineOptions(setup),
      onServerStatus: (_status, line) => {
        if (line !== null) onServerLine(line);
      },
    });
  };
  return () => {
    engine ??= load();
    return engine;
  };
}

/*
 * Signals that end a program without a handler for them, beside those of the terminal and its keys. A script may send one of them to the
 * wrong process. They end aish in order, so that the terminal does not stay in raw mode. Nothing can handle SIGKILL or a crash.
 */
const ENDING = [
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGPROF',
  'SIGXCPU',
  'SIGIO',
  'SIGSYS',
  'SIGTRAP',
  'SIGABRT',
] as const;

/** Signals that do not end a shell: a reader is gone, a file is too large. */
const IGNORED = ['SIGPIPE', 'SIGXFSZ'] as const;

/** Ends the program in order, with the exit status that shells give it, on a signal that would kill it. */
function endOnSignals(end: (status: number) => void): void {
  for (const signal of ENDING) process.on(signal, () => end(statusOf(signal)));
  for (const signal of IGNORED) process.on(signal, () => {});
}
