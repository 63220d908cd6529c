import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classifyLine } from '../../core/policy/classify-line.ts';
import { sourcesOfFiles, sourcesOfLine } from '../../core/taint/sources-of-line.ts';
import { FILE_FACTS, toReadContext } from './file-facts.ts';

let root = '';
let home = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'unnamed-reads-')));
  home = join(root, 'home');
  const downloads = join(home, 'Downloads');
  mkdirSync(downloads, { recursive: true });
  writeFileSync(join(downloads, 'e.txt'), 'EVIL\n');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A project of its own, with files. */
function project(name: string): string {
  const path = join(home, name);
  mkdirSync(join(path, 'src'), { recursive: true });
  for (const file of ['README.md', 'a.txt', 'list', 'src/a.ts']) writeFileSync(join(path, file), 'a.txt\n');
  return path;
}

function sources(line: string, path: string, older: readonly string[] = []): readonly string[] {
  const context = toReadContext({ cwd: path, project: path, home }, [], { below: () => older });
  return sourcesOfLine(classifyLine(line, context), context, FILE_FACTS, { wasTainted: false }).sources.map(
    ({ name }) => name,
  );
}

const BY_NAME = [
  ...[
    'cat lnk.txt',
    'cat ln*k.txt',
    'cat l*.txt',
    'nl *',
    'head -c 99 *k.txt',
    'diff README.md l*.txt',
    'column -t l*.txt',
    'grep EVIL *',
  ],
  ...[
    'cat < l*.txt',
    'for f in *; do cat $f; done',
    'for f in *.txt; do head "$f"; done',
    'cat ./*',
    'cat [l]nk.txt',
    'cat "$PWD"/*.txt',
  ],
  ...[
    'date -f lnk.txt',
    'date -flnk.txt',
    'date --file=lnk.txt',
    "sed 'r lnk.txt' a.txt",
    "sed '1r lnk.txt' a.txt",
    "sed '1R lnk.txt' a.txt",
  ],
  ...[
    'sort --files0-from=lnk.txt',
    'git config -flnk.txt -l',
    'git config --file=lnk.txt -l',
    'grep -flnk.txt a.txt',
    'xargs -alnk.txt echo',
  ],
  ...[
    'dd if=lnk.txt',
    'git blame --contents=lnk.txt a.txt',
    'jq -Rf lnk.txt a.txt',
    'paste -d: a.txt lnk.txt',
    'wc --files0-from=lnk.txt',
  ],
];
const BY_FOLDER = [
  'cat d?/e.txt',
  'cat */e.txt',
  'cat ./*/*',
  'cat d*/*',
  'cat dl/e.txt',
  'for d in */; do cat "$d"/*; done',
];
const BY_WALK = [
  ...[
    'grep -R EVIL',
    'grep -R EVIL .',
    'grep --dereference-recursive EVIL .',
    'grep --dereference-rec EVIL',
    'diff -r . ../other',
    'rg -L EVIL',
  ],
  ...[
    'xargs cat < list',
    'xargs -a list cat',
    'cat list | xargs cat',
    'ls *.txt | xargs cat',
    'ls | xargs cat',
    'git ls-files -o | xargs cat',
  ],
  ...[
    'find . -name "*.txt" | xargs head',
    'find . -exec cat {} +',
    'cat $(ls)',
    'while read f; do cat "$f"; done < list',
    'ls | while read f; do cat "$f"; done',
  ],
];

describe('a link that leads out of the project', () => {
  test.each([...BY_NAME, ...BY_WALK])('is seen in what is read by %s', (line) => {
    const path = project('linked');
    rmSync(join(path, 'lnk.txt'), { force: true });
    symlinkSync('../Downloads/e.txt', join(path, 'lnk.txt'));
    expect(sources(line, path)).not.toEqual([]);
  });

  test.each([...BY_FOLDER, ...BY_WALK])('is seen as a folder in what is read by %s', (line) => {
    const path = project('folder');
    rmSync(join(path, 'dl'), { force: true });
    symlinkSync('../Downloads', join(path, 'dl'));
    expect(sources(line, path)).not.toEqual([]);
  });
});

test.each([
  'cat hard.txt',
  'cat h*.txt',
  'grep -r EVIL .',
  'rg EVIL',
  'date -f hard.txt',
  'ls | xargs cat',
  'for f in *; do cat $f; done',
])('a file with another name elsewhere may hold what others write there: %s', (line) => {
  const path = project('hard');
  rmSync(join(path, 'hard.txt'), { force: true });
  linkSync(join(home, 'Downloads', 'e.txt'), join(path, 'hard.txt'));
  expect(sources(line, path)).toContain(join(path, 'hard.txt'));
  expect(sources('cat a.txt', path)).toEqual([]);
});

test.each([
  ...[
    'cat note.md',
    'cat *',
    'cat n*.md',
    'date -f note.md',
    'date -fnote.md',
    'ls | xargs cat',
    'git ls-files -o | xargs cat',
    'grep -r x .',
    'rg x',
  ],
  ...[
    'git diff',
    'git show',
    'git log -p',
    'git grep x',
    "sed 'r note.md' a.txt",
    'for f in *.md; do cat "$f"; done',
    'cat $(git ls-files)',
  ],
])('what a model wrote after it had read of others stays so in another session: %s', (line) => {
  const path = project('older');
  writeFileSync(join(path, 'note.md'), 'x');
  expect(sources(line, path, [join(path, 'note.md')])).toContain(join(path, 'note.md'));
});

