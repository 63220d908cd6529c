import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateImpact } from '../../../test/support/estimate-impact.ts';
import { useFolder } from '../../../test/support/test-folder.ts';
import type { ShellHabit } from '../../core/impact/shell-state.ts';
import { classifyLine } from '../../core/policy/classify-line.ts';
import { formatUnexplained } from '../../core/policy/messages.ts';
import type { ChangeReport } from '../../protocol/change-report.ts';
import { Estimate } from './estimate.ts';

// Each starts programs or threads, which take their time where many others run.
setDefaultTimeout(120_000);

const root = useFolder('impact');
const project = join(root, 'project');
const home = join(root, 'home');

for (const folder of ['project/src/deep', 'project/docs', 'project/build', 'project/empty', 'home/old', 'other'])
  mkdirSync(join(root, folder), { recursive: true });
const FILES: Readonly<Record<string, string>> = {
  'project/README.md': 'read me',
  'project/src/one.ts': 'one',
  'project/src/two.ts': 'two!',
  'project/src/deep/x.ts': 'x',
  'project/docs/a b.md': 'spaced',
  'project/docs/new\nline.md': 'odd',
  'project/.gitignore': 'build/\n',
  'home/old/z': 'z',
  'other/o': 'o',
};
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
symlinkSync('src', join(project, 'way'));
const git = (...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home },
  });
git('init', '-q', '-b', 'main');
git('add', '-A');
git('commit', '-qm', 'one');
writeFileSync(join(project, 'src/two.ts'), 'two, changed');
writeFileSync(join(project, 'new.txt'), 'new');
writeFileSync(join(project, 'build/out.js'), 'built');
linkSync(join(project, 'new.txt'), join(project, 'twin'));

const measure = (line: string): Promise<ChangeReport> =>
  estimateImpact(line, { cwd: project, home, project }, new AbortController().signal, { limit: 20_000 });

/** The unknown parts of the estimate. */
function unknownIn({ unknown, unexplained = [] }: ChangeReport): readonly string[] {
  return [...unexplained.map(formatUnexplained), ...unknown];
}

/** Each effect in one line: kind, files and folders, and the first of its samples by name: a folder is read in an order of its disk. */
async function tell(line: string): Promise<readonly string[]> {
  const report = await measure(line);
  const { effects, hosts, notes } = report;
  return [
    ...effects.map(
      (one) =>
        `${one.maybe ? 'maybe ' : ''}${one.kind} ${one.files}+${one.folders} ${(one.samples.toSorted()[0] ?? '').replace(`${root}/`, '')}`,
    ),
    ...hosts.map((host) => `host ${host}`),
    ...unknownIn(report).map((reason) => `unknown ${reason.replaceAll(`${root}/`, '')}`),
    ...notes.map((note) => `note ${note.replaceAll(`${root}/`, '')}`),
  ];
}

