import type { Op } from '../../src/protocol/op.ts';
import type { Home } from './aish.ts';

/** A user at a session of a daemon who says yes to everything but to hand a secret over, and what they were sent. */
export interface DaemonClient {
  /** All bytes of the event stream so far. */
  readonly seen: () => string;
  /** The text of the daemon on standard error; settles when it has ended. */
  readonly errors: Promise<string>;
  /** Hands an op in. */
  submit(op: Op): Promise<void>;
  /** Settles when so many events of a type have come. */
  came(type: string, count?: number): Promise<void>;
  /** Asks a route; the answer is its body. */
  get(path: string): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts `aish serve`, opens a session there and follows it. */
export async function openDaemonClient(
  home: Home,
  env: Readonly<Record<string, string>> = {},
  session: { readonly resume?: string } = {},
): Promise<DaemonClient> {
  const program = home.start(['serve'], { env });
  const errors = new Response(program.stderr).text();
  const socket = await listening(program.stdout, errors);
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://localhost${path}`, { ...init, unix: socket });
  const post = (path: string, body: unknown): Promise<Response> =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const opened: unknown = await (await post('/sessions', session)).json();
  const { id } = opened as { readonly id: string };
  const submit = async (op: Op): Promise<void> => void (await post(`/sessions/${id}/ops`, op));
  let seen = '';
  let wake = Promise.withResolvers<void>();
  const follow = async (): Promise<void> => {
    const decoder = new TextDecoder();
    const { body } = await ask(`/sessions/${id}/events`);
    for await (const bytes of body ?? []) {
      const text = decoder.decode(bytes, { stream: true });
      for (const { callId, isHanded } of askedIn(seen, text)) {
        void submit({ type: 'decide', callId, decision: { type: isHanded ? 'deny' : 'allow' }, by: 'user' });
      }
      seen += text;
      wake.resolve();
      wake = Promise.withResolvers();
    }
  };
  const following = follow().catch(() => {});
  return {
    seen: () => seen,
    errors,
    submit,
    came: async (type, count = 1) => {
      while (seen.split(`\nevent: ${type}\n`).length <= count) await wake.promise;
    },
    get: async (path) => (await ask(path.replace('ID', id))).text(),
    [Symbol.asyncDispose]: async () => {
      program.kill('SIGTERM');
      await Promise.all([program.exited, following]);
    },
  };
}

/** The questions whose event ends in the new piece. */
function askedIn(before: string, piece: string): { readonly callId: string; readonly isHanded: boolean }[] {
  const from = before.lastIndexOf('\n\n') + 1;
  const fresh = before.slice(from) + piece;
  const whole = fresh.slice(0, fresh.lastIndexOf('\n\n') + 1);
  const asked = [...whole.matchAll(/\ndata: .*"type":"approval.requested","callId":"([^"]+)".*/g)];
  return asked.map(([event, callId = '']) => ({ callId, isHanded: event.includes('"secrets":[{') }));
}

async function listening(stdout: ReadableStream<Uint8Array>, errors: Promise<string>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stdout) {
    text += decoder.decode(bytes, { stream: true });
    const found = /^listening unix:(\S+)\n/.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`aish serve ended: ${await errors}`);
}
