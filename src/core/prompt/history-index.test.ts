import { describe, expect, test } from 'bun:test';
import { HistoryIndex, type LineUse, type LineWalk, parseIgnored, toHistoryRules, USUAL_RULES } from './history-index.ts';
import { isWorthKeeping, looksSecret } from './kept-line.ts';

const DAY = 86_400_000;

function use(line: string, more: Partial<LineUse> = {}): LineUse {
  return { line, at: 0, cwd: '/here', route: 'command', who: 'user', ...more };
}

function indexOf(uses: readonly LineUse[], place = { cwd: '/here', session: 'mine' }): HistoryIndex {
  const index = new HistoryIndex(place);
  for (const one of uses) index.add(one);
  return index;
}

function walkAll(walk: LineWalk): readonly string[] {
  const lines: string[] = [];
  for (let line = walk.older(); line !== null; line = walk.older()) lines.push(line);
  return lines;
}

describe('suggesting', () => {
  test('the newest line that goes on is taken', () => {
    const index = indexOf([use('git status'), use('git stash'), use('ls')]);
    expect(['git sta', '', 'ls', 'x'].map((text) => index.suggest(text))).toEqual(['sh', '', '', '']);
  });

  test('a line of this directory goes before a newer one of another', () => {
    const index = indexOf([use('make test', { cwd: '/here' }), use('make install', { cwd: '/there', at: 9 })]);
    expect(index.suggest('make ')).toBe('test');
    index.context = { cwd: '/there', session: 'mine' };
    expect(index.suggest('make ')).toBe('install');
    index.context = { cwd: '/nowhere', session: 'mine' };
    expect(index.suggest('make ')).toBe('install');
  });

  test('what was used more often lately goes before what was used once', () => {
    const often = [1, 2, 3, 4].map((hour) => use('git commit', { at: 20 * DAY + hour }));
    expect(indexOf([...often, use('git cherry-pick', { at: 20 * DAY + DAY / 2 })]).suggest('git c')).toBe('ommit');
    expect(indexOf([...often, use('git cherry-pick', { at: 27 * DAY })]).suggest('git c')).toBe('herry-pick');
  });

  test('a command that is not there, or that never worked, is not offered', () => {
    const index = indexOf([
      use('gti status', { id: 'a', exit: 127 }),
      use('g-worked', { id: 'b', exit: 0 }),
      use('g-worked', { id: 'c', exit: 2 }),
      use('g-failed', { id: 'd', exit: 2 }),
    ]);
    expect(['gt', 'g', 'g-f'].map((text) => index.suggest(text))).toEqual(['', '-worked', '']);
  });

  test('directories count by the commands in them and by those that led there, recent ones more', () => {
    const day = 86_400_000;
    const index = indexOf([
      use('ls', { cwd: '/old', at: 0 }),
      use('ls', { cwd: '/old', at: 0 }),
      use('cd /new', { cwd: '/old', at: 30 * day, id: 'a' }),
      use('make', { cwd: '/new', to: '/built', at: 60 * day }),
      use('imported', { cwd: '', at: 60 * day }),
    ]);
    index.end({ id: 'a', exit: 0, to: '/new' });
    const heaviest = index.directories().toSorted((one, other) => other.weight - one.weight);
    expect(heaviest.map(({ path }) => path)).toEqual(['/new', '/built', '/old']);
  });

  test('a line may be offered while it runs, and after it was ended on purpose', () => {
    const index = indexOf([use('npm run dev', { id: 'a' })]);
    const running = index.suggest('npm');
    index.end({ id: 'a', exit: 130 });
    const stopped = index.suggest('npm');
    index.add(use('npm run dev', { id: 'b' }));
    index.end({ id: 'b', exit: 1 });
    expect([running, stopped, index.suggest('npm')]).toEqual([' run dev', ' run dev', '']);
  });

  test('what is new shows while a word is shortened and grows again', () => {
    const index = indexOf([use('git log'), use('git diff')]);
    const before = ['g', 'gi', 'git l', 'git'].map((text) => index.suggest(text));
    index.add(use('git lint'));
    expect([before, ['git l', 'git', 'g'].map((text) => index.suggest(text))]).toEqual([
      ['it diff', 't diff', 'og', ' diff'],
      ['int', ' lint', 'it lint'],
    ]);
  });
});

