/** Caches the result of a function that depends on an object alone. */
export function memoize<T extends object, R>(find: (key: T) => R): (key: T) => R {
  const known = new WeakMap<T, { readonly answer: R }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found.answer;
    const answer = find(key);
    known.set(key, { answer });
    return answer;
  };
}
