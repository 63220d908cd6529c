/** Nobody in particular, on every system. */
export const NOBODY = 65534;

/** What a program is started with, as root, to run as that user. */
export const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'];

/** What runs this very Bun as another user than ours; null where we are not root, or something is missing for it. */
export function asOtherUser(): readonly string[] | null {
  if (process.getuid?.() !== 0 || Bun.which('setpriv') === null) return null;
  const command = [...AS_NOBODY, process.execPath];
  const tried = Bun.spawnSync([...command, '-e', 'console.log(process.getuid())'], { cwd: '/', env: {} });
  return tried.stdout.toString().trim() === String(NOBODY) ? command : null;
}