describe('walking', () => {
  test('each line comes once, from new to old, and back to the text the walk began from', () => {
    const walk = indexOf([use('a'), use('b'), use('a'), use('c')]).walk('');
    expect([walk.older(), walk.older(), walk.newer(), walk.newer(), walk.older()]).toEqual(['c', 'a', 'c', null, 'c']);
    expect(walkAll(walk)).toEqual(['a', 'b']);
    expect([walk.older(), walk.newer()]).toEqual([null, 'a']);
  });

  test('the lines of this terminal come before those of others', () => {
    const mine = { session: 'mine' };
    const index = indexOf([use('old', mine), use('rm -r x', { session: 'other' }), use('new', mine), use('theirs')]);
    expect(walkAll(index.walk(''))).toEqual(['new', 'old', 'theirs', 'rm -r x']);
  });

  test('with a prefix those of this directory come first', () => {
    const there = { cwd: '/there' };
    const index = indexOf([use('git a'), use('git b', there), use('git c'), use('git d', there), use('ls')]);
    expect(walkAll(index.walk('git '))).toEqual(['git c', 'git a', 'git d', 'git b']);
  });

  test('the text itself is no step', () => {
    expect(walkAll(indexOf([use('ls -l'), use('ls')]).walk('ls'))).toEqual(['ls -l']);
  });
});

test('commands of this terminal are the last ones, whatever others do', () => {
  const index = indexOf([
    use('a', { session: 'mine' }),
    use('b', { session: 'other' }),
    use('what is b?', { session: 'mine', route: 'message' }),
    use('c', { session: 'mine' }),
    use('c', { session: 'mine' }),
    use('d', { session: 'other' }),
  ]);
  expect(index.commands()).toEqual(['b', 'd', 'a', 'c']);
});

test('lines are found by their numbers, which may have gaps', () => {
  const index = indexOf([use('a', { number: 7 }), use('b', { number: 9 }), use('a', { number: 10 })]);
  expect([6, 7, 8, 9, 10, 11].map((number) => index.numbered(number))).toEqual([undefined, 'a', undefined, 'b', 'a', undefined]);
});

test('secret-looking lines are known', () => {
  const secret = [
    'curl -u me:pw x',
    'mysql -psecret',
    'sshpass -p secret ssh h',
    'PASSWORD=1 x',
    'echo sk-abcdefghijklmnop',
    'git clone https://u:p@h/x',
    'tool --token abc',
    'ghp_0123456789abcdef',
  ];
  const plain = [
    'mkdir -p src',
    'npm-run-all-in-order x',
    'git log -p file',
    'docker run -p 80:80 x',
    'task list',
    'ls sk-1',
    'cat password.txt',
    'explain this token',
  ];
  expect([secret.filter((line) => !looksSecret(line)), plain.filter(looksSecret)]).toEqual([[], []]);
});

test('what begins with a blank, is too long or asks to forget something is not kept', () => {
  const lines = ['ls', ' ls', '\tls', '  ', 'x'.repeat(65_537), ':history delete hunter2', ':history'];
  expect(lines.filter((line) => isWorthKeeping(line))).toEqual(['ls', ':history']);
});

test('a line is kept whose secrets were all taken out of it', () => {
  const kept = [
    'export API_TOKEN=⟨secret:API_TOKEN⟩; env',
    'curl -H "Authorization: Bearer ⟨secret:GITHUB_TOKEN⟩" https://x.example',
    'mysql -p⟨secret:DB_PASSWORD⟩ shop',
    "login --token '⟨secret:A⟩' --user me",
  ];
  const dropped = ['export API_TOKEN=⟨secret:API_TOKEN⟩ DB_PASSWORD=hunter2', 'login --token x ⟨secret:A⟩'];
  expect([...kept, ...dropped].filter((line) => isWorthKeeping(line))).toEqual(kept);
});

test('what a pattern of the user matches is not kept', () => {
  const rules = { ...USUAL_RULES, ignore: ['ls', 'cd *', 'top?', '[bf]g'] };
  const lines = ['ls', 'ls -l', 'cd', 'cd /x', 'top', 'topo', 'bg', 'fg', 'jg'];
  expect(lines.filter((line) => isWorthKeeping(line, rules))).toEqual(['ls -l', 'cd', 'top', 'jg']);
});

test('the rules of bash are understood', () => {
  expect([
    toHistoryRules({ control: 'ignoreboth', ignore: ['ls', 'cd *', '&'] }, { ignore: ['x'], duplicates: 'keep' }),
    toHistoryRules({ control: 'erasedups:ignorespace', ignore: [] }, USUAL_RULES),
    toHistoryRules({ control: '', ignore: [] }, USUAL_RULES),
  ]).toEqual([{ ignore: ['x', 'ls', 'cd *'], duplicates: 'ignore' }, { ignore: [], duplicates: 'erase' }, USUAL_RULES]);
});

test('the patterns of both shells are understood', () => {
  expect([
    parseIgnored('ls:cd *::&', 'bash'),
    parseIgnored('(ls|cd *|pwd)', 'zsh'),
    parseIgnored('rm *', 'zsh'),
    parseIgnored('', 'zsh'),
  ]).toEqual([['ls', 'cd *', '&'], ['ls', 'cd *', 'pwd'], ['rm *'], []]);
});
