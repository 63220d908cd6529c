import { type MessagePort, parentPort } from 'node:worker_threads';
import { mayDifferInFish } from '../../core/commands/fish-line.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import { classifyLine } from '../../core/policy/classify-line.ts';
import { mayDifferInZsh } from '../../core/policy/whole-line.ts';
import { readLine } from '../../core/taint/read-line.ts';
import { toErrorFact } from '../../protocol/error.ts';
import { Estimate } from './estimate.ts';
import type { ClassifyRequest, EstimateMessage, EstimateRequest } from './estimate-thread.ts';
import { standBack } from './pace.ts';

/** The report so far is sent so often: it is there even if the next look at the tree does not come back. */
const SEND_EVERY_MS = 20;

/** Runs the requested estimate, sends its progress, and lets the thread end. Any further message stops it. */
async function estimate(port: MessagePort, { estimated, context, longest }: EstimateRequest): Promise<void> {
  const controller = new AbortController();
  port.once('message', () => controller.abort());
  const send = (message: EstimateMessage): void => port.postMessage(message);
  const end = setTimeout(() => controller.abort(), longest);
  let sending: ReturnType<typeof setInterval> | undefined;
  try {
    const running = new Estimate(estimated, context, { limit: longest, signal: controller.signal });
    const sendMore = (): void => send({ report: running.report({ goesOn: true }), isLast: false });
    sending = setInterval(sendMore, SEND_EVERY_MS);
    sendMore();
    await orStopped(running.run(), controller.signal);
    send({ report: running.report({ goesOn: false }), isLast: true });
  } catch (thrown) {
    send({ failure: toErrorFact(thrown).message });
  } finally {
    clearTimeout(end);
    clearInterval(sending);
    controller.abort();
    port.close();
  }
}

/** A stopped estimate may wait on for something that never comes. */
function orStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => stopped.resolve(), { once: true });
  return Promise.race([work, stopped.promise]);
}

const port = parentPort;

/** Classifies any number of lines before it estimates once. */
function onRequest(request: EstimateRequest | ClassifyRequest | null): void {
  if (port === null) return;
  if (request === null) port.close();
  else if ('line' in request) port.postMessage({ classified: request.id, classification: classify(request) });
  else {
    port.off('message', onRequest);
    standBack();
    void estimate(port, request);
  }
}

/** Classifies a line, and reads it as the main thread will. One that fails there is no better than one without an end: null. */
function classify({ line, context }: ClassifyRequest): Classification | null {
  try {
    const classification = classifyLine(line, context);
    readLine(classification, context);
    mayDifferInZsh(line);
    mayDifferInFish(line);
    return classification;
  } catch {
    return null;
  }
}

port?.on('message', onRequest);
port?.postMessage({ isReady: true });