describe('what a line would touch', () => {
  test.each([
    ['ls -la; cat README.md | wc -l', []],
    ['rm README.md', ['deletes 1+0 project/README.md']],
    ['rm -rf src', ['deletes 3+2 project/src']],
    ['rm src', ['note src is a folder, so this would fail']],
    ['rm missing', ['note missing does not exist, so this would fail']],
    ['rm -f missing', []],
    ['rm docs/*.md', ['deletes 2+0 project/docs/a b.md']],
    ['rm -rf ~/old', ['deletes 1+1 home/old']],
    ['rm -rf {src,docs}', ['deletes 5+3 project/docs']],
    ['rm -rf way', ['deletes 1+0 project/way']],
    ['rm -rf way/', ['deletes 3+1 project/src/deep']],
    ['rm -r src src/deep', ['deletes 3+2 project/src', 'note src/deep does not exist, so this would fail']],
    ['rm -rf "$DIR/src"', ['unknown "$DIR/src" (unknown value)']],
    [
      'mkdir src; rm -rf "$DIR/src"',
      ['unknown "$DIR/src" (unknown value)', 'note src already exists, so this would fail'],
    ],
    [
      'rm -rf "$DIR/src"; mkdir src',
      ['unknown "$DIR/src" (unknown value)', 'note src already exists, so this may fail'],
    ],
    [
      '[ -d src ] || rm -r docs; mkdir docs',
      ['maybe deletes 2+1 project/docs', 'note docs already exists, so this may fail'],
    ],
    ['cd src && rm *.ts', ['deletes 2+0 project/src/one.ts']],
    ['for f in src/*.ts; do rm "$f"; done', ['deletes 2+0 project/src/one.ts']],
    ['[ -d src ] || rm -r docs', ['maybe deletes 2+1 project/docs']],
    ['rmdir empty', ['deletes 0+1 project/empty']],
    ['touch x && rm x', []],
    ['mkdir -p a/b', ['creates 0+2 project/a']],
    ['mv src docs', ['moves 3+2 project/docs/src']],
    ['mv README.md new.txt', ['overwrites 1+0 project/new.txt', 'moves 1+0 project/README.md']],
    ['cp -r src copy', ['creates 3+2 project/copy']],
    ['cp src/one.ts docs', ['creates 1+0 project/docs/one.ts']],
    ['echo x > README.md', ['overwrites 1+0 project/README.md']],
    ['echo x >> brand 2>/dev/null', ['creates 1+0 project/brand']],
    [
      'echo x > twin',
      ['overwrites 1+0 project/twin', 'note twin has hard links, and the content of all of them changes'],
    ],
    ["find . -name '*.ts' -delete", ['deletes 3+0 project/src/deep/x.ts']],
    ["find . -name '*.ts' -print0 | xargs -0 rm", ['deletes 3+0 project/src/deep/x.ts']],
    ['find . -type d -name deep -exec rm -rf {} +', ['deletes 1+1 project/src/deep']],
    ['find docs -name "a*" -user nobody -delete', []],
    ['find docs -xdev -name "a*" -delete', ['deletes 1+0 project/docs/a b.md']],
    ['find -L way -name one.ts -delete', ['deletes 1+0 project/src/one.ts']],
    ['find src -name deep -prune -o -name "*.ts" -exec rm {} \\;', ['deletes 2+0 project/src/one.ts']],
    ['find docs -exec grep -q x {} \\; -delete', ['unknown find with a command as a test']],
    ['find docs -perm u=nobody -delete', ["unknown what find finds (invalid mode 'u=nobody')"]],
    ['find missing -delete', ['note missing does not exist, so this would fail']],
    ['rm -r docs; find . -name "*.md" -delete', ['deletes 3+1 project/README.md']],
    [
      'rm src/deep/x.ts; find src empty -type d -empty -delete',
      ['deletes 1+1 project/empty', 'unknown find after the commands before it'],
    ],
    [
      'mkdir new; touch new/a; find new -delete',
      ['creates 1+1 project/new', 'unknown find after the commands before it'],
    ],
    ['bash -c "rm README.md"', ['deletes 1+0 project/README.md']],
    ['git clean -fd', ['deletes 2+1 project/empty']],
    ['git clean -fdx', ['deletes 3+2 project/build']],
    ['git clean -nfdx', []],
    ['git reset --hard', ['overwrites 1+0 project/src/two.ts']],
    ['git checkout README.md', []],
    ['git checkout .', ['overwrites 1+0 project/src/two.ts']],
    ['curl -o page https://example.org/a?b', ['creates 1+0 project/page', 'host example.org']],
    ['curl -T - https://example.org', ['host example.org']],
    ['curl "https://$HOST/"', ['unknown which machine curl "https://$HOST/" talks to']],
    ['rm -r src -- --new', ['deletes 3+2 project/src', 'note --new does not exist, so this would fail']],
    ['find . -name "*.ts" | xargs -I{} rm {}', ['unknown xargs with the option I']],
    ['find docs -name "a*" | xargs rm', ['unknown docs/a b.md (xargs reads it as several names)']],
    ['find docs -name "a*" -print0 | xargs -0 rm', ['deletes 1+0 project/docs/a b.md']],
    ['find docs -name "a*" -print0 | xargs rm', ['unknown what xargs reads (unknown value)']],
    ['(find src -name one.ts; find docs) | xargs rm', ['unknown what xargs reads (unknown value)']],
    ['for d in src docs; do find $d; done | xargs rm', ['unknown what xargs reads (unknown value)']],
    ['for f in docs/a*; do rm $f; done', ['unknown $f (unquoted, and matches names that contain spaces)']],
    ['cd src docs; rm one.ts', ['unknown one.ts (unknown working directory)']],
    ["curl -o '#1' 'https://example.org/{a,b}'", ['host example.org', "unknown curl -o '#1': opens a connection"]],
    ['for f in src/*.ts; do mv "$f" "${f%.ts}.js"; done', ['unknown "${f%.ts}.js" (unknown value)']],
    ['ssh -p 22 me@far rm -rf src', ['host far', 'unknown ssh -p 22: opens a connection']],
    ['dd if=/dev/zero of=/dev/null', []],
  ] as const)('%s', async (line, told) => {
    expect([...(await tell(line))].sort()).toEqual([...told].sort());
  });

  test.each([
    'make clean',
    'npm run build',
    './run.sh',
    'python3 -c "x"',
    'docker rm x',
    'rm $(cat list)',
    'cat list | sh',
    'tar xf missing; eval "$X"',
    'echo "',
  ])('%s is not known, and never nothing', async (line) => {
    expect(unknownIn(await measure(line))).not.toEqual([]);
  });

  test('tells what git does not have, what it ignores, what is changed, and what lies outside', async () => {
    const [effect] = (await measure(`rm -rf src build new.txt ${root}/other`)).effects;
    expect(effect).toEqual({
      kind: 'deletes',
      files: 6,
      folders: 4,
      bytes: 'one'.length + 'two, changed'.length + 'x'.length + 'built'.length + 'new'.length + 'o'.length,
      untracked: 1,
      ignored: 1,
      modified: 1,
      outside: 2,
      samples: [join(project, 'src'), join(project, 'build'), join(project, 'new.txt'), join(root, 'other')],
    });
  });

  test('runs and changes nothing', async () => {
    const before = readdirSync(project).sort();
    await tell('rm -rf * ; git clean -fdx; git reset --hard; touch made; tar czf a.tgz src');
    expect(readdirSync(project).sort()).toEqual(before);
  });

  test('says that counting was stopped', async () => {
    const { effects } = await estimateImpact('rm -rf src', { cwd: project, home, project }, AbortSignal.abort());
    expect(effects.map(({ kind, atLeast }) => [kind, atLeast])).toEqual([['deletes', true]]);
  });
});

