import type { SharedShell } from '../../engine/shell/shared-shell.ts';

/** Longest wait for a command that was called off. */
const LAST_WORDS_MS = 2000;

/** A command that was called off may take a moment to end; its last words must not land in the next line. */
export async function shellAtRest(sharedShell: SharedShell): Promise<void> {
  const { shell } = sharedShell;
  if (shell?.state !== 'running') return;
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, LAST_WORDS_MS);
  await Promise.race([shell.atRest(), late.promise]);
  clearTimeout(timer);
}
