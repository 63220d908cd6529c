import { describe, expect, test } from 'bun:test';
import { paintShell } from '../code-colours/paint-shell.ts';
import { findCursorContext } from '../completion/cursor-context.ts';
import { classifyLine } from '../policy/classify-line.ts';
import { classifyInput } from '../routing/classify-input.ts';
import type { ShellFacts } from '../routing/shell-facts.ts';
import { literal } from './argument.ts';
import { effectsOf } from './effects.ts';
import type { InnerCommand } from './parse.ts';
import { findInner, findSpec, programs, specNames } from './programs/find-program.ts';
import { beginScope } from './scope.ts';
import { type CommandSpec, spread } from './spec.ts';
import { TRACERS } from './specs/tracers.ts';
import { WRAPPERS } from './specs/wrappers.ts';

const context = { cwd: '/home/u/p', home: '/home/u', project: '/home/u/p' };

/** Wrappers with each of their options that takes a value, as their own help describes them. */
const LINES: readonly string[] = [
  ...['sudo -u bob -- [ls]', 'sudo -E [ls]', 'sudo -u bob -g staff [ls] -l', 'sudo --user bob [ls]', 'sudo A=1 [ls]'],
  ...['sudo -h host -p x -C 3 -D /x -R /y -r r -t t -T 5 -U u [ls]', 'sudo -n -k [ls]', 'doas -n -u bob [ls]'],
  ...['pkexec --user bob [ls]', 'run0 -u bob -D /x --nice 5 [ls]', 'runuser -u bob [ls]', 'runuser -u bob -- [ls] -l'],
  ...['env -u A B=1 [ls]', 'env -i A=1 C=2 [ls]', 'env -C /x --unset=A [ls]', 'env - A=1 [ls]', '/usr/bin/env [ls]'],
  ...['nice -5 [ls]', 'nice -n 5 [ls]', 'nice --adjustment=5 [ls]', 'ionice -c2 [ls]', 'ionice -c 2 -n 7 -t [ls]'],
  ...['stdbuf -oL [ls]', 'stdbuf -o L -e 0 [ls]', 'stdbuf --output L [ls]', 'timeout 5 [ls]', 'gtimeout 5 [ls]'],
  ...['timeout -k 5 10 [ls]', 'timeout -s KILL --foreground 10 [ls]', 'timeout --signal=9 1m [ls]', 'time -p [ls]'],
  ...['/usr/bin/time -f %e -o out [ls]', 'taskset 1 [ls]', 'taskset -c 0-3 [ls]', 'chrt -f 1 [ls]', 'chrt -T 1 -P 2 -D 3 -d 0 [ls]'],
  ...['setsid -w [ls]', 'setsid --fork [ls]', 'nohup [ls]', 'xargs -i [rm] {}', 'xargs -I {} [rm] {}', 'xargs -n 1 [rm]'],
  ...['xargs -0 -r -P 4 -L 1 -s 9 -d x -a f -E e [rm]', 'xargs -n1 -o [rm]', 'xargs --max-procs 4 --replace [rm] {}'],
  ...['watch -n 1 [ls]', 'watch -d -t --interval 2 [ls]', 'watch -q 3 [ls]', 'flock x [ls]', 'flock -w 5 -E 3 x [ls]'],
  ...['flock -n --conflict-exit-code 4 x [ls]', 'strace -I 1 [ls]', 'strace -f -e trace=open -o f -s 9 [ls]', 'ltrace -n 2 [ls]'],
  ...['strace --trace open --string-limit 4 -E A=1 -P p -S time -U x -a 3 -b execve -O 1 -X raw [ls]', 'valgrind --tool=x [ls]'],
  ...['perf record -e cycles -g [ls]', 'perf stat -r 5 -x , [ls]', 'rr record -n [ls]', 'heaptrack -o f [ls]', 'script f [ls]'],
  ...['systemd-run --user [ls]', 'systemd-run -p A=1 -u x --slice s -d -t [ls]', 'unshare -r [ls]', 'unshare -m -R /x -w /y [ls]'],
  ...['unshare --map-user 3 --propagation slave --mount=/x [ls]', 'nsenter -t 1 -m -r/x [ls]', 'nsenter --target 1 --net [ls]'],
  ...['setpriv --reuid 1 --clear-groups [ls]', 'chroot /x [ls]', 'chroot --userspec u:g /x [ls]', 'chroot --userspec=u /x [ls]'],
  ...['bwrap --ro-bind /a /b --proc /proc --unshare-all [ls]', 'bwrap --setenv A B --chmod 0700 /x -- [ls]', 'firejail --x=y [ls]'],
  ...['linux32 -R [ls]', 'setarch x86_64 -R [ls]', 'prlimit --nofile=5 -c0 [ls]', 'logsave -a f [ls]', 'fakeroot -l x [ls]'],
  ...['dbus-run-session --config-file x [ls]', 'command -p [ls]', 'builtin [cd] x', 'exec -a x [ls]', 'noglob [ls] *'],
  ...[
    'parallel [ls]',
    'parallel -j 4 [ls] {} ::: a b',
    'busybox [ls]',
    'entr -r [ls] -l',
    'watchexec -r -e ts [ls] -l',
    'reflex -s -r x -- [ls]',
  ],
  ...['ssh host [ls]', 'ssh -p 22 -B x -P t me@host -t [ls]', 'docker exec -it -u bob c [ls]', 'kubectl exec p -c x -- [ls]'],
  ...[
    'docker compose exec -T web [ls]',
    'lxc exec c -- [ls]',
    'tmux new -d -s w [ls]',
    'xvfb-run -a -s x [ls]',
    'tini -s -g -w -- [ls]',
    'fakechroot -s [ls]',
    'ssh-agent -a x [ls]',
    'tsp -L x [ls]',
    'numactl -N 0 [ls]',
    'dtach -A s [ls]',
    'gosu bob [ls]',
    'docker -H x container exec c [ls]',

    'machinectl shell m [ls]',
  ],
];

