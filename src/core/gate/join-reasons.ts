/** Some reasons as one phrase, in which those that differ only in what they tell of share their first words: `deletes: a, b`. */
export function joinReasons(reasons: readonly string[]): string {
  const details = new Map<string, string[]>();
  for (const reason of reasons) {
    const at = reason.indexOf(': ');
    const kind = at < 0 ? reason : reason.slice(0, at);
    const known = details.get(kind) ?? [];
    if (at >= 0) known.push(reason.slice(at + 2));
    details.set(kind, known);
  }
  return [...details].map(([kind, list]) => (list.length === 0 ? kind : `${kind}: ${list.join(', ')}`)).join('; ');
}
