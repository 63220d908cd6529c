import { LOGIN_DONE, LOGIN_NOT_OURS } from './messages.ts';

/** A listener on this machine to which the browser returns after a login. */
interface Loopback {
  readonly url: string;
  /** The parameters of the first return with our state. */
  readonly returned: Promise<URLSearchParams>;
  close(): void;
}

/** Opens a listener; `preferred` is the address of an earlier registration, taken again if it is free. */
export function openLoopback(
  state: string,
  preferred: { readonly url: string | null; readonly port: number | null },
): Loopback {
  const before = preferred.url === null ? null : new URL(preferred.url);
  const path = before?.pathname ?? `/callback/${crypto.randomUUID()}`;
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const serve = (port: number) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port,
      // An error page of Bun would show code.
      development: false,
      fetch: (request) => {
        const { pathname, searchParams } = new URL(request.url);
        if (pathname !== path || searchParams.get('state') !== state) return page(LOGIN_NOT_OURS, 404);
        resolve(searchParams);
        return page(LOGIN_DONE, 200);
      },
    });
  const server = listen(serve, preferred.port ?? (before === null ? 0 : Number(before.port)), preferred.port !== null);
  return { url: `http://127.0.0.1:${server.port}${path}`, returned: promise, close: () => void server.stop() };
}

/** A port that the user names is the only one; another one may be in use by now. */
function listen<T>(serve: (port: number) => T, port: number, isFixed: boolean): T {
  try {
    return serve(port);
  } catch (thrown) {
    if (isFixed || port === 0) throw thrown;
    return serve(0);
  }
}

function page(text: string, status: number): Response {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  };
  return new Response(`${text}\n`, { status, headers });
}
