import type { Client } from '@modelcontextprotocol/client/stdio';
import pad from 'left-pad';

export async function load(client: Client): Promise<unknown> {
  pad(client);
  return import('hono');
}
