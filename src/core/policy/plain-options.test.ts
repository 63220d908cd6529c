import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';
import { covers, ruleLine } from './rules.ts';

const context = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

/** Whether a rule covers every command of a line. */
function isCovered(prefix: string, line: string): boolean {
  return classifyLine(line, context)
    .parts.filter(({ words }) => words.length > 0)
    .every((part) => covers(prefix, part, context));
}

test.each([
  ['rsync', 'rsync -avz --exclude node_modules --progress a/ b/'],
  ['sed -i', "sed -i 's/a/b/' notes"],
  ['sed', 'sed -n 1,5p notes'],
  ['gzip', 'gzip -9k notes'],
  ['zstd', 'zstd -19 -T0 notes'],
  ['cp', 'cp -a one two'],
  ['mkdir', 'mkdir -pm755 one/two'],
  ['chmod', 'chmod -x tool'],
  ['rsync --del', 'rsync --del a/ b/'],
])('a rule %s covers what it is for: %s', (prefix, line) => {
  expect(isCovered(prefix, line)).toBe(true);
});

test.each([
  ['rsync', 'rsync -a --log-file=log a/ b/'],
  ['rsync', 'rsync -a --backup-dir=old a/ b/'],
  ['rsync', 'rsync -a --temp-dir /x a/ b/'],
  ['rsync', 'rsync -a --del a/ b/'],
  ['rsync', 'rsync -a --files-from=host:list . b/'],
  ['rsync', 'rsync -a --chmod=u+s a/ b/'],
  ['rsync', 'rsync -a --remote-option=--log-file=/x a/ b/'],
  ['rsync', 'rsync -a -M--log-file=log a/ b/'],
  ['rsync', 'rsync --read-batch=batch b/'],
  ['rsync', 'rsync -a .env public'],
  ['rsync', 'rsync -a "$OPTIONS" a/ b/'],
  ['sed -i', "sed -i 'w ../x' notes"],
  ['sed -i', "sed -i 's/a/b/w ../x' notes"],
  ['sed -i', "sed -i 'w /home/user/x' notes"],
  ['sed -i', "sed -i '1{w ../x;}' notes"],
  ['sed', "sed -i 's/a/b/w out' notes"],
  ['sed', 'sed -i -f script notes'],
  ['zstd', 'zstd --filelist=list'],
  ['pigz', 'pigz --alias .git notes'],
  ['chmod', 'chmod --reference=/usr/bin/su tool'],
])('a rule %s does not cover an option that does more: %s', (prefix, line) => {
  expect(isCovered(prefix, line)).toBe(false);
});

test('no rule lets an option write what runs later', () => {
  const line = "rsync -a --log-file=.git/hooks/pre-commit --log-file-format='; touch planted #' a/ b/";
  expect(ruleLine('ask', { approve: ['rsync'] }, line, context)).toMatchObject({
    decision: 'deny',
    rule: 'built-in rule',
  });
});
