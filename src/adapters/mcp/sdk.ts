/** The MCP client package; the type costs nothing, the value is loaded by `loadSdk`. */
export type Sdk = typeof import('@modelcontextprotocol/client');

/** Loads the client package at first use; it is far too heavy for the way to the prompt. */
export function loadSdk(): Promise<Sdk> {
  return import('@modelcontextprotocol/client');
}
