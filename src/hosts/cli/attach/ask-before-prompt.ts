import { readSync } from 'node:fs';
import type { ApprovalKeyTaker } from '../approvals/key-taker.ts';
import { PromptDriver } from '../prompt/prompt-driver.ts';
import { NO_LINE } from '../prompt/prompt-driver-deps.ts';
import type { Theme } from '../screen/theme.ts';
import { isWouldBlock, openTty, type Tty } from '../screen/tty.ts';
import type { OpenSession } from '../sessions/find-owner.ts';
import { SessionPicker } from '../sessions/session-picker.ts';

/** A prompt that takes one key and cancels if the terminal is gone. */
interface LoneQuestion<Answer> extends ApprovalKeyTaker {
  chosen(): Promise<Answer>;
  giveUp(): void;
}

/** Milliseconds between two reads of the terminal. */
const LOOK_MS = 15;

/**
 * Asks at the terminal before the first prompt; null without a terminal. It polls for keys, because a stream would still be reading after
 * the answer and take the first key of the prompt.
 */
export async function askBeforePrompt<Answer>(ask: (tty: Tty) => LoneQuestion<Answer>): Promise<Answer | null> {
  let isOver = false;
  const tty = openTty({ input: () => {}, resized: () => {}, ended: () => question.giveUp() });
  if (tty === null) return null;
  tty.setRaw();
  const driver = new PromptDriver({ line: NO_LINE, now: () => performance.now() });
  const question = ask(tty);
  driver.showApproval(question);
  void question.chosen().finally(() => {
    isOver = true;
  });
  try {
    while (!isOver) {
      const bytes = readTyped(tty.fd);
      if (bytes === null) question.giveUp();
      else if (bytes.length > 0) driver.feed(bytes);
      await Bun.sleep(LOOK_MS);
    }
    return await question.chosen();
  } finally {
    await tty.drained();
    tty.close();
  }
}

/** The bytes typed since the last read; null if the terminal is gone. */
function readTyped(fd: number): Uint8Array | null {
  const buffer = Buffer.alloc(256);
  try {
    const size = readSync(fd, buffer);
    return size === 0 ? null : buffer.subarray(0, size);
  } catch (error) {
    return isWouldBlock(error) ? new Uint8Array(0) : null;
  }
}

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
