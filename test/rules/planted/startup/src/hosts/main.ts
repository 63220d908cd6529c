import * as v from 'valibot';
import type { Client } from '@modelcontextprotocol/client';
import { heavy } from '../adapters/heavy.ts';
import { serve } from './daemon/server.ts';

export async function main(client: Client): Promise<void> {
  heavy(v, client);
  serve();
  await import('toml-eslint-parser');
}
