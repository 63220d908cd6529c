import { type JoinChoice, JoinQuestion } from '../approvals/join-question.ts';
import { isDumbTerminal } from '../screen/theme.ts';
import { findOpenById } from '../sessions/find-owner.ts';
import { forkNamed } from '../sessions/fork-named.ts';
import { chooseAppearance } from '../setup/output-terminal.ts';
import { askBeforePrompt } from './ask-before-prompt.ts';
import { type AttachContext, attachTo } from './run-attach.ts';

type StartWith =
  | { readonly type: 'open'; readonly id: string }
  /** The user joined and left the session, or chose neither. */
  | { readonly type: 'left'; readonly status: number };

/** Asks, before the first prompt, what to do with a session that is open elsewhere. `--fork` answers in advance. */
export async function chooseAtStart(
  id: string,
  context: AttachContext & { readonly options: { readonly fork?: true } },
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

function askToJoin(id: string, { setup, options }: AttachContext): Promise<JoinChoice | null> {
  const { theme } = chooseAppearance(setup, options);
  return askBeforePrompt((tty) => {
    const write = (text: string): void => tty.write(text);
    const print = (text: string): void => tty.write(text.replaceAll('\n', '\r\n'));
    const isDumb = isDumbTerminal(setup.env);
    return new JoinQuestion(id, { print, write, size: () => tty.size(), theme, isDumb });
  });
}
