import { expect } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './aish.ts';
import { calls, type ModelServer, type Reply, type ScriptedCall, startModelServer, text } from './model-server.ts';

/** A call that writes a file. */
export const write = (path: string, content: string): ScriptedCall => ({
  name: 'aish__write_file',
  arguments: { path, content },
});

/** Writes a file of the user's own. */
export function put(home: Home, name: string, content: string): void {
  writeFileSync(join(home.work, name), content);
}

/** The content of a file of the project; null if there is none. */
export function read(home: Home, name: string): string | null {
  const path = join(home.work, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Lets the model make these steps, one message each, in a session of its own. */
export async function makeSteps(home: Home, steps: readonly (readonly ScriptedCall[])[]): Promise<ModelServer> {
  const script = steps.flatMap((step): Reply[] => [calls(...step), text('Done.')]);
  const server = startModelServer({ script: [...script, ...Array.from({ length: 3 }, () => text('Fine.'))] });
  home.useModel(server.url);
  for (const _ of steps) expect((await home.run(['--approve', 'all', 'do it'])).code).toBe(0);
  return server;
}
