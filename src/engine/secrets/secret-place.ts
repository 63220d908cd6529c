import { readFileSync } from 'node:fs';
import { projectAround } from '../gate/project-around.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import type { KeeperPlace } from './secret-keeper.ts';

/**
 * Where the secrets of a session are looked for: where its shell stands, in what that exports, and in the files that what `ran` just now names. It
 * is empty where nothing ran and all is to be known at once, as for what an older log holds.
 */
export async function toSecretPlace(
  sharedShell: Pick<SharedShell, 'shell' | 'cwd'>,
  home: string,
  ran?: string,
): Promise<KeeperPlace> {
  const place = { ...toPlaceOfShell(sharedShell, home), ...(ran === undefined ? {} : { ran }) };
  const printed = readExports(sharedShell);
  if (printed === '') return place;
  const { parseExports } = await import('../../core/sandbox/exports.ts');
  return { ...place, exports: parseExports(printed) };
}

/** The same, but for what the shell exports. */
export function toPlaceOfShell({ cwd }: Pick<SharedShell, 'cwd'>, home: string) {
  return { cwd, project: projectAround(cwd, home), home };
}

/** What the shell exported when it last waited for a line, as it printed it; empty before that and without a shell. */
export function readExports({ shell }: Pick<SharedShell, 'shell'>): string {
  if (shell === null) return '';
  try {
    return readFileSync(shell.lookups.exportsFile, 'utf8');
  } catch {
    return ''; // The shell has ended meanwhile.
  }
}
