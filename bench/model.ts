import { join } from 'node:path';

/** The model server's notes about a request. */
export interface SeenRequest {
  /** When its head arrived. */
  readonly at: number;
  /** When the answer was handed out. */
  readonly answeredAt: number;
  readonly bytes: number;
  readonly systemBytes: number;
  /** Characters of the messages and tools, and how many of them begin the request as they began the one before. */
  readonly length: number;
  readonly shared: number;
}

/** A model server in a process of its own. */
export interface ModelServer {
  readonly url: string;
  /** The requests since the last look. */
  seen(): Promise<readonly SeenRequest[]>;
  close(): Promise<void>;
}

/** Starts the model server and waits until it listens. */
export async function startModel(): Promise<ModelServer> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'model-process.ts')], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const port = Number(new TextDecoder().decode(value).trim());
  if (!(port > 0)) throw new Error('the model server did not say its port');
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    seen: async () => {
      const answer: SeenRequest[] = JSON.parse(await (await fetch(`${url}/seen`)).text());
      return answer;
    },
    close: async () => {
      child.kill();
      await child.exited;
    },
  };
}
