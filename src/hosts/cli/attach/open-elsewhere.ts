import { sendRequest } from '../../../adapters/daemon/daemon-request.ts';
import { EventLog } from '../../../adapters/store/event-log.ts';
import { forkSession } from '../../../adapters/store/fork-session.ts';
import { isOpenSomewhere, logPath } from '../../../adapters/store/sessions.ts';
import { AishError } from '../../../protocol/error.ts';
import { chooseAppearance } from '../choose-appearance.ts';
import { isDumbTerminal } from '../screen/theme.ts';
import { askBeforePrompt } from './ask-before-prompt.ts';
import { findOpenById } from './find-owner.ts';
import { type JoinChoice, JoinQuestion } from './join-question.ts';
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

/** Copies a session, and has both say so. The answer is the id of the copy. */
export async function forkNamed(id: string, { setup }: Pick<AttachPlace, 'setup'>): Promise<string> {
  const { state } = setup.paths;
  const copy = forkSession(state, id, Date.now());
  const fact = { type: 'session.forked', to: copy } as const;
  if (!isOpenSomewhere(state, id)) {
    using opened = EventLog.open(logPath(state, id)).log;
    opened.append([fact], Date.now());
    return copy;
  }
  try {
    const { address } = await findOpenById(id, setup);
    const op = { type: 'fork', to: copy };
    await sendRequest(address, { method: 'POST', path: `/sessions/${id}/ops`, body: op });
  } catch (thrown) {
    // The copy is whole, and says where it comes from; that the other does not is no reason to fail.
    if (!(thrown instanceof AishError)) throw thrown;
  }
  return copy;
}
