import { now } from './clock.ts';
import type { Place } from './place.ts';

/** Times of a one-shot, in milliseconds from its start. */
export interface OneShot {
  readonly toRequest: number;
  readonly toExit: number;
}

/** Runs a program that asks the model once, and says when its request came and when it ended. */
export async function runOneShot(
  place: Place,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<OneShot> {
  await place.model.seen();
  const startedAt = now();
  const child = Bun.spawn([...command], {
    cwd: place.work,
    env: { ...env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const exitCode = await child.exited;
  const endedAt = now();
  const [request] = await place.model.seen();
  if (exitCode !== 0 || request === undefined) {
    throw new Error(`${command.join(' ')} exited ${exitCode}: ${await new Response(child.stderr).text()}`);
  }
  return { toRequest: request.at - startedAt, toExit: endedAt - startedAt };
}
