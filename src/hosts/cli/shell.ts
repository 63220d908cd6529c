import { join } from 'node:path';
import { isInside } from '../../adapters/system/ancestors.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import { VERSION } from '../version.ts';
import type { Invocation, Options } from './args.ts';
import { HistoryFile } from './editor/history-file.ts';
import { Repl } from './repl.ts';
import { createTheme, type Theme } from './screen/theme.ts';
import { openTty, type Tty } from './screen/tty.ts';
import { chosenSession, prepareForPerson, runtimeFolder, type Setup } from './setup.ts';

/** Exit statuses of the signals that end a terminal program. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

/** `aish` without a question: the interactive shell. Without a terminal, what a shell without one does. The answer is the exit status. */
export async function runShell(invocation: Extract<Invocation, { type: 'shell' }>): Promise<number> {
  const { options, login } = invocation;
  if (!isTerminal(0) || !isTerminal(1)) return runWithoutTerminal(options, login);
  refuseNesting();
  const { setup, problem } = await prepareForPerson(options);
  const resume = chosenSession(options, setup);
  const tty = openTty({
    input: (bytes) => repl.takeInput(bytes),
    resized: () => repl.resized(),
    ended: (signal) => void repl.close(SIGNALS[signal]).finally(() => process.exit(SIGNALS[signal])),
  });
  if (tty === null)
    throw new AishError('usage', 'the terminal cannot be opened', { hint: 'aish -p "question" needs none' });
  endOnFault(tty);
  const engine = lazyEngine(setup, (line) => repl.notice(line));
  const repl: Repl = new Repl({
    tty,
    setup,
    theme: chooseTheme(setup.loaded.config.ui.color, options),
    history: new HistoryFile(setup.loaded.config.history.enabled ? join(setup.paths.state, 'history.jsonl') : null),
    engine,
    login,
  });
  try {
    return await repl.run({ ...(resume === undefined ? {} : { resume }), ...(problem === null ? {} : { problem }) });
  } finally {
    await repl.close();
    tty.close();
  }
}

/** A bug ends the program at once, which Bun alone would not do with a terminal open; the terminal is given back before it is told. */
function endOnFault(tty: Tty): void {
  const end = async (thrown: unknown): Promise<void> => {
    tty.close();
    const { reportFatal } = await import('./fatal.ts');
    process.exit(reportFatal(thrown));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** `--no-color` before the configuration before NO_COLOR. */
function chooseTheme(color: Config['ui']['color'], options: Options): Theme {
  if (color === 'always' && options.color) return createTheme({ TERM: process.env.TERM });
  return createTheme(process.env, { colour: color !== 'never' && options.color });
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
