/** The result of an action, or another value if it throws: for things that may be missing, damaged or closed to this user. */
export function attempt<T, U>(action: () => T, otherwise: U): T | U {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

/** A text with its percent encodings decoded; the text itself where one of them is damaged. */
export function decodeUri(text: string): string {
  return attempt(() => decodeURIComponent(text), text);
}

/** True where an action does not throw. */
export function succeeds(action: () => unknown): boolean {
  return attempt(() => {
    action();
    return true;
  }, false);
}