describe('counting in time', () => {
  const early = (line: string): ChangeReport =>
    new Estimate(
      { classification: classifyLine(line, { cwd: project, home, project }) },
      { cwd: project, home, project },
      { limit: 20_000, signal: new AbortController().signal },
    ).report({
      goesOn: true,
    });

  test('a report that comes before the counting says that it goes on, with what the text alone tells', () => {
    expect(early('rm -rf src; curl https://example.org/')).toEqual({
      effects: [],
      hosts: ['example.org'],
      unknown: [],
      notes: [],
      counting: true,
    });
  });

  test('a line that touches nothing has one answer, if there is time for it', async () => {
    expect(await measure('true')).toEqual({ effects: [], hosts: [], unknown: [], notes: [] });
  });
});

test('what is not read from a search is not known to xargs', async () => {
  for (const line of ['echo src docs | xargs rm -rf', 'make list | xargs rm', 'ls | grep md | xargs rm'])
    expect([line, unknownIn(await measure(line))]).not.toEqual([line, []]);
});

test('a name that a pattern matches may be an option', async () => {
  const folder = join(root, 'dashes');
  mkdirSync(folder);
  for (const name of ['-rf', 'plain']) writeFileSync(join(folder, name), '');
  const { effects, unknown } = await measure(`cd ${folder} && rm *`);
  expect([effects, unknown]).toEqual([[], ['* (matches names that begin with "-")']]);
  expect((await measure(`cd ${folder} && rm -- *`)).effects.map(({ files }) => files)).toEqual([2]);
});

