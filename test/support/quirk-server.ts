import { type Asked, usual } from './quirk-kinds.ts';
import { QUIRKS } from './quirks.ts';
import { findFaults } from './request-check.ts';

/**
 * A server on loopback with one quirk for each path: `/NAME/v1`; at `/NAME+NAME/v1` it has both, and each may refuse. At `/clean/v1` there is
 * none, and every request is checked.
 */
export class QuirkServer {
  /** Requests by quirk. */
  readonly counts = new Map<string, number>();
  /** Faults of requests to the clean server. */
  readonly failures: string[] = [];
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      development: false,
      error: () => new Response(null, { status: 500 }),
      fetch: (request) => this.#answer(request),
    });
  }

  /** For `base_url`. */
  url(quirk: string): string {
    return `http://127.0.0.1:${this.#server.port}/${quirk}/v1`;
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const [, name = '', ...path] = new URL(request.url).pathname.split('/');
    const quirk = QUIRKS[name];
    if (path.join('/') === 'v1/models') {
      return quirk?.models?.() ?? Response.json({ object: 'list', data: [{ id: 'm' }] });
    }
    if (path.join('/') !== 'v1/chat/completions') return new Response('not here', { status: 404 });
    const body: Asked['body'] = JSON.parse(await request.text());
    const nth = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, nth);
    const asked = { body, nth, hasResult: hasResult(body) };
    const [one, other] = name.split('+').map((each) => QUIRKS[each]);
    if (one !== undefined && other !== undefined) {
      const answer = await one.chat(asked);
      return answer.ok ? other.chat(asked) : answer;
    }
    if (quirk !== undefined) return quirk.chat(asked);
    this.failures.push(...findFaults(body));
    return usual({ ...asked, hasResult: true });
  }
}

/** The result of the call since the last message of the user, as a message of its own or as text. */
function hasResult({ messages }: Asked['body']): boolean {
  const last = messages.at(-1);
  const content = Array.isArray(last?.content) ? JSON.stringify(last.content[0]) : String(last?.content);
  const isNudge = content.includes('[your last answer was empty');
  return isNudge || last?.role === 'tool' || (last?.role === 'user' && content.includes('[tool: '));
}
