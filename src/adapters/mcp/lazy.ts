import type { Sdk } from './http-transport.ts';

/** The modules for talking to a server. None of them is loaded before the first connection: the way to the prompt stays short. */
export type Wire = Awaited<ReturnType<typeof loadWire>>;

/** Loads the client package and our code around it. */
export async function loadWire() {
  const [sdk, { dial }, failure, result, listing, { OAuthSession }] = await Promise.all([
    loadSdk(),
    import('./dial.ts'),
    import('./failure.ts'),
    import('./result.ts'),
    import('./tool-definition.ts'),
    import('./oauth-session.ts'),
  ]);
  return { sdk, dial, OAuthSession, ...failure, ...result, ...listing };
}

/** Loads the client package at first use; it is far too heavy for the way to the prompt. */
function loadSdk(): Promise<Sdk> {
  return import('@modelcontextprotocol/client');
}
