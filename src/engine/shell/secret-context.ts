import { readFileSync } from 'node:fs';
import { projectAround } from '../../adapters/config/project-around.ts';
import { attempt } from '../../core/text/attempt.ts';
import { omitUndefined } from '../../protocol/omit-undefined.ts';
import type { SecretSearch } from '../secrets/secret-store.ts';
import { lazy } from './lazy.ts';
import type { SharedShell } from './shared-shell.ts';

/**
 * Where the secrets of a session are looked for: where its shell stands, in what that exports, and in the files that what `ran` just now
 * names. It
 * is empty where nothing ran and all is to be known at once, as for what an older log holds.
 */
export async function toSecretSearch(
  sharedShell: Pick<SharedShell, 'shell' | 'cwd'>,
  home: string,
  ran?: string,
): Promise<SecretSearch> {
  const place = { ...toSecretContext(sharedShell, home), ...omitUndefined({ ran }) };
  const printed = readExports(sharedShell);
  if (printed === '') return place;
  const { parseExports } = await lazy.exports();
  return { ...place, exports: parseExports(printed) };
}

/** The same, but for what the shell exports. */
export function toSecretContext({ cwd }: Pick<SharedShell, 'cwd'>, home: string) {
  return { cwd, project: projectAround(cwd, home), home };
}

/** What the shell exported when it last waited for a line, as it printed it; empty before that and without a shell. */
export function readExports({ shell }: Pick<SharedShell, 'shell'>): string {
  if (shell === null) return '';
  // The shell has ended meanwhile.
  return attempt(() => readFileSync(shell.lookups.exportsFile, 'utf8'), '');
}
