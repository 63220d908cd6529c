import { isOpenSomewhere } from '../../adapters/store/sessions.ts';
import { isInside } from '../../adapters/system/ancestors.ts';
import { IdleCode } from '../../adapters/system/idle-code.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import type { Engine } from '../../engine/engine.ts';
import type { OpenDoor } from '../../engine/session-door.ts';
import { AishError } from '../../protocol/error.ts';
import type { HaltedBy } from '../../protocol/halt.ts';
import { VERSION } from '../version.ts';
import type { Invocation, Options } from './args.ts';
import { chooseAppearance } from './choose-appearance.ts';
import { endOnFault } from './end-on-fault.ts';
import { openHistory } from './open-history.ts';
import { Repl } from './repl.ts';
import { mayAsk, TerminalQuestions } from './screen/capabilities.ts';
import { openTty } from './screen/tty.ts';
import { chosenSession, prepareForPerson, runtimeFolder, type Setup } from './setup.ts';
import { endOnSignals } from './signals.ts';

/** Exit statuses of the signals that end a terminal program. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

/** By then all that is loaded behind the first prompt has been. */
const START_IS_OVER_MS = 250;

/** `aish` without a question: the interactive shell. Without a terminal, what a shell without one does. The answer is the exit status. */
export async function runShell(
  invocation: Extract<Invocation, { type: 'shell' }>,
  openDoor: OpenDoor | null = null,
): Promise<number> {
  const { options, login } = invocation;
  if (!isTerminal(0) || !isTerminal(1)) return runWithoutTerminal(options, login);
  refuseNesting();
  const { setup, problem } = await prepareForPerson(options);
  const named = chosenSession(options, setup);
  const start = named === undefined ? null : await chooseHow(named, { setup, options });
  if (start?.type === 'left') return start.status;
  const resume = start?.id;
  const code = new IdleCode();
  const tty = openTty({
    input: (bytes) => {
      code.used();
      const typed = questions.take(bytes);
      if (typed.length > 0) repl.takeInput(typed);
    },
    resized: () => repl.resized(),
    ended: (signal) => end(SIGNALS[signal], signal === 'SIGHUP' ? 'terminal' : 'signal'),
  });
  const end = (status: number, by: HaltedBy): void => void repl.close(status, by).finally(() => process.exit(status));
  if (tty === null)
    throw new AishError('usage', 'the terminal cannot be opened', { hint: 'aish -p "question" needs none' });
  // Bun alone would not end with a terminal open, and the terminal is given back before anything is told.
  endOnFault(() => tty.close());
  const engine = lazyEngine(setup, (line) => repl.notice(line));
  const appearance = chooseAppearance(setup, options);
  const questions = new TerminalQuestions({
    write: (text) => tty.write(text),
    deliver: (bytes) => repl.takeInput(bytes),
    answered: (capabilities) => {
      appearance.answered(capabilities);
      repl.redraw();
    },
  });
  const repl: Repl = new Repl({
    tty,
    setup,
    appearance,
    theme: appearance.theme,
    history: openHistory(setup),
    engine,
    login,
    openDoor,
  });
  endOnSignals((status) => end(status, 'signal'));
  // Behind the first prompt: nobody waits for a terminal.
  if (mayAsk(setup.env)) setImmediate(() => questions.ask());
  setTimeout(() => code.drop(), START_IS_OVER_MS).unref();
  try {
    return await repl.run({ ...(resume === undefined ? {} : { resume }), ...(problem === null ? {} : { problem }) });
  } finally {
    await repl.close();
    await questions.settled();
    tty.close();
  }
}

/** A session that is open elsewhere is joined or copied; most are not. */
async function chooseHow(id: string, place: { readonly setup: Setup; readonly options: Options }) {
  if (place.options.fork !== true && !isOpenSomewhere(place.setup.paths.state, id))
    return { type: 'open', id } as const;
  return (await import('./attach/open-elsewhere.ts')).chooseAtStart(id, place);
}

function isTerminal(fd: number): boolean {
  const calls = systemCalls();
  return calls === null ? process.stdin.isTTY : calls.getModes(fd) !== null;
}

/** A script on standard input of a login shell is for the shell; piped text without a question is the question. */
async function runWithoutTerminal(options: Options, login: boolean): Promise<number> {
  if (!login) return (await import('./print.ts')).runPrint({ type: 'print', prompt: '', options });
  return (await import('./exec.ts')).runInOwnShell({ type: 'exec', args: [], login });
}

function refuseNesting(): void {
  if (!isInside(process.env.AISH)) return;
  throw new AishError('usage', 'this is aish already: it does not run inside itself', {
    hint: 'type exit to leave this one, or use aish -p "question" for one answer',
  });
}

/** The engine, loaded when it is first asked for: the prompt does not wait for it. */
function lazyEngine(setup: Setup, onServerLine: (line: string) => void): () => Promise<Engine> {
  let engine: Promise<Engine> | null = null;
  const load = async (): Promise<Engine> => {
    const { Engine } = await import('../../engine/engine.ts');
    return new Engine({
      ...setup,
      config: setup.loaded.config,
      version: VERSION,
      runtimeFolder: () => runtimeFolder(setup),
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
