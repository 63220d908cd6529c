import type { FidelityCommand, ShellName } from './command.ts';
import { type Comparison, compare } from './compare.ts';

/** So many shells run at once; more would only wait for each other. */
const AT_ONCE = 3;

/** Runs every command in both, a few at a time and in their order. A comparison that failed gives its reason. */
export function compareAll(
  commands: readonly FidelityCommand[],
  shell: ShellName,
): ReadonlyMap<FidelityCommand, Promise<Comparison | Error>> {
  const results = new Map(commands.map((command) => [command, Promise.withResolvers<Comparison | Error>()]));
  const waiting = [...results];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      next[1].resolve(await compareInTime(next[0], shell));
  };
  for (let worker = 0; worker < AT_ONCE; worker += 1) void work();
  return new Map([...results].map(([command, { promise }]) => [command, promise]));
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