test('the search for a preview takes no name that a pattern matches for an action', async () => {
  const folder = join(root, 'actions');
  mkdirSync(folder);
  for (const name of ['!', '(', ',', '-delete', 'plain']) writeFileSync(join(folder, name), '');
  const before = readdirSync(folder);
  for (const line of ['find *', 'find *e', 'find * -type f', 'find -- *']) {
    for (const rest of ['-print0 | xargs -0 rm --', '-exec rm -- {} +', '-delete', '| xargs rm --']) {
      const { effects, unknown } = await measure(`cd ${folder} && ${line} ${rest}`);
      expect([line, rest, readdirSync(folder)]).toEqual([line, rest, before]);
      expect([line, rest, effects, unknown.length > 0]).toEqual([line, rest, [], true]);
    }
  }
});

test('a search from a folder that is not there yet is unknown, and the rest of the preview stays', async () => {
  const later = 'unknown find after the commands before it';
  expect(await tell('mkdir new && cd new && find ../src -name one.ts -delete')).toEqual([
    'creates 0+1 project/new',
    later,
  ]);
  for (const folder of ['nope', 'README.md'])
    expect(await tell(`rm README.md; cd ${folder}; find ${project}/src -name one.ts -delete`)).toEqual([
      'deletes 1+0 project/README.md',
      `unknown the directory that the line runs in (project/${folder} does not exist)`,
      later,
    ]);
});

test('words of find that the shell still changes are unknown', async () => {
  expect(await tell('find src -name *.ts -delete')).toEqual(['unknown *.ts (unknown value)']);
  expect(await tell('find src -name "*.ts" -delete')).toEqual(['deletes 3+0 project/src/deep/x.ts']);
  expect(await tell('find -L$X src -delete')).toEqual(['unknown find with -L$X']);
});

test('what the line has put in a folder goes where the folder goes', async () => {
  const deleted = async (line: string) =>
    (await measure(line)).effects.flatMap(({ kind, files }) => (kind === 'deletes' ? [files] : []));
  expect(await deleted('mkdir d && mv README.md d && mv d e && rm -rf e')).toEqual([1]);
  expect(await deleted('mv README.md docs && mv docs e && rm -rf e')).toEqual([3]);
  expect(await deleted('rm src/one.ts && mv src e && rm -rf e')).toEqual([3]);
});

test('a loop finds in its second round what the first has changed', async () => {
  const unknownOf = async (line: string) => (await measure(line)).unknown;
  expect(await unknownOf('x=src; while read -r y; do rm -rf "$x"; x=$y; done')).toEqual(['"$x" (unknown value)']);
  expect(await unknownOf('set -- docs src; while [ $# -gt 0 ]; do rm -rf "$1"; shift; done')).toEqual([
    '"$1" (unknown value)',
  ]);
  expect((await measure('set -- docs src; shift; rm -rf "$1"')).effects[0]?.samples).toEqual([join(project, 'src')]);
});

