import { type JoinChoice, JoinQuestion } from '../approvals/join-question.ts';
import { isDumbTerminal } from '../screen/theme.ts';
import { findOpenById } from '../sessions/find-owner.ts';
import { forkNamed } from '../sessions/fork-named.ts';
import { chooseAppearance } from '../setup/choose-appearance.ts';
import { askBeforePrompt } from './ask-before-prompt.ts';
import { type AttachPlace, attachTo } from './run-attach.ts';

/** What becomes of a start with a session that may be open elsewhere. */
export type StartWith =
  | { readonly type: 'open'; readonly id: string }
  /** It was joined and left again, or nothing was wanted. */
  | { readonly type: 'left'; readonly status: number };

/** Asks, before there is a prompt, how to go on with a session that is open elsewhere; `--fork` says it. */
export async function chooseAtStart(
  id: string,
  place: AttachPlace & { readonly options: { readonly fork?: true } },
): Promise<StartWith> {
  if (place.options.fork === true) return { type: 'open', id: await forkNamed(id, place) };
  switch (await askToJoin(id, place)) {
    case 'join':
      return { type: 'left', status: await attachTo(await findOpenById(id, place.setup), place) };
    case 'fork':
      return { type: 'open', id: await forkNamed(id, place) };
    case 'neither':
    case null:
      return { type: 'left', status: 1 };
  }
}

function askToJoin(id: string, { setup, options }: AttachPlace): Promise<JoinChoice | null> {
  const { theme } = chooseAppearance(setup, options);
  return askBeforePrompt((tty) => {
    const write = (text: string): void => tty.write(text);
    const print = (text: string): void => tty.write(text.replaceAll('\n', '\r\n'));
    const isDumb = isDumbTerminal(setup.env);
    return new JoinQuestion(id, { print, write, size: () => tty.size(), theme, isDumb });
  });
}
