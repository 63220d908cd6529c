import type { Alias } from '../protocol/upward-type.ts';

let counter = 0;
const seen = new Set<string>();
const pending: string[] = [];
const allowed: ReadonlySet<string> = new Set(['a']);

export function start(name: string): Alias | undefined {
  counter += 1;
  seen.add(name);
  pending.push(name);
  if (!allowed.has(name)) {
    console.log(counter);
    process.exit(1);
  }
  return undefined;
}
