interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program and returns its output. Throws with its messages if it fails. */
export function run(command: readonly string[], { cwd, env = {} }: RunOptions = {}): string {
  const child = Bun.spawnSync([...command], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  if (child.exitCode !== 0)
    throw new Error(`${command.join(' ')} failed: ${child.stderr.toString()}${child.stdout.toString()}`);
  return child.stdout.toString();
}
