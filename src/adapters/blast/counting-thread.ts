import { type MessagePort, parentPort } from 'node:worker_threads';
import { toErrorFact } from '../../protocol/error.ts';
import type { CountMessage, CountRequest } from './count-apart.ts';
import { Counting } from './counting.ts';

/** What was counted by now is told so often: whoever asked has it even if the next look at the tree does not come back. */
const TELL_EVERY_MS = 20;

/** Counts what is asked for, tells how far it is, and lets the thread end. Any further message stops it. */
async function count(port: MessagePort, { counted, ground, longest }: CountRequest): Promise<void> {
  const controller = new AbortController();
  port.once('message', () => controller.abort());
  const tell = (message: CountMessage): void => port.postMessage(message);
  const end = setTimeout(() => controller.abort(), longest);
  let telling: ReturnType<typeof setInterval> | undefined;
  try {
    const counting = new Counting(counted, ground, { limit: longest, signal: controller.signal });
    const tellMore = (): void => tell({ blast: counting.told({ goesOn: true }), isLast: false });
    telling = setInterval(tellMore, TELL_EVERY_MS);
    tellMore();
    await orStopped(counting.run(), controller.signal);
    tell({ blast: counting.told({ goesOn: false }), isLast: true });
  } catch (thrown) {
    tell({ failure: toErrorFact(thrown).message });
  } finally {
    clearTimeout(end);
    clearInterval(telling);
    controller.abort();
    port.close();
  }
}

/** A stopped counting may wait on for something that never comes. */
function orStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => stopped.resolve(), { once: true });
  return Promise.race([work, stopped.promise]);
}

const port = parentPort;
port?.once('message', (request: CountRequest | null) => {
  if (request === null) port.close();
  else void count(port, request);
});
