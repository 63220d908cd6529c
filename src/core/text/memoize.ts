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

/** Caches the newest result of a function of a text. */
export function memoizeNewest<R>(find: (text: string) => R): (text: string) => R {
  let newest: { readonly text: string; readonly answer: R } | null = null;
  return (text) => {
    if (newest?.text !== text) newest = { text, answer: find(text) };
    return newest.answer;
  };
}

/** Makes a value when it is first needed. */
export function once<T>(make: () => T): () => T {
  const made: T[] = [];
  return () => {
    if (made.length === 0) made.push(make());
    return made[0] as T;
  };
}

/** The same for several values. */
export function onceEach<T extends Record<string, () => unknown>>(all: T): T {
  return Object.fromEntries(Object.entries(all).map(([name, make]) => [name, once(make)])) as T;
}
