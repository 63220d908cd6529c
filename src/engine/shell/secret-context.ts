import { readFileSync } from 'node:fs';
import { projectAround } from '../../adapters/config/project-around.ts';
import { attempt } from '../../core/text/attempt.ts';
import { omitUndefined } from '../../protocol/omit-undefined.ts';
import type { SecretSearch } from '../secrets/secret-store.ts';
import { lazy } from './lazy.ts';
import type { SharedShell } from './shared-shell.ts';

/**
 * Sources of a session's secrets: the shell's directory and exports, and the files that the command `ran` names. `ran` is empty
 * for an older log, whose secrets must all be known at once.
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

/** The same without the exports. */
export function toSecretContext({ cwd }: Pick<SharedShell, 'cwd'>, home: string) {
  return { cwd, project: projectAround(cwd, home), home };
}

/** The exports of the shell at its last prompt, as it printed them; empty without a prompt. */
export function readExports({ shell }: Pick<SharedShell, 'shell'>): string {
  if (shell === null) return '';
  // The shell may have ended.
  return attempt(() => readFileSync(shell.lookups.exportsFile, 'utf8'), '');
}
