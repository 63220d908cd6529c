import { readSync } from 'node:fs';
import type { ApprovalKeyTaker } from '../approvals/key-taker.ts';
import { PromptDriver } from '../prompt/prompt-driver.ts';
import { NO_LINE } from '../prompt/prompt-driver-deps.ts';
import { isWouldBlock, openTty, type Tty } from '../screen/tty.ts';

/** A question that takes one key, and is given up where nobody can answer. */
export interface LoneQuestion<Answer> extends ApprovalKeyTaker {
  chosen(): Promise<Answer>;
  giveUp(): void;
}

/** How often keys are looked for. */
const LOOK_MS = 15;

/**
 * Asks at the terminal before there is a prompt; null where there is no terminal. Keys are fetched one look after the other, and by no
 * stream: its
 * last read would go on behind the question, and take the first key of the prompt.
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

/** What was typed since; null where the terminal is gone. */
function readTyped(fd: number): Uint8Array | null {
  const buffer = Buffer.alloc(256);
  try {
    const size = readSync(fd, buffer);
    return size === 0 ? null : buffer.subarray(0, size);
  } catch (error) {
    return isWouldBlock(error) ? new Uint8Array(0) : null;
  }
}
