import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { classifyLine } from './classify-line.ts';

/*
 * bash itself is the second reader: lines made of its constructs run in a sandbox where every program is a stub that writes down its
 * arguments. Every program that ran must be among the parts that the gate saw.
 */

const LINES = 250;
const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };
const PROGRAMS = ['ls', 'cat', 'rm', 'grep', 'git', 'wc', 'sort', 'mkdir', 'sudo', 'env', 'nice', 'xargs'];
const STUB = `#!/bin/bash
printf -v CALL '%s\\x1f' "\${0##*/}" "$@"
printf '%s\\x1e' "$CALL" >> "$LOG"
`;

const root = useFolder('second-reading');

/** Numbers that are the same in every run. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state * 1103515245 + 12345) & 0x7fffffff;
    return this.#state / 0x7fffffff;
  }

  of<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0];
  }
}

class Lines {
  readonly #chance: Chance;

  constructor(seed: number) {
    this.#chance = new Chance(seed);
  }

  line(depth: number): string {
    if (depth <= 0) return this.#simple(0);
    const inner = () => this.line(depth - 1);
    return this.#chance.of([
      () => this.#simple(depth),
      () => `${this.#assignment()}; ${this.#simple(depth)}`,
      () => `${inner()}${this.#chance.of([' && ', ' || ', '; ', '\n', ' | ', ' |& '])}${inner()}`,
      () => `(${inner()})`,
      () => `{ ${inner()}; }`,
      () => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
      () => `for v in ${this.#word(0)} ${this.#word(0)}; do ls $v; ${inner()}; done`,
      () => `while ${this.#simple(0)}; do ${inner()}; break; done`,
      () => `case ${this.#word(0)} in ${this.#chance.of(['a', '*', 'a|b', '(b'])}) ${inner()};; *) ${inner()};& x) ${inner()};; esac`,
      () => `f(){ ${inner()}; }; f ${this.#word(0)}`,
      () => `function g { ${inner()}; }; g`,
      () => `[[ ${this.#word(0)} == ${this.#word(0)} ]] && ${inner()}`,
      () => `for ((i=0;i<2;i++)); do ${inner()}; done`,
      () => `${inner()} # ${this.#simple(0).replaceAll('\n', ' ')}`,
      () => `select v in a; do ${inner()}; break; done <<<1`,
      () => `! ${inner()}`,
      () => `time ${this.#simple(depth)}`,
    ])();
  }

  #simple(depth: number): string {
    const words = [this.#command(), ...Array.from({ length: Math.floor(this.#chance.next() * 3) }, () => this.#word(depth))];
    const assigned = this.#chance.next() < 0.15 ? `${this.#assignment()} ` : '';
    return `${assigned}${words.join(' ')}${this.#chance.next() < 0.2 ? ` ${this.#redirect()}` : ''}`;
  }

  #command(): string {
    if (this.#chance.next() < 0.7) return this.#chance.of(['ls', 'cat', 'rm', 'grep', 'git', 'wc', 'sort', 'mkdir', 'sudo']);
    return this.#chance.of([
      '$c',
      '"$c"',
      '${c}',
      'r{m,}',
      '{ls,a}',
      '\\ls',
      'l\\s',
      "'ls'",
      "l''s",
      '$(echo ls)',
      '`echo ls`',
      'command ls',
      'eval ls',
      'builtin eval ls',
      '${z:-rm}',
      '${c:-ls}',
      'bash -c "ls k"',
      'bash -c \'rm "$0"\' w',
      'env ls',
      'nice ls',
      'xargs ls',
      'trap "ls t" EXIT;:',
      'set -- rm q;"$@"',
      'c=rm; $c',
    ]);
  }

  #word(depth: number): string {
    const inner = () => (depth > 0 ? this.line(depth - 1) : 'ls q');
    return this.#chance.of([
      () => this.#chance.of(['a', 'b', 'x.y', '-l', '--', '*', '?', '[ab]', '~', '~+', '.', '..', '/', 'a\\ b', 'a#b']),
      () => this.#chance.of(["'a b'", "'$x'", "'`ls`'", '"a"', '"$x"', '"\\$x"', '"$(( 1+1 ))"', "$'a\\tb'", '$"a"', 'r\\m', "r''m"]),
      () => this.#chance.of(['$x', '${x:-d}', '${x:=e}', '${x:+f}', '${#x}', '${x%b}', '${x/a/r}', '${x^^}', '${x:0:1}', '${y[@]}']),
      () => this.#chance.of(['"${y[@]}"', '$@', '"$*"', '$1', '${!x}', '${x@Q}', '{a,b}', '{1..3}', 'a{b,c}d', '{a,}', 'x{', '{rm,b}']),
      () => `$(${inner()})`,
      () => `"$(${inner()})"`,
      () => `<(${inner()})`,
    ])();
  }

  #assignment(): string {
    return this.#chance.of(['x=a', 'c=ls', 'c="rm"', 'y=(a b)', 'x+=z', 'y[1]=q', 'x=$(ls s)', 'x=*', 'c=r; c+=m', 'IFS=:', 'x=~']);
  }

  #redirect(): string {
    return this.#chance.of([
      '>/tmp/o',
      '2>&1',
      '</dev/null',
      '<<<"$x"',
      '2>/dev/null',
      '&>/dev/null',
      '{fd}>/dev/null',
      '<<E\nh $(cat here)\nE\n',
      "<<'E'\n$(rm no)\nE\n",
      '<<-E\n\tt `ls in`\n\tE\n',
    ]);
  }
}

/** Runs lines where nothing can be harmed, and gives back what each of them started. */
function runAll(lines: readonly string[]): readonly (readonly (readonly string[])[])[] {
  for (const folder of ['stub', 'lines', 'log', 'home/user/project']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'stub/stub'), STUB);
  chmodSync(join(root, 'stub/stub'), 0o755);
  for (const name of PROGRAMS) symlinkSync('stub', join(root, 'stub', name));
  for (const [at, line] of lines.entries()) writeFileSync(join(root, 'lines', String(at)), line);
  const driver = `cd /home/user/project; for ((i=0;i<${lines.length};i++)); do L=$(</lines/$i)
    PATH=/stub LOG=/log/$i /usr/bin/timeout -s KILL 3 /bin/bash --noprofile --norc -c "$L"; done </dev/null >/dev/null 2>&1`;
  const binds = [
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/bin',
    '/bin',
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
  ];
  const own = ['stub', 'lines', 'log', 'home'].flatMap((name) => [
    name === 'log' || name === 'home' ? '--bind' : '--ro-bind',
    join(root, name),
    `/${name}`,
  ]);
  Bun.spawnSync([
    'bwrap',
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    ...binds,
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    ...own,
    '--clearenv',
    '--setenv',
    'HOME',
    '/home/user',
    '/bin/bash',
    '-c',
    driver,
  ]);
  return lines.map((_, at) => readLog(join(root, 'log', String(at))));
}

