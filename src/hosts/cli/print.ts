import { fstatSync, readFileSync } from 'node:fs';
import { Engine } from '../../engine/engine.ts';
import { AishError } from '../../protocol/error.ts';
import { VERSION } from '../version.ts';
import type { Invocation } from './args.ts';
import { PROCESS_OUTPUT, runHeadless } from './headless.ts';
import { chosenSession, prepare, runtimeFolder } from './setup.ts';

/** `aish -p`: one message, one answer. The answer is the exit status. */
export async function runPrint(invocation: Extract<Invocation, { type: 'print' }>): Promise<number> {
  const { options } = invocation;
  const input = toInput(invocation.prompt);
  const setup = await prepare(options);
  for (const warning of setup.loaded.warnings) PROCESS_OUTPUT.error(`aish: ${warning}\n`);
  const engine = new Engine({
    ...setup,
    config: setup.loaded.config,
    version: VERSION,
    runtimeFolder: () => runtimeFolder(setup),
    onServerStatus: ({ state }, line) => {
      if (state === 'failed' && line !== null) PROCESS_OUTPUT.error(`aish: ${line}\n`);
    },
  });
  try {
    const resume = chosenSession(options, setup);
    const live = await engine.open({
      cwd: setup.cwd,
      settings: setup.settings,
      ...(resume === undefined ? {} : { resume }),
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => void live.session.submit({ type: 'interrupt' }));
    }
    return await runHeadless(live, input, options.output, PROCESS_OUTPUT);
  } finally {
    await engine.close();
  }
}

/** The message with what was piped in; what was piped in alone is the message. */
function toInput(prompt: string): { text: string; attachment?: string } {
  const piped = readPiped();
  if (piped === null || piped.trim() === '') {
    if (prompt.trim() !== '') return { text: prompt };
    throw new AishError('usage', 'there is nothing to ask', { hint: 'aish "question", or pipe text in' });
  }
  return prompt.trim() === '' ? { text: piped } : { text: prompt, attachment: piped };
}

/** Most bytes of piped input; more than this fits no model's context. */
const MOST_PIPED = 8_000_000;

function readPiped(): string | null {
  const stat = fstatSync(0, { throwIfNoEntry: false });
  if (stat === undefined || !(stat.isFIFO() || stat.isFile() || stat.isSocket())) return null;
  const text = readFileSync(0, 'utf8');
  if (text.length <= MOST_PIPED) return text;
  throw new AishError(
    'usage',
    `the piped input has ${text.length} characters, more than the ${MOST_PIPED} that are taken`,
    {
      hint: 'pipe in the part that matters, e.g. through tail or grep',
    },
  );
}
