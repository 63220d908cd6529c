import type { ShellFacts } from '../../src/core/router/shell-facts.ts';
import { routeLine } from '../../src/core/router.ts';
import type { Row } from '../row.ts';

const LINES = [
  'ls -la',
  'git status',
  'make a file called test.txt with hello in it',
  'why does this fail?',
  ':mcp list',
  '!rm -r build',
  '?what is a monad',
  'A=1 B=2 env | sort | head -3',
  './run.sh --fast "two words"',
  'for f in *.ts; do wc -l "$f"; done',
];
const WORDS: ReadonlySet<string> = new Set(['ls', 'git', 'make', 'env', 'for']);
const FACTS: ShellFacts = {
  shell: 'bash',
  knows: (word) => WORDS.has(word),
  knowsCall: () => false,
  hasFile: () => null,
  lastExit: 0,
};
const REPEATS = 500;

/** What it costs to decide where a line goes. */
export const routing: Row = {
  name: 'routing',
  measure() {
    const values = LINES.map((line) => {
      for (let turn = 0; turn < REPEATS; turn += 1) routeLine(line, FACTS);
      const startedAt = performance.now();
      for (let turn = 0; turn < REPEATS; turn += 1) routeLine(line, FACTS);
      return ((performance.now() - startedAt) * 1000) / REPEATS;
    });
    return Promise.resolve([{ what: 'routing a line', unit: 'µs', values, atMost: 200 }]);
  },
};
