import type { Random } from './random.ts';

/** Commands that read, print and end, and no more; `run.sh` and the text files are there for every command. */
const SOURCES = [
  'echo one two',
  'printf "%s\\n" b a c',
  'seq 7',
  'cat a.txt',
  'cat a.txt b.txt',
  'ls',
  'ls no-such-file',
  'true',
  'false',
  '(exit 3)',
  './run.sh a b',
  'no-such-command-7',
  './plain.sh',
  'printf "no newline"',
  "sh -c 'echo err >&2; exit 5'",
] as const;
const FILTERS = [
  'cat',
  'sort',
  'sort -r',
  'head -2',
  'tail -n 1',
  'wc -l',
  'grep o',
  'grep -c t',
  'tr a-z A-Z',
  'uniq',
  'rev',
] as const;
const REDIRECTIONS = ['', '', '', '', ' >out', ' 2>/dev/null', ' 2>&1', ' >>out', ' &>both', ' <a.txt'] as const;
const JOINTS = ['; ', ' && ', ' || '] as const;
const WORDS = [
  '${HOME:+home}',
  '"${PWD:+here}"',
  '$((3 * 4 - 1))',
  '${none:-default}',
  '"$(echo inner)"',
  '{a,b}{1,2}',
  '*.txt',
  "'single $x'",
  '"double \\"x\\""',
  '$?',
  '`echo back`',
  'größe',
  '${#none}',
  '[ab].txt',
] as const;
const STATES = [
  'x=5',
  'x="a  b"',
  'export SET=1',
  'unset x',
  'cd dir',
  'cd ..',
  'cd -',
  'set -u',
  'set +u',
  'f() { echo "f $1"; return 4; }',
  'f q',
  "alias al='echo aliased'",
  'al z',
  'umask 027',
  'set -f',
  'set +f',
  'set -o pipefail',
] as const;

/** A line put together at random of pipes, lists, redirections, expansions and blocks. */
export function randomLine(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(3) }, () => randomPart(random));
  return parts.reduce((line, part) => `${line}${random.pick(JOINTS)}${part}`);
}

function randomPart(random: Random): string {
  const kind = random.below(9);
  if (kind === 0) return random.pick(STATES);
  if (kind === 1) return `for i in 1 2 ${random.pick(WORDS)}; do ${randomPipeline(random)}; done`;
  if (kind === 2) return `if ${randomPipeline(random)}; then echo yes; else echo no; fi`;
  if (kind === 3) return `{ ${randomPipeline(random)}; ${random.pick(STATES)}; }${random.pick(REDIRECTIONS)}`;
  if (kind === 4) return `(${randomPipeline(random)}; ${random.pick(STATES)})`;
  if (kind === 5) return `! ${randomPipeline(random)}`;
  if (kind === 6) return `x=${random.pick(WORDS)}; echo "$x"`;
  return randomPipeline(random);
}

function randomPipeline(random: Random): string {
  const source = random.below(3) === 0 ? `echo ${random.pick(WORDS)} ${random.pick(WORDS)}` : random.pick(SOURCES);
  const filters = Array.from({ length: random.below(3) }, () => ` | ${random.pick(FILTERS)}`).join('');
  return `${source}${random.pick(REDIRECTIONS)}${filters}`;
}
