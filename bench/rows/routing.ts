import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KnownCalls } from '../../src/adapters/shell/known-calls.ts';
import { Lookup } from '../../src/adapters/shell/lookup.ts';
import { routeLine } from '../../src/core/routing/router.ts';
import { EarlierLines, type ShellFacts } from '../../src/core/routing/shell-facts.ts';
import type { Place } from '../place.ts';
import type { Row } from '../row.ts';

const LINES = [
  'ls -la',
  'git status',
  'git chekcout main',
  'make coffee',
  'npm run build',
  'make a file called test.txt with hello in it',
  'why does this fail?',
  'find duplicates in users.csv and remove them',
  ':mcp list',
  '!rm -r build',
  '?what is a monad',
  'A=1 B=2 env | sort | head -3',
  './run.sh --fast "two words"',
  'for f in *.ts; do wc -l "$f"; done',
];
const LONG_LINES = [
  `cp ${numbered((at) => `src/file-${at}.ts`)}`,
  `npm install ${numbered((at) => `package-${at}`)}`,
  `please explain ${numbered((at) => ['notes', 'report', 'draft', 'index'][at % 4] ?? '')}`,
  `frobnicate ${numbered((at) => `word${at}`)}`,
];
/** The characters of each line, made so that a rule whose time grows with their square would show. */
const WORST = 10_000;
const WORST_LINES = ['import', 'function', 'select', 'if', 'for', 'at', 'ls', '$ ', '[', ''].flatMap((beginning) =>
  [' ', '\n', 'a ', '(', '[', '*()', "a'", '$A', '. ', ': '].map(
    (unit) => `${beginning} ${unit.repeat(WORST / unit.length)}x`,
  ),
);
const REPEATS = 300;

/** The cost of routing a line, with the facts of a real PATH and a real project. */
export const routing: Row = {
  name: 'routing',
  async measure(place) {
    const facts = await collectFacts(place);
    const time = (line: string): number => {
      for (let turn = 0; turn < REPEATS; turn += 1) routeLine(line, facts);
      const startedAt = performance.now();
      for (let turn = 0; turn < REPEATS; turn += 1) routeLine(line, facts);
      return ((performance.now() - startedAt) * 1000) / REPEATS;
    };
    return [
      { what: 'routing a line', unit: 'µs', values: LINES.map(time), atMost: 200 },
      { what: 'routing a line of 120 operands', unit: 'µs', values: LONG_LINES.map(time), atMost: 200 },
      {
        what: 'routing 10,000 characters',
        unit: 'ms',
        values: WORST_LINES.map((line) => timeOnce(line, facts)),
        atMost: 50,
      },
    ];
  },
};

/** The least of several times, in milliseconds. */
function timeOnce(line: string, facts: ShellFacts): number {
  const times = Array.from({ length: 3 }, () => {
    const startedAt = performance.now();
    routeLine(line, facts);
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

function numbered(word: (at: number) => string): string {
  return Array.from({ length: 120 }, (_, at) => word(at)).join(' ');
}

/** The facts of the prompt, from the same parts, with everything read that it reads behind the prompt. */
async function collectFacts({ root, env }: Place): Promise<ShellFacts> {
  const cwd = join(root, 'project');
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'Makefile'), 'coffee:\n');
  writeFileSync(join(cwd, 'package.json'), '{"scripts":{"build":"x"}}');
  const lookup = new Lookup({ file: join(root, 'no-names'), exports: join(root, 'no-exports'), path: env.PATH ?? '' });
  const known = new KnownCalls(env.HOME ?? '/');
  const facts: ShellFacts = {
    shell: 'bash',
    knows: (word) => lookup.find(word, { cwd, home: env.HOME }) !== null,
    knowsCall: (words) => known.has(words, cwd),
    hasFile: (name) => name === 'Makefile' || name === 'package.json',
    hasRef: (name) => name === 'main',
    hasHost: (name) => name === 'box',
    hasContainer: () => false,
    asksModel: true,
    history: new EarlierLines(['make coffee now', '?git log first']),
  };
  for (const line of [...LINES, ...LONG_LINES]) routeLine(line, facts);
  await Promise.all([lookup.settled(), known.settled()]);
  for (const line of [...LINES, ...LONG_LINES]) routeLine(line, facts);
  await Promise.all([lookup.settled(), known.settled()]);
  return facts;
}
