import { existsSync, writeSync } from 'node:fs';

/** True where `scripts/prepare-test` could have installed what is missing: CI as root on Debian. */
function mustBeThere(): boolean {
  return process.env.CI === 'true' && process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/**
 * Tells whether a system program is installed, for `describe.skipIf(!hasProgram('zsh'))`.
 * A missing one is named; on CI it fails the suite instead, so that nothing is skipped there unseen.
 */
export function hasProgram(name: string): boolean {
  if (Bun.which(name) !== null) return true;
  if (mustBeThere()) throw new Error(`${name} is missing on CI: add it to scripts/prepare-test`);
  writeSync(2, `skipped for lack of ${name}\n`);
  return false;
}