test.each([
  ...[
    'cat *',
    'cat src/*.ts',
    'grep -R x .',
    'rg x',
    'ls | xargs cat',
    'git ls-files | xargs wc -l',
    'for f in *; do cat $f; done',
    'date -f a.txt',
  ],
  ...[
    'find . -name "*.ts" | xargs grep x',
    'sed -n 1,5p a.txt',
    'git diff',
    'head -5 */*',
    'cat < *.txt',
    'sort -r a.txt',
    'grep -rn "a b" src',
  ],
])('where nothing leads elsewhere, nothing is of others: %s', (line) => {
  const path = project('plain');
  mkdirSync(join(path, 'node_modules', 'left'), { recursive: true });
  rmSync(join(path, 'node_modules'), { recursive: true });
  symlinkSync('a.txt', join(path, 'inside.txt'));
  const found = sources(line, path);
  rmSync(join(path, 'inside.txt'));
  expect(found).toEqual([]);
});

test('a fetched folder is found however deep it lies, and one that git knows nothing of is in no list of git', () => {
  const path = project('fetched');
  mkdirSync(join(path, 'src', 'node_modules', 'left'), { recursive: true });
  expect(sources('grep -rn x .', path)).toEqual([join(path, 'src', 'node_modules')]);
  expect(sources('git ls-files | xargs wc -l', path)).toEqual([]);
});

test('a file that goes along or is read, an image too, is of others by where it really is', () => {
  const path = project('attached');
  const image = join(home, 'Downloads', 'shot.png');
  writeFileSync(image, 'x');
  writeFileSync(join(path, 'own.png'), 'x');
  symlinkSync(image, join(path, 'link.png'));
  linkSync(image, join(path, 'hard.png'));
  const context = toReadContext({ cwd: path, project: path, home }, []);
  const paths = [image, join(path, 'own.png'), join(path, 'link.png'), join(path, 'hard.png')];
  const found = sourcesOfFiles(paths, context, FILE_FACTS).map(({ name }) => name);
  expect(found).toEqual([image, image, join(path, 'hard.png')]);
});

describe('files that no word of the line names, or that a word names in another way', () => {
  test.each([
    'cat dl/../Downloads/e.txt',
    'cd dl && cat ../Downloads/e.txt',
    'cat dl/./../Downloads/e.txt',
    'head -n 1 dl/sub/../../Downloads/e.txt',
  ])('%s goes up from where the link leads', (line) => {
    const path = project('climbs');
    rmSync(join(path, 'dl'), { force: true });
    symlinkSync(join(home, 'Downloads'), join(path, 'dl'));
    mkdirSync(join(home, 'Downloads/sub'), { recursive: true });
    expect(sources(line, path)).toContain(join(home, 'Downloads/e.txt'));
  });

  test.each([
    'tar cf - -T list',
    'tar -c --files-from=list',
    'cpio -o < list',
    'ls | cpio --create',
    "awk '{ while ((getline l < $1) > 0) print l }' list",
    "awk '{ ARGV[ARGC++] = $0 } 1' list",
    'sort --files0-from=- < list',
    "sed 's/.*/cat &/e' list",
    'IFS=: read a b <<< x:lnk.txt; cat $b',
    'IFS=:; read a b <<< x:lnk.txt; cat $b',
    'read -d: a <<< lnk.txt:x; cat $a',
    'cat /proc/self/cwd/lnk.txt',
  ])('%s may read any', (line) => {
    expect(sources(line, project('any')).length).toBeGreaterThan(0);
  });

  test('git compares folders with all that lies in them', () => {
    const path = project('compared');
    writeFileSync(join(home, 'Downloads/other.txt'), 'EVIL\n');
    linkSync(join(home, 'Downloads/other.txt'), join(path, 'src/hard.txt'));
    const line = 'git diff --no-index -- src .';
    expect(sources(line, path)).toContain(join(path, 'src/hard.txt'));
  });

  test.each([
    'cat src/../a.txt',
    'cd src && cat ../a.txt',
    'read a b <<< "a.txt README.md"; cat $b',
    'tar cf - src',
    "awk '{ print $1 }' list",
    'sort list',
    'git diff --no-index src/a.ts a.txt',
  ])('%s stays in the project', (line) => {
    expect(sources(line, project('inside'))).toEqual([]);
  });
});

test('names and commits are no text of a file that was written before', () => {
  const path = project('names');
  const older = [join(path, 'note.md')];
  writeFileSync(join(path, 'note.md'), 'EVIL\n');
  const quiet = [
    'git log --oneline -5',
    'git show --stat HEAD',
    'git diff HEAD --stat',
    "find . -name '*.ts'",
    'ls -R',
  ];
  expect(quiet.map((line) => sources(line, path, older))).toEqual(quiet.map(() => []));
  const loud = [
    'git diff',
    'git log -p',
    'git show',
    'git grep x',
    'find . -name "*.md" -exec cat {} +',
    'grep -r x .',
  ];
  expect(loud.map((line) => sources(line, path, older).length > 0)).toEqual(loud.map(() => true));
});