describe('what the shell told of itself', () => {
  const folder = join(root, 'habits');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  for (const name of ['.hidden', 'Upper.md', 'plain.txt', 'sub/x']) writeFileSync(join(folder, name), '');
  const context = { cwd: folder, home, project: folder };
  const options = { limit: 20_000 };
  test('find reads names and patterns in the encoding of the shell, and its messages are understood', async () => {
    const letters = join(root, 'letters');
    mkdirSync(join(letters, 'closed é'), { recursive: true });
    for (const name of ['é', 'É.md']) writeFileSync(join(letters, name), '');
    const told = async (LC_ALL: string, line: string) => {
      const shell = { habits: new Set<ShellHabit>(), variables: new Map([['LC_ALL', LC_ALL]]) };
      const { effects, unknown } = await estimateImpact(
        line,
        { ...context, cwd: letters, shell },
        new AbortController().signal,
        options,
      );
      return [...effects.flatMap(({ samples }) => samples), ...unknown];
    };
    const line = "find . -type f -name '?' -delete";
    expect([await told('C', line), await told('C.UTF-8', line)]).toEqual([[], [join(letters, 'é')]]);
    const wrong = "what find finds (invalid mode 'u=é')";
    expect(await told('C.UTF-8', 'find . -perm u=é -delete')).toEqual([wrong]);
  });

  const told = (line: string, habits: readonly ShellHabit[], variables: Readonly<Record<string, string>> = {}) =>
    estimateImpact(
      line,
      { ...context, shell: { habits: new Set(habits), variables: new Map(Object.entries(variables)) } },
      new AbortController().signal,
      options,
    );
  const files = async (line: string, ...habits: readonly ShellHabit[]) =>
    (await told(line, habits)).effects.map(({ kind, files, folders }) => `${kind} ${files}+${folders}`);

  test('a star matches hidden names where that is on', async () => {
    expect([await files('rm -f *'), await files('rm -f *', 'dots')]).toEqual([['deletes 2+0'], ['deletes 3+0']]);
  });

  test('case is nothing where that is on', async () => {
    expect([await files('rm u*'), await files('rm u*', 'folds')]).toEqual([[], ['deletes 1+0']]);
  });

  test('there are no patterns where they are off, in a loop neither', async () => {
    expect(await files('rm *', 'none')).toEqual([]);
    expect(await files('for f in *; do touch "$f"; done', 'none')).toEqual(['creates 1+0']);
  });

  test('what matches nothing is nothing, or fails, as the shell has it', async () => {
    expect((await told('touch *.no', ['empty'])).effects).toEqual([]);
    expect((await told('touch *.no', ['fails'])).notes).toEqual(['*.no matches nothing, so this would fail']);
  });

  test('two stars go through folders nobody counts', async () => {
    expect((await told('rm **', ['deep'])).unknown).toEqual(['** (matches at any depth)']);
  });

  test('an older bash matches the parent with a dot and a star', async () => {
    expect(await files('touch -c .*')).toEqual(['changes 1+0']);
    expect(await files('touch -c .*', 'parents')).toEqual(['changes 1+2']);
  });

  test('where cd looks elsewhere first, it is not known where it leads', async () => {
    expect((await told('cd sub && rm x', ['cd-path'])).unknown).toEqual(['the folder that cd goes to (CDPATH is set)']);
  });

  test('a variable that the shell exports is what it holds', async () => {
    const { effects, unknown } = await told('rm -rf "$OUT"', [], { OUT: join(folder, 'sub') });
    expect([effects.map(({ files, folders }) => [files, folders]), unknown]).toEqual([[[1, 1]], []]);
    expect((await told('OUT=nosuch; rm -rf "$OUT"', [], { OUT: folder })).effects).toEqual([]);
    expect((await told('read OUT; rm -rf "$OUT"', [], { OUT: folder })).unknown).not.toEqual([]);
    expect((await told('unset OUT; touch "x$OUT"', [], { OUT: 'y' })).effects[0]?.samples).not.toEqual([
      `${folder}/xy`,
    ]);
  });
});

