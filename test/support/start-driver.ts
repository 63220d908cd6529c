import { join } from 'node:path';

/** A driver of this folder as a process of its own, with all that it starts, once it says that it is at work. */
export async function startDriver(name: string, ...args: readonly string[]): Promise<Bun.Subprocess> {
  const child = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, `${name}.ts`), ...args],
    env: process.env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    detached: true,
  });
  await child.stdout.getReader().read();
  return child;
}

/** Kills a driver with all that it started. */
export async function killDriver(driver: Bun.Subprocess): Promise<void> {
  process.kill(-driver.pid, 'SIGKILL');
  await driver.exited;
}
