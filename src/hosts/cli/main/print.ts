import { fstatSync } from 'node:fs';
import { constants } from 'node:os';
import { Engine, type LiveSession } from '../../../engine/session/engine.ts';
import { LocalSessionClient } from '../../../engine/session/local-session-client.ts';
import { AishError } from '../../../protocol/error.ts';
import { VERSION } from '../../../protocol/version.ts';
import { attachMentioned } from '../prompt/attaching.ts';
import type { Invocation, Options } from '../setup/args.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { chosenSession, prepare, runtimeFolder, type Setup } from '../setup/setup.ts';
import { endOnFault } from './end-on-fault.ts';
import { runHeadless } from './headless.ts';
import { formatTooMuchInput, NO_MESSAGE, NO_MESSAGE_HINT, TOO_MUCH_INPUT_HINT, WAITING_FOR_INPUT } from './messages.ts';

/** Wait for a server that starts for the first time: it may download first, and no later request could have its tools. */
const FIRST_START_MS = 10_000;

/** `aish -p`: one message, one answer. The answer is the exit status. */
export async function runPrint(invocation: Extract<Invocation, { type: 'print' }>): Promise<number> {
  const { options } = invocation;
  endOnFault();
  const input = await toInput(invocation.prompt);
  return withSession(options, async ({ client, from, setup, ended }) => {
    // Only files that the command line names: piped text is untrusted, and may name any file.
    const place = { setup, settings: client.state.settings, cwd: setup.cwd };
    const { files, lines } = await attachMentioned(invocation.prompt, place);
    for (const line of lines) PROCESS_OUTPUT.error(`aish: ${line}\n`);
    const sent = files.length === 0 ? input : { ...input, files };
    return ended() ?? runHeadless({ client, from }, sent, options.output, PROCESS_OUTPUT);
  });
}

/** A session that a script uses. */
interface ScriptSession {
  readonly client: LocalSessionClient;
  readonly live: LiveSession;
  readonly setup: Setup;
  /** Number of the last event before. */
  readonly from: number;
  /** The exit status of a signal that came; null without one. */
  readonly ended: () => number | null;
}

/** Opens the session that the options choose, without a terminal, and closes it after its use. The answer is the exit status. */
export async function withSession(options: Options, use: (session: ScriptSession) => Promise<number>): Promise<number> {
  const setup = await prepare(options);
  for (const warning of setup.loaded.warnings) PROCESS_OUTPUT.error(`aish: ${warning}\n`);
  const engine = new Engine({
    ...setup,
    config: setup.loaded.config,
    version: VERSION,
    runtimeFolder: () => runtimeFolder(setup),
    serverWaitMs: FIRST_START_MS,
    onServerStatus: ({ state }, line) => {
      if (state === 'failed' && line !== null) PROCESS_OUTPUT.error(`aish: ${line}\n`);
    },
  });
  try {
    const named = await chosenSession(options, setup);
    const isCopied = named !== undefined && options.fork === true;
    const resume = isCopied ? await (await import('../sessions/fork-named.ts')).forkNamed(named, { setup }) : named;
    const live = await engine.open({
      cwd: setup.cwd,
      settings: setup.settings,
      ...(resume === undefined ? {} : { resume }),
      ...(options.approve === undefined ? {} : { approve: options.approve }),
    });
    for (const warning of live.warnings) PROCESS_OUTPUT.error(`aish: ${warning}\n`);
    const ended = haltOnSignals(engine);
    const client = new LocalSessionClient({ live });
    const status = await use({ client, live, setup, from: live.history.at(-1)?.seq ?? 0, ended });
    return ended() ?? status;
  } finally {
    await engine.close();
  }
}

/** Halts the engine on a signal. The returned function gives the exit status for that signal, or null. */
function haltOnSignals(engine: Engine): () => number | null {
  let status: number | null = null;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      status ??= 128 + constants.signals[name];
      void engine.halt('signal');
    });
  }
  return () => status;
}

/** The message with the piped text; without a prompt the piped text is the message. */
async function toInput(prompt: string): Promise<{ text: string; attachment?: string }> {
  const hasPrompt = prompt.trim() !== '';
  const piped = await readPiped({ reportsWait: hasPrompt });
  if (piped === null || piped.trim() === '') {
    if (hasPrompt) return { text: prompt };
    throw new AishError('usage', NO_MESSAGE, { hint: NO_MESSAGE_HINT });
  }
  return hasPrompt ? { text: prompt, attachment: piped } : { text: piped };
}

/** Most characters of piped input; more than this fits no model's context. */
const MOST_PIPED = 8_000_000;

/** A user may not know that aish inherited a pipe that nobody ever closes. */
const SILENT_MS = 1000;

async function readPiped({ reportsWait }: { readonly reportsWait: boolean }): Promise<string | null> {
  const stat = fstatSync(0, { throwIfNoEntry: false });
  if (stat === undefined || !(stat.isFIFO() || stat.isFile() || stat.isSocket())) return null;
  const timer = reportsWait ? setTimeout(reportWait, SILENT_MS) : undefined;
  const text = await Bun.stdin.text();
  clearTimeout(timer);
  if (text.length <= MOST_PIPED) return text;
  throw new AishError('usage', formatTooMuchInput(text.length, MOST_PIPED), { hint: TOO_MUCH_INPUT_HINT });
}

function reportWait(): void {
  PROCESS_OUTPUT.error(`aish: ${WAITING_FOR_INPUT}\n`);
}
