import { existsSync, rmSync } from 'node:fs';

/** Removes a folder with all in it, whatever rights a command gave to folders in it. */
export async function removeFolder(folder: string): Promise<void> {
  // Each folder is opened before its content is listed.
  const script = 'find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \\; 2>/dev/null; rm -rf -- "$1"';
  const child = Bun.spawn(['/bin/sh', '-c', script, 'sh', folder], { stdio: ['ignore', 'ignore', 'ignore'] });
  await child.exited;
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
