import { join } from 'node:path';

/** A driver as a process of its own. */
export type Driver = Bun.Subprocess<'ignore', 'pipe', 'inherit'>;

/** A driver of this folder as a process of its own, with all that it starts, once it says that it is at work. */
export async function startDriver(name: string, ...args: readonly string[]): Promise<Driver> {
  const child = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, `${name}.ts`), ...args],
    env: process.env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    detached: true,
  });
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
  return child;
}

/** Settles when a driver says a word. */
export async function hearDriver(driver: Driver, word: string): Promise<void> {
  const reader = driver.stdout.getReader();
  for (let said = ''; !said.includes(word); ) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the driver ended without saying "${word}"`);
    said += new TextDecoder().decode(value);
  }
  reader.releaseLock();
}

/** Kills a driver with all that it started. */
export async function killDriver(driver: Driver): Promise<void> {
  process.kill(-driver.pid, 'SIGKILL');
  await driver.exited;
}
