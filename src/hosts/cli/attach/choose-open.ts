import type { Theme } from '../screen/theme.ts';
import type { OpenSession } from '../sessions/find-owner.ts';
import { SessionPicker } from '../sessions/session-picker.ts';
import { askBeforePrompt } from './ask-before-prompt.ts';

const JOIN = { asks: 'join', does: 'joins it' } as const;

/** Has the user choose one of several open sessions, before there is a prompt; null for none. */
export async function chooseOpen(
  sessions: readonly OpenSession[],
  { cwd, theme }: { readonly cwd: string; readonly theme: Theme },
): Promise<OpenSession | null> {
  const listed = sessions.map(({ id, told }) => ({ id, ...told, changedAt: told.openedAt ?? 0 }));
  const chosen = await askBeforePrompt((tty) => {
    return new SessionPicker({
      sessions: listed,
      words: JOIN,
      cwd,
      theme,
      now: Date.now(),
      redact: (text) => text,
      write: (text) => tty.write(text),
      size: () => tty.size(),
    });
  });
  return sessions.find(({ id }) => id === chosen) ?? null;
}
