// The floor of a one-shot: a program that does nothing but ask and print.
import { writeSync } from 'node:fs';

const answer = await fetch(process.argv[2] ?? '', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'bench', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
});
writeSync(1, await answer.text());