/** Lines that run no command which one of their words names. */
const NONE: readonly string[] = [
  ...['command -v ls', 'sudo -e f', 'sudo -l', 'ionice -p 1 2', 'taskset -p 700', 'prlimit -p 5 --nofile', 'chrt -p 1 5'],
  ...['runuser bob -c ls', 'su bob -c ls', "watch 'ls -l'", 'parallel ::: ls pwd', 'timeout 5', 'env A=1', 'flock x -c ls'],
  ...['xargs', 'bash -c ls', 'bash ls', "hyperfine 'ls -l'", 'docker ps ls', 'git log ls', 'ls ls', 'kubectl get ls'],
];

test('the command that a wrapper runs stands behind its options and what they take', () => {
  for (const line of LINES) {
    const words = line.split(' ');
    const at = words.findIndex((word) => word.startsWith('['));
    expect([line, findInner(words.map(bare))?.at]).toEqual([line, at]);
  }
  expect(NONE.filter((line) => findInner(line.split(/ (?=[^']*(?:'[^']*'[^']*)*$)/).map(unquote)) !== null)).toEqual([]);
});

test('highlighting and completion take the same word for the name of a command', () => {
  for (const line of LINES) {
    const text = line.replace('[', '').replace(']', '');
    const [from, to] = [line.indexOf('['), line.indexOf(']') - 1];
    const isElsewhere = findInner(text.split(' '))?.elsewhere === true;
    const { commands, kinds } = paintShell(text);
    const isPainted = commands.some(({ start, end }) => start === from && end === to) || kinds[from] === 'command';
    expect([line, isPainted]).toEqual([line, true]);
    // Names on another machine are not offered.
    if (isElsewhere) continue;
    for (const cursor of [from, to]) {
      const context = findCursorContext(text.slice(0, cursor), cursor);
      expect([line, context?.place, context?.word.start]).toEqual([line, 'command', from]);
    }
  }
  const nested = 'sudo -u bob env A=1 nice -n 5 ls';
  expect(paintShell(nested).commands.map(({ value }) => value)).toEqual(['sudo', 'env', 'nice', 'ls']);
  expect(findCursorContext(`${nested} `, nested.length + 1)?.words.map(({ value }) => value)).toEqual(['ls']);
  for (const line of ['sudo -u', 'xargs -I', 'timeout', 'flock', 'env -u', 'strace -o', 'chroot', 'nice -n'])
    expect([line, findCursorContext(`${line} `, line.length + 1)?.place]).toEqual([line, 'argument']);
});

/** A shell that has the programs of the lines. */
const FACTS: ShellFacts = {
  shell: 'bash',
  knows: (word) => findSpec(word.slice(word.lastIndexOf('/') + 1)) !== undefined,
  knowsCall: () => false,
  hasFile: () => false,
  hasRef: () => false,
  hasHost: () => true,
  hasContainer: () => true,
  history: { find: () => null },
  asksModel: true,
};

test('routing asks whether the same words are a command', () => {
  const isCall = (text: string) => classifyInput(text, FACTS).isCall;
  for (const line of LINES) expect([line, isCall(line.replace('[', '').replace(']', ''))]).toEqual([line, true]);
  for (const line of ['sudo -u bob', 'timeout 5', 'nice -n 5', 'env A=1', 'xargs -n 1', 'taskset 1', 'strace -I 1'])
    expect([line, isCall(`${line} is not what the others want`)]).toEqual([line, false]);
});

test('the policy classifies the same command', () => {
  for (const line of LINES) {
    const words = line.split(' ');
    const inner = words.slice(words.findIndex((word) => word.startsWith('['))).map(bare);
    const { parts } = classifyLine(words.map(bare).join(' '), context);
    expect([line, parts.map(({ words: own }) => own[0])]).toEqual([line, expect.arrayContaining([inner[0] ?? ''])]);
    expect([line, parts[0]?.effects.filter(({ detail }) => detail?.includes('the option'))]).toEqual([line, expect.anything()]);
  }
});

test('a script in an option is classified as a script', () => {
  const lines = ['flock x -c "rm a"', 'su bob -c "rm a"', 'runuser -l bob -c "rm a"', 'script -c "rm a" f'];
  for (const line of [...lines, 'hyperfine -p "rm a" ls', 'cargo-watch -x "rm a"', 'watch "ls; rm a"', 'git submodule foreach "rm a"'])
    expect([line, classifyLine(line, context).parts.map(({ words }) => words.join(' '))]).toEqual([line, expect.arrayContaining(['rm a'])]);
});

test('what a wrapper prints is what its command prints', () => {
  for (const wrapper of ['timeout 5', 'taskset 1', 'env LANG=C', 'ionice -c2', 'chronic']) {
    expect(classifyLine(`${wrapper} ls src | xargs cat`, context).decision).toBe('allow');
    expect(classifyLine(`${wrapper} cat list | xargs cat`, context).decision).toBe('ask');
  }
});

/** Every spec and the specs of its subcommands, each with the words that lead there. */
function* allSpecs(): Iterable<readonly [words: readonly string[], spec: CommandSpec]> {
  const queue: [readonly string[], CommandSpec][] = [...specNames()].flatMap((name) => {
    const spec = findSpec(name);
    return spec === undefined ? [] : [[[name], spec]];
  });
  for (const [words, spec] of queue) {
    yield [words, spec];
    for (const [names, sub] of Object.entries(spec.sub ?? {})) queue.push([[...words, names.split(' ')[0] ?? ''], sub]);
  }
}

function sampleOf(words: readonly string[], { after = 0, only }: InnerCommand): readonly string[] {
  const option = only === undefined ? [] : [`-${only.split(' ')[0]}`, 'x'];
  return [...words, ...option, ...Array<string>(after).fill('x'), 'mkdir', 'a'];
}

/** Programs that run a command whose place no data says, by why. */
const WITHOUT: Readonly<Record<string, string>> = {
  'find fd fdfind': 'the command stands among the tests of a search, and ends before a mark',
  git: 'it reads its subcommands by itself, and those have it',
  'npx bunx pnpx dlx yarnpkg npm pnpm yarn': 'a name is a tool of the project, or a package that is fetched',
  'python python2 python3 pypy pypy3 perl': 'behind -m a module has the name of a program',
  'gdb gdbtui lldb cgdb': 'commands of the debugger start others',
  capsh: 'a second -c, behind two dashes, has the script',
};
const EXCEPT = new Set(Object.keys(WITHOUT).flatMap((names) => names.split(' ')));

const PROBES: readonly string[] = [
  ...['ls a', 'x ls a', 'x x ls a', '-- ls a', 'exec ls a', 'run ls a', 'run -- ls a', 'exec x -- ls a', 'tsc a', 'exec tsc a'],
  ...['. -exec ls a ;', '-x ls a', '. --exec ls a', '-m pytest a', 'submodule foreach ls a', '--args ls a', 'shell ls a'],
];

/** The commands that a spec finds in a call, other than by its data. */
function commandsIn(spec: CommandSpec, name: string, words: string): readonly string[] {
  const found: string[] = [];
  effectsOf(spec, {
    name,
    words: words.split(' ').map((word) => literal(word)),
    input: { isGiven: false, text: null, programs: [], isEscaped: false, isSecret: false },
    scope: beginScope(context, context.cwd, () => null),
    classifyScript: () => undefined,
    classifyCommand: ([command]) => found.push(command?.text ?? ''),
  });
  return found;
}

describe('a program that runs a command', () => {
  test('has it where its spec says, for the policy and for who reads words', () => {
    for (const [words, { inner }] of allSpecs()) {
      if (inner?.after === undefined) continue;
      const sample = sampleOf(words, inner);
      expect([sample.join(' '), findInner(sample)?.at]).toEqual([sample.join(' '), sample.length - 2]);
      const { parts } = classifyLine(sample.join(' '), context);
      expect([sample.join(' '), parts.map((part) => part.words[0])]).toEqual([sample.join(' '), expect.arrayContaining(['mkdir'])]);
    }
  });

  test('says so in its spec, but for a few', () => {
    const found = new Set<string>();
    for (const [[name = ''], spec] of allSpecs()) {
      if (spec.inner !== undefined || spec.custom === undefined || EXCEPT.has(name)) continue;
      if (PROBES.some((words) => commandsIn(spec, name, words).length > 0)) found.add(name);
    }
    expect([...found]).toEqual([]);
  });

  test('and starts it in other surroundings is refused what destroys', () => {
    const names = [...programs()].flatMap(([name, spec]) => (spec.startsCommands === true ? [name] : []));
    expect(names).toContain('devbox');
    for (const name of names) expect([name, classifyLine(`${name} within x rm -rf ~`, context).hardDenials]).toEqual([name, ['D1']]);
  });

  test('stands in the tables of wrappers only with a command of its own', () => {
    const hasInner = (spec: CommandSpec): boolean => spec.inner !== undefined || Object.values(spec.sub ?? {}).some(hasInner);
    const names = [...spread({ ...WRAPPERS, ...TRACERS })].flatMap(([name, spec]) => (hasInner(spec) ? [] : [name]));
    expect(names.filter((name) => !EXCEPT.has(name))).toEqual([]);
  });
});

function bare(word: string): string {
  return word.replace(/^\[(.*)\]$/, '$1');
}

function unquote(word: string): string {
  return word.replace(/^'(.*)'$/, '$1');
}
