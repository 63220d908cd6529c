/** Nobody in particular, on every system. */
export const NOBODY = 65534;

/** The words before a program that run it, as root, as that user. */
export const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'];

/** The words that run this very Bun as another user; null if the test is not root, or if a program is missing. */
export function asOtherUser(): readonly string[] | null {
  if (process.getuid?.() !== 0 || Bun.which('setpriv') === null) return null;
  const command = [...AS_NOBODY, process.execPath];
  const tried = Bun.spawnSync([...command, '-e', 'console.log(process.getuid())'], { cwd: '/', env: {} });
  return tried.stdout.toString().trim() === String(NOBODY) ? command : null;
}
