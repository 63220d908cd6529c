import { readFileSync } from 'node:fs';

export function impure(): unknown {
  const home = process.env;
  const answer = fetch('http://127.0.0.1');
  setTimeout(() => {}, 1);
  console.log('printed');
  const signal: AbortSignal | undefined = undefined;
  return [home, answer, signal, readFileSync];
}