function readLog(path: string): readonly string[][] {
  try {
    const calls = readFileSync(path, 'utf8')
      .split('\x1e')
      .filter((call) => call !== '');
    return calls.map((call) => call.split('\x1f').slice(0, -1));
  } catch {
    return [];
  }
}

/** A word that is not known, or a pattern, stands for any number of words. */
function covers(words: readonly (string | null)[], call: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return call.length === 0;
  if (word === null || /[*?[]/.test(word) || word.startsWith('/dev/fd/'))
    return [...call, ''].some((_, taken) => covers(rest, call.slice(taken)));
  return call[0] === word && covers(rest, call.slice(1));
}

const CAN_RUN = Bun.spawnSync(['sh', '-c', 'bwrap --unshare-all --ro-bind / / true']).exitCode === 0;

test.skipIf(!CAN_RUN)(
  'whatever bash starts for a line that the gate understands is among the parts of the line',
  () => {
    const maker = new Lines(7);
    const lines = Array.from({ length: LINES }, () => maker.line(2)).filter((line) => line.length < 400);
    const calls = runAll(lines);
    expect(calls.flat().length).toBeGreaterThan(lines.length / 2);
    const unseen = lines.flatMap((line, at) => {
      const classification = classifyLine(line, CONTEXT);
      if (classification.class === 'unparseable') return [];
      const started = (calls[at] ?? []).filter((call) => !classification.parts.some(({ words }) => covers(words, call)));
      return started.map((call) => ({ line, call }));
    });
    expect(unseen).toEqual([]);
  },
  60_000,
);
