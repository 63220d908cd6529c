/** What an action returns, or something else where it throws: for what may be missing, damaged or closed to this user. */
export function attempt<T, U>(action: () => T, otherwise: U): T | U {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

/** True where an action does not throw. */
export function succeeds(action: () => unknown): boolean {
  return attempt(() => {
    action();
    return true;
  }, false);
}
