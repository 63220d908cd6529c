import type { FidelityCommand, ShellName } from './command.ts';
import { type Comparison, compare } from './compare.ts';

/** So many shells run at once; more would only wait for each other. */
const AT_ONCE = 3;

/** Runs every command in both, a few at a time. What could not be compared says why. */
export async function compareAll(
  commands: readonly FidelityCommand[],
  shell: ShellName,
): Promise<ReadonlyMap<FidelityCommand, Comparison | Error>> {
  const results = new Map<FidelityCommand, Comparison | Error>();
  const waiting = [...commands];
  const work = async (): Promise<void> => {
    for (let command = waiting.shift(); command !== undefined; command = waiting.shift())
      results.set(command, await compareInTime(command, shell));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

const PATIENCE_MS = 60_000;

async function compareInTime(command: FidelityCommand, shell: ShellName): Promise<Comparison | Error> {
  const { promise, resolve } = Promise.withResolvers<Error>();
  const timer = setTimeout(() => resolve(new Error(`"${command.line}" hangs in one of the two`)), PATIENCE_MS);
  const compared = compare(command, shell).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  return await Promise.race([compared, promise]).finally(() => clearTimeout(timer));
}
