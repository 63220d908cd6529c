import { fstatSync } from 'node:fs';
import { constants } from 'node:os';
import { Engine } from '../../../engine/session/engine.ts';
import { LocalSessionClient } from '../../../engine/session/local-session-client.ts';
import { AishError } from '../../../protocol/error.ts';
import { VERSION } from '../../../protocol/version.ts';
import { attachMentioned } from '../prompt/attaching.ts';
import type { Invocation } from '../setup/args.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { chosenSession, prepare, runtimeFolder } from '../setup/setup.ts';
import { endOnFault } from './end-on-fault.ts';
import { runHeadless } from './headless.ts';

/** A server that starts for the first time may be fetched first. There is no later request that would have its tools. */
const FIRST_START_MS = 10_000;

/** `aish -p`: one message, one answer. The answer is the exit status. */
export async function runPrint(invocation: Extract<Invocation, { type: 'print' }>): Promise<number> {
  const { options } = invocation;
  endOnFault();
  const input = await toInput(invocation.prompt);
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
    // Only what was asked on the command line: piped text may name any file, and its author is somebody else.
    const client = new LocalSessionClient({ live });
    const place = { setup, settings: client.state.settings, cwd: setup.cwd };
    const { files, lines } = await attachMentioned(invocation.prompt, place);
    for (const line of lines) PROCESS_OUTPUT.error(`aish: ${line}\n`);
    const sent = files.length === 0 ? input : { ...input, files };
    const early = ended();
    if (early !== null) return early;
    const status = await runHeadless(
      { client, from: live.history.at(-1)?.seq ?? 0 },
      sent,
      options.output,
      PROCESS_OUTPUT,
    );
    return ended() ?? status;
  } finally {
    await engine.close();
  }
}

/** A signal stops all that goes on, with what it has started. The answer gives the status that the signal asks for, or null. */
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

/** The message with what was piped in; what was piped in alone is the message. */
async function toInput(prompt: string): Promise<{ text: string; attachment?: string }> {
  const isAsked = prompt.trim() !== '';
  const piped = await readPiped({ tellsWait: isAsked });
  if (piped === null || piped.trim() === '') {
    if (isAsked) return { text: prompt };
    throw new AishError('usage', 'there is nothing to ask', { hint: 'aish "question", or pipe text in' });
  }
  return isAsked ? { text: prompt, attachment: piped } : { text: piped };
}

/** Most characters of piped input; more than this fits no model's context. */
const MOST_PIPED = 8_000_000;

/** Who asks a question may not know that a pipe was inherited, and that nobody ever closes it. */
const SILENT_MS = 1000;

async function readPiped({ tellsWait }: { readonly tellsWait: boolean }): Promise<string | null> {
  const stat = fstatSync(0, { throwIfNoEntry: false });
  if (stat === undefined || !(stat.isFIFO() || stat.isFile() || stat.isSocket())) return null;
  const timer = tellsWait ? setTimeout(tellWait, SILENT_MS) : undefined;
  const text = await Bun.stdin.text();
  clearTimeout(timer);
  if (text.length <= MOST_PIPED) return text;
  throw new AishError(
    'usage',
    `the piped input has ${text.length} characters, more than the ${MOST_PIPED} that are taken`,
    {
      hint: 'pipe in the part that matters, e.g. through tail or grep',
    },
  );
}

function tellWait(): void {
  PROCESS_OUTPUT.error(
    'aish: waiting for the end of standard input, which goes along with the question; </dev/null sends none\n',
  );
}
