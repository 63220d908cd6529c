/** Nobody in particular, on every system. */
export const NOBODY = 65534;

const asUser = (user: number) => ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--'];

/** The words before a program that run it, as root, as that user. */
export const AS_NOBODY = asUser(NOBODY);

/** The words that run this very Bun as another user; null if the test is not root, or if a program is missing. */
export function asOtherUser(user = NOBODY): readonly string[] | null {
  if (process.getuid?.() !== 0 || Bun.which('setpriv') === null) return null;
  const command = [...asUser(user), process.execPath];
  const tried = Bun.spawnSync([...command, '-e', 'console.log(process.getuid())'], { cwd: '/', env: {} });
  return tried.stdout.toString().trim() === String(user) ? command : null;
}
