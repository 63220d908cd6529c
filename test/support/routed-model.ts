import { type Answer, type ModelServer, startModelServer, status } from './model-server.ts';

/** Most requests of all conversations. */
const MOST_REQUESTS = 60;

/**
 * A scripted model for conversations side by side: each has answers of its own, under words of its first message. The order in which the
 * conversations ask does not matter.
 */
export function startRoutedModel(conversations: Readonly<Record<string, readonly Answer[]>>): ModelServer {
  const scripts = new Map(Object.entries(conversations).map(([words, answers]) => [words, [...answers]]));
  const route: Answer = (request) => {
    const first = request.body.messages.find(({ role }) => role === 'user');
    const asked = JSON.stringify(first?.content ?? '');
    const script = [...scripts].find(([words]) => asked.includes(words))?.[1];
    const answer = script?.shift();
    if (answer === undefined) return status(400, { error: { message: `no answer to: ${asked}` } });
    return typeof answer === 'function' ? answer(request) : answer;
  };
  return startModelServer({ script: Array.from({ length: MOST_REQUESTS }, () => route) });
}
