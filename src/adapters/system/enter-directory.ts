import { resolve } from 'node:path';
import { AishError } from '../../protocol/error.ts';

/** Goes to the directory that `--cwd` names, if it names one. The answer is where the program is now. */
export function enterDirectory(wanted: string | undefined): string {
  if (wanted === undefined) return process.cwd();
  try {
    process.chdir(resolve(wanted));
    return process.cwd();
  } catch (cause) {
    throw new AishError('usage', `cannot go to --cwd ${wanted}`, { hint: 'name an existing directory', cause });
  }
}
