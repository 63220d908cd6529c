import { join } from 'node:path';
import { IdleCode } from '../../../adapters/system/idle-code.ts';
import { parseIgnored } from '../../../core/prompt/history-index.ts';
import { mayAsk } from '../../../core/terminal/capabilities.ts';
import type { Style } from '../../../core/terminal/theme.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import { PromptHistory } from '../editor/history-at-prompt.ts';
import { openTty, TerminalQuestions, type Tty } from '../screen/tty.ts';
import { chooseAppearance, type StartContext } from '../setup/output-terminal.ts';
import type { Setup } from '../setup/setup.ts';
import { formatFirstImport, formatUnreadableHistory } from './messages.ts';
import { Prompt, type PromptDeps } from './prompt.ts';

interface OpenPromptOptions extends StartContext, Pick<PromptDeps, 'role' | 'createSession'> {
  /** By then all that is loaded behind the first prompt has been, in milliseconds. */
  readonly startIsOverMs: number;
  /** The terminal is gone, or a signal ended the program. */
  readonly onEnded: (signal: 'SIGHUP' | 'SIGTERM') => void;
}

interface OpenedPrompt {
  readonly prompt: Prompt;
  readonly tty: Tty;
  /** From now on all keys go to another reader. */
  readonly giveKeysTo: (taker: (bytes: Uint8Array) => void) => void;
  /** Gives the terminal back. */
  readonly close: () => Promise<void>;
}

/** Opens a prompt at the terminal of this process; null where it has none. */
export function openPrompt({
  setup,
  options,
  startIsOverMs,
  onEnded,
  ...rest
}: OpenPromptOptions): OpenedPrompt | null {
  const code = new IdleCode();
  let take = (bytes: Uint8Array, read = bytes): void => prompt.takeInput(bytes, read);
  const tty = openTty({
    input: (bytes) => {
      code.used();
      take(questions.take(bytes), bytes);
    },
    resized: () => prompt.resized(),
    ended: onEnded,
  });
  if (tty === null) return null;
  const appearance = chooseAppearance({ setup, options });
  const questions = new TerminalQuestions({
    write: (text) => tty.write(text),
    deliver: (bytes) => take(bytes),
    answered: (capabilities) => {
      appearance.answered(capabilities);
      prompt.redraw();
    },
  });
  const prompt: Prompt = new Prompt({ ...rest, tty, setup, appearance, history: openHistory(setup) });
  // Behind the first prompt: nothing waits for a terminal.
  if (mayAsk(setup.env)) setImmediate(() => questions.ask(setup.env));
  setTimeout(() => code.drop(), startIsOverMs).unref();
  return {
    prompt,
    tty,
    giveKeysTo: (taker) => {
      take = taker;
    },
    close: async () => {
      await questions.settled();
      tty.close();
    },
  };
}

/** The history all terminals share, by the rules of the configuration and of the environment. */
function openHistory({ loaded, paths, cwd, env }: Setup): PromptHistory {
  const { enabled, ignore, duplicates, max_lines } = loaded.config.history;
  const history = new PromptHistory({
    path: enabled ? join(paths.state, 'history.jsonl') : null,
    rules: { ignore, duplicates },
    maxLines: max_lines,
    session: `${Date.now().toString(36)}-${process.pid.toString(36)}`,
    cwd,
  });
  // Until the shell itself tells.
  history.follow({ control: env.HISTCONTROL ?? '', ignore: parseIgnored(env.HISTIGNORE ?? '', 'bash') });
  return history;
}

/** Dependencies of the first read of the history. */
export interface FirstLookDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (style: Style, text: string) => void;
}

/** Reads the history behind the first prompt. If it is empty, imports the history of the user's other shells, and reports it. */
export async function lookAtHistory(history: PromptHistory, { env, say }: FirstLookDeps): Promise<void> {
  try {
    await history.load();
    if (history.size > 0 || !history.isKept) return;
    const { listForeignHistories, readForeignHistories } = await import('../../../adapters/history/import-history.ts');
    const found = readForeignHistories(listForeignHistories(env), { rules: history.rules, most: history.maxLines });
    const count = found.length === 0 ? 0 : history.merge(found, { onlyIfEmpty: true });
    if (count > 0) say('dim', formatFirstImport(count));
  } catch (thrown) {
    say('warning', formatUnreadableHistory(formatError(toErrorFact(thrown))));
  }
}