describe('another repository than that of the project', () => {
  const other = join(root, 'repository');
  mkdirSync(other);
  const run = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
      cwd: other,
      env: { PATH: process.env.PATH, HOME: home },
    });
  run('init', '-q', '-b', 'main');
  writeFileSync(join(other, 'kept'), 'kept');
  run('add', '-A');
  run('commit', '-qm', 'one');
  writeFileSync(join(other, 'loose'), 'loose');
  const worth = async (line: string) =>
    (await measure(line)).effects.map(({ kind, files, untracked, modified }) => [kind, files, untracked, modified]);

  test('is asked about what lies in it', async () => {
    expect(await worth('rm ../repository/*')).toEqual([['deletes', 2, 1, 0]]);
    expect(await worth('cd ../repository && rm loose')).toEqual([['deletes', 1, 1, 0]]);
  });

  test('is asked what git does there', async () => {
    expect(await worth('git -C ../repository clean -fd')).toEqual([['deletes', 1, 1, 0]]);
    expect(await worth('cd ../repository && git clean -fd')).toEqual([['deletes', 1, 1, 0]]);
  });

  test('where it cannot say, that is told', async () => {
    const broken = join(root, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, '.git'), 'gitdir: /nowhere\n');
    writeFileSync(join(broken, 'x'), '');
    const { effects, notes } = await measure('rm ../broken/x');
    expect([effects.map(({ files, untracked }) => [files, untracked]), notes]).toEqual([
      [[1, null]],
      ['git did not report which of these files undo can restore'],
    ]);
  });

  test('a pipe in the place of its settings keeps nobody waiting', async () => {
    const piped = join(root, 'piped');
    mkdirSync(piped);
    execFileSync('mkfifo', [join(piped, '.npmrc'), join(piped, '.git')]);
    const context = { cwd: piped, project: piped, home };
    const lines = ['npm install x', 'git push'].map((line) =>
      estimateImpact(line, context, new AbortController().signal, { limit: 20_000 }),
    );
    const [npm, push] = await Promise.all(lines);
    expect([npm?.unexplained?.length, push?.unknown[0]]).toEqual([1, 'the host that git connects to']);
  });

  test('where there is none, nothing is said of it', async () => {
    expect(await worth('rm ../other/o')).toEqual([['deletes', 1, null, null]]);
  });
});

describe('what no checkpoint takes in', () => {
  const place = join(root, 'large');
  const large = Buffer.alloc(10_000_001);
  mkdirSync(join(place, 'out'), { recursive: true });
  const run = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
      cwd: place,
      env: { PATH: process.env.PATH, HOME: home },
    });
  run('init', '-q', '-b', 'main');
  for (const name of ['kept', 'changed']) writeFileSync(join(place, name), large);
  writeFileSync(join(place, '.gitignore'), 'out/\n');
  run('add', '-A');
  run('commit', '-qm', 'one');
  writeFileSync(join(place, 'changed'), large.fill(1));
  for (const name of ['loose', 'out/built', 'small']) writeFileSync(join(place, name), name === 'small' ? 'x' : large);
  const largeOf = async (line: string) => {
    const context = { cwd: place, project: place, home };
    const { effects } = await estimateImpact(line, context, new AbortController().signal, { limit: 20_000 });
    return effects.map(({ kind, files, large: count, ignored }) => [kind, files, count, ignored]);
  };

  test('is told, unless git holds it or ignores it', async () => {
    expect(await largeOf('rm -rf *')).toEqual([['deletes', 5, 2, 1]]);
    expect(await largeOf('rm kept small')).toEqual([['deletes', 2, undefined, 0]]);
    expect(await largeOf('cp small loose')).toEqual([['overwrites', 1, 1, 0]]);
    expect(await largeOf('cp loose made')).toEqual([['creates', 1, undefined, 0]]);
  });

  test('is all that is large where there is no git', async () => {
    writeFileSync(join(root, 'other/big'), large);
    const context = { cwd: join(root, 'other'), project: join(root, 'other'), home };
    const { effects } = await estimateImpact('rm big', context, new AbortController().signal, { limit: 20_000 });
    expect(effects.map(({ files, large: count }) => [files, count])).toEqual([[1, 1]]);
    rmSync(join(root, 'other/big'));
  });
});

test('what leaves the project is outside of it as much as what was there', async () => {
  const [effect] = (await measure('mv src ../other/')).effects;
  expect(effect).toMatchObject({ kind: 'moves', files: 3, folders: 2, outside: 5 });
});

test('what git itself lives on is beyond every undo, and other names are counted, not listed', async () => {
  const [effect] = (await measure('rm -rf .git')).effects;
  expect([effect?.repository, effect?.kind]).toEqual([effect?.files, 'deletes']);
  const [found] = (await measure('find . -type f -delete')).effects;
  expect([found?.repository, found?.kind]).toEqual([effect?.files, 'deletes']);
  expect([(found?.samples.length ?? 0) + (found?.unnamed ?? 0)]).toEqual([found?.files ?? -1]);
});
